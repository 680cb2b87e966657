"""Numbered sections: a heading `7.9 …` has the id `s7-9`, and what names section 7.9 finds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.proof.paragraphs import Paragraph
from course_markdown.proof.spans import Span
from course_markdown.tree import Block, Item, Prose

HEADING = re.compile(r"#{1,6}\s+(\d+)\.(\d+)\s.*?(?:\{[^{}]*#(?P<ident>[\w-]+)[^{}]*\}\s*)?$")
SECTION_IDENT = re.compile(r"s\d+-\d+(?:-|$)")
NUMBER = r"(\d+)\.(\d{1,2})(?![\d.%])"
MENTION = re.compile(rf"(?:[见第§]|\b[Ss]ections?|\b[Ss]ec\.) ?{NUMBER}|(?<![\d.]){NUMBER} ?小?节")
LINK = re.compile(rf"\[(?:第 ?|§ ?|[Ss]ection )?{NUMBER}[^\[\]]*\]\((?P<target>[^()\s]*)\)")


class Section(NamedTuple):
    """Section `chapter.number`."""

    chapter: int
    number: int

    @property
    def ident(self) -> str:
        """The id of its heading."""
        return f"s{self.chapter}-{self.number}"

    def __str__(self) -> str:
        return f"{self.chapter}.{self.number}"


def sections(items: list[Item], page: Page, *, told: bool = False) -> Iterator[Section]:
    """The numbered sections in `items`; whether it is told that one has another id."""
    for item in items:
        if isinstance(item, Block):
            yield from sections(item.items, page, told=told)
        elif isinstance(item, Prose) and not item.code and (found := HEADING.match(item.content)):
            section = Section(int(found[1]), int(found[2]))
            if told and found["ident"] != section.ident:
                page.problem(Code.SECTION_ID, item.line, section=section, ident=section.ident)
            yield section


def check_sections(spans: list[Span], paragraphs: Iterable[Paragraph], page: Page) -> None:
    """Note the sections that do not exist, and the links that name one section and lead to another place."""
    known = page.site.sections
    for span in spans:
        for link in LINK.finditer(span.text) if "](" in span.text and span.kind != "fence" else ():
            section = Section(int(link[1]), int(link[2]))
            line = span.line + span.text.count("\n", 0, link.start())
            anchor = link["target"].partition("#")[2]
            if section.chapter not in {other.chapter for other in known}:
                continue
            if section not in known:
                _missing(section, line, page)
            elif _leads_away(anchor, section):
                page.problem(
                    Code.SECTION_LINK, line, section=section, target=link["target"], ident=section.ident
                )
    for paragraph in paragraphs:
        for found in MENTION.finditer(paragraph.text):
            section = Section(int(found[1] or found[3]), int(found[2] or found[4]))
            if section not in known and section.chapter in {other.chapter for other in known}:
                _missing(section, paragraph.line_at(found.start()), page)


def _leads_away(anchor: str, section: Section) -> bool:
    """Whether an anchor is none, or that of another section; a demo or a question may stand anywhere."""
    other = not anchor or SECTION_IDENT.match(anchor) is not None
    return other and anchor != section.ident and not anchor.startswith(section.ident + "-")


def _missing(section: Section, line: int, page: Page) -> None:
    there = [other for other in page.site.sections if other.chapter == section.chapter]
    page.problem(Code.SECTION, line, section=section, first=min(there), last=max(there))
