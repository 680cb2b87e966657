"""From the first byte to the first live frame: our Python against the official files, in one run.

Both are started by a page in a worker of a new browser with an empty profile, from a host on this machine
that compresses with gzip, by turns. Ours ends when a demo's frame is in the page; the official one when
numpy has computed a softmax. Prints medians, their ratio, bytes, and the main thread's longest tasks.

    python benchmarks/pyodide_boot.py [--runs 5]
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import brotli
from playwright.sync_api import BrowserType, sync_playwright

from course_site.fetch import fetch
from course_site.prepare import prepare
from course_site.pyodide_assets import Pinned, cache_folder, pinned
from course_site.static_host import serve

ROOT = Path(__file__).resolve().parent.parent
RATIO_BUDGET, BYTES_BUDGET, TASK_BUDGET = 0.5, 6_000_000, 50
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

HEAD = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Boot</title>
<p id="out"></p>
<script>window.tasks = []
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: "longtask", buffered: true })
function show(html) { out.innerHTML = html; window.done = performance.now() }
</script>"""
OURS = (
    HEAD
    + """<script type="module">
import { getRuntime } from "./assets/js/runtime.js"
const frame = await getRuntime().render({ key: "d", demo: DEMO, state: {}, lang: "zh" })
show(frame.html)
</script>"""
)
OFFICIAL = (
    HEAD
    + """<script type="module">
const worker = new Worker("./official.js", { type: "module" })
worker.onmessage = (event) => show(event.data)
</script>"""
)
OFFICIAL_WORKER = """
import { loadPyodide } from "./official/pyodide.mjs"
const python = await loadPyodide({ indexURL: new URL("./official/", location).href })
await python.loadPackage("numpy")
postMessage(python.runPython(`
import numpy as np
scores = np.array([[0, 1, 1], [1, 1, 2], [1, 2, 3.0]])
str(np.exp(scores) / np.exp(scores).sum(-1, keepdims=True))
`))
"""


def make_site(folder: Path, listed: Pinned, demo: str) -> None:
    """Both pages, and what each of them needs."""
    paths = fetch(listed, cache_folder(ROOT))
    (folder / "official").mkdir()
    for path in paths.values():
        shutil.copy(path, folder / "official" / path.name)
    # The official lock file names 200 packages more; this short one is, if anything, in their favour.
    lock = json.dumps(listed.lock_with_numpy())
    (folder / "official" / "pyodide-lock.json").write_text(lock, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "assets" / "js", folder / "assets" / "js")
    prepare(ROOT, folder / "assets" / "generated")
    (folder / "ours.html").write_text(OURS.replace("DEMO", json.dumps(demo)), encoding="utf-8")
    (folder / "official.html").write_text(OFFICIAL, encoding="utf-8")
    (folder / "official.js").write_text(OFFICIAL_WORKER, encoding="utf-8")


def boot(chromium: BrowserType, browser: str, address: str) -> tuple[float, list[float]]:
    """Milliseconds to the result in a new browser, and the main thread's tasks over 50 ms."""
    with tempfile.TemporaryDirectory() as profile:
        context = chromium.launch_persistent_context(profile, executable_path=browser, args=FLAGS)
        page = context.new_page()
        page.goto(address)
        page.wait_for_function("window.done", timeout=120_000, polling=50)
        page.wait_for_timeout(100)  # the last task is reported after it ended
        measured: tuple[float, list[float]] = tuple(page.evaluate("[done, tasks]"))  # type: ignore[assignment]
        context.close()
        return measured


def brotli_bytes(paths: list[Path]) -> int:
    """What a host with brotli at its best level sends; kept in the cache, since it takes a minute."""
    kept = cache_folder(ROOT) / "brotli-sizes.json"
    sizes: dict[str, int] = json.loads(kept.read_text()) if kept.exists() else {}
    total = 0
    for path in paths:
        key = f"{path.name} {path.stat().st_size}"
        if "-" not in path.name or key not in sizes:  # names with a hash stay what they are
            sizes[key] = len(brotli.compress(path.read_bytes()))
        total += sizes[key]
    kept.write_text(json.dumps(sizes))
    return total


def live_files(folder: Path) -> list[Path]:
    """All that a reader downloads to a first live frame from a host with brotli."""
    generated = folder / "assets" / "generated"
    files: dict[str, Any] = json.loads((generated / "manifest.json").read_text())["python"]["files"]
    first = [files[role]["url"] for role in ("loader", "glue", "engine", "stdlib", "numpy", "course")]
    scripts = ("runtime", "protocol", "worker", "python", "manifest", "downloads", "unzip")
    return [
        generated / "manifest.json",
        *(generated / url for url in first),
        *(folder / "assets" / "js" / f"{name}.js" for name in scripts),
    ]


def verdict(value: float, budget: float) -> str:
    return "within the budget" if value <= budget else "OVER THE BUDGET"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--demo", default="scaling")
    given = parser.parse_args()
    listed = pinned()
    browser = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    times: dict[str, list[float]] = {"official": [], "ours": []}
    sent: dict[str, int] = {}
    longest = 0.0
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        make_site(folder, listed, given.demo)
        with serve(folder, encoding="gzip") as host:
            for run in range(given.runs + 1):  # the first fills the host's store of compressed files
                for name, measured in times.items():
                    before = host.bytes_sent
                    milliseconds, tasks = boot(playwright.chromium, browser, f"{host.url}{name}.html")
                    sent[name] = host.bytes_sent - before
                    if run == 0:
                        continue
                    measured.append(milliseconds)
                    if name == "ours":
                        longest = max([longest, *tasks])
        brotli_sum = brotli_bytes(live_files(folder))
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    for name, measured in times.items():
        each = ", ".join(f"{value:.0f}" for value in measured)
        print(f"{name:8} median {medians[name]:5.0f} ms of [{each}], {sent[name]:,} bytes with gzip")
    ratio = medians["ours"] / medians["official"]
    print(f"ratio    {ratio:.2f}, budget {RATIO_BUDGET}: {verdict(ratio, RATIO_BUDGET)}")
    print(
        f"bytes    {brotli_sum:,} with brotli, budget {BYTES_BUDGET:,}: {verdict(brotli_sum, BYTES_BUDGET)}"
    )
    print(f"longest task of the main thread over 50 ms: {f'{longest:.0f} ms' if longest else 'none'}")


if __name__ == "__main__":
    main()
