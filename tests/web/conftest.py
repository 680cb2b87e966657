"""The real site, built, served below a sub-path, and opened in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SUB_PATH = "/deep/course/"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.web)


class Handler(SimpleHTTPRequestHandler):
    """Files of one folder below SUB_PATH, and nothing else; `broken` names answer 503."""

    broken: set[str]

    def __init__(self, *args: Any, broken: set[str], **options: Any) -> None:
        self.broken = broken
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        if any(part in self.path for part in self.broken):
            self.send_error(503)
        elif not self.path.startswith(SUB_PATH):
            self.send_error(404)
        else:
            self.path = "/" + self.path.removeprefix(SUB_PATH)
            super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: the tests say what went wrong."""


class Server(ThreadingHTTPServer):
    """A server that takes it as given that a page may leave before its files have come."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@dataclass
class Site:
    """A served site: its address, and the parts of names that the server refuses to give."""

    address: str
    folder: Path
    broken: set[str] = field(default_factory=set)


Handler.extensions_map = {**Handler.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm"}


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
    servers = []

    def start(folder: Path) -> Site:
        site = Site("", folder)
        handler = partial(Handler, directory=str(folder), broken=site.broken)
        server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        site.address = f"http://127.0.0.1:{server.server_port}{SUB_PATH}"
        return site

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


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
