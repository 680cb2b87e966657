"""The real site, built, served below a sub-path, and opened in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from course_site import static_host

ROOT = Path(__file__).resolve().parents[2]
SUB_PATH = "/deep/course/"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.web)


@dataclass
class Site:
    """A served site: its address, its folder, and the parts of names that the host does not find."""

    address: str
    folder: Path
    broken: set[str]


def build_site(folder: Path, config: Path = ROOT / "mkdocs.yml", **environment: str) -> Path:
    """Build the site strictly into `folder`."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--config-file",
            str(config),
            "--site-dir",
            str(folder),
        ],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="session")
def build() -> Callable[..., Path]:
    """What builds a site from another configuration."""
    return build_site


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], Site]]:
    """Serve a folder below a sub-path until the tests end."""
    with ExitStack() as hosts:

        def start(folder: Path) -> Site:
            host = hosts.enter_context(static_host.serve(folder, prefix=SUB_PATH, encoding="gzip"))
            return Site(host.url, folder, host.missing)

        yield start


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site") / "out")


@pytest.fixture(scope="session")
def site(site_folder: Path, serve: Callable[[Path], Site]) -> Site:
    return serve(site_folder)


@pytest.fixture
def broken_site(site_folder: Path, serve: Callable[[Path], Site]) -> Site:
    """The same site from a server of its own, whose files a test may break."""
    return serve(site_folder)


@pytest.fixture
def copied_site(site_folder: Path, tmp_path: Path, serve: Callable[[Path], Site]) -> Site:
    """A copy of the site, whose files a test may change."""
    shutil.copytree(site_folder, tmp_path / "copy")
    return serve(tmp_path / "copy")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = (ROOT / ".cache" / "browser-path").read_text(encoding="utf-8").strip()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@dataclass
class Watch:
    """What pages said and asked for."""

    errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    expected: list[str] = field(default_factory=list)

    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(part in error for part in self.expected)]


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def new_page(browser: Browser, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a profile of its own; at the end no page may have complained or left the site."""
    contexts: list[BrowserContext] = []

    def open_page(address: str = "", *, width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, locale="zh-CN", **options)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda line: watch.errors.append(line.text) if line.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: watch.errors.append(str(error)))
        page.on("request", lambda request: watch.hosts.add(urlsplit(request.url).hostname or ""))
        if address:
            page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert watch.unexpected() == []
    assert watch.hosts <= {"127.0.0.1", ""}


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()
