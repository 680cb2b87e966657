"""Serve the site on the first free port from 8000 up, rebuilt when a file changes."""

import os
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port(host: str, first: int = 8000, tries: int = 50) -> int:
    """The first port from `first` up that nobody listens on; raises SystemExit where all are taken."""
    for port in range(first, first + tries):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise SystemExit(f"no free port on {host} from {first} to {first + tries - 1}; stop another server first")


def main() -> None:
    host = os.environ.get("HOST", "127.0.0.1")
    address = f"{host}:{free_port(host)}"
    print(f"The site will be at http://{address}/ as soon as it is built (Ctrl+C stops it)", flush=True)
    os.chdir(ROOT)
    os.execv(sys.executable, [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address])


if __name__ == "__main__":
    main()
