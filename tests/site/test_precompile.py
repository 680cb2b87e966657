"""Byte-compiling: with each compiler that this machine has, and what is said where it has none."""

from __future__ import annotations

import marshal
import stat
import sys
from pathlib import Path

import pytest

from course_site import compilers, interpreters
from course_site.archive import pack
from course_site.compilers import Compiler, PyodideBuild, PyodideInNode, Sources, choose_compiler
from course_site.errors import CompileError
from course_site.interpreters import candidates, find_node, find_python
from course_site.precompile import precompile
from course_site.pyodide_assets import Pinned

FILES = {
    "a/__init__.py": b'"""Doc."""\nNAMES = {"x", "y", "z", "w"} & {"q"}\nassert NAMES\n',
    "a/b.py": b"def f(x):\n    'Says it.'\n    return x in {'p', 'q', 'r', 's', 't'}\n",
    "a/weights.npz": b"\0data",
}


@pytest.fixture(params=["pyodide-build", "node"])
def compiler(
    request: pytest.FixtureRequest,
    listed: Pinned,
    real: dict[str, Path],
    project_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Compiler:
    """Each compiler that can be had here."""
    if request.param == "node":
        monkeypatch.setattr(compilers, "find_python", lambda *_: None)
    chosen = choose_compiler(listed, project_cache, [].append)
    wanted = PyodideInNode if request.param == "node" else PyodideBuild
    if not isinstance(chosen, wanted):
        pytest.skip(f"{request.param} cannot be had on this machine")
    return chosen


def test_the_same_sources_give_the_same_bytes(compiler: Compiler, listed: Pinned, tmp_path: Path) -> None:
    made = [
        precompile(FILES, compiler=compiler, magic=listed.magic, cache=tmp_path / name)
        for name in ("one", "two")
    ]
    assert pack(made[0]) == pack(made[1])
    assert made[0].keys() == {"a/__init__.pyc", "a/b.pyc", "a/weights.npz"}
    assert made[0]["a/weights.npz"] == b"\0data"


def test_byte_code_is_the_browsers_and_valid_without_its_source(
    compiler: Compiler, listed: Pinned, tmp_path: Path
) -> None:
    made = precompile(FILES, compiler=compiler, magic=listed.magic, cache=tmp_path)
    header = made["a/b.pyc"][:8]
    assert header == listed.magic + b"\1\0\0\0"  # PEP 552: by hash, never checked
    assert b"a/b.py" in made["a/b.pyc"], "tracebacks name the file below the packages, not a folder here"
    assert str(tmp_path).encode() not in made["a/b.pyc"]


def test_docstrings_are_kept_or_dropped_by_level(compiler: Compiler, listed: Pinned, tmp_path: Path) -> None:
    kept, dropped = (
        precompile(FILES, compiler=compiler, magic=listed.magic, cache=tmp_path, optimize=level)["a/b.pyc"]
        for level in (0, 2)
    )
    assert b"Says it." in kept
    assert b"Says it." not in dropped


def test_a_syntax_error_names_its_file(compiler: Compiler, listed: Pinned, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"a/broken\.py"):
        precompile({"a/broken.py": b"def f(:\n"}, compiler=compiler, magic=listed.magic, cache=tmp_path)


class Counting:
    """A compiler that counts its work; it writes what this Python writes, under another magic number."""

    ident = "counting"

    def __init__(self, magic: bytes) -> None:
        self.magic, self.runs = magic, 0

    def compile(self, files: dict[str, bytes], optimize: int) -> dict[str, bytes]:
        self.runs += 1
        return {
            name + "c": self.magic + bytes(range(12)) + marshal.dumps(compile(source, name, "exec"))
            for name, source in files.items()
        }


def test_a_second_build_compiles_nothing(listed: Pinned, tmp_path: Path) -> None:
    compiler = Counting(listed.magic)
    for source in (b"x = 1\n", b"x = 1\n", b"x = 2\n"):
        precompile({"a.py": source}, compiler=compiler, magic=listed.magic, cache=tmp_path)
    assert compiler.runs == 2


def test_a_damaged_result_in_the_cache_is_made_again(listed: Pinned, tmp_path: Path) -> None:
    compiler = Counting(listed.magic)
    first = precompile({"a.py": b"x = 1\n"}, compiler=compiler, magic=listed.magic, cache=tmp_path)
    (kept,) = (tmp_path / "compiled").iterdir()
    kept.write_bytes(kept.read_bytes()[:-4])
    assert precompile({"a.py": b"x = 1\n"}, compiler=compiler, magic=listed.magic, cache=tmp_path) == first
    assert compiler.runs == 2


def test_byte_code_of_another_python_is_refused(listed: Pinned, tmp_path: Path) -> None:
    with pytest.raises(
        CompileError, match=r"a\.pyc: byte code of version 00000000, the browser reads cb0d0d0a"
    ):
        precompile({"a.py": b""}, compiler=Counting(bytes(4)), magic=listed.magic, cache=tmp_path)


def stand_in(folder: Path, name: str, script: str) -> str:
    """A program of this name that does what `script` says."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_python_counts_only_if_it_runs_and_has_the_right_byte_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other, right, missing = (
        stand_in(tmp_path, "broken", "echo 'command not found' >&2; exit 127"),
        stand_in(tmp_path, "other", "echo cafe0d0a 3.99.0"),
        stand_in(tmp_path, "right", "echo cb0d0d0a 3.12.9"),
        str(tmp_path / "missing"),
    )
    monkeypatch.setattr(interpreters, "candidates", lambda _: iter([missing, broken, other, right]))
    assert find_python((3, 12), bytes.fromhex("cb0d0d0a")) == (right, "3.12.9")
    monkeypatch.setattr(interpreters, "candidates", lambda _: iter([missing, broken, other]))
    assert find_python((3, 12), bytes.fromhex("cb0d0d0a")) is None


def test_pythons_are_looked_for_on_the_path_and_under_pyenv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "pyenv" / "versions" / "3.77.2" / "bin"
    installed.mkdir(parents=True)
    shims = tmp_path / "shims"
    shims.mkdir()
    stand_in(installed, "python3.77", "")
    stand_in(shims, "python3.77", "exit 127")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", str(shims))
    assert list(candidates((3, 77))) == [str(installed / "python3.77"), str(shims / "python3.77")]
    assert next(candidates(sys.version_info[:2])) == sys.executable


def test_old_or_broken_node_is_no_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_node() is None
    node = stand_in(tmp_path, "node", "echo v16.20.0")
    assert find_node() is None
    stand_in(tmp_path, "node", "echo v22.3.0")
    assert find_node() == (node, "v22.3.0")


def test_without_any_compiler_sources_are_shipped_and_that_is_said(
    listed: Pinned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setattr(compilers, "find_python", lambda *_: None)
    monkeypatch.setattr(compilers, "find_node", lambda: None)
    chosen = choose_compiler(listed, tmp_path, said.append)
    assert precompile(FILES, compiler=chosen, magic=listed.magic, cache=tmp_path) == FILES
    assert chosen == Sources()
    assert said[0].startswith(
        "NOT byte-compiled: no working Python 3.12 was found for pyodide-build; there is no"
    )


def test_node_steps_in_where_pyodide_build_cannot_be_installed(
    listed: Pinned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    monkeypatch.setattr(compilers, "find_python", lambda *_: ("/usr/bin/python3.12", "3.12.1"))
    monkeypatch.setattr(compilers, "find_node", lambda: ("/usr/bin/node", "v20.1.0"))
    monkeypatch.setattr(compilers.sys, "executable", stand_in(tmp_path, "pip", "echo 'no index' >&2; exit 1"))
    chosen = choose_compiler(listed, tmp_path / "cache", said.append)
    assert chosen.ident == "Pyodide 0.27.7 under Node.js v20.1.0"
    assert "pyodide-build 0.39.2 could not be installed (no index)" in said[-1]
    assert list((tmp_path / "cache").iterdir()) == [], "nothing half-installed is left"
