"""docs/reference/core.md against the code: every public name once, below its own file, as it is called."""

import dataclasses
import inspect
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import transformer_core

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "core.md"
CONSTANTS = {
    id(value): name
    for name, value in vars(transformer_core).items()
    if name in transformer_core.__all__ and isinstance(value, np.ndarray)
}

# the browser has the package and its tests, not the pages
pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="no pages in the browser")


def default_text(value):
    """A default as it is written in a call."""
    if id(value) in CONSTANTS:
        return CONSTANTS[id(value)]
    if isinstance(value, type) and value.__module__ == "numpy":
        return f"np.{value.__name__}"
    return value.__name__ if inspect.isfunction(value) else repr(value)


def signature(name):
    """A public name as the page lists it: with its arguments where it has some of its own."""
    thing = getattr(transformer_core, name)
    is_record = isinstance(thing, type) and (hasattr(thing, "_fields") or dataclasses.is_dataclass(thing))
    if not (inspect.isfunction(thing) or is_record):
        return name
    parts, keyword_only = [], False
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        text = f"*{parameter.name}" if parameter.kind is parameter.VAR_POSITIONAL else parameter.name
        has_default = parameter.default is not parameter.empty
        parts.append(f"{text}={default_text(parameter.default)}" if has_default else text)
    return f"{name}({', '.join(parts)})"


def entries():
    """What the page lists: (file names of the section, signature, line below it)."""
    files, found = [], []
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("源文件："):
            files = re.findall(r"`(\w+\.py)`", line)
        elif match := re.fullmatch(r"- `(.+)`  ", line):
            found.append((files, match[1], below))
    return found


def test_every_name_is_listed_once_and_nothing_else():
    listed = Counter(re.match(r"\w+", text)[0] for _, text, _ in entries())
    assert sorted(listed) == sorted(transformer_core.__all__)
    assert [name for name, times in listed.items() if times > 1] == []


def test_signatures_are_the_real_ones():
    wrong = {
        text: signature(re.match(r"\w+", text)[0])
        for _, text, _ in entries()
        if text != signature(re.match(r"\w+", text)[0])
    }
    assert wrong == {}, "on the page: in the code"


def test_names_stand_below_their_own_file():
    for files, text, _ in entries():
        thing = getattr(transformer_core, re.match(r"\w+", text)[0])
        if inspect.isfunction(thing) or isinstance(thing, type):
            assert f"{thing.__module__.rpartition('.')[2]}.py" in files, text


def test_every_entry_says_something():
    for _, text, below in entries():
        assert re.fullmatch(r"  \S.*。", below), text


def test_names_in_the_sentences_exist():
    """A word in backticks is a name of the package, of an argument or a field, or a value in quotes."""
    words = set(re.findall(r"\w+", " ".join(text for _, text, _ in entries())))
    known = words | {"None", "True", "False", "int", "shape", "total", "key_padding_mask", "ValueError"}
    for _, text, below in entries():
        for code in re.findall(r"`([^`]+)`", below):
            if re.fullmatch(r"[A-Za-z_]\w*", code):
                assert code in known, f"{text}: {code}"


def test_the_example_on_the_page_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {}
    exec(code, names)
    assert names["output"].shape == (2, 8, 5, 16)
