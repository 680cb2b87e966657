"""What would be shown as it is written, because nothing reads it as Markdown. Proofread pages only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SOURCES = """
[vaswani2017]
authors = ["Vaswani, Ashish", "others"]
year = 2017
title = "Attention Is All You Need"
venue = "NeurIPS"
arxiv = "1706.03762"
"""


@pytest.fixture
def raw(render: Any, tmp_path: Path) -> Any:
    """The problems of a proofread page that are of this kind, as `LINE: CODE text`."""
    (tmp_path / "sources.toml").write_text(SOURCES, encoding="utf-8")

    def run(source: str) -> list[str]:
        extensions = ("toc", "attr_list", "tables")
        options = {"strict": True, "numbers": "math", "sources": str(tmp_path / "sources.toml")}
        page = render(source, extensions=extensions, dedent=False, **options)
        return [problem for problem in page.problems if "E267" <= problem.split()[1] < "E280"]

    return run


WRITE = {
    "权重是 {{2 = sqrt(4)}}。": "a checked number is '{{0.576 := expression}}'",
    "权重是 {{2：= sqrt(4)}}。": "a checked number is",
    "权重是 {{2 : = sqrt(4)}}。": "a checked number is",
    "权重是 {2 := sqrt(4)}。": "a checked number is",
    "权重是 ｛｛2 := sqrt(4)｝｝。": "a checked number is",
    "权重是 {{x}}。": "a checked number is",
    "原论文【@vaswani2017】。": "a citation is '[@key]'",
    "原论文[＠vaswani2017]。": "a citation is '[@key]'",
    "原论文[@vaswani2017, 表 3。": "a citation is '[@key]'",
    "原论文[@vaswani2017](a.md)。": "a citation is '[@key]'",
    "原论文[vaswani2017]。": "a citation is '[@vaswani2017]'",
    "@vaswani2017 证明。": "a citation is '[@vaswani2017]'",
    "原论文[^1]。": "there are no footnotes",
    "见[甲] (a.md)。": "a link is '[name](page.md#id)'",
    "见[甲]（a.md#x）。": "a link is",
    "见【甲】(a.md)。": "a link is",
    "见[甲](a.md。": "a link is",
    "见[甲]()。": "a link is",
    "**没有关。": "bold words are '**words**'",
    "甲 ** 乙 ** 丙。": "bold words are",
    "＊＊甲＊＊": "bold words are",
    '!!! note "甲"': "a box is ':::note title'",
    "??? 甲": "a box is ':::note title'",
    "不要~~删~~。": "no words are struck out",
    "不要==亮==。": "bold words are",
    "- [ ] 任务": "there are no boxes to tick",
    "＃＃ 标题": "a heading begins with '#'",
    "公式 \\(x\\)。": "a formula is '$x$'",
    "公式 \\[x_1\\]。": "a formula is '$x$'",
    "公式 ＄x＄。": "a formula is '$x$'",
}


@pytest.mark.parametrize("source", WRITE)
def test_what_nothing_reads_is_told_with_its_cure(raw: Any, source: str) -> None:
    found = raw(f"# 题\n\n{source}\n")
    assert [problem.split()[:2] for problem in found] == [["3:", "E270"]]
    assert f"; {WRITE[source]}" in found[0]


@pytest.mark.parametrize(
    "source",
    [
        "`{{x}}`、`[^1]`、`**`、`~~a~~`",
        "```text\n| a |\n!!! note\n```",
        "集合 {1, 2}，区间 [0, 1]，[CLS] (开头) 和 [SEP]（结尾）。",
        "原论文[@vaswani2017, 表 3]和[@@vaswani2017]。",
        "见[甲](a.md 'b')、[乙](<b c.md>)、[丙](a_(b).md#c)、![图](a.png){ width=3 }。",
        "见[甲][乙]。\n\n[乙]: a.md#b",
        "[[CLS] 的作用](a.md)，[$x$ 与 `y`](a.md)。",
        "**甲**、***乙***、**丙：** 丁，*戊*，2*3，`a**b`。",
        "**「甲」** 和 **{{2.0 := sqrt(4)}}**，**$x$**。",
        "| **甲** | `a|b` |\n| --- | :-: |\n| $|x|$ | a \\| b |\n| 丙 |",
        "甲 | 乙\n--- | ---\n丙 | 丁",
        "- 甲\n\n    | 甲 | 乙 |\n    | --- | --- |\n    | 丙 | 丁 |",
        ":::quiz\n哪一格？\n\n| 甲 | 乙 |\n| --- | --- |\n| 丙 | 丁 |\n\n答案: (1, 1)\n解析: 好。\n:::",
        "甲\n\n***\n\n乙\n\n* * *\n\n****",
        '[甲](a.md\n"标题")，[乙\n丙](a.md)。',
        "a == b，x === y，好！！！真的？？？",
        "\\[CLS\\] 和 \\*\\*甲",
        "$$\n\\text{{甲}} = 1\n$$",
        "bibliography.md 和 [甲](bibliography.md#vaswani2017)",
    ],
)
def test_what_is_read_passes(raw: Any, source: str) -> None:
    assert raw(f"# 题\n\n{source}\n") == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("文字\n| 甲 | 乙 |\n| --- | --- |\n| 丙 | 丁 |", 4),
        ("| 甲 | 乙 |\n| 丙 | 丁 |", 3),
        ("| 甲 | 乙 |\n| --- |\n| 丙 | 丁 |", 3),
        (":::note 甲\n乙\n| 甲 | 乙 |\n| --- | --- |\n:::", 5),
    ],
)
def test_rows_that_are_in_no_table(raw: Any, source: str, line: int) -> None:
    assert raw(f"# 题\n\n{source}\n") == [
        f"{line}: E272 a row that is in no table; put an empty line before the table, and below its first "
        "row '| --- | --- |' with as many cells"
    ]


def test_cells_that_a_table_would_drop(raw: Any) -> None:
    table = "| 甲 | 乙 |\n| --- | --- |\n| 丙 |\n| 丁 | 戊 | 己 |\n"
    assert raw(table) == [
        "4: E271 row of 3 cells in a table of 2 columns, which drops the rest; "
        "remove cells, or write '\\|' for a bar inside one"
    ]


@pytest.mark.parametrize(
    "heading",
    ["## 甲{#a}", "## 甲 {# a}", "## 甲 {#a b#c}", "## 甲 {#a", "## 甲｛#a｝", "## 甲 {＃a}", "## 甲 {#}"],
)
def test_id_that_cannot_be_read(raw: Any, heading: str) -> None:
    assert raw(f"# 题\n\n{heading}\n") == [
        "3: E268 the id of this heading cannot be read; end the line with a space and '{#id}'"
    ]


def test_good_ids(raw: Any) -> None:
    good = ["{#a}", "{ #b }", "{: #c }", "{#d .e}", "{.f #g data-x=1}", "{#h-1_2}", "", "集合 {1, 2}"]
    assert raw("".join(f"## 甲 {ident}\n\n" for ident in good)) == []


def test_id_that_another_heading_has(raw: Any) -> None:
    assert raw("## 甲 {#a}\n\n:::note 乙\n### 丙 {#a}\n:::\n") == [
        "4: E269 the heading at line 1 has the id 'a' already; give one of the two another"
    ]


@pytest.mark.parametrize("heading", ["##", "## {#a}", "## ##"])
def test_heading_without_words(raw: Any, heading: str) -> None:
    assert raw(f"# 题\n\n{heading}\n") == ["3: E267 a heading without words; write them, or remove '##'"]
