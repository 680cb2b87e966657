"""Run the tests of transformer_core with pytest inside Pyodide: under Node.js, or else in a browser's worker.

Exit status 0 means that tests ran and all of them passed. Pyodide and numpy are the official files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from course_site.archive import pack, package_files
from course_site.fetch import fetch
from course_site.interpreters import find_node
from course_site.pyodide_assets import Pinned, cache_folder, pinned
from course_site.static_host import serve

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path(__file__).with_suffix(".mjs")
TOOLS = Path(__file__).with_suffix(".txt")
EXAMPLES = 10
PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Tests</title>
<script type="module">
window.lines = []
const worker = new Worker("./worker.js", { type: "module" })
worker.onmessage = ({ data }) => data.line === undefined ? (window.result = data) : lines.push(data.line)
worker.onerror = ({ message }) => { window.result = { error: message } }
</script>"""
WORKER = """
import { loadPyodide } from "./pyodide.mjs"
import { run } from "./run.mjs"
try {
  const suite = new Uint8Array(await (await fetch("./suite.zip")).arrayBuffer())
  const folder = new URL("./", location).href
  postMessage(await run(loadPyodide, folder, suite, EXAMPLES, (line) => postMessage({ line })))
} catch (error) {
  postMessage({ error: error.message })
}
"""


class RunError(Exception):
    """Pyodide or the test tools could not be had or not be started."""


@dataclass(frozen=True)
class Outcome:
    """pytest's exit code, and how many tests ran."""

    code: int
    ran: int

    @property
    def good(self) -> bool:
        return self.code == 0 and self.ran > 0


def test_tools(cache: Path, version: str) -> Path:
    """The folder with pytest and hypothesis for Pyodide's Python, installed by pip once."""
    listed = TOOLS.read_text(encoding="utf-8")
    folder = cache / f"pyodide-tests-{hashlib.sha256(listed.encode()).hexdigest()[:12]}"
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        pure = ["--python-version", version, "--implementation", "py", "--abi", "none", "--platform", "any"]
        target = ["--only-binary", ":all:", "--target", f"{temporary}/wheels", "--requirement", str(TOOLS)]
        done = subprocess.run([*command, *pure, *target], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
            raise RunError(f"pip could not install the test tools for Pyodide; it said: {said[0][:300]}")
        if not folder.exists():
            Path(temporary, "wheels").rename(folder)
    return folder


def make_suite(root: Path, tests: str, tools: Path) -> bytes:
    """A zip of the package, its tests and the page that they check, beside the test tools."""
    files = package_files(root, ["transformer_core"])
    files |= package_files(root, [tests])
    files |= {f"wheels/{name}": data for name, data in package_files(tools, ["."]).items()}
    for name in ("pyproject.toml", "docs/reference/core.md"):
        if (root / name).exists():
            files[name] = (root / name).read_bytes()
    return pack(files)


def lay_out(folder: Path, root: Path, tests: str, listed: Pinned) -> None:
    """Everything that a run needs, in one folder."""
    cache = cache_folder(ROOT)
    for path in fetch(listed, cache).values():
        shutil.copy(path, folder / path.name)
    (folder / "package.json").write_text('{"type": "commonjs"}', encoding="utf-8")
    (folder / "pyodide-lock.json").write_text(json.dumps(listed.lock_with_numpy()), encoding="utf-8")
    tools = test_tools(cache, "{}.{}".format(*listed.python))
    (folder / "suite.zip").write_bytes(make_suite(root, tests, tools))


def run_in_node(node: str, folder: Path, examples: int) -> Outcome:
    """Run the suite under Node.js; its output goes through as it comes."""
    command = [node, str(SCRIPT), str(folder), str(examples)]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        for line in running.stdout or ():
            if line.startswith('{"code"'):
                last = line
            else:
                print(line, end="", flush=True)
    if not last:
        raise RunError(f"Pyodide under Node.js ended with {running.returncode} before pytest was done")
    return Outcome(**json.loads(last))


def run_in_browser(browser: str, folder: Path, examples: int) -> Outcome:
    """Run the suite in a worker of a browser."""
    from playwright.sync_api import sync_playwright

    shutil.copy(SCRIPT, folder / "run.mjs")
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "worker.js").write_text(WORKER.replace("EXAMPLES", str(examples)), encoding="utf-8")
    with serve(folder) as host, sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        page = opened.new_page()
        page.goto(host.url)
        page.wait_for_function("window.result", timeout=1_200_000, polling=200)
        print("\n".join(page.evaluate("lines")))
        result = page.evaluate("result")
        opened.close()
    if "error" in result:
        raise RunError(f"Pyodide in the browser: {result['error']}")
    return Outcome(**result)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that holds the tests")
    parser.add_argument("--tests", default="tests/core", help="the tests' folder below it")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="examples for each property")
    parser.add_argument("--browser", action="store_true", help="in the browser, although there is Node.js")
    given = parser.parse_args(words)
    node = None if given.browser else find_node()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        try:
            lay_out(folder, given.root, given.tests, pinned())
            if node:
                outcome = run_in_node(node[0], folder, given.examples)
            else:
                kept = ROOT / ".cache" / "browser-path"
                outcome = run_in_browser(kept.read_text(encoding="utf-8").strip(), folder, given.examples)
        except RunError as failed:
            print(f"error: {failed}", file=sys.stderr)
            return 2
    where = f"Node.js {node[1]}" if node else "the browser"
    print(f"{outcome.ran} tests ran in Pyodide under {where}; pytest ended with {outcome.code}")
    if not outcome.ran:
        print("error: no test ran", file=sys.stderr)
    return 0 if outcome.good else 1


if __name__ == "__main__":
    sys.exit(main())
