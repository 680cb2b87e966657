"""`:::bibliography`: all sources of the site, with links back to the sections that cite them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from markdown.util import AtomicString

from course_markdown.builder import Builder, element
from course_markdown.errors import ELSEWHERE, Code
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.site import Citing
from course_markdown.sources import OTHERS, Source
from course_markdown.tree import Block

NUMBER = re.compile(r"\d+")


class Bibliography:
    """The block kind."""

    def read(self, block: Block, page: Page) -> BibliographyNode:
        home = page.site.bibliography
        line = block.line + page.site.first_line - 1
        if home and (home.path, home.line) != (page.site.path, line):
            page.problem(Code.BIBLIOGRAPHY_TWICE, block.line, place=f"{home.path}:{home.line}")
        if page.sources is None:
            page.problem(Code.BIBLIOGRAPHY, block.line)
        entries = page.sources.entries.values() if page.sources else ()
        order = sorted(entries, key=lambda source: (source.cited_as.lower(), source.year, source.title))
        shown = [Shown(source, _sections(source, page)) for source in order]
        return BibliographyNode(block.line, "bibliography", shown, body(block.items, page))


@dataclass
class Shown:
    """A source and the sections that cite it, as (title with tokens of this page, link)."""

    source: Source
    sections: list[tuple[str, str]]


@dataclass
class BibliographyNode:
    """A list of sources that was read."""

    line: int
    name: str
    entries: list[Shown]
    others: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        builder.parse(parent, self.others)
        rows = element(parent, "ul", class_="bibliography")
        for entry in self.entries:
            _build(element(rows, "li", id=builder.page.ident(entry.source.key)), entry, builder)


def _build(row: etree.Element, entry: Shown, builder: Builder) -> None:
    source, words = entry.source, builder.page.labels.label
    authors = words["cite_list"].join(source.full_authors)
    if OTHERS in source.authors:
        authors += words["cite_others"]
    paragraph = element(row, "p", AtomicString(f"{authors} ({source.year}). "))
    title = element(paragraph, "cite", AtomicString(source.title))
    address, shown = source.link
    title.tail = AtomicString(". " if shown.startswith(source.venue) else f". {source.venue}. ")
    element(paragraph, "a", AtomicString(shown), href=address)
    if source.quoted:
        figures = element(row, "p", words["cite_quoted"], class_="cited")
        last = len(source.quoted) - 1
        for number, (name, figure) in enumerate(source.quoted.items()):
            code = element(figures, "code", AtomicString(f"{name} = {figure.value}"))
            code.tail = AtomicString(f" ({figure.where}){words['cite_and'] if number < last else ''}")
    back = element(row, "p", words["cite_back"], class_="cited", data_search_exclude="true")
    for number, (text, target) in enumerate(entry.sections):
        link = element(back, "a", text, href=target)
        link.tail = words["cite_and"] if number < len(entry.sections) - 1 else None


def _sections(source: Source, page: Page) -> list[tuple[str, str]]:
    """Where a source is cited; a source that no page cites is a problem of the file that names it."""
    citing = {(at.uri, at.ident): at for at in page.site.citing if at.key == source.key}
    if not citing and page.sources:
        page.tell([page.sources.problem(Code.UNCITED, source.line, key=source.key)])
    return [
        (inline(at.title, ELSEWHERE, page), page.site.link(f"{at.uri}#{at.ident}" if at.ident else at.uri))
        for at in sorted(citing.values(), key=_place)
    ]


def _place(at: Citing) -> tuple[bool, list[int], str]:
    """Sections by their numbers, 7.2 before 7.19; after them what has no number."""
    first = at.title.partition(" ")[0]
    numbered = bool(NUMBER.match(first))
    return not numbered, [int(part) for part in NUMBER.findall(first)] if numbered else [], at.uri
