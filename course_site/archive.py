"""Archives that are the same bytes for the same content: sorted, with fixed dates, named by their hash."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

Entries = Mapping[str, bytes]
DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
PACKAGES = ("transformer_core", "demos")  # what the browser runs


def pack(entries: Entries) -> bytes:
    """A zip of `entries` without compression: compressed as a whole, it is smaller than a packed one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(entries):
            member = zipfile.ZipInfo(name, DATE)
            member.external_attr = 0o644 << 16
            archive.writestr(member, entries[name])
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """The files of a zip; raises zipfile.BadZipFile where its bytes are damaged."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {member.filename: archive.read(member) for member in archive.infolist() if not member.is_dir()}


def read_kept(path: Path) -> dict[str, bytes] | None:
    """The files of an archive in the cache, or None where it is missing or damaged and must be made again."""
    try:
        return unpack(path.read_bytes())
    except (FileNotFoundError, zipfile.BadZipFile):
        return None


def squeeze(data: bytes) -> bytes:
    """`data` in gzip's form, without the time of day."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def short_hash(data: bytes) -> str:
    """Twelve hexadecimal digits that change with the content, for a file's name."""
    return hashlib.sha256(data).hexdigest()[:12]


def package_files(root: Path, packages: Iterable[str] = PACKAGES) -> dict[str, bytes]:
    """Every file of the named packages below `root`, its data files too, by its path with slashes.

    What editors and Python leave there (hidden files, backups, caches) is no part of a package.
    """
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*")):
            name = path.relative_to(root)
            stray = any(part.startswith((".", "__pycache__")) or part.endswith("~") for part in name.parts)
            if path.is_file() and not stray and path.suffix != ".pyc" and path.name != "py.typed":
                found[name.as_posix()] = path.read_bytes()
    return found


def python_sources(files: Entries) -> dict[str, bytes]:
    """The `.py` files among `files`."""
    return {name: data for name, data in files.items() if name.endswith(".py")}
