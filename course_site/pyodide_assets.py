"""The pinned list of the files that put Python into the browser: names, sizes, SHA-256, and where to ask."""

from __future__ import annotations

import hashlib
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIST = Path(__file__).with_name("pyodide_assets.toml")


@dataclass(frozen=True)
class Asset:
    """One pinned file."""

    role: str
    name: str
    bytes: int
    sha256: str

    def fault(self, path: Path) -> str | None:
        """What is wrong with the file at `path`, or None where its bytes are the pinned ones."""
        with path.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if found == self.sha256:
            return None
        return (
            f"{path.stat().st_size:,} bytes with SHA-256 {found}, "
            f"expected {self.bytes:,} bytes with SHA-256 {self.sha256}"
        )


@dataclass(frozen=True)
class Package:
    """A registry's package that carries some of the files in one of its folders."""

    spec: str
    folder: str
    bytes: int


@dataclass(frozen=True)
class Core:
    """What the first download carries, and what it leaves for later or for never."""

    stdlib: frozenset[str]
    numpy_later: tuple[str, ...]
    numpy_never: tuple[str, ...]


@dataclass(frozen=True)
class Pinned:
    """The whole list."""

    version: str
    python: tuple[int, int]
    magic: bytes
    lock: dict[str, Any]
    cdn: str
    npm: Package
    pip: Package
    files: tuple[Asset, ...]
    core: Core

    def named(self, role: str) -> str:
        """The file name of the asset with this role."""
        return self._asset(role).name

    def lock_with_numpy(self) -> dict[str, Any]:
        """A lock file with which the official loader finds the numpy wheel beside it."""
        wheel = self._asset("numpy")
        name, version = wheel.name.split("-")[:2]
        entry = {
            "name": name,
            "version": version,
            "file_name": wheel.name,
            "sha256": wheel.sha256,
            "install_dir": "site",
            "package_type": "package",
            "imports": [name],
            "depends": [],
        }
        return {**self.lock, "packages": {name: entry}}

    def _asset(self, role: str) -> Asset:
        return next(asset for asset in self.files if asset.role == role)


def pinned(path: Path = LIST) -> Pinned:
    """The list in the repository, read."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    major, minor = table["python"].split(".")
    core = table["core"]
    return Pinned(
        version=table["version"],
        python=(int(major), int(minor)),
        magic=bytes.fromhex(table["magic"]),
        lock=table["lock"],
        cdn=table["cdn"]["url"],
        npm=Package(**table["npm"]),
        pip=Package(**table["pip"]),
        files=tuple(Asset(**asset) for asset in table["files"]),
        core=Core(frozenset(core["stdlib"].split()), tuple(core["numpy_later"]), tuple(core["numpy_never"])),
    )


def cache_folder(root: Path) -> Path:
    """Where downloads and build results are kept: COURSE_CACHE if it is set, else `.cache` in the project."""
    named = os.environ.get("COURSE_CACHE")
    return Path(named).expanduser().resolve() if named else root / ".cache"
