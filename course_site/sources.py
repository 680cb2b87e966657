"""The places that carry pinned files: a CDN, and the packages of npm and pip that contain them.

A source puts what it can of the wanted files into a folder and returns a reason for each it could not.
It never judges the bytes: `fetch` checks every file by its hash.
"""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from .progress import Log, Progress
from .pyodide_assets import Asset, Package, Pinned

CONNECT_SECONDS = 5.0
CHUNK = 1 << 18
Reasons = dict[str, str]


class Source(Protocol):
    """A place that may carry the files."""

    name: str

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> Reasons: ...


class Cdn:
    """Plain files below one address."""

    def __init__(self, url: str, timeout: float = CONNECT_SECONDS) -> None:
        self.name, self.url, self.timeout = f"the CDN {url}", url, timeout

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> Reasons:
        reasons: Reasons = {}
        for asset in wanted:
            try:
                self._download(asset, into / asset.name, log)
            except urllib.error.HTTPError as refused:
                reasons[asset.name] = f"answered {refused.code} {refused.reason}"
            except (OSError, ValueError, http.client.HTTPException) as failed:
                # Nobody answers: the other files would only wait for the same time-out.
                reason = getattr(failed, "reason", failed)
                return reasons | {
                    other.name: f"no answer ({reason})" for other in wanted if other.name not in reasons
                }
        return reasons

    def _download(self, asset: Asset, target: Path, log: Log) -> None:
        with urllib.request.urlopen(self.url + asset.name, timeout=self.timeout) as answer:
            progress = Progress(f"Downloading {asset.name}", asset.bytes, log)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                while chunk := answer.read(CHUNK):
                    file.write(chunk)
                    progress.show(file.tell())
            progress.done()


Unpack = Callable[[Path, Sequence[str]], dict[str, bytes]]


class Client:
    """A package client that downloads one archive, of which some files are the wanted ones."""

    def __init__(self, name: str, command: Sequence[str], package: Package, unpack: Unpack) -> None:
        self.name, self.command, self.package, self.unpack = name, command, package, unpack

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> Reasons:
        with tempfile.TemporaryDirectory(dir=into) as folder:
            work = Path(folder)
            problem = run_client(self.command, work, self.name, self.package.bytes, log)
            archives = [path for path in work.iterdir() if path.is_file()]
            if problem is None and len(archives) != 1:
                problem = f"left {len(archives)} files instead of one archive"
            if problem is not None:
                return {asset.name: problem for asset in wanted}
            members = {self.package.folder + asset.name: asset.name for asset in wanted}
            return extract(archives[0], self.package.spec, members, into, self.unpack)


def run_client(command: Sequence[str], work: Path, name: str, total: int, log: Log) -> str | None:
    """Run a package client in `work`, where it leaves its archives; what went wrong, or None."""
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed"
    progress = Progress(f"Downloading with {name}", total, log)
    scratch = work / "scratch"
    scratch.mkdir()
    output = scratch / "output"
    with output.open("wb") as sink:
        running = subprocess.Popen(
            command,
            cwd=work,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(scratch)},  # so that the bytes on their way can be counted
        )
        try:
            while running.poll() is None:
                progress.show(_bytes_below(work))
                time.sleep(0.05)
        finally:
            running.kill()
            running.wait()
            progress.done()
    said = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    shutil.rmtree(scratch, ignore_errors=True)
    if running.returncode != 0:
        return f"ended with {running.returncode}: {said[-1].strip() if said else 'it said nothing'}"
    return None


def extract(archive: Path, spec: str, members: Mapping[str, str], into: Path, unpack: Unpack) -> Reasons:
    """Take members of a package's archive out of it, each under the file name it stands for."""
    try:
        found = unpack(archive, list(members))
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError, zlib.error) as damaged:
        return dict.fromkeys(members.values(), f"its archive {archive.name} is damaged ({damaged})")
    for member, data in found.items():
        target = into / members[member]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return {name: f"{spec} does not carry it" for member, name in members.items() if member not in found}


def from_tar(archive: Path, members: Sequence[str]) -> dict[str, bytes]:
    """The named members of an npm package."""
    with tarfile.open(archive) as opened:
        files = {name: opened.extractfile(name) for name in set(members) & set(opened.getnames())}
        return {name: file.read() for name, file in files.items() if file is not None}


def from_zip(archive: Path, members: Sequence[str]) -> dict[str, bytes]:
    """The named members of a wheel."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in set(members) & set(opened.namelist())}


def npm(package: Package, program: Sequence[str] = ("npm",)) -> Client:
    """`npm pack`, which downloads a package's archive without installing it."""
    return Client(f"npm ({package.spec})", [*program, "pack", "--silent", package.spec], package, from_tar)


def pip(package: Package, program: Sequence[str] = (sys.executable, "-m", "pip")) -> Client:
    """`pip download`, which does the same for a wheel."""
    options = ["download", "--no-deps", "--disable-pip-version-check", "--progress-bar", "off", "--dest", "."]
    return Client(f"pip ({package.spec})", [*program, *options, package.spec], package, from_zip)


def sources(pinned: Pinned) -> list[Source]:
    """Every place that is asked, in this order: the smallest downloads come first."""
    return [Cdn(pinned.cdn), npm(pinned.npm), pip(pinned.pip)]


def _bytes_below(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue  # a temporary file of the client, gone in between
    return total
