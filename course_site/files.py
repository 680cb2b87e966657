"""Writing files: never half of one, never one that has not changed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

KEPT = 40  # results kept in a cache folder; serving while editing makes a new one with each save


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that no other process ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_changed(path: Path, data: bytes) -> bool:
    """Write a file where its content differs; whether it did. A watcher then sees real changes only."""
    if path.is_file() and path.read_bytes() == data:
        return False
    write_atomically(path, data)
    return True


def forget_oldest(folder: Path, kept: int = KEPT) -> None:
    """Delete all but the newest files of a cache folder."""
    ages = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another build was quicker
            ages.append((path.stat().st_mtime, path))
    for _, path in sorted(ages, reverse=True)[kept:]:
        path.unlink(missing_ok=True)
