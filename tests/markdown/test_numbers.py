"""Checked numbers in a page. What they may use is a module; here it is a small one of the tests."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> str:
    module = types.ModuleType("numbers_of_a_test")
    module.weights = np.array([[0.19778, 0.40111], [1.0, 0.0]])
    module.count = 8030261248
    module.tex = lambda rows: (
        "\\begin{pmatrix}" + "\\\\".join("&".join(map(str, row)) for row in rows) + "\\end{pmatrix}"
    )
    module._hidden = 1
    monkeypatch.setitem(sys.modules, "numbers_of_a_test", module)
    return "numbers_of_a_test"


def test_reader_can_open_the_expression(clean: Any, numbers: str) -> None:
    page = clean("得 {{0.198 := weights[0, 0]}}。\n", numbers=numbers)
    button, how = page.find(".//button"), page.find(".//span[@popover]")
    assert (button.text, button.get("class"), button.get("type")) == ("0.198", "num", "button")
    assert button.get("popovertarget") == how.get("id")
    assert (how.get("popover"), how.get("data-search-exclude")) == ("auto", "true")
    assert "".join(how.itertext()) == "weights[0, 0] = 0.19778"


def test_minus_is_printed_as_a_minus(clean: Any) -> None:
    page = clean("{{-1.50 := -1.5}}，{{[-1, 2e-3] := [-1, 0.002]}}，{{:.1e := -1e-5}}\n")
    assert [button.text for button in page.all(".//button")] == ["−1.50", "[−1, 2e-3]", "−1.0e-05"]


def test_identities_of_numbers_differ(clean: Any) -> None:
    page = clean("{{1 := 1}} {{1 := 1}}\n")
    assert len({span.get("id") for span in page.all(".//span")}) == 2


def test_in_a_formula_it_is_only_checked(clean: Any, numbers: str) -> None:
    page = clean(
        "$A = {{0.198 := weights[0, 0]}}$\n\n$$\n{{41.9% := 0.419}}, {{8,030 := 8030}}\n$$\n", numbers=numbers
    )
    assert page.all(".//button") == []
    assert page.text.replace(" ", "").split() == ["A=0.198", "41.9%,8,030"]


def test_braces_of_tex_inside_of_a_printed_number(render: Any) -> None:
    page = render("$$\nx\n= {{6.99 \\times 10^{-4} := 7e-4}} + {{8{,}030 := 8030}}\n$$\n")
    assert page.codes == [(3, "E201")]
    assert "7e-4" not in page.text and "8030" not in page.text.replace(",", "", 1).replace("8030", "", 1)


def test_number_left_open_in_a_formula(render: Any) -> None:
    page = render("$x = {{1 := 1}}$\n\n$$\ny\n= {{0.1 := z\n$$\n")
    assert page.codes[0] == (5, "E204")


def test_in_a_table_cell_whose_expression_has_a_bar(clean: Any) -> None:
    page = clean("| a | b |\n|---|---|\n| {{3 := 1 | 2}} | x |\n")
    assert page.find(".//td/button").text == "3"
    assert len(page.all(".//td")) == 2


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("{{:.3f := weights[0, 1]}}", "0.401"),
        ("{{:.1% := weights[0, 1]}}", "40.1%"),
        ("{{:,d := count}}", "8,030,261,248"),
        ("{{:= count}}", "8030261248"),
        ("{{:= 'd_k'}}", "d_k"),
        ("{{:.2f := -0.001}}", "0.00"),
        ("{{:.3f := -0.005}}", "−0.005"),
    ],
)
def test_computed_number_is_printed(clean: Any, numbers: str, source: str, printed: str) -> None:
    assert clean(source, numbers=numbers).find(".//button").text == printed


def test_matrix_in_a_formula(clean: Any, numbers: str) -> None:
    page = clean("$$\nA = {{:= tex(weights)}}\n$$\n", numbers=numbers)
    assert [cell[0].text for cell in page.all(".//mtd")] == ["0.19778", "0.40111", "1.0", "0.0"]


def test_inserted_text_is_no_markup(clean: Any) -> None:
    assert clean("{{:= '<b>*x*</b>'}}\n").find(".//button").text == "<b>*x*</b>"


def test_in_code_it_is_text(clean: Any) -> None:
    page = clean("`{{0.1 := nope}}`\n\n```\n{{0.1 := nope}}\n```\n")
    assert page.html.count("{{0.1 := nope}}") == 2


@pytest.mark.parametrize(
    "source",
    [
        "## 得 {{0.5 := 1 / 2}}\n",
        ":::fold 得 {{0.5 := 1 / 2}}\nx\n:::\n",
        "[得 {{0.5 := 1 / 2}}](a.md)\n",
        ":::quiz\nq\nA. 得 {{0.5 := 1 / 2}}\nB. b\n答案: B\n:::\n",  # a click chooses, and tells nothing yet
    ],
)
def test_no_button_where_a_button_cannot_stand(clean: Any, source: str) -> None:
    page = clean(source)
    assert page.all(".//button[@class='num']") == []
    assert "得 0.5" in page.text


def test_heading_is_plain_in_the_contents(clean: Any) -> None:
    assert clean("## 得 {{0.5 := 1 / 2}}\n").toc[0]["name"] == "得 0.5"


def test_in_blocks(clean: Any) -> None:
    page = clean(
        """
        :::quiz
        q {{1 := 1}}
        A. {{2 := 2}}
        B. {{3 := 3}}
        答案: A
        解析: {{4 := 4}}
        :::
        """
    )
    assert [b.text for b in page.all(".//button") if b.get("class") == "num"] == ["1", "4"]


def test_private_names_and_builtins_are_out_of_reach(render: Any, numbers: str) -> None:
    page = render("{{1 := _hidden}}\n\n{{1 := __import__('os')}}\n", numbers=numbers)
    assert page.codes == [(1, "E202"), (3, "E202")]


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "().__class__.__base__", "[1 for _ in __builtins__]", "count._real"]
)
def test_names_with_an_underscore_are_refused_before_anything_runs(
    render: Any, numbers: str, expression: str
) -> None:
    (problem,) = render(f"{{{{1 := {expression}}}}}\n", numbers=numbers).problems
    assert problem.startswith("1: E202 ")
    assert re.search(r"NameError: '_\w+' begins with an underscore; use public names", problem)


def test_methods_of_arrays_that_import_what_they_need(clean: Any, numbers: str) -> None:
    clean("{{0.4 := weights.mean()}} {{0.37 := weights.std()}} {{1.00 := weights.max()}}\n", numbers=numbers)


def test_builtins_that_are_allowed(clean: Any) -> None:
    clean(
        "{{3 := len([1, 2, 3])}} {{6 := sum(i for i in range(4))}} {{2 := round(max(1, 1.6))}}\n"
        "{{1 := abs(int(-1))}} {{0.5 := min(float(1), 0.5)}}\n"
        "{{2 := sum(bool(a) for a, b in zip([1, 2, 0], range(3)))}} {{[1, 2] := sorted([2, 1])}}\n"
        "{{True := all([any([0, 1]), 1])}} {{1 := sum(i for i, _ in enumerate('ab'))}}\n"
    )


def test_public_names_of_a_module_that_lists_them(clean: Any, render: Any, numbers: str) -> None:
    sys.modules[numbers].__all__ = ["count"]  # type: ignore[attr-defined]
    clean("{{8,030,261,248 := count}}\n", numbers=numbers)
    assert render("{{:= tex(weights)}}\n", numbers=numbers).codes == [(1, "E202")]


def test_missing_module_is_refused(render: Any) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        render("x\n", numbers="no_such_module")


def test_braces_without_an_expression_are_text(clean: Any) -> None:
    page = clean("{{ name }} 与 $\\frac{{a}}{b}$\n")
    assert "{{ name }}" in page.text
    assert len(page.all(".//math")) == 1
