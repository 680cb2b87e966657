"""`:::bank`: numbered interview questions of all pages in groups `title | 1–10, 12`, with short answers."""

from __future__ import annotations

import posixpath
import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from course_markdown.blocks.box import check_content
from course_markdown.builder import Builder, element
from course_markdown.errors import ELSEWHERE, Code, Problem
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.site import Asked
from course_markdown.tree import Block, Item, Prose

ROW = re.compile(r"(?P<title>.+?)\s*[|｜]\s*(?P<numbers>[^|｜]+)")
NUMBERS = re.compile(r"[Qq]?(\d+)(?:\s*[-–—~～至]\s*[Qq]?(\d+))?")
COMMA = re.compile(r"\s*[,，、;；]\s*")
TARGET = re.compile(r"(?<=\]\()([^\s()<>]+)")


@dataclass
class Group:
    """A row of the block: its title, and its numbers in the order in which they are shown."""

    line: int
    title: str
    numbers: list[int]


class Bank:
    """The block kind."""

    def read(self, block: Block, page: Page) -> BankNode:
        check_content(block, page)
        groups: list[Group] = []
        others: list[Item] = []
        for item in block.items:
            if not isinstance(item, Prose):
                others.append(item)
            elif item.content.strip():
                groups += _group(item, page)
        asked = _asked(groups, block.line, page) if groups else {}
        shown = [
            Shown(
                inline(group.title, group.line, page),
                page.ident(f"bank-{number}"),
                [_entry(asked[q], page) for q in group.numbers if q in asked],
            )
            for number, group in enumerate(groups, 1)
        ]
        return BankNode(block.line, "bank", shown, body(others, page))


@dataclass
class Entry:
    """A question as the bank shows it: tokens of this page in its texts, and its place as a link."""

    number: int
    question: str
    short: str
    target: str


@dataclass
class Shown:
    title: str
    ident: str
    entries: list[Entry]


@dataclass
class BankNode:
    """A bank that was read."""

    line: int
    name: str
    groups: list[Shown]
    others: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        words = builder.page.labels.label
        for group in self.groups:
            element(parent, "h3", group.title, id=group.ident)
            rows = element(parent, "ol", class_="bank")
            for entry in group.entries:
                row = element(
                    rows, "li", id=builder.page.ident(f"bank-q{entry.number}"), value=str(entry.number)
                )
                element(element(row, "p", class_="question"), "a", entry.question, href=entry.target)
                if entry.short:
                    answer = element(row, "details", class_="answer", data_search_exclude="true")
                    element(answer, "summary", words["bank_short"])
                    element(answer, "p", entry.short)
        builder.parse(parent, self.others)


def _group(item: Prose, page: Page) -> list[Group]:
    row = ROW.fullmatch(item.content.strip())
    spans = [NUMBERS.fullmatch(part) for part in COMMA.split(row["numbers"].strip()) if part] if row else []
    numbers: list[int] = []
    for span in spans:
        first, last = (int(span[1]), int(span[2] or span[1])) if span else (1, 0)
        if last < first:
            page.problem(Code.BANK_ROW, item.line)
            return []
        numbers += range(first, last + 1)
    if row is None or not numbers:
        page.problem(Code.BANK_ROW, item.line)
        return []
    return [Group(item.line, row["title"], numbers)]


def _asked(groups: list[Group], line: int, page: Page) -> dict[int, Asked]:
    """The site's questions by number. What is missing is told here, what is wrong with one at its place."""
    asked: dict[int, Asked] = {}
    for question in page.site.asked:
        first = asked.setdefault(question.number, question)
        if first is not question:
            _tell(Code.BANK_TWICE, question, page, number=first.number, path=first.path, line=first.line)
    grouped: set[int] = set()
    for group in groups:
        for number in group.numbers:
            if number in grouped:
                page.problem(Code.BANK_AGAIN, group.line, number=number)
            elif number not in asked:
                page.problem(Code.BANK_UNASKED, group.line, number=number)
            grouped.add(number)
    for number in range(1, max(grouped)):
        if number not in grouped and number not in asked:
            page.problem(Code.BANK_GAP, line, number=number)
    for number, question in asked.items():
        if number not in grouped:
            here = line + page.site.first_line - 1
            _tell(Code.BANK_STRAY, question, page, number=number, path=page.site.path, line=here)
        elif not question.short:
            _tell(Code.BANK_SHORT, question, page, number=number)
    return asked


def _tell(code: Code, at: Asked, page: Page, **fields: object) -> None:
    found = Problem(at.path, at.line, code.number, code.message.format(**fields))
    if found not in page.site.problems:
        page.site.problems.append(found)


def _entry(question: Asked, page: Page) -> Entry:
    return Entry(
        question.number,
        inline(_moved(question.text, question, page), ELSEWHERE, page),
        inline(_moved(question.short, question, page), ELSEWHERE, page),
        page.site.link(f"{question.uri}#{question.ident}"),
    )


def _moved(text: str, question: Asked, page: Page) -> str:
    """`text` of a question's page with links that lead to the same places from here."""

    def target(match: re.Match[str]) -> str:
        to = match[1]
        if "://" in to or to.startswith(("/", "mailto:")):
            return to
        folder = posixpath.dirname(question.uri)
        return page.site.link(question.uri + to if to[0] in "?#" else posixpath.join(folder, to))

    return TARGET.sub(target, text)
