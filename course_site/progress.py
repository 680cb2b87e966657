"""How far a long step has come: one line that grows on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

Log = Callable[[str], None]
EVERY = 0.1  # seconds between two updates of the line


class Progress:
    """Bytes of one download. On a terminal it rewrites its line; elsewhere it says its label once."""

    def __init__(self, label: str, total: int, log: Log = print, stream: TextIO | None = None) -> None:
        self.label, self.total = label, total
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self._next = 0.0
        self._width = 0
        if not self.live:
            log(f"{label} ({megabytes(total)})")

    def show(self, loaded: int) -> None:
        """Say that `loaded` bytes are here."""
        now = time.monotonic()
        if not self.live or now < self._next:
            return
        self._next = now + EVERY
        share = f" {100 * loaded // self.total:3d} %" if 0 < loaded <= self.total else ""
        self._write(f"{self.label}: {megabytes(loaded)} of {megabytes(self.total)}{share}")

    def done(self) -> None:
        """Take the growing line away, so that the next message stands on its own."""
        if self.live:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()

    def _write(self, line: str) -> None:
        self.stream.write("\r" + line.ljust(self._width))
        self.stream.flush()
        self._width = len(line)


def megabytes(count: int) -> str:
    """A byte count as readers know it: `3.06 MB`, `812 kB`."""
    return f"{count / 1e6:.2f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"
