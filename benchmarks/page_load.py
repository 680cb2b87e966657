"""What a page costs before anything is asked of it: bytes, and how it comes on a slow phone.

For each page of the site: the bytes of all that it loads, as a host with brotli sends them; then, with the
processor slowed 4 times and 1.6 Mbit/s at 150 ms, when its largest part is painted (LCP), how much it shifts
(CLS), and how long tasks block it (TBT: what tasks take beyond 50 ms).

    python benchmarks/page_load.py [--page chapters/07-masks/] [--site FOLDER]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import brotli
from playwright.sync_api import Browser, Response, sync_playwright

from course_site.static_host import serve

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
BYTES, SCRIPTS, STYLES = 350_000, 25_000, 15_000
LCP, CLS, TBT = 2500, 0.02, 150
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
PACKED = ("woff2", "png", "packed", "npz")  # compressed already
WATCH = """
globalThis.seen = { lcp: 0, cls: 0, tbt: 0 }
new PerformanceObserver((list) => {
  seen.lcp = list.getEntries().at(-1).startTime
}).observe({ type: "largest-contentful-paint", buffered: true })
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) seen.cls += e.value
}).observe({ type: "layout-shift", buffered: true })
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) seen.tbt += e.duration - 50
}).observe({ type: "longtask", buffered: true })
"""


def sizes(browser: Browser, address: str, page_name: str) -> dict[str, int]:
    """Bytes with brotli: of all files that the page loads, of our scripts, of our styles."""
    page = browser.new_context().new_page()
    found: list[Response] = []
    page.on("response", lambda response: found.append(response))
    page.goto(address + page_name, wait_until="networkidle")
    total = {"all": 0, "scripts": 0, "styles": 0}
    for response in found:
        path = response.url.removeprefix(address).partition("?")[0]
        body = response.body()
        size = len(body) if path.endswith(PACKED) else len(brotli.compress(body))
        total["all"] += size
        total["scripts"] += size * path.startswith("assets/js/")
        total["styles"] += size * path.startswith("assets/css/")
    page.context.close()
    return total


def on_a_phone(browser: Browser, address: str, page_name: str) -> dict[str, Any]:
    """LCP and TBT in ms, and CLS, when the page has been still for a while."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True
    )
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(WATCH)
    protocol = context.new_cdp_session(page)
    protocol.send("Network.enable")
    protocol.send("Network.emulateNetworkConditions", SLOW)
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(address + page_name, wait_until="networkidle")
    page.wait_for_timeout(1500)
    seen = dict(page.evaluate("seen"))
    context.close()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", action="append", help="a page, as its address ends")
    parser.add_argument("--site", type=Path, help="a built site, instead of building one")
    options = parser.parse_args()
    browser_path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory() as folder:
        site = options.site or Path(folder)
        if not options.site:
            build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
            subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        built = sorted(path.parent.relative_to(site).as_posix() + "/" for path in site.rglob("index.html"))
        pages = options.page or [name for name in built if not name.startswith("embed/")]
        worst: dict[str, float] = {}
        with serve(site, encoding="br") as host, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            print(f"{'page':36} {'bytes':>8} {'scripts':>8} {'styles':>7} {'LCP':>6} {'CLS':>6} {'TBT':>5}")
            for name in pages:
                size = sizes(browser, host.url, name.removeprefix("./"))
                seen = on_a_phone(browser, host.url, name.removeprefix("./"))
                print(
                    f"{name:36} {size['all']:8,} {size['scripts']:8,} {size['styles']:7,}"
                    f" {seen['lcp']:6.0f} {seen['cls']:6.3f} {seen['tbt']:5.0f}",
                    flush=True,
                )
                for key, value in {**size, **seen}.items():
                    worst[key] = max(value, worst.get(key, 0))
            browser.close()
    print(
        f"largest page {worst['all']:,.0f} bytes (budget {BYTES:,}), our scripts {worst['scripts']:,.0f}"
        f" (budget {SCRIPTS:,}), our styles {worst['styles']:,.0f} (budget {STYLES:,})"
    )
    print(
        f"on a slow phone LCP {worst['lcp']:.0f} ms (budget {LCP}), CLS {worst['cls']:.3f} (budget {CLS}),"
        f" TBT {worst['tbt']:.0f} ms (budget {TBT})"
    )


if __name__ == "__main__":
    main()
