"""`:::source`: what is listed is the source as it is, found by the names that expressions use."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import transformer_core
from course_markdown.listing import short_docstrings

CORE = "transformer_core"


def code(page: Any) -> list[str]:
    return ["".join(part.itertext()) for part in page.all(".//pre/code")]


def test_source_is_the_function_itself(clean: Any) -> None:
    page = clean(":::source causal_mask 因果掩码\n:::\n", numbers=CORE)
    (shown,) = code(page)
    whole = inspect.getsource(transformer_core.causal_mask)
    assert shown == short_docstrings(whole.rstrip()) + "\n"
    assert shown.splitlines()[-1] == whole.splitlines()[-1]
    assert "".join(page.find(".//summary").itertext()) == "因果掩码"
    assert page.find(".//span[@class='filename']").text == "transformer_core/masks.py"


def test_names_are_the_title_and_files_are_apart(clean: Any) -> None:
    page = clean(
        ":::source softmax, _softmax_steps, layer_norm\n两个**函数**。\n:::\n", numbers=CORE, lang="en"
    )
    assert "".join(page.find(".//summary").itertext()) == "Source: softmax, _softmax_steps, layer_norm"
    assert page.find("details/p/strong").text == "函数"
    first, second = code(page)
    assert first.startswith("def softmax(")
    assert "\n\n\ndef _softmax_steps(" in first
    assert second.startswith("def layer_norm(")


def test_class_with_its_comments(clean: Any) -> None:
    (shown,) = code(clean(":::source RMSNormTrace\n:::\n", numbers=CORE))
    assert shown.startswith("class RMSNormTrace(NamedTuple):")


def test_docstring_of_one_line_stays_and_nothing_is_said(clean: Any) -> None:
    page = clean(":::source RMSNormTrace\n:::\n", numbers=CORE)
    cut = clean(":::source rms_norm\n:::\n", numbers=CORE)
    assert [len(each.all(".//p[@class='source-cut']")) for each in (page, cut)] == [0, 1]


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ('def f():\n    """A.\n\n    B.\n    """\n    return 1', 'def f():\n    """A."""\n    return 1'),
        ("def f():\n    r'''A.\n    B.\n    '''\n    return 1", "def f():\n    r'''A.'''\n    return 1"),
        (
            'class A:\n    """A.\n    B."""\n\n    def f(self):\n        """F.\n        G."""',
            'class A:\n    """A."""\n\n    def f(self):\n        """F."""',
        ),
        ('def f():\n    """A."""\n    return """B.\n\n    C."""', None),
    ],
)
def test_only_docstrings_are_cut(source: str, short: str | None) -> None:
    assert short_docstrings(source) == (short or source)


def test_closed_and_out_of_the_search(clean: Any) -> None:
    box = clean(":::source relu\n:::\n", numbers=CORE).find("details")
    assert (box.get("open"), box.get("data-search-exclude")) == (None, "true")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("sofmax", "'sofmax' is no function or class whose source can be shown; did you mean 'softmax'?"),
        ("relu, _softmax_step", "did you mean '_softmax_steps'?"),
        ("transformer_core.softmax", "did you mean 'softmax'?"),
        ("X", "'X' is no function or class"),
        ("_softmax_steps", "'_softmax_steps' is no function or class"),  # of no file yet
    ],
)
def test_unknown_name_is_told_with_the_nearest(render: Any, names: str, words: str) -> None:
    (problem,) = render(f"a\n\n:::source {names} T\n:::\n", numbers=CORE).problems
    assert problem.startswith("3: E231 ")
    assert words in problem
