"""The package as a whole: its names, its examples, its types at run time."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import transformer_core

MODULES = sorted(module.name for module in pkgutil.iter_modules(transformer_core.__path__))
FUNCTIONS = {
    name: getattr(transformer_core, name)
    for name in transformer_core.__all__
    if inspect.isfunction(getattr(transformer_core, name))
}


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    """Every example is run, and prints what it says."""
    loaded = importlib.import_module(f"transformer_core.{module}")
    result = doctest.testmod(loaded, extraglobs={"np": np})
    assert result.failed == 0


def test_names_are_there_once():
    assert len(set(transformer_core.__all__)) == len(transformer_core.__all__)
    for name in transformer_core.__all__:
        assert hasattr(transformer_core, name), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_explains_itself(name):
    """A first line that is a sentence, an example that runs, and a type for every argument and the result."""
    function = FUNCTIONS[name]
    assert function.__doc__, f"{name} has no docstring"
    assert ">>>" in function.__doc__, f"{name} has no example"
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, f"{name}: {parameter.name}"


def test_traces_are_named_tuples_of_the_same_arguments():
    """A traced form takes what its plain form takes, in the same order, with the same defaults."""
    pairs = [(name.removesuffix("_trace"), name) for name in FUNCTIONS if name.endswith("_trace")]
    plain_of = {"attention": "scaled_dot_product_attention", "multi_head": "multi_head_attention"}
    for plain, traced in pairs:
        if plain_of.get(plain, plain) not in FUNCTIONS:
            continue  # some steps are wanted for their trace alone
        wanted = inspect.signature(FUNCTIONS[plain_of.get(plain, plain)]).parameters
        given = inspect.signature(FUNCTIONS[traced]).parameters
        assert list(given)[: len(wanted)] == list(wanted), traced
        for name, parameter in wanted.items():
            assert given[name].default == parameter.default, f"{traced}: {name}"


@pytest.mark.skipif(sys.platform == "emscripten", reason="a process of its own")
def test_what_few_need_is_not_imported():
    """A reader waits for every import before the first live frame."""
    code = "import sys, transformer_core; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy.random", "hashlib"} & set(found.stdout.split())
