"""From a moved control to the painted frame, for each demo, in a real browser on the built site.

Every demo's first slider (or its first control; with --drag its first handle) is moved over and over while
Python is up, each time at a random moment between two paints. Prints, per demo: the time to the painted frame
(median, p95); what of the median is work, not waiting for the display's next frame (8 ms at 60 Hz); of that
Python's share; the processor time that the page's main thread spends on a change; its longest task; and how
much the page's and Python's memory grew, after a collection.

    python benchmarks/demos_live.py [--changes 200] [--demo NAME] [--drag] [--slower 4] [--site FOLDER]
"""

from __future__ import annotations

import argparse
import operator
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Route, Worker, sync_playwright

from course_site.static_host import serve
from demos import kit

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--js-flags=--expose-gc"]
P50, P95, TASK, GROWN = 16, 33, 50, 5
WARM = 10  # changes before it is measured

# The worker keeps its Python to itself; here it is asked how much memory that holds.
HIDDEN, SHOWN = "this.#pyodide = await", "self.measured = this.#pyodide = await"
BLOCKS = "import gc, sys; gc.collect(); sys.getallocatedblocks()"

MOVE = """async ([name, drag]) => {
  const demo = document.querySelector(`course-demo[data-demo="${name}"]`)
  demo.scrollIntoView({ block: "center" })
  const controls = [...demo.querySelectorAll("form input:not([type=hidden]), form select")]
    .filter((control) => control.checkVisibility())
  const moved = controls.find((control) => control.type === "range" && !control.closest(".stepper"))
    ?? controls.find((control) => control.type === "range") ?? controls[0]
  let frameBegan = 0
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    frameBegan = performance.now()
    setTimeout(resolve)
  }))
  const shown = () => new Promise((resolve) => demo.addEventListener("course-frame", resolve, { once: true }))
  let plane
  function moveHandle(i) {
    const around = { pointerId: 1, bubbles: true }
    if (i === 0) {
      const box = demo.querySelector("svg[data-reach]").getBoundingClientRect()
      plane = { x: box.x + box.width / 2, y: box.y + box.height / 2, reach: box.width / 3 }
      demo.querySelector("[data-drag]").dispatchEvent(new PointerEvent("pointerdown", around))
    }
    around.clientX = plane.x + plane.reach * Math.cos(i / 10)
    around.clientY = plane.y + plane.reach * Math.sin(i / 10)
    document.dispatchEvent(new PointerEvent("pointermove", around))
  }
  function move(i) {
    if (drag) return moveHandle(i)
    if (moved.type === "range") {
      const low = Number(moved.min), high = Number(moved.max), step = Number(moved.step) || 1
      const steps = Math.round((high - low) / step)
      moved.value = String(low + step * (i % 2 ? i % (steps + 1) : (steps - i % (steps + 1))))
    } else if (moved.type === "radio") {
      const all = [...demo.querySelectorAll(`input[name="${moved.name}"]`)]
      all[i % all.length].checked = true
    } else if (moved.type === "checkbox") moved.checked = i % 2 === 0
    else if (moved.tagName === "SELECT") moved.selectedIndex = i % moved.options.length
    else moved.value = String(Number(moved.min) + (i % 5))
    moved.dispatchEvent(new Event("input", { bubbles: true }))
  }
  const { getRuntime } = await import(new URL("assets/js/runtime.js", BASE))
  const runtime = getRuntime()
  const render = runtime.render.bind(runtime)
  let python = []
  runtime.render = async (wish) => {
    const frame = await render(wish)
    if (frame) python.push(frame.ms)
    return frame
  }
  await render({ key: "warm", demo: name, state: {}, lang: demo.dataset.lang })
  let tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask" })
  let moves = 0
  globalThis.measure = async (changes) => {
    python = []
    tasks = []
    const times = [], waits = []
    for (let i = 0; i < changes; i++) {
      await painted()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 16.7))
      const start = performance.now()
      const done = shown()
      move(moves++)
      await done
      const swapped = performance.now()
      await painted()
      times.push(performance.now() - start)
      waits.push(frameBegan - swapped)
    }
    return { times, waits, python, tasks }
  }
  return drag ? "(drag)" : moved.name
}"""


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Measured:
    """A demo on a page of its own, its first control about to be moved."""

    def __init__(self, browser: Browser, address: str, name: str, *, drag: bool, slower: float) -> None:
        self.page = browser.new_page()
        self.page.set_default_timeout(600_000)
        self.page.route("**/assets/js/python.js", show_python)
        self.page.goto(f"{address}gallery/")
        self.page.evaluate(f"window.BASE = {address!r}")
        self.control = self.page.evaluate(MOVE, [name, drag])
        self.protocol = self.page.context.new_cdp_session(self.page)
        self.protocol.send("Performance.enable", {"timeDomain": "threadTicks"})
        if slower > 1:
            self.protocol.send("Emulation.setCPUThrottlingRate", {"rate": slower})

    def move(self, changes: int) -> dict[str, Any]:
        """Times in ms, and what the page's main thread spent on a change."""
        before = self.metric("TaskDuration")
        found = dict(self.page.evaluate("(changes) => measure(changes)", changes))
        found["thread"] = (self.metric("TaskDuration") - before) * 1000 / changes
        return found

    def memory(self) -> tuple[float, float]:
        """What the page holds and what Python holds after a collection, in bytes.

        Python's is its blocks, some 64 bytes each: the memory around them grows in steps of megabytes.
        """
        self.protocol.send("HeapProfiler.collectGarbage")
        blocks = self.python.evaluate("(code) => measured.runPython(code)", BLOCKS)
        return self.metric("JSHeapUsedSize"), 64.0 * blocks

    def metric(self, name: str) -> float:
        metrics = self.protocol.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == name))

    @property
    def python(self) -> Worker:
        return next(worker for worker in self.page.workers if "/assets/js/" in worker.url)


def show_python(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace(HIDDEN, SHOWN))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--demo", choices=kit.names(), action="append")
    parser.add_argument("--drag", action="store_true", help="drag a handle of the picture")
    parser.add_argument("--slower", type=float, default=1, help="slow the page's thread so many times")
    parser.add_argument("--site", type=Path, help="a built site, instead of building one")
    options = parser.parse_args()
    browser_path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory() as folder:
        if not options.site:
            build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
            subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        with serve(options.site or Path(folder), encoding="gzip") as host, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            print(
                f"{'demo':20} {'control':12} {'p50':>6} {'p95':>6} {'work':>6} {'python':>7}"
                f" {'thread':>7} {'task':>5} {'page':>8} {'Python':>8}"
            )
            worst50, worst95, longest, grown = [], [], [], []
            for name in options.demo or kit.names():
                measured = Measured(browser, host.url, name, drag=options.drag, slower=options.slower)
                measured.move(WARM)
                before = measured.memory()
                found = measured.move(options.changes)
                more = [(now - then) / 1e6 for now, then in zip(measured.memory(), before, strict=True)]
                p50, p95 = quantile(found["times"], 0.5), quantile(found["times"], 0.95)
                work = statistics.median(map(operator.sub, found["times"], found["waits"]))
                worst50.append(p50)
                worst95.append(p95)
                longest.append(max(found["tasks"], default=0))
                grown.append(max(more))
                python = statistics.median(found["python"]) if found["python"] else 0.0
                print(
                    f"{name:20} {measured.control:12} {p50:6.1f} {p95:6.1f} {work:6.1f} {python:7.1f}"
                    f" {found['thread']:7.1f} {longest[-1]:5.0f} {more[0]:6.2f}MB {more[1]:6.2f}MB",
                    flush=True,
                )
                measured.page.close()
            browser.close()
    print(f"largest p50 {max(worst50):.1f} ms (budget {P50}), p95 {max(worst95):.1f} ms (budget {P95})")
    print(f"longest task {max(longest):.0f} ms (budget {TASK}; 0 where none took 50 ms)")
    print(f"memory grew by {max(grown):.2f} MB at most (budget {GROWN})")


if __name__ == "__main__":
    main()
