"""What the first download carries: all that our code imports, and no more than it needs of the rest."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from course_site.archive import package_files, python_sources, unpack
from course_site.pyodide_assets import Core, Pinned
from course_site.trim import core_numpy, core_stdlib, full_stdlib, later_numpy, module_of

BUILT_IN = frozenset(sys.builtin_module_names) | {"math", "unicodedata", "cmath", "array", "zlib"}


@pytest.fixture(scope="module")
def stdlib(real: dict[str, Path]) -> dict[str, bytes]:
    return unpack(real["stdlib"].read_bytes())


@pytest.fixture(scope="module")
def numpy(real: dict[str, Path]) -> dict[str, bytes]:
    return unpack(real["numpy"].read_bytes())


def imported(source: bytes) -> set[str]:
    """The absolute modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return found


def test_what_our_code_imports_of_the_standard_library_is_in_the_first_download(
    root: Path, listed: Pinned
) -> None:
    ours = python_sources(package_files(root))
    wanted = {(module, name) for name, source in ours.items() for module in imported(source)}
    late = {
        (module, name)
        for module, name in wanted
        if module.split(".")[0] in sys.stdlib_module_names and module not in listed.core.stdlib | BUILT_IN
    }
    assert not late, "list these modules under [core] in course_site/pyodide_assets.toml"


def test_the_first_download_is_a_part_of_the_whole(stdlib: dict[str, bytes], listed: Pinned) -> None:
    core, full = core_stdlib(stdlib, listed.core), full_stdlib(stdlib)
    assert core.items() < full.items()
    assert {module_of(name) for name in core} == listed.core.stdlib


def test_a_module_that_does_not_exist_is_an_error(stdlib: dict[str, bytes]) -> None:
    with pytest.raises(ValueError, match=r"lacks: \['no_such_module'\]"):
        core_stdlib(stdlib, Core(frozenset({"json", "no_such_module"}), (), ()))


def test_numpy_is_cut_into_two_parts_without_tests_and_tools(numpy: dict[str, bytes], listed: Pinned) -> None:
    core, later = core_numpy(numpy, listed.core), later_numpy(numpy, listed.core)
    modules = {module_of(name.split(".cpython")[0]) for name in core}
    assert not core.keys() & later.keys()
    assert {"numpy", "numpy._core._multiarray_tests", "numpy.random._generator", "numpy.linalg"} <= modules
    assert {name.split("/")[1] for name in later} >= {"fft", "polynomial", "ma", "testing"}
    for name in core | later:
        assert not name.startswith(("numpy/f2py", "numpy/_pyinstaller")), name
        assert "/tests/" not in name
        assert name.endswith((".py", ".so")), name


def test_every_part_that_is_left_for_later_exists(numpy: dict[str, bytes], listed: Pinned) -> None:
    for part in (*listed.core.numpy_later, *listed.core.numpy_never):
        assert any(name.startswith((f"numpy/{part}/", f"numpy/{part}.")) for name in numpy), part
