"""Formulas become MathML; money, escaped dollars and code stay what they are."""

from __future__ import annotations

from typing import Any

import pytest

from course_markdown.dollars import formula_end
from course_markdown.formulas import characters, italic, mathml, plain


def test_inline(clean: Any) -> None:
    assert clean("设 $d_k$ 很大\n").flat == "<p>设 <math><msub><mi>d</mi><mi>k</mi></msub></math> 很大</p>"


def test_display_is_a_block_of_its_own(clean: Any) -> None:
    page = clean("前\n$$\nx\n$$\n后\n")
    assert page.flat == (
        '<p>前</p><div class="math-block"><math display="block"><mi>x</mi></math></div><p>后</p>'
    )


def test_display_in_running_text(clean: Any) -> None:
    assert clean("前 $$x$$ 后\n").find("p/math").get("display") == "block"


def test_formula_over_two_lines_of_a_paragraph(clean: Any) -> None:
    assert len(clean("a $x +\ny$ b\n").all("p/math")) == 1


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("- a\n  $$\n  x\n  $$\n  b\n- c\n", "ul/li/div/math"),
        ("- a\n\n    $$\n    x\n    $$\n", "ul/li/div/math"),
        ("> a\n>\n> $$\n> x\n> $$\n> b\n", "blockquote/div/math"),
        (":::note\n$$\nx\n$$\ny\n:::\n", "aside/div/math"),
        (":::fold T\n1. a\n   $$x$$\n:::\n", "details/ol/li/div/math"),
        ("> - a\n>   $$\n>   x\n>   $$\n", "blockquote/ul/li/div/math"),
    ],
)
def test_display_anywhere(clean: Any, source: str, path: str) -> None:
    page = clean(source, dedent=False)
    assert len(page.all(path)) == 1
    assert "$" not in page.html


def test_list_goes_on_after_a_display_formula(clean: Any) -> None:
    page = clean("- a\n  $$\n  x\n  $$\n  b\n- c\n")
    assert [child.tag for child in page.find("ul/li")] == ["p", "div", "p"]
    assert len(page.all("ul/li")) == 2


def test_a_line_of_a_formula_is_no_list_item(clean: Any) -> None:
    assert len(clean("$$\na\n- b\n+ c\n$$\n").all("div/math")) == 1


def test_bar_in_a_table_cell(clean: Any) -> None:
    page = clean("| a | b |\n| --- | --- |\n| $P(x|y)$ | $5 |\n| $|x|$ | $1,600 |\n")
    cells = page.all(".//td")
    assert [len(cell) for cell in cells] == [1, 0, 1, 0]
    assert [cells[1].text, cells[3].text] == ["$5", "$1,600"]


def test_emphasis_characters_in_a_formula(clean: Any) -> None:
    page = clean("$a_i * b_i$ 与 $c*d_j$，**$x$**\n")
    assert len(page.all(".//math")) == 3
    assert page.all(".//em") == []


def test_chinese_text_in_a_formula(clean: Any) -> None:
    assert clean("$O(S^2) \\text{ 时间}$\n").find(".//mtext").text == "\u00a0时间"


@pytest.mark.parametrize(
    "text",
    [
        "价格 $5。",
        "$1,600 一块",
        "$5 和 $6",
        "$5、$6",
        "从$5到$10",
        "$3.50/小时，$20/月",
        "US$5 or HK$100",
        "$5M, $3bn and $2k a year",
        "it costs $5 (or $6)",
        "$5-$10",
    ],
)
def test_money(clean: Any, text: str) -> None:
    assert clean(text + "\n").flat == f"<p>{text}</p>"


def test_money_before_a_formula(clean: Any) -> None:
    page = clean("花 $5 算$x$，$5 per token, so $n$ tokens\n")
    assert len(page.all(".//math")) == 2
    assert page.text.count("$5") == 2


@pytest.mark.parametrize(
    "tex",
    [
        "1",
        "16",
        "0.7^n",
        "1\\times1 + 0",
        "1 + 2.028 = 5.056",
        "2.028/8.169",
        "2k",
        "5 < x",
        "0, 1, 2",
        "3 \\cdot d^2",
    ],
)
def test_formula_that_begins_with_a_number(clean: Any, tex: str) -> None:
    page = clean(f"设 ${tex}$ 个\n")
    assert len(page.all("p/math")) == 1
    assert "$" not in page.text


def test_escaped_dollar(clean: Any) -> None:
    assert clean("\\$5 与 \\$x 与 a\\$\n").flat == "<p>$5 与 $x 与 a$</p>"


def test_dollar_in_code_and_attributes(clean: Any) -> None:
    page = clean('`$x$` ``a`$y$`` <span title="$z$">t</span>\n\n    $w\n', dedent=False)
    assert [code.text for code in page.all(".//code")] == ["$x$", "a`$y$", "$w\n"]
    assert page.find(".//span").get("title") == "$z$"
    assert page.all(".//math") == []


def test_formula_in_raw_html_but_not_in_its_code(clean: Any) -> None:
    page = clean("<figure>\n$a<b$ <code>$x$</code>\n$$\ny\n$$\n</figure>\n")
    assert len(page.all(".//math")) == 2
    assert page.find(".//code").text == "$x$"


def test_lone_formula_keeps_its_paragraph(clean: Any) -> None:
    assert clean("$x$\n").find("p//math") is not None


def test_formula_in_a_link_an_image_and_an_attribute(clean: Any) -> None:
    page = clean('[$x_1$](a.md "$y$") ![$z$](b.png)\n')
    assert page.find(".//a/math") is not None
    assert page.find(".//a").get("title") == "y"
    assert page.find(".//img").get("alt") == "z"


def test_heading_with_a_formula_has_a_label_in_words(clean: Any) -> None:
    page = clean("## 为什么除以 $\\sqrt{d_k}$\n")
    assert page.find("h2/math") is not None
    assert page.toc[0]["name"] == "为什么除以 √d_k"


def test_contents_leave_out_the_attributes_of_a_heading_with_a_formula(clean: Any) -> None:
    page = clean("## 为什么除以 $\\sqrt{d_k}$ {#s7-9}\n", extensions=("attr_list", "toc"))
    assert page.toc[0]["id"] == "s7-9"
    assert page.toc[0]["name"] == "为什么除以 √d_k"


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        ("\\frac{QK^\\top}{\\sqrt{d_k}}", "(QK^⊤)/(√d_k)"),
        ("x_i^2 + \\hat x", "x_i^2+x"),
        ("\\sqrt[3]{x+1}", "3√(x+1)"),
        ("\\begin{pmatrix}1&0\\\\0&1\\end{pmatrix}", "(1, 0; 0, 1)"),
        ("a \\& b", "a&b"),
    ],
)
def test_formula_as_words(tex: str, words: str) -> None:
    assert plain(mathml(tex, False)).replace(" ", "") == words.replace(" ", "")


def test_characters_of_a_formula_are_the_italic_ones() -> None:
    assert characters(mathml("h + \\sin x", False)) >= {"ℎ", "𝑥", "s", "i", "n", "+"}


@pytest.mark.parametrize(
    ("letter", "shown"), [("x", "𝑥"), ("A", "𝐴"), ("θ", "𝜃"), ("h", "ℎ"), ("1", "1"), ("中", "中")]
)
def test_italic(letter: str, shown: str) -> None:
    assert italic(letter) == shown


def test_site_collects_the_characters_of_all_pages(clean: Any) -> None:
    assert {"𝑥", "ℝ"} <= clean(":::note\n$x \\in \\mathbb R$\n:::\n").site.characters


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("$x$", 2),
        ("$ x$", None),
        ("$x $", None),
        ("$x\\$y$", 5),
        ("$x `a$`", None),
        ("$x", None),
        ("$x\\ $", 4),
    ],
)
def test_end_of_a_formula(text: str, end: int | None) -> None:
    assert formula_end(text, 0) == end
