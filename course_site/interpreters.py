"""Find a Python of the minor version whose byte code Pyodide reads, and a Node.js: by running them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SECONDS = 10
SAY = "import importlib.util, sys; print(importlib.util.MAGIC_NUMBER.hex(), sys.version.split()[0])"


def find_python(version: tuple[int, int], magic: bytes) -> tuple[str, str] | None:
    """The path and the version of a working Python that writes byte code with `magic`, or None.

    A file called python3.12 proves nothing (pyenv's stand-in exists and fails), so each is asked.
    """
    seen = set()
    for candidate in candidates(version):
        if candidate in seen:
            continue
        seen.add(candidate)
        said = run_quietly([candidate, "-I", "-c", SAY])
        if said and said.split()[0] == magic.hex():
            return candidate, said.split()[1]
    return None


def candidates(version: tuple[int, int]) -> Iterator[str]:
    """Where such a Python may stand, the likeliest place first."""
    if sys.version_info[:2] == version:
        yield sys.executable
    name = "python{}.{}".format(*version)
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local/share/uv/python")
    installed = [
        *pyenv.glob("versions/{}.{}.*".format(*version)),
        *uv.glob("cpython-{}.{}.*".format(*version)),
    ]
    system = ["/usr", "/usr/local", "/opt/homebrew", f"/opt/homebrew/opt/{name.replace('python', 'python@')}"]
    for folder in [*sorted(installed), *map(Path, system)]:
        if (folder / "bin" / name).exists():
            yield str(folder / "bin" / name)
    found = shutil.which(name)  # last: pyenv's stand-in takes a tenth of a second to fail
    if found:
        yield found


def find_node(oldest: int = 18) -> tuple[str, str] | None:
    """The path and the version of Node.js, where one runs and is new enough for Pyodide."""
    path = shutil.which("node")
    said = run_quietly([path, "--version"]) if path else None
    if path and said and int(said.lstrip("v").split(".")[0]) >= oldest:
        return path, said
    return None


def run_quietly(command: list[str]) -> str | None:
    """What a command prints, or None where it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
