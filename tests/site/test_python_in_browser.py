"""The real thing: Pyodide with numpy and our packages in a worker of a real browser, served from one host."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from course_site.archive import PACKAGES
from course_site.compilers import Sources
from course_site.prepare import prepare
from course_site.static_host import Host, serve

pytestmark = pytest.mark.web

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Scratch</title>
<script type="module">
import { manifest } from "./assets/js/manifest.js"
import { Runtime, getRuntime } from "./assets/js/runtime.js"
const spawn = () => new Worker(new URL("./assets/js/worker.js", location), { type: "module" })
const impatient = new Runtime(spawn, manifest, { frame: 1.5, silence: 60 })
window.runtimes = { usual: getRuntime(), impatient }
window.stages = []
getRuntime().onStage((stage) => stages.push(stage))
</script>"""
RENDER = """([which, demo, state, lang]) => runtimes[which].render({ key: demo, demo, state, lang })
  .catch((error) => ({ code: error.code, message: error.message }))"""
FIRST_FRAMES = """
import json, sys
sys.path.insert(0, "")
from demos import kit
frames = {f"{name} {lang}": kit.frame_json(name, "{}", lang) for name in kit.names() for lang in ("zh", "en")}
print(json.dumps({key: json.loads(frame) for key, frame in frames.items()}))
"""
# What a demo does when it is switched on in the browser; the build, which renders it too, does nothing.
BODIES = {
    "endless": "while True:\n    pass",
    "raises": "raise ValueError('no such luck')",
    "left_out": "import numpy as np\nimport xml.dom.minidom\non = bool(np.fft.fft([1.0, 0])[0])",
    "foreign": "import pandas",
    "removed": "import sqlite3",
}


def make_site(folder: Path, root: Path, source: Path) -> Path:
    """The smallest site: the scripts, what `prepare` makes of `source`, and one page."""
    shutil.copytree(root / "docs" / "assets" / "js", folder / "assets" / "js")
    prepare(source, folder / "assets" / "generated", log=[].append)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module", autouse=True)
def keep_the_cache(project_cache: Path, real: dict[str, Path]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_CACHE", str(project_cache))
        yield


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    """A copy of our packages, which nobody edits while the tests run."""
    folder = tmp_path_factory.mktemp("ours")
    for package in PACKAGES:
        shutil.copytree(root / package, folder / package)
    return folder


@pytest.fixture(scope="module")
def real_site(tmp_path_factory: pytest.TempPathFactory, root: Path, ours: Path) -> Path:
    """With our own packages."""
    return make_site(tmp_path_factory.mktemp("real"), root, ours)


@pytest.fixture(scope="module")
def first_frames(ours: Path) -> dict[str, dict[str, Any]]:
    """The first frame of every demo in both languages, `NAME LANG` -> frame, as this Python renders it."""
    command = [sys.executable, "-c", FIRST_FRAMES]
    done = subprocess.run(command, cwd=ours, capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def odd_site(tmp_path_factory: pytest.TempPathFactory, root: Path, make_course: Callable[..., Path]) -> Path:
    """With demos that misbehave when they are switched on."""
    bodies = {
        name: "import sys\nif on and sys.platform == 'emscripten':\n    " + body.replace("\n", "\n    ")
        for name, body in BODIES.items()
    }
    course = make_course(tmp_path_factory.mktemp("odd") / "course", **bodies)
    return make_site(tmp_path_factory.mktemp("site"), root, course)


def opened(chromium: Browser, host: Host) -> Page:
    page = chromium.new_page()
    page.goto(host.url)
    page.wait_for_function("window.stages")
    return page


def render(page: Page, demo: str, state: dict[str, str], lang: str = "zh", which: str = "usual") -> Any:
    return page.evaluate(RENDER, [which, demo, state, lang])


@pytest.mark.parametrize("encoding", [None, "gzip", "br"])
def test_it_boots_on_any_host_below_a_sub_path(
    chromium: Browser, real_site: Path, first_frames: dict[str, dict[str, Any]], encoding: str | None
) -> None:
    with serve(real_site, prefix="/deep/course/", encoding=encoding) as host:
        page = chromium.new_page()
        addresses: list[str] = []
        complaints: list[str] = []
        page.context.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(host.url)
        page.wait_for_function("window.stages")
        frame = render(page, "scaling", {})
        stages = page.evaluate("stages")
        page.close()
    assert frame["html"] == first_frames["scaling zh"]["html"]
    assert complaints == [], "one that says 'left out' names a module to list in pyodide_assets.toml"
    assert all(address.startswith((host.url, "data:")) for address in addresses)
    assert {status for _, status, _ in host.answers} == {200}
    order = [stage["name"] for stage in stages]
    assert list(dict.fromkeys(order)) == ["download", "start", "numpy", "ready"]
    last = [stage for stage in stages if stage["name"] == "download"][-1]
    assert last["loaded"] == pytest.approx(last["total"], rel=1e-3), "every byte of it"
    packed = [path for path, _, _ in host.answers if path.endswith(".packed")]
    assert len(packed) == {None: 4, "gzip": 3, "br": 0}[encoding]


def test_it_boots_from_sources_where_nothing_could_compile(
    chromium: Browser,
    tmp_path: Path,
    root: Path,
    make_course: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("course_site.prepare.choose_compiler", lambda *_: Sources())
    with serve(make_site(tmp_path / "site", root, make_course(tmp_path / "course"))) as host:
        page = opened(chromium, host)
        assert render(page, "slider", {})["say"] == "k = 2"
        page.close()


def test_bytes_from_a_host_far_away_are_counted_while_they_arrive(chromium: Browser, odd_site: Path) -> None:
    with serve(odd_site, encoding="gzip", latency=0.15) as host:
        page = opened(chromium, host)
        assert render(page, "slider", {})["say"] == "k = 2"
        loaded = [stage["loaded"] for stage in page.evaluate("stages") if stage["name"] == "download"]
        total = page.evaluate("stages[0].total")
        page.close()
    assert loaded == sorted(loaded)
    assert loaded[-1] == pytest.approx(total, rel=1e-3)


def test_every_demos_first_frame_is_the_builds_byte_for_byte(
    chromium: Browser, real_site: Path, first_frames: dict[str, dict[str, Any]]
) -> None:
    assert len(first_frames) >= 8, "four demos in two languages at least"
    with serve(real_site) as host:
        page = opened(chromium, host)
        for key, made in first_frames.items():
            got = render(page, key.split()[0], {}, key.split()[1])
            assert {part: got[part] for part in ("html", "say", "state")} == made, key
        assert "extras" not in {stage["name"] for stage in page.evaluate("stages")}
        page.close()


def test_what_goes_wrong_in_a_demo_has_a_code_and_python_goes_on(chromium: Browser, odd_site: Path) -> None:
    with serve(odd_site) as host:
        page = opened(chromium, host)
        assert render(page, "slider", {"k": "1001"})["code"] == "state"
        assert render(page, "no-such-demo", {})["code"] == "demo"
        raised = render(page, "raises", {"on": "true"})
        assert raised == {"code": "python", "message": "ValueError: no such luck"}
        foreign = render(page, "foreign", {"on": "true"})
        assert foreign == {"code": "python", "message": "ModuleNotFoundError: No module named 'pandas'"}
        assert "extras" not in {stage["name"] for stage in page.evaluate("stages")}
        assert render(page, "slider", {"k": "7"})["say"] == "k = 7"
        page.close()


def test_what_the_first_download_leaves_out_comes_when_it_is_imported(
    chromium: Browser, odd_site: Path
) -> None:
    with serve(odd_site) as host:
        page = opened(chromium, host)
        assert render(page, "left-out", {"on": "true"})["say"] == "开 True"
        stages = [stage for stage in page.evaluate("stages") if stage["name"] == "extras"]
        assert stages[-1]["loaded"] == pytest.approx(stages[-1]["total"], rel=1e-3)
        removed = render(page, "removed", {"on": "true"})
        assert removed == {"code": "python", "message": "ModuleNotFoundError: No module named 'sqlite3'"}
        page.close()


def test_what_is_left_out_and_cannot_be_had_is_an_asset_error_and_can_be_tried_again(
    chromium: Browser, odd_site: Path
) -> None:
    with serve(odd_site) as host:
        page = opened(chromium, host)
        assert render(page, "slider", {})["say"] == "k = 2"
        host.missing.add("stdlib_full")
        assert render(page, "left-out", {"on": "true"})["code"] == "assets"
        host.missing.clear()
        assert render(page, "left-out", {"on": "true"})["say"] == "开 True"
        page.close()


def test_an_endless_demo_is_stopped_and_python_comes_back(chromium: Browser, odd_site: Path) -> None:
    with serve(odd_site) as host:
        page = opened(chromium, host)
        stopped = render(page, "endless", {"on": "true"}, which="impatient")
        assert stopped == {"code": "timeout", "message": "demo endless: no frame within 1.5 s"}
        assert render(page, "endless", {"on": "false"}, which="impatient")["say"] == "开 False"
        page.close()


@pytest.mark.parametrize("part", ["manifest.json", "engine-", "numpy-", "loader-", "worker.js"])
def test_a_missing_file_is_an_asset_error(chromium: Browser, odd_site: Path, part: str) -> None:
    with serve(odd_site) as host:
        host.missing.add(part)
        page = opened(chromium, host)
        assert render(page, "slider", {})["code"] == "assets"
        page.close()


@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_a_damaged_engine_is_an_asset_error_at_once(
    chromium: Browser, odd_site: Path, encoding: str | None
) -> None:
    pattern = "engine-*.packed" if encoding is None else "engine-*.wasm"
    (engine,) = (odd_site / "assets" / "generated" / "pyodide").glob(pattern)
    whole = engine.read_bytes()
    engine.write_bytes(whole[: len(whole) // 2])
    try:
        with serve(odd_site, encoding=encoding) as host:
            page = opened(chromium, host)
            assert render(page, "slider", {})["code"] == "assets"
            page.close()
    finally:
        engine.write_bytes(whole)


def test_a_failed_start_can_be_tried_again(chromium: Browser, odd_site: Path) -> None:
    with serve(odd_site) as host:
        host.missing |= {"manifest.json", "course-"}
        page = opened(chromium, host)
        for repaired in ("manifest.json", "course-"):
            assert render(page, "slider", {})["code"] == "assets"
            host.missing.remove(repaired)
            page.evaluate("runtimes.usual.retry()")
        assert render(page, "slider", {})["say"] == "k = 2"
        page.close()


def test_the_worker_is_one_a_tab(chromium: Browser, odd_site: Path) -> None:
    with serve(odd_site) as host:
        page = opened(chromium, host)
        render(page, "slider", {})
        same = page.evaluate(
            """async () => (await import("./assets/js/runtime.js?again")).getRuntime() === runtimes.usual"""
        )
        assert same
        assert len(page.workers) == 1
        page.close()
