"""Ways to byte-compile for the browser's Python: pyodide-build, Pyodide under Node.js, or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .archive import Entries, pack, unpack
from .errors import CompileError
from .interpreters import find_node, find_python
from .progress import Log
from .pyodide_assets import Pinned

PYODIDE_BUILD = "0.39.2"
SCRIPT = Path(__file__).with_name("compile_in_pyodide.mjs")


class Compiler(Protocol):
    """Turns the `.py` files of an archive into `.pyc` files. `ident` names it and its version."""

    @property
    def ident(self) -> str: ...

    def compile(self, files: Entries, optimize: int) -> dict[str, bytes]: ...


@dataclass(frozen=True)
class PyodideBuild:
    """`pyodide py-compile` of pyodide-build, run by a Python of the browser's minor version."""

    python: str
    tools: Path
    ident: str

    def compile(self, files: Entries, optimize: int) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "files.zip"
            archive.write_bytes(pack(files))
            command = [
                self.python,
                "-P",
                "-m",
                "pyodide_cli",
                "py-compile",
                "--silent",
                "--compression-level",
                "0",
            ]
            # The hash seed fixes the order of constant sets; the level has no option, only this variable.
            environment = {
                "PYTHONPATH": str(self.tools),
                "PYTHONHASHSEED": "0",
                "PYTHONOPTIMIZE": str(optimize),
            }
            _run([*command, str(archive)], environment)
            return unpack(archive.read_bytes())


@dataclass(frozen=True)
class PyodideInNode:
    """The browser's own Python, started under Node.js from the pinned files."""

    node: str
    runtime: Path
    pinned: Pinned
    ident: str

    def compile(self, files: Entries, optimize: int) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            source, target, lock = (Path(folder) / name for name in ("in.zip", "out.zip", "lock.json"))
            source.write_bytes(pack(files))
            lock.write_text(json.dumps(self.pinned.lock), encoding="utf-8")
            paths = [self.runtime / self.pinned.named("loader"), lock, source, target]
            _run([self.node, str(SCRIPT), *map(str, paths), str(optimize)], {})
            return unpack(target.read_bytes())


@dataclass(frozen=True)
class Sources:
    """No compiler: the `.py` files are shipped, and the reader's browser compiles them at each start."""

    ident: str = "none"

    def compile(self, files: Entries, optimize: int) -> dict[str, bytes]:
        return dict(files)


def choose_compiler(pinned: Pinned, cache: Path, log: Log = print) -> Compiler:
    """The first way to compile that works on this machine, said plainly."""
    why = []
    python = find_python(pinned.python, pinned.magic)
    version = "{}.{}".format(*pinned.python)
    if python is None:
        why.append(f"no working Python {version} was found for pyodide-build")
    else:
        tools = _install_pyodide_build(cache, version, log)
        if isinstance(tools, Path):
            return PyodideBuild(python[0], tools, f"pyodide-build {PYODIDE_BUILD} on Python {python[1]}")
        why.append(f"pyodide-build {PYODIDE_BUILD} could not be installed ({tools})")
    node = find_node()
    if node is not None:
        runtime = cache / f"pyodide-{pinned.version}"
        log(f"Byte-compiling with Pyodide under Node.js, because {why[0]}")
        return PyodideInNode(node[0], runtime, pinned, f"Pyodide {pinned.version} under Node.js {node[1]}")
    why.append("there is no Node.js 18 or newer")
    log(
        f"NOT byte-compiled: {'; '.join(why)}. The live demos will start about twice as slowly; "
        f"install Python {version} or Node.js to have them compiled."
    )
    return Sources()


def _install_pyodide_build(cache: Path, version: str, log: Log) -> Path | str:
    """The folder that holds pyodide-build for Python `version`, or why it could not be installed."""
    folder = cache / f"pyodide-build-{PYODIDE_BUILD}-python{version}"
    if folder.exists():
        return folder
    log(f"Installing pyodide-build {PYODIDE_BUILD} into the cache, once")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pyodide-build-", dir=cache) as temporary:
        # Our own pip installs for the other Python, which need not have one (Debian's has none).
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        target = ["--python-version", version, "--only-binary", ":all:", "--target", f"{temporary}/tools"]
        done = subprocess.run(
            [*command, *target, f"pyodide-build=={PYODIDE_BUILD}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or [f"pip ended with {done.returncode}"])[-1]
        try:
            Path(temporary, "tools").rename(folder)
        except OSError:
            if not folder.exists():  # or else another build was quicker
                raise
    return folder


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()[-12:]
        said = "\n".join(line[:300] for line in lines)
        raise CompileError(f"{' '.join(command[:4])} … ended with {done.returncode}:\n{said}")
