"""From a moved control to the painted frame, for each demo, in a real browser on the built site.

Every demo's first slider (or its first control) is moved over and over while Python is up. Prints, per demo,
the time to the painted frame (p50, p95), Python's own share, the longest main-thread task, and how much the
page's memory grew.

    python benchmarks/demos_live.py [--changes 200] [--demo NAME]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_site.static_host import serve
from demos import kit

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--enable-precise-memory-info"]
P50, P95, TASK = 16, 33, 50

MEASURE = """async ([name, changes]) => {
  const demo = document.querySelector(`course-demo[data-demo="${name}"]`)
  const { getRuntime } = await import(new URL("assets/js/runtime.js", BASE))
  demo.scrollIntoView()
  const tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask" })
  const controls = [...demo.querySelectorAll("form input:not([type=hidden]), form select")]
    .filter((control) => control.checkVisibility())
  const moved = controls.find((control) => control.type === "range" && !control.closest(".stepper"))
    ?? controls.find((control) => control.type === "range") ?? controls[0]
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const shown = () => new Promise((resolve) => demo.addEventListener("course-frame", resolve, { once: true }))
  function move(i) {
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
  const python = []
  const runtime = getRuntime()
  const render = runtime.render.bind(runtime)
  runtime.render = async (wish) => {
    const frame = await render(wish)
    if (frame) python.push(frame.ms)
    return frame
  }
  await render({ key: "warm", demo: name, state: {}, lang: "zh" })
  const times = []
  for (let i = 0; i < changes + 10; i++) {
    await painted()
    const start = performance.now()
    const done = shown()
    move(i)
    await done
    await painted()
    if (i >= 10) times.push(performance.now() - start)
    if (i === 10) { tasks.length = 0; window.gc?.(); window.heap = performance.memory.usedJSHeapSize }
  }
  window.gc?.()
  runtime.render = render
  return { times, python, tasks, grown: performance.memory.usedJSHeapSize - window.heap, control: moved.name }
}"""


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--demo", choices=kit.names(), action="append")
    options = parser.parse_args()
    browser_path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        with serve(Path(folder), encoding="gzip") as host, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=browser_path, args=[*FLAGS, "--js-flags=--expose-gc"]
            )
            print(f"{'demo':20} {'control':12} {'p50':>6} {'p95':>6} {'python':>7} {'task':>6} {'grown':>8}")
            worst50, worst95 = [], []
            for name in options.demo or kit.names():
                page = browser.new_page()
                page.goto(f"{host.url}gallery/")
                page.evaluate(f"window.BASE = {host.url!r}")
                page.set_default_timeout(120_000)
                found = page.evaluate(MEASURE, [name, options.changes])
                p50, p95 = quantile(found["times"], 0.5), quantile(found["times"], 0.95)
                worst50.append(p50)
                worst95.append(p95)
                inside = statistics.median(found["python"]) if found["python"] else 0.0
                print(
                    f"{name:20} {found['control']:12} {p50:6.1f} {p95:6.1f} {inside:7.1f}"
                    f" {max(found['tasks'], default=0):6.0f} {found['grown'] / 1e6:6.2f}MB"
                )
                page.close()
            browser.close()
    print(f"largest p50 {max(worst50):.1f} ms (budget {P50}), p95 {max(worst95):.1f} ms (budget {P95})")
    print(f"main-thread tasks over {TASK} ms from our code: see the column task (0 where there was none)")


if __name__ == "__main__":
    main()
