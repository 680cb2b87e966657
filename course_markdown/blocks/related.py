"""`:::related`: lines `label | term, term`; a term that the site knows becomes a link."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from course_markdown.blocks.box import check_content
from course_markdown.builder import Builder, element
from course_markdown.errors import Code, nearest
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.tree import Block, Item, Prose

LIST = re.compile(r"[-*+] ")
BAR = re.compile(r"[|｜]")
COMMA = re.compile(r"\s*[,，、;；]\s*")


class Related:
    """The block kind."""

    def read(self, block: Block, page: Page) -> RelatedNode:
        check_content(block, page)
        rows: list[tuple[str, list[tuple[str, str]]]] = []
        others: list[Item] = []
        for item in block.items:
            if not isinstance(item, Prose):
                others.append(item)
            elif item.content.strip():
                rows += _row(item, page)
        title = inline(block.title or page.labels.title["related"], block.line, page)
        return RelatedNode(block.line, "related", title, rows, body(others, page))


def _row(item: Prose, page: Page) -> list[tuple[str, list[tuple[str, str]]]]:
    label, *rest = (part.strip() for part in BAR.split(item.content, maxsplit=1))
    terms = [term for term in COMMA.split(rest[0] if rest else "") if term]
    if not label or not terms or LIST.match(label):
        page.problem(Code.RELATED, item.line)
        return []
    for term in terms if page.site.strict else ():
        if term.lower() not in page.terms:
            cure = nearest(term, page.terms)
            page.problem(Code.RELATED_TERM, item.line, term=term, cure=cure)
    links = [(inline(term, item.line, page), page.terms.get(term.lower(), "")) for term in terms]
    return [(inline(label, item.line, page), links)]


@dataclass
class RelatedNode:
    """Rows of label and terms, each with the page it leads to, or an empty string."""

    line: int
    name: str
    title: str
    rows: list[tuple[str, list[tuple[str, str]]]]
    others: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        section = element(parent, "section", class_="related")
        element(section, "p", self.title, class_="box-title", data_search_exclude="true")
        rows = element(section, "dl")
        for label, terms in self.rows:
            row = element(rows, "div", class_="related-row")
            element(row, "dt", label)
            for term, target in terms:
                cell = element(row, "dd")
                if target:
                    element(cell, "a", term, href=builder.page.site.link(target))
                else:
                    cell.text = term
        builder.parse(section, self.others)
