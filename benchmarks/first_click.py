"""From the first click in a demo with shipped frames to the painted frame, before Python is there.

Each demo on a fresh page; with --slower 4 at a quarter of the processor's speed. The pointer comes and
changes the first control at once, so that fetching the frames is in it, or --ahead milliseconds later. Prints
the median of some rounds, and the bytes of the frames.

    python benchmarks/first_click.py [--rounds 5] [--ahead 300] [--slower 4] [--site FOLDER]
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from course_site.static_host import serve

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
BUDGET = 100

CLICK = """async ([name, ahead]) => {
  const demo = document.querySelector(`course-demo[data-demo="${name}"]`)
  demo.scrollIntoView()
  await new Promise((resolve) => setTimeout(resolve, 300))
  const shown = new Promise((resolve) => demo.addEventListener("course-frame", resolve, { once: true }))
  const control = demo.querySelector("form :is(select, input[type=radio]:not(:checked), [data-step='1'])")
  demo.dispatchEvent(new Event("pointerenter"))
  if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead))
  const start = performance.now()
  if (control.tagName === "SELECT") control.selectedIndex = 1
  if (control.tagName === "SELECT") control.dispatchEvent(new Event("input", { bubbles: true }))
  else control.click()
  await shown
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  return performance.now() - start
}"""


def first_click(browser: Browser, address: str, name: str, ahead: int, slower: float) -> float:
    """Milliseconds, on a page that has loaded nothing of the demo's yet."""
    page = browser.new_context().new_page()
    page.goto(f"{address}gallery/")
    page.wait_for_selector(f"course-demo[data-demo='{name}'][data-live]")
    if slower > 1:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    took = page.evaluate(CLICK, [name, ahead])
    if any("/assets/js/" in worker.url for worker in page.workers):
        raise SystemExit(f"{name}: the click started Python; are its frames shipped?")
    page.context.close()
    return float(took)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ahead", type=int, default=0, help="ms that the pointer is there before the click")
    parser.add_argument("--slower", type=float, default=1, help="slow the page's thread so many times")
    parser.add_argument("--site", type=Path, help="a built site, instead of building one")
    options = parser.parse_args()
    browser_path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory() as folder:
        site = options.site or Path(folder)
        if not options.site:
            build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
            subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        files = json.loads((site / "assets/generated/manifest.json").read_text(encoding="utf-8"))["frames"]
        with serve(site, encoding="gzip") as host, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            print(f"{'demo':20} {'click':>8} {'bytes':>10} {'gzip':>8}")
            medians = []
            for name in sorted(files):
                if not name.endswith(".zh"):
                    continue
                demo = name.removesuffix(".zh")
                how = options.ahead, options.slower
                took = statistics.median(
                    first_click(browser, host.url, demo, *how) for _ in range(options.rounds)
                )
                medians.append(took)
                data = (site / "assets/generated" / files[name].split("?")[0]).read_bytes()
                print(f"{demo:20} {took:6.1f}ms {len(data):10,} {len(gzip.compress(data)):8,}")
            browser.close()
    print(f"slowest {max(medians):.1f} ms (budget {BUDGET})")


if __name__ == "__main__":
    main()
