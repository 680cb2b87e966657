"""Blocks in blocks, lists, quotes and code; and what looks like a block and is text."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from typing import Any

import markdown
import pytest


def test_equal_fences_nest_and_close_the_innermost(clean: Any) -> None:
    page = clean(
        """
        :::note one
        a
        :::warning two
        b
        :::key three
        c
        :::
        d
        :::
        e
        :::
        f
        """
    )
    one = page.find("aside")
    assert [child.tag for child in one] == ["p", "p", "aside", "p"]
    assert [child.tag for child in one[2]] == ["p", "p", "aside", "p"]
    assert [p.text for p in page.all("p")] == ["f"]


def test_block_interrupts_a_paragraph(clean: Any) -> None:
    page = clean("before\n:::note\nx\n:::\nafter\n")
    assert [child.tag for child in page.root] == ["p", "aside", "p"]


@pytest.mark.parametrize("indent", ["  ", "    ", "   "])
def test_block_in_a_list_item_at_any_indent(clean: Any, indent: str) -> None:
    lines = ["- first", "", ":::note T", "inside **b**", "", "- nested", ":::", "after", "", "- second"]
    source = "\n".join(line if line.startswith(("- f", "- s")) else indent + line for line in lines)
    page = clean(source, dedent=False)
    items = page.all("ul/li")
    assert [child.tag for child in items[0]] == ["p", "aside", "p"]
    assert page.find("ul/li/aside/ul/li").text == "nested"
    assert "".join(items[1].itertext()).strip() == "second"


def test_block_in_an_item_of_an_ordered_list_right_below_its_text(clean: Any) -> None:
    page = clean("1. one\n   :::fold T\n   x\n   :::\n   more\n2. two\n")
    first, second = page.all("ol/li")
    assert [child.tag for child in first] == ["p", "details", "p"]
    assert "".join(second.itertext()).strip() == "two"


def test_block_in_a_nested_list(clean: Any) -> None:
    page = clean("- a\n    - b\n\n        :::note\n        x\n        :::\n\n- c\n", dedent=False)
    assert page.find("ul/li/ul/li/aside/p[2]").text == "x"


def test_block_at_the_margin_ends_the_list(clean: Any) -> None:
    page = clean("- a\n:::note\nx\n:::\n- b\n")
    assert [child.tag for child in page.root] == ["ul", "aside", "ul"]


def test_block_in_a_quote(clean: Any) -> None:
    page = clean("> before\n> :::note T\n> x\n>\n> - y\n> :::\n> after\n")
    quote = page.find("blockquote")
    assert [child.tag for child in quote] == ["p", "aside", "p"]
    assert page.find("blockquote/aside/ul/li").text == "y"


def test_block_in_a_list_in_a_quote(clean: Any) -> None:
    page = clean("> - a\n>   :::note\n>   x\n>   :::\n>   more\n> - b\n")
    first, _ = page.all("blockquote/ul/li")
    assert [child.tag for child in first] == ["p", "aside", "p"]


def test_quote_in_a_block(clean: Any) -> None:
    page = clean(":::note\n> quoted\n> - item\n:::\n")
    assert page.find("aside/blockquote/p").text.startswith("quoted")


def test_empty_line_between_parts_of_a_quoted_block(clean: Any) -> None:
    page = clean("> :::note\n> a\n\n> b\n> :::\n")
    assert [p.text for p in page.all("blockquote/aside/p")][1:] == ["a", "b"]


def test_fence_in_code_in_a_block_is_text(clean: Any) -> None:
    page = clean(
        """
        :::fold T
        ```text
        :::note
        $x$ {{1 := 2}}
        :::
        ```
        end
        :::
        """
    )
    assert "".join(page.find("details/div//code").itertext()) == ":::note\n$x$ {{1 := 2}}\n:::\n"
    assert page.find("details/p").text == "end"


def test_longer_code_fence_holds_a_shorter_one(clean: Any) -> None:
    page = clean("````\n```\n:::\n```\n````\n")
    assert "".join(page.find(".//code").itertext()) == "```\n:::\n```\n"


def test_tilde_fence_holds_backticks(clean: Any) -> None:
    page = clean(":::note\n~~~\n```\n:::\n~~~\n:::\n")
    assert "".join(page.find("aside//code").itertext()) == "```\n:::\n"


def test_colons_in_a_display_formula_are_text(clean: Any) -> None:
    page = clean(":::note\n$$\na\n:::\nb\n$$\n:::\n")
    assert len(page.all("aside/div/math")) == 1


def test_code_in_a_list_item_keeps_its_indentation(clean: Any) -> None:
    page = clean("- a\n  ```\n  if x:\n      y\n  ```\n- b\n")
    assert "".join(page.find("ul/li//code").itertext()) == "if x:\n    y\n"
    assert len(page.all("ul/li")) == 2


def test_code_in_a_quote(clean: Any) -> None:
    page = clean("> ```\n> a\n>\n>     b\n> ```\n")
    assert "".join(page.find("blockquote//code").itertext()) == "a\n\n    b\n"


def test_adjacent_code_fences_stay_two(clean: Any) -> None:
    page = clean("```\na\n```\n```\nb\n```\n")
    assert [child.tag for child in page.root] == ["div", "div"]


def test_indented_code_as_first_content(clean: Any) -> None:
    page = clean(":::note\n\n    a: 1\n    $x\n:::\n", dedent=False)
    assert page.find("aside/pre/code").text == "a: 1\n$x\n"


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends(clean: Any, newline: str) -> None:
    page = clean(newline.join([":::note T", "x", ":::", ""]), dedent=False)
    assert page.find("aside/p[2]").text == "x"


def test_byte_order_mark(clean: Any) -> None:
    page = clean("\ufeff:::note T\nx\n:::\n")
    assert page.flat.startswith("<aside")


def test_tabs(clean: Any) -> None:
    page = clean("\t:::note\tT\n\tx\n\n\t- y\n\t:::\n", dedent=False)
    assert page.find("aside/p").text == "T"
    assert page.find("aside/ul/li").text == "y"


def test_comment_is_dropped_with_what_it_holds(clean: Any) -> None:
    page = clean("a <!-- :::note $ ` --> b\n\n<!--\n:::note\n\n$$ `\n-->\n\nc\n")
    assert page.text.split() == ["a", "b", "c"]


def test_raw_html_code_is_text(clean: Any) -> None:
    page = clean("<pre>\n:::note\n$x `y\n</pre>\n\nend\n")
    assert ":::note\n$x `y" in page.html


def test_block_in_html_that_is_read_as_markdown(clean: Any) -> None:
    page = clean('<div markdown="1">\n\n:::note\nx\n:::\n\n</div>\n', extensions=("md_in_html",))
    assert page.find("div/aside/p[2]").text == "x"


def test_link_references_reach_into_blocks(clean: Any) -> None:
    page = clean(":::note\n[a][1]\n:::\n\n[1]: b.md\n")
    assert page.find(".//a").get("href") == "b.md"


def test_markdown_object_is_reused() -> None:
    md = markdown.Markdown(extensions=["course_markdown"])
    first = md.convert(":::note\n$x$\n:::\n")
    md.reset()
    assert md.convert(":::note\n$x$\n:::\n") == first


def test_escaped_colons_are_text(clean: Any) -> None:
    assert clean("\\:::note\n").flat == "<p>:::note</p>"


def test_address_of_a_link_in_angle_brackets(clean: Any) -> None:
    page = clean("[a](<b c.md>) [d][1]\n\n[1]: <e.md>\n")
    assert [a.get("href") for a in page.all(".//a")] == ["b c.md", "e.md"]


def test_lone_angle_bracket_is_text(clean: Any) -> None:
    assert clean("1 < 2 与 a<b，c\n").flat == "<p>1 &lt; 2 与 a&lt;b，c</p>"


def nested(part: etree.Element) -> list[Any]:
    """The items of a list as texts, each followed by the list inside of it."""
    found: list[Any] = []
    for item in part.findall("li"):
        found.append("".join([item.text or "", *(p.text or "" for p in item.findall("p"))]).strip())
        found += [nested(inner) for inner in item if inner.tag in ("ul", "ol")]
    return found


@pytest.mark.parametrize("indent", [2, 4])
def test_lists_nest_by_two_spaces_and_by_four(clean: Any, indent: int) -> None:
    one, two = " " * indent, " " * 2 * indent
    page = clean(f"- a\n{one}- b\n{two}- c\n{one}- d\n- e\n")
    assert nested(page.find("ul")) == ["a", ["b", ["c"], "d"], "e"]


def test_ordered_lists_nest_by_three_spaces(clean: Any) -> None:
    page = clean("1. a\n   - b\n   - c\n2. d\n")
    assert nested(page.find("ol")) == ["a", ["b", "c"], "d"]


def test_items_of_one_list_may_stand_a_little_off(clean: Any) -> None:
    assert nested(clean("- a\n - b\n- c\n").find("ul")) == ["a", "b", "c"]


@pytest.mark.parametrize("marker", ["-", "1."])
def test_list_right_below_a_paragraph(clean: Any, marker: str) -> None:
    page = clean(f"三点：\n{marker} 一\n{marker} 二\n")
    assert [child.tag for child in page.root] == ["p", "ol" if marker == "1." else "ul"]


def test_a_number_in_running_text_begins_no_list(clean: Any) -> None:
    assert [child.tag for child in clean("it was in\n2017. Then\n").root] == ["p"]


def test_list_right_below_a_paragraph_in_a_quote(clean: Any) -> None:
    assert [child.tag for child in clean("> 三点：\n> - 一\n> - 二\n").find("blockquote")] == ["p", "ul"]
