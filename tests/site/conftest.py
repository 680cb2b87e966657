"""What the tests of the site's Python share: the real pinned files, a small course of its own, a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from course_site.fetch import fetch
from course_site.pyodide_assets import Pinned, cache_folder, pinned
from course_site.static_host import serve

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "pyodide: runs the core's tests inside Pyodide")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project."""
    return ROOT


@pytest.fixture(scope="session")
def listed() -> Pinned:
    """The pinned list of the repository."""
    return pinned()


@pytest.fixture(scope="session")
def project_cache() -> Path:
    """The project's own cache, where the real files are kept from run to run."""
    return cache_folder(ROOT)


@pytest.fixture(scope="session")
def real(listed: Pinned, project_cache: Path) -> dict[str, Path]:
    """The real pinned files, by their role."""
    return fetch(listed, project_cache)


@pytest.fixture
def said() -> list[str]:
    """What was logged; `log=said.append` fills it."""
    return []


SLIDER = """
from demos.kit import View, slider, text, toggle

TITLE = text(zh="一", en="One")
CONTROLS = dict(k=slider(1, 1000, value=2, label=text(zh="k", en="k")))


def view(*, k):
    return View("k", text(zh=f"k = {k:g}", en=f"k = {k:g}"))
"""
SWITCH = """
from demos.kit import View, text, toggle

TITLE = text(zh="二", en="Two")
CONTROLS = dict(on=toggle(False, label=text(zh="开", en="on")))


def view(*, on):
    BODY
    return View("<&>", text(zh=f"开 {on}", en=f"on {on}"))
"""


@pytest.fixture(scope="session")
def make_course() -> Callable[..., Path]:
    """Make a course: our kit, an empty core, the demo `slider`, and one demo with a switch for each body."""

    def make(folder: Path, **bodies: str) -> Path:
        (folder / "transformer_core").mkdir(parents=True)
        (folder / "transformer_core" / "__init__.py").write_text('"""Nothing yet."""\n', encoding="utf-8")
        shutil.copytree(ROOT / "demos" / "kit", folder / "demos" / "kit")
        (folder / "demos" / "__init__.py").write_text("", encoding="utf-8")
        (folder / "demos" / "slider.py").write_text(SLIDER, encoding="utf-8")
        for name, body in bodies.items():
            source = SWITCH.replace("BODY", body.strip().replace("\n", "\n    "))
            (folder / "demos" / f"{name}.py").write_text(source, encoding="utf-8")
        return folder

    return make


@pytest.fixture(scope="module")  # tests/web starts a Playwright of its own, and two at once do not go
def chromium() -> Iterator[Browser]:
    """The browser that tools/get_browser.py found."""
    path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, root: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page that serves our scripts, after the test module's SET_UP."""
    with serve(root / "docs" / "assets" / "js") as host:
        page = chromium.new_page()
        page.route("**/blank", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        page.goto(f"{host.url}blank")
        page.evaluate(request.module.SET_UP)
        yield page
        page.close()
