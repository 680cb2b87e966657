"""A static host on this machine, for tests and benchmarks: it compresses as real hosts do, and counts."""

from __future__ import annotations

import functools
import gzip
import mimetypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import brotli

TEXTUAL = ("text/", "application/javascript", "application/json", "application/wasm", "image/svg")
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": functools.partial(gzip.compress, compresslevel=6, mtime=0),
    "br": functools.partial(brotli.compress, quality=5),
}


@dataclass
class Host:
    """A running host: its address, and the (path, status, bytes sent) of every answer so far.

    A path that contains one of `missing` is answered with 404, as after a failed deployment.
    """

    url: str
    missing: set[str] = field(default_factory=set)
    answers: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def bytes_sent(self) -> int:
        return sum(size for _, _, size in self.answers)


class Server(ThreadingHTTPServer):
    """Quiet where a browser closes a connection that it no longer needs."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def serve(
    folder: Path, *, prefix: str = "/", encoding: str | None = None, latency: float = 0.0
) -> Iterator[Host]:
    """Serve `folder` below `prefix`, text and wasm with `encoding` (gzip, br or none), `latency` s late."""
    bodies: dict[Path, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else a small body waits 40 ms for the browser's delayed ACK

        def do_GET(self) -> None:
            time.sleep(latency)
            path = unquote(urlsplit(self.path).path)
            target = folder / path.removeprefix(prefix)
            target = target / "index.html" if target.is_dir() else target
            hidden = any(part in path for part in host.missing)
            if not path.startswith(prefix) or not target.is_file() or hidden:
                return self.answer(path, 404, b"", {})
            kind = mimetypes.guess_type(target.name)[0] or "application/octet-stream"
            headers = {"Content-Type": kind, "Cache-Control": "max-age=600"}
            compress = COMPRESSORS.get(encoding or "") if kind.startswith(TEXTUAL) else None
            if compress:
                headers["Content-Encoding"] = str(encoding)
            if target not in bodies:
                data = target.read_bytes()
                bodies[target] = compress(data) if compress else data
            self.answer(path, 200, bodies[target], headers)

        def answer(self, path: str, status: int, body: bytes, headers: dict[str, str]) -> None:
            host.answers.append((path, status, len(body)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the browser has seen enough

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    host = Host(f"http://127.0.0.1:{server.server_port}{prefix}")
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    running.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        running.join()
