"""The core's whole test-suite inside Pyodide, and that a run which failed or ran nothing counts as failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.pyodide

SUITE = """
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from transformer_core import HALF


@given(st.integers())
def test_in_pyodide(n):
    assert sys.platform == "emscripten"
    assert np.array([1.0, HALF]).sum() == {total}
"""


def run(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tool; what it printed is in the report of a test that fails."""
    command = [sys.executable, str(root / "tools" / "core_tests_in_pyodide.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout[-20_000:], done.stderr[-2_000:])
    return done


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A project with a core of one name, and an empty tests folder."""
    (tmp_path / "transformer_core").mkdir()
    (tmp_path / "transformer_core" / "__init__.py").write_text("HALF = 0.5\n", encoding="utf-8")
    (tmp_path / "tests" / "core").mkdir(parents=True)
    (tmp_path / "tests" / "core" / "conftest.py").write_text("", encoding="utf-8")
    return tmp_path


def test_the_core_passes_its_tests_in_pyodide(root: Path, real: dict[str, Path]) -> None:
    done = run(root)
    assert done.returncode == 0
    ran = int(done.stdout.splitlines()[-1].split()[0])
    assert ran > 500, "the whole suite, not a part of it"


@pytest.mark.parametrize("where", ["here", "browser"])
def test_a_run_that_passes(root: Path, suite: Path, real: dict[str, Path], where: str) -> None:
    (suite / "tests" / "core" / "test_it.py").write_text(SUITE.format(total=1.5), encoding="utf-8")
    done = run(root, "--root", str(suite), *(["--browser"] if where == "browser" else []))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("1 tests ran in Pyodide under ")
    assert ("the browser" in done.stdout.splitlines()[-1]) or where == "here"


def test_a_run_with_a_failure_fails(root: Path, suite: Path, real: dict[str, Path]) -> None:
    (suite / "tests" / "core" / "test_it.py").write_text(SUITE.format(total=2.5), encoding="utf-8")
    done = run(root, "--root", str(suite))
    assert done.returncode == 1
    assert "1 failed" in done.stdout


def test_a_run_of_nothing_fails(root: Path, suite: Path, real: dict[str, Path]) -> None:
    done = run(root, "--root", str(suite))
    assert done.returncode == 1
    assert "error: no test ran" in done.stderr
