"""The page's side of the worker, against a worker that answers as the test says."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.web

# `workers` are the fake workers in the order in which they were made; each keeps what it was sent.
# `ask(key, state)` renders and notes how that ended in `ends`.
SET_UP = """async () => {
  const { Runtime } = await import("/runtime.js")
  globalThis.protocol = await import("/protocol.js")
  globalThis.workers = []
  globalThis.ends = []
  class FakeWorker extends EventTarget {
    started = []
    sent = []
    alive = true
    constructor() { super(); workers.push(this) }
    postMessage(data) { (data.kind === "start" ? this.started : this.sent).push(data) }
    terminate() { this.alive = false }
    say(data) { this.dispatchEvent(new MessageEvent("message", { data })) }
    ready() { this.say({ kind: "stage", name: "ready", loaded: 0, total: 0 }) }
    frame(n) { this.say({ kind: "frame", id: this.sent[n].id, html: `h${n}`, say: "", state: {}, ms: 1 }) }
    error(id, code) { this.say({ kind: "error", id, code, message: `no ${code}` }) }
  }
  globalThis.plans = []
  globalThis.noPlan = false
  const plan = async (again) => {
    plans.push(again)
    if (noPlan) throw new Error("no manifest")
    return { base: new URL("http://host/sub/"), files: { python: {} } }
  }
  globalThis.runtime = new Runtime(() => new FakeWorker(), plan, { frame: 0.2, silence: 0.2 })
  globalThis.ask = (key, state) => {
    runtime.render({ key, demo: key, state, lang: "zh" }).then(
      (frame) => ends.push([key, state.n, frame ? frame.html : "superseded"]),
      (error) => ends.push([key, state.n, error.name, error.code]),
    )
  }
  globalThis.soon = () => new Promise((resolve) => setTimeout(resolve, 0))
}"""


def run(page: Page, body: str) -> Any:
    """Run the body of an async function in the page."""
    return page.evaluate(f"async () => {{ {body} }}")


def test_a_wish_starts_the_one_worker_and_waits_until_it_is_ready(page: Page) -> None:
    before, after = run(
        page,
        """ask("a", {n: 1}); runtime.start(); const before = workers.map((w) => w.sent.length)
        workers[0].ready(); return [before, workers[0].sent]""",
    )
    assert before == [0]
    assert after == [{"kind": "render", "id": 1, "demo": "a", "state": {"n": 1}, "lang": "zh"}]


def test_the_worker_is_told_which_files_to_start_from(page: Page) -> None:
    started = run(
        page, "runtime.start(); runtime.start(); await soon(); return workers.map((w) => w.started)"
    )
    assert started == [[{"kind": "start", "base": "http://host/sub/", "files": {"python": {}}}]]


def test_without_a_manifest_the_start_fails_and_a_retry_fetches_it_again(page: Page) -> None:
    ends, plans, alive = run(
        page,
        """noPlan = true; ask("a", {n: 1}); await soon(); noPlan = false
        runtime.retry(); ask("a", {n: 2}); workers[1].ready(); workers[1].frame(0); await soon()
        return [ends, plans, workers.map((w) => w.alive)]""",
    )
    assert ends == [["a", 1, "RuntimeFailure", "assets"], ["a", 2, "h0"]]
    assert plans == [False, True]
    assert alive == [False, True]


def test_of_one_demos_waiting_wishes_the_newest_wins(page: Page) -> None:
    ends, sent = run(
        page,
        """ask("a", {n: 1}); ask("a", {n: 2}); ask("b", {n: 3}); ask("a", {n: 4})
        const [worker] = workers; worker.ready(); worker.frame(0); worker.frame(1); await soon()
        return [ends, worker.sent.map(({state}) => state.n)]""",
    )
    assert sent == [3, 4], "what was superseded never reaches Python"
    assert ends == [
        ["a", 1, "superseded"],
        ["a", 2, "superseded"],
        ["b", 3, "h0"],
        ["a", 4, "h1"],
    ]


def test_a_frame_on_its_way_is_shown_although_a_newer_wish_waits(page: Page) -> None:
    ends = run(
        page,
        """runtime.start(); const [worker] = workers; worker.ready()
        ask("a", {n: 1}); ask("a", {n: 2}); ask("a", {n: 3}); worker.frame(0); worker.frame(1)
        await soon(); return ends""",
    )
    assert ends == [["a", 2, "superseded"], ["a", 1, "h0"], ["a", 3, "h1"]]


def test_a_refused_state_fails_alone(page: Page) -> None:
    ends = run(
        page,
        """runtime.start(); const [worker] = workers; worker.ready()
        ask("a", {n: 1}); ask("b", {n: 2}); worker.error(1, "state"); worker.frame(1)
        await soon(); return ends""",
    )
    assert ends == [["a", 1, "RuntimeFailure", "state"], ["b", 2, "h1"]]


def test_a_frame_that_takes_too_long_ends_the_worker_and_the_next_does_the_rest(page: Page) -> None:
    ends, alive, sent = run(
        page,
        """runtime.start(); workers[0].ready(); ask("a", {n: 1}); ask("b", {n: 2})
        while (workers.length < 2) await soon()
        workers[1].ready(); workers[0].frame(0); workers[1].frame(0); await soon()
        return [ends, workers.map((w) => w.alive), workers.map((w) => w.sent.length)]""",
    )
    assert ends == [["a", 1, "RuntimeFailure", "timeout"], ["b", 2, "h0"]]
    assert (alive, sent) == ([False, True], [1, 1])


def test_bytes_that_arrive_while_a_frame_waits_give_it_more_time(page: Page) -> None:
    ends = run(
        page,
        """runtime.start(); const [worker] = workers; worker.ready(); ask("a", {n: 1})
        for (let n = 1; n <= 6; n++) {
          await new Promise((resolve) => setTimeout(resolve, 80))
          worker.say({kind: "stage", name: "extras", loaded: n, total: 6})
        }
        worker.frame(0); await soon(); return ends""",
    )
    assert ends == [["a", 1, "h0"]]


def test_a_failed_start_fails_all_wishes_until_a_retry(page: Page) -> None:
    ends, count = run(
        page,
        """ask("a", {n: 1}); ask("b", {n: 2}); workers[0].error(0, "assets"); ask("a", {n: 3}); await soon()
        const count = workers.length
        runtime.retry(); ask("a", {n: 4}); workers[1].ready(); workers[1].frame(0); await soon()
        return [ends, [count, workers.length]]""",
    )
    assert ends[:3] == [
        ["a", 1, "RuntimeFailure", "assets"],
        ["b", 2, "RuntimeFailure", "assets"],
        ["a", 3, "RuntimeFailure", "assets"],
    ]
    assert ends[3:] == [["a", 4, "h0"]]
    assert count == [1, 2], "nothing is downloaded again before the reader asks for it"


def test_silence_while_starting_is_a_failure(page: Page) -> None:
    ends = run(page, """ask("a", {n: 1}); while (ends.length === 0) await soon(); return ends""")
    assert ends == [["a", 1, "RuntimeFailure", "assets"]]


def test_a_worker_that_does_not_load_is_a_failure(page: Page) -> None:
    ends = run(
        page,
        """ask("a", {n: 1}); workers[0].dispatchEvent(new ErrorEvent("error")); await soon(); return ends""",
    )
    assert ends == [["a", 1, "RuntimeFailure", "assets"]]


def test_a_python_that_breaks_is_replaced(page: Page) -> None:
    ends = run(
        page,
        """runtime.start(); workers[0].ready(); ask("a", {n: 1}); ask("b", {n: 2})
        workers[0].dispatchEvent(new ErrorEvent("error", {message: "memory access out of bounds"}))
        workers[1].ready(); workers[1].frame(0); await soon(); return ends""",
    )
    assert ends == [["a", 1, "RuntimeFailure", "python"], ["b", 2, "h0"]]


def test_listeners_hear_the_present_stage_at_once_and_can_leave(page: Page) -> None:
    heard = run(
        page,
        """const heard = []; runtime.start(); const [worker] = workers
        worker.say({kind: "stage", name: "download", loaded: 1, total: 2})
        const leave = runtime.onStage(({name, loaded}) => heard.push([name, loaded]))
        worker.say({kind: "stage", name: "download", loaded: 2, total: 2}); leave()
        worker.ready(); return heard""",
    )
    assert heard == [["download", 1], ["download", 2]]


@pytest.mark.parametrize(
    ("reader", "message", "complaint"),
    [
        ("readReply", "{kind: 'progress'}", "unknown message"),
        ("readReply", "null", "unknown message"),
        ("readReply", "{kind: 'stage', name: 'napping', loaded: 0, total: 0}", "name must be download,"),
        (
            "readReply",
            "{kind: 'frame', id: 1, html: 3, say: '', state: {}, ms: 0}",
            "html must be string, got 3",
        ),
        ("readReply", "{kind: 'error', id: 1, code: 'oops', message: ''}", 'got "oops"'),
        ("readReply", "{kind: 'listing', id: 1}", "html must be string, got undefined"),
        (
            "readReply",
            "{kind: 'ran', id: 1, html: '', say: '', output: '', error: {}, function: '', line: 0}",
            "error must be string",
        ),
        ("readRequest", "{kind: 'eval', code: '1'}", "unknown message"),
        (
            "readRequest",
            "{kind: 'run', id: 1, demo: 'a', state: {}, lang: 'zh', edits: 'def f(): pass'}",
            "edits must be object",
        ),
        ("readRequest", "{kind: 'start', base: '/'}", "files must be object, got undefined"),
        (
            "readRequest",
            "{kind: 'render', id: 1, demo: 'a', state: null, lang: 'zh'}",
            "state must be object",
        ),
    ],
)
def test_the_set_of_messages_is_closed(page: Page, reader: str, message: str, complaint: str) -> None:
    said = run(page, f"try {{ protocol.{reader}({message}) }} catch (error) {{ return String(error) }}")
    assert said is not None
    assert said.startswith("TypeError")
    assert complaint in said


RAN = {"html": "h", "say": "s", "output": "o", "error": "", "function": "", "line": 0}
WISH = '{key: "a", demo: "a", state: {}, lang: "zh", edits: {f: "def f(): pass"}}'


def test_frame_code_and_run_of_one_demo_wait_beside_each_other(page: Page) -> None:
    sent, got = run(
        page,
        f"""const made = [runtime.render({WISH}), runtime.code({WISH}), runtime.run({WISH})]
        const [worker] = workers; worker.ready()
        worker.frame(0); worker.say({{kind: "listing", id: 2, html: "code"}})
        worker.say({{kind: "ran", id: 3, ...{RAN!r}}})
        return [worker.sent.map((request) => request.kind), await Promise.all(made)]""",
    )
    assert sent == ["render", "code", "run"]
    assert [got[0]["html"], *got[1:]] == ["h0", "code", RAN]


def test_a_run_may_take_longer_than_a_frame_and_is_stopped_by_the_reader(page: Page) -> None:
    alive, ended, after = run(
        page,
        f"""const ran = runtime.run({WISH}).catch((error) => error.code)
        const [worker] = workers; worker.ready(); ask("b", {{n: 1}})
        await new Promise((resolve) => setTimeout(resolve, 600))
        const alive = worker.alive
        runtime.stop("other"); runtime.stop("a")
        const ended = [await ran, worker.alive]
        workers[1].ready(); workers[1].frame(0); await soon()
        return [alive, ended, ends]""",
    )
    assert alive
    assert ended == ["stopped", False]
    assert after == [["b", 1, "h0"]]


def test_a_run_that_still_waits_is_stopped_without_a_new_worker(page: Page) -> None:
    ended, count, sent = run(
        page,
        f"""ask("b", {{n: 1}}); const [worker] = workers; worker.ready()
        const ran = runtime.run({WISH}).catch((error) => error.code)
        runtime.stop("a"); worker.frame(0)
        return [await ran, workers.length, worker.sent.length]""",
    )
    assert (ended, count, sent) == ("stopped", 1, 1)
