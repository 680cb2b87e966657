"""Numbered sections: the id of a heading, links that name a section, mentions of one."""

from __future__ import annotations

import markdown
import pytest

from course_markdown import makeExtension
from course_markdown.site import Site

OTHER = "# B\n\n## 7.1 甲 {#s7-1}\n\n:::fold 更多\n## 7.12 乙 {#s7-12}\n:::\n"


def told(source: str, strict: bool = True) -> list[tuple[int, str, str]]:
    """The problems of sections on the page c/a.md: line, code, text."""
    site = Site()
    options = {"site": site}
    extension = makeExtension(**options)
    extension.collect(OTHER, "b.md", "c/b.md")
    extension.collect(source, "a.md", "c/a.md")
    site.open("a.md", "c/a.md", 1, strict=strict)
    names = ["toc", "attr_list", "course_markdown"]
    markdown.Markdown(extensions=names, extension_configs={"course_markdown": options}).convert(source)
    return [(p.line, p.number, p.text) for p in site.page_problems() if "E262" <= p.number < "E270"]


@pytest.mark.parametrize(
    "heading",
    ["## 7.9 题", "## 7.9 题 {#s7-90}", "## 7.9 为什么除以 $\\sqrt{d_k}$ {#why}", "### 7.9 题 {.wide}"],
)
def test_heading_with_another_id(heading: str) -> None:
    assert told(f"# A\n\n{heading}\n") == [
        (3, "E264", "heading 7.9 has another id than its number; end it with '{#s7-9}'")
    ]


@pytest.mark.parametrize(
    "source",
    [
        "## 7.9 为什么除以 $\\sqrt{d_k}$ {#s7-9}\n",
        "## 7.9 题 {.wide #s7-9}\n",
        "## 7 题\n\n## 题 7.9\n",
        "见 [7.12](b.md#s7-12)、[7.1 的公式](b.md#s7-1-formula)。\n",
        "见 [7.12 的演示](b.md?dot.a=1#demo-dot)，见 7.12，第 7.1 节。\n",
        "占 7.99%，PyTorch 2.13，长 7.55 米，[3.14](x.md)。\n",
        "```\n## 7.9 题\n```\n",
    ],
)
def test_sections_that_are_there(source: str) -> None:
    assert told(source) == []


@pytest.mark.parametrize("target", ["b.md", "b.md#s7-1", "b.md#s7-1-x", "b.md#s7-120"])
def test_link_that_names_one_section_and_leads_to_another(target: str) -> None:
    assert told(f"一行\n见 [7.12]({target})。\n") == [
        (2, "E263", f"link named 7.12 leads to '{target}'; lead it to '#s7-12' or below")
    ]


@pytest.mark.parametrize("text", ["[7.13](b.md#s7-13)", "见 7.13。", "第 7.13 节", "7.13 节", "Section 7.13"])
def test_section_that_is_not_there(text: str) -> None:
    found = told(f"一行\n\n再看 {text}\n")
    assert [(line, code) for line, code, _ in found] == [(3, "E265")]
    assert found[0][2] == "there is no section 7.13; name one of 7.1 to 7.12"


def test_guests_may_number_as_they_like() -> None:
    assert told("## 7.9 题\n\n见 [7.13](b.md)。\n", strict=False) == []
