"""How the tests of the core are built.

A `check_*` function takes an implementation and asserts something that only a right one does. Each test file
runs its checks on the real function. Beside it, mutants/<subject>.py lists wrong implementations, each with
the check that must reject it: that shows that the checks can fail. oracles.py has the second route, plain
loops over Python numbers.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# no deadline: a test must not depend on how busy the machine is. derandomize: the same examples everywhere
settings.register_profile("core", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("core")


def load(path: Path) -> ModuleType:
    """A module below tests/core by its path; the folder is no package."""
    spec = importlib.util.spec_from_file_location(f"core_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ORACLES = load(HERE / "oracles.py")


@pytest.fixture(scope="session")
def oracles() -> ModuleType:
    """The second route: plain loops."""
    return ORACLES


def mutants_of(module: ModuleType) -> ModuleType:
    """The wrong implementations that belong to a test file."""
    return load(HERE / "mutants" / f"{module.__name__.rpartition('test_')[2]}.py")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with an argument `check` runs for each check_* of its file; with `mutant`, for each mutant."""
    if "check" in metafunc.fixturenames:
        checks = {name: value for name, value in vars(metafunc.module).items() if name.startswith("check_")}
        metafunc.parametrize("check", checks.values(), ids=checks.keys())
    if "mutant" in metafunc.fixturenames:
        mutants = mutants_of(metafunc.module).MUTANTS
        metafunc.parametrize("mutant", mutants.values(), ids=mutants.keys())


def call(check: Any, implementation: Any) -> None:
    wants_oracles = check.__code__.co_argcount == 2
    check(implementation, ORACLES) if wants_oracles else check(implementation)


@pytest.fixture
def run_check() -> Any:
    """run_check(check, implementation): with the oracles where the check has an argument for them."""
    return call


@pytest.fixture
def assert_rejected(request: pytest.FixtureRequest) -> Any:
    """assert_rejected(mutant): the check that the mutant names fails on it, or a warning breaks it off."""

    def assert_rejected(mutant: tuple[Any, str]) -> None:
        wrong, check = mutant
        with pytest.raises((AssertionError, RuntimeWarning, pytest.fail.Exception)):
            call(getattr(request.module, check), wrong)

    return assert_rejected


@pytest.fixture
def assembly(request: pytest.FixtureRequest) -> Any:
    """What mutants are made from, with no fault put in."""
    return mutants_of(request.module).as_it_should_be


@pytest.fixture
def draw() -> Any:
    """draw(shape, seed=0, dtype="f8"): numbers from N(0, 1), the same for the same seed."""

    def draw(shape: tuple[int, ...], seed: int = 0, dtype: str = "f8") -> np.ndarray:
        return np.random.default_rng(seed).standard_normal(shape).astype(dtype)

    return draw
