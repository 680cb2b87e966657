"""Get a Chromium or Chrome for the browser tests: an installed one, else Debian's package, else Playwright's.

What was done is printed; the last line is the path alone, which is also written to .cache/browser-path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
MAC = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
PLAYWRIGHT = (sys.executable, "-m", "playwright", "install", "chromium")


def version_of(path: str) -> str | None:
    """What the browser says its version is, or None where it does not run (Ubuntu's stand-in does not)."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def installed() -> Iterator[str]:
    """Where a browser may stand already, the likeliest place first."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            yield found
    for folder in (Path("/Applications"), Path.home() / "Applications"):
        yield from (str(folder / app) for app in MAC if (folder / app).exists())
    own = playwrights_own()
    if own and Path(own).exists():
        yield own


def playwrights_own() -> str | None:
    """Where Playwright keeps the browser that it installs."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def first_that_runs(paths: Iterable[str]) -> str | None:
    """The first browser that can say its version; the others are named."""
    for path in paths:
        version = version_of(path)
        if version:
            print(f"Browser: {version}")
            return path
        print(f"{path} is there but does not run")
    return None


def install_with_apt() -> str | None:
    """Debian's package, where there is apt-get and the right to use it; a reason where that did not work."""
    apt = shutil.which("apt-get")
    if apt is None:
        return "there is no apt-get"
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if sudo and (shutil.which("sudo") is None or run([*sudo, "true"]) is not None):
        return "installing Debian's package needs root, or sudo without a password"
    print("Installing the package chromium with apt-get (some 100 MB)", flush=True)
    quiet = ["-o", "Dpkg::Use-Pty=0", "-qq"]
    return run([*sudo, apt, *quiet, "update"]) or run(
        [*sudo, "env", "DEBIAN_FRONTEND=noninteractive", apt, *quiet, "install", "--yes", "chromium"]
    )


def install_with_playwright() -> str | None:
    """Playwright's own build; a reason where that did not work."""
    print("Installing Playwright's Chromium (some 150 MB)", flush=True)
    return run(list(PLAYWRIGHT), show=True)


def run(command: list[str], show: bool = False) -> str | None:
    """Run a command; why it failed, or None. Its output is kept back unless it is to be shown."""
    try:
        done = subprocess.run(command, capture_output=not show, text=True, check=False)
    except OSError as failed:
        return f"{command[0]}: {failed}"
    if done.returncode == 0:
        return None
    said = [] if show else (done.stderr or done.stdout).strip().splitlines()
    return f"`{' '.join(command)}` ended with {done.returncode}{': ' + said[-1] if said else ''}"


def get_browser(kept: Path) -> str:
    """The path of a browser that runs; `kept` remembers it. Raises SystemExit with all that was tried."""
    remembered = kept.read_text(encoding="utf-8").strip() if kept.exists() else ""
    path = first_that_runs([remembered] if remembered else []) or first_that_runs(installed())
    tried = ["no Chromium, Chrome or Edge that runs was found"]
    for install in (install_with_apt, install_with_playwright):
        if path is None:
            problem = install()
            path = first_that_runs(installed()) if problem is None else None
            if path is None:
                tried.append(problem or f"{install.__name__}: done, and still no browser runs")
    if path is None:
        raise SystemExit(
            "error: no browser for the tests:\n  - "
            + "\n  - ".join(tried)
            + "\nInstall Chromium or Chrome and run this again."
        )
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(path + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(get_browser(ROOT / ".cache" / "browser-path"))
