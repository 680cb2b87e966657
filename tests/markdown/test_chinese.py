"""Emphasis beside full-width punctuation, and no space that nobody wrote."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**缩放。**后面", "<strong>缩放。</strong>后面"),
        ("前面**「缩放」**后面", "前面<strong>「缩放」</strong>后面"),
        ("**注意：**x**y**z", "<strong>注意：</strong>x<strong>y</strong>z"),
        ("*斜，*后", "<em>斜，</em>后"),
        ("***全。***后", "<strong><em>全。</em></strong>后"),
        ("**（甲）**、**（乙）**", "<strong>（甲）</strong>、<strong>（乙）</strong>"),
        ("它是**$x$**。", "它是<strong><math><mi>x</mi></math></strong>。"),
        ("snake_case_名 与 d_k", "snake_case_名 与 d_k"),
    ],
)
def test_emphasis(clean: Any, source: str, html: str) -> None:
    assert clean(source + "\n").flat == f"<p>{html}</p>"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("中文\n中文", "中文中文"),
        ("中文，\n中文", "中文，中文"),
        ("**中文**\n中文", "中文中文"),
        ("中文\n**中文\n中文**\n「中」", "中文中文中文「中」"),
        ("中文\nEnglish\n中文", "中文\nEnglish\n中文"),
        ("English\nline", "English\nline"),
        ("中文 English 中文English", "中文 English 中文English"),
        ("中文`x`\n中文", "中文x\n中文"),
        ("中文 $x$ 中文$y$\n中文", "中文 x 中文y\n中文"),
    ],
)
def test_line_breaks(clean: Any, source: str, text: str) -> None:
    assert "".join(clean(source + "\n").find("p").itertext()) == text


def test_line_break_in_a_list_item(clean: Any) -> None:
    assert clean("- 中文\n  中文\n- 二\n").find("ul/li").text == "中文中文"


def test_code_keeps_its_lines(clean: Any) -> None:
    assert "".join(clean("```\n中文\n中文\n```\n").find(".//code").itertext()) == "中文\n中文\n"


def test_hard_line_break(clean: Any) -> None:
    assert clean("中文  \n中文\n").find("p/br") is not None


def test_punctuation_stays_with_a_formula_and_a_number(clean: Any) -> None:
    page = clean("设（$x$），得 {{2 := 1 + 1}}。又 $y$ 字\n")
    kept = [("".join(span.itertext()), len(list(span))) for span in page.all(".//span[@class='keep']")]
    assert [text[:1] + text[-1:] for text, _ in kept] == ["（，", "2。"]
    assert "".join(page.text.split()).startswith("设（x），得2")
