"""Headings: each has words, its id can be read, and no other heading of the page has the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.tree import Block, Item, Prose

HEADING = re.compile(r"(?P<marks>#{1,6})(?!#)\s*(?P<text>.*?)\s*#*")
ATTRIBUTES = re.compile(
    r"(?:^|\s)\{:?\s*(?:[.\w][^{}\s#]*\s+)*(?:#(?P<ident>[\w.:-]+)(?:\s+[^{}\s#]+)*\s*)?\}$"
)
WANTED = re.compile(r"[{｛]\s*:?[^{}｛｝]*[#＃]|[{｛]\s*:?\s*[#＃]")


def check_headings(items: list[Item], page: Page) -> None:
    """Note the headings whose id would be shown, or would lead to another one."""
    lines: dict[str, int] = {}
    for prose in _prose(items):
        heading = HEADING.fullmatch(prose.content)
        if not heading:
            continue
        text = heading["text"]
        attributes = ATTRIBUTES.search(text)
        if not text[: attributes.start() if attributes else None].strip("# "):
            page.problem(Code.NO_WORDS, prose.line, marks=heading["marks"])
        if not attributes and WANTED.search(text):
            page.problem(Code.HEADING_ID, prose.line)
        if attributes and (ident := attributes["ident"]):
            if ident in lines:
                first = lines[ident] + page.site.first_line - 1
                page.problem(Code.SAME_ID, prose.line, first=first, ident=ident)
            lines.setdefault(ident, prose.line)


def _prose(items: list[Item]) -> Iterator[Prose]:
    for item in items:
        if isinstance(item, Block):
            yield from _prose(item.items)
        elif isinstance(item, Prose) and not item.code:
            yield item
