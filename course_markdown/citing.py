"""Which sections of a page cite which sources, and where the bibliography is, found without rendering."""

from __future__ import annotations

import re
from collections.abc import Iterator

from course_markdown.citations import CITATION, citation_parts
from course_markdown.page import Page
from course_markdown.regions import CODE_SPAN
from course_markdown.site import Citing, Home
from course_markdown.tree import Block, Item, Prose

HEADING = re.compile(r"(?P<marks>#{1,2})\s+(?P<title>.*?)\s*#*\s*(?:\{:?\s*(?P<attributes>[^{}]*)\})?\s*")
IDENT = re.compile(r"#([^\s.#]+)")
HIDDEN = re.compile(CODE_SPAN + r"|<!--.*?-->", re.DOTALL)


def citing(items: list[Item], page: Page) -> Iterator[Citing]:
    """A `Citing` for each source that a section cites, in the order of the page."""
    title, ident = "", ""
    home = page.site.uri
    for text, in_heading in _texts(items):
        if in_heading:
            found = HEADING.fullmatch(text)
            marks = found["marks"] if found else ""
            at = IDENT.search((found["attributes"] if found else "") or "")
            if found and marks == "#":
                title, ident = found["title"], ""
            elif found and at:
                title, ident = found["title"], at[1]
        for match in CITATION.finditer(HIDDEN.sub("", text)):
            for part in citation_parts(match[0])[1]:
                yield Citing(part.key, title or home, ident, home)


def bibliography(items: list[Item], page: Page) -> Home | None:
    """The first `:::bibliography` in `items`."""
    for item in items:
        if isinstance(item, Block) and item.name == "bibliography":
            return Home(page.site.path, page.site.uri, item.line + page.site.first_line - 1)
        if isinstance(item, Block) and (found := bibliography(item.items, page)):
            return found
    return None


def _texts(items: list[Item]) -> Iterator[tuple[str, bool]]:
    """The paragraphs and titles in `items` as (text, whether it is a heading)."""
    paragraph: list[str] = []
    scope = 0
    for item in items:
        if paragraph and not (isinstance(item, Prose) and item.scope == scope and item.scope):
            yield "\n".join(paragraph), False
            paragraph = []
        if isinstance(item, Block):
            yield item.title, False
            yield from _texts(item.items)
        elif isinstance(item, Prose) and not item.code:
            if HEADING.fullmatch(item.content):
                yield item.content, True
            else:
                paragraph.append(item.content)
                scope = item.scope
    if paragraph:
        yield "\n".join(paragraph), False
