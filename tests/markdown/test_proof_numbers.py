"""Numbers of proofread pages: each is checked, or a rule says why it needs no check, or it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from markdown import Markdown

from course_markdown import makeExtension
from course_markdown.proof.numbers import summary
from course_markdown.site import Site

NUMBERS = "math"
Loose = Callable[..., list[tuple[int, str]]]


@pytest.fixture
def loose(render: Any) -> Loose:
    """The numbers of a page that nothing covers, each with its line."""

    def run(source: str) -> list[tuple[int, str]]:
        page = render(source, strict=True, numbers=NUMBERS, extensions=("toc", "attr_list", "tables"))
        found = [problem.split(": E210 nothing checks ") for problem in page.problems if "E210" in problem]
        return [(int(line), rest.split(";")[0]) for line, rest in found]

    return run


def test_number_that_nothing_checks_is_told_with_its_line(loose: Loose) -> None:
    assert loose("# A\n\n字\n值是 0.198。\n") == [(4, "0.198")]


def test_page_that_is_no_proofread_page_is_left_alone(render: Any) -> None:
    assert render("值是 0.198。\n").problems == []


@pytest.mark.parametrize(
    "text", ["得 {{2.0 := sqrt(4)}}。\n", "$x = {{2.0 := sqrt(4)}}$\n", "{{:.2f := sqrt(3)}}\n"]
)
def test_checked_number_is_covered(loose: Loose, text: str) -> None:
    assert loose(text) == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("$d = 64$ 时是 {{8.0 := sqrt(64)}}，又见 8.0 和 64。", []),
        ("$d = 65$ 时是 {{8.0 := sqrt(64)}}。", [(1, "65")]),
        ("约 12.5%，即 {{0.125 := 0.125}}。", []),
        ("约 12.6%，即 {{0.125 := 0.125}}。", [(1, "12.6%")]),
        ("$10^{-5}$ 与 {{0.1 := 1e-5 * 1e4}}", []),
        ("$10^{-6}$ 与 {{0.1 := 1e-5 * 1e4}}", [(1, "10^{-6}")]),
        ("共 1,600 个，{{40.0 := sqrt(1_600)}}", []),
        ("共 1,601 个，{{40.0 := sqrt(1_600)}}", [(1, "1,601")]),
    ],
)
def test_what_an_expression_computes_with_is_known(loose: Loose, text: str, rest: list[Any]) -> None:
    assert loose(text + "\n") == rest


def test_known_ends_at_the_next_heading(loose: Loose) -> None:
    assert loose("# A\n\n{{8.0 := sqrt(64)}}\n\n## B\n\n64\n") == [(7, "64")]


def test_index_is_known_on_its_own_line_alone(loose: Loose) -> None:
    table = "| n | v |\n|---|---|\n| 7 | {{3 := [0, 0, 0, 0, 0, 0, 0, 3][7]}} |\n"
    assert loose(table) == []
    assert loose(table + "\n7 层\n") == [(5, "7")]


@pytest.mark.parametrize(
    "text",
    [
        "## 7.9 题 {#s7-9}",
        "见 [7.12](a.md#s7-12)，第 7 章",
        "Q12 和第 38 题",
        "第 3 行，第 4、5 行",
        "GPT-2、float16、Llama 3、7B",
        "± 0.5",
        "key 3，头 2，(2, 3) 格",
        "± 0.01%",
        "1. 甲\n2. 乙",
        "均值 0，方差 1",
        "$x_3 + S^2$，$\\frac{1}{2} x$",
        "原论文 3.2.1 节，表 3，脚注 4",
        "2017 年",
        "2017 年 6 月 12 日，20 世纪 90 年代，2017-06-12",
        "步骤 3、阶段 4、算法 5、例 6、定理 7",
        "有三点：2) 甲；3）乙",
        "`x.reshape(5, 7)`",
        "```python\nx = 5\n```",
        "<span style='margin: 5px'>字</span>",
        "[字](a.md?n=24#b)",
        '[字](07-masks.md#s7-16 "标题")，[字](<07-masks.md>)，[字](07-(8).md)',
        "[字][甲]\n\n[甲]: 07-masks.md#s7-16",
        "甲&#8203;乙&nbsp;丙",
        "+- 0.5，+/- 0.5",
        "（1，2）格",
        "**Q 95：问？**",
        "![图](a.png){ width=300 }",
        ":::shapeflow\nmask [B, 1, 1, S_k] → scores\n:::",
    ],
)
def test_rules(loose: Loose, text: str) -> None:
    assert loose(text + "\n") == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("$3 \\times 5 = 15$", ["3", "5", "15"]),
        ("$2 + 1$", ["2", "1"]),
        ("$4Sd^2$", ["4"]),
        ("6 层", ["6"]),
        ("GPU 5", ["5"]),
        ("6 个月，25 日元，比例 5（共 6）", ["6", "25", "5"]),
        ("损失是 3.5) 和 2017-25", ["3.5", "25"]),
    ],
)
def test_numbers_that_no_rule_excuses(loose: Loose, text: str, numbers: list[str]) -> None:
    assert {number for _, number in loose(text + "\n")} == set(numbers)


@pytest.mark.parametrize(("tally", "loose"), [(1, []), (2, [1])])
def test_tally_of_questions_is_counted(tally: int, loose: list[int]) -> None:
    site = Site(strict=True)
    extension = makeExtension(site=site)
    text = f"共 {tally} 道题\n\n:::interview\n**Q1：何？**\n\n:::answer\n**此。**\n:::\n:::\n"
    extension.collect(text)
    Markdown(extensions=[extension]).convert(text)
    assert [problem.line for problem in site.problems if problem.number == "E211"] == loose


def test_title_of_a_block(loose: Loose) -> None:
    assert loose(":::note 共 37 个\n字\n:::\n") == [(1, "37")]
    assert loose(":::demo scaling 从 37 开始\n字\n:::\n") == [(1, "37")]


QUIZ = """
:::quiz
几个？

A. 17
B. 18
C. 19

答案：B
解析：{why}
:::
"""


def test_wrong_option_needs_no_check_but_the_right_one_does(loose: Loose) -> None:
    assert loose(QUIZ.format(why="数一数。")) == [(5, "18")]
    assert loose(QUIZ.format(why="{{18 := 9 * 2}}")) == []
    assert loose(QUIZ.format(why="{{18 := 9 * 2}}，不是 19。")) == [(9, "19")]


def test_summary_counts_by_rule(render: Any) -> None:
    page = render("Q3 有 {{2.0 := sqrt(4)}}，4 和 5\n", strict=True, numbers=NUMBERS)
    assert summary(page.site.numbers["page.md"]) == "2 of 4 numbers checked; by rule: UNCHECKED 1, question 1"
