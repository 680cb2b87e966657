"""Citations in prose: `[@key]`, `[@key, place]`, `[@one; @other]`; `[@@key]` to name the authors.

`[@vaswani2017, 3.2.1 节]` is shown as （Vaswani et al., 2017，3.2.1 节）, `[@@vaswani2017]` as
Vaswani et al.（2017）; both lead to the entry in the bibliography, where the site has one.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor

from course_markdown.builder import element
from course_markdown.errors import Code, nearest
from course_markdown.page import Page
from course_markdown.sources import Source
from course_markdown.tokens import TOKEN, Citation, Cited

CITATION = re.compile(r"\[(?P<inner>@[^\[\]]*)\](?![(\[:])")
PART = re.compile(r"@(?P<key>[^\s,，;；@]+)(?:\s*[,，]\s*(?P<place>[^;；@$]+))?")
SEMICOLON = re.compile(r"\s*[;；]\s*")
NO_LINK = ("h1", "h2", "h3", "h4", "h5", "h6", "a", "summary", "button", "option", "label")


def citation_parts(source: str) -> tuple[bool, list[Cited]]:
    """Whether the authors are part of the sentence, and what is cited; nothing where it cannot be read."""
    inner = source[1:-1].strip()
    said = inner.startswith("@@")
    matches = [PART.fullmatch(part) for part in SEMICOLON.split(inner[said:])]
    found = [Cited(match["key"], " ".join((match["place"] or "").split())) for match in matches if match]
    return said, found if len(found) == len(matches) and not (said and len(found) > 1) else []


def read_citation(source: str, line: int, page: Page) -> Citation | None:
    """A citation whose sources all are known; None after a problem was noted."""
    said, cited = citation_parts(source)
    entries = page.sources.entries if page.sources else {}
    if not cited:
        page.problem(Code.CITATION_FORM, line, source=" ".join(source.split()))
        return None
    for unknown in [part.key for part in cited if part.key not in entries]:
        if not page.sources or not page.sources.problems:  # else the entry may be there, and is told already
            page.problem(Code.CITATION, line, key=unknown, cure=nearest(unknown, entries, "'@{}'"))
    known = all(part.key in entries for part in cited)
    return Citation(tuple(cited), said, line, source) if known else None


def citation_text(citation: Citation, page: Page) -> str:
    """A citation without its links."""
    return "".join(text for text, _ in _texts(citation, page))


class CitationLinks(InlineProcessor):
    """Makes elements, so that whoever rewrites links sees them; runs after links, to stand in none."""

    ANCESTOR_EXCLUDES = NO_LINK
    page: Page

    def __init__(self, md: Markdown) -> None:
        super().__init__(TOKEN.pattern, md)

    def handleMatch(  # type: ignore[override]  # Python-Markdown's name
        self, m: re.Match[str], data: str
    ) -> tuple[etree.Element | None, int | None, int | None]:
        """An element for a citation, nothing for other tokens."""
        item = self.page.tokens.inline[int(m[1])]
        home = self.page.site.bibliography
        if not isinstance(item, Citation) or home is None:
            return None, None, None
        holder = etree.Element("span", {"class": "cite"})
        last: etree.Element | None = None
        for text, key in _texts(item, self.page):
            if key:
                last = element(holder, "a", text, href=self.page.site.link(f"{home.uri}#{key}"))
            elif last is None:
                holder.text = text
            else:
                last.tail = text
        return holder, m.start(0), m.end(0)


def _texts(citation: Citation, page: Page) -> list[tuple[str, str]]:
    """The parts of a citation, each with the key that it leads to, or an empty string."""
    words = page.labels.label
    entries = page.sources.entries if page.sources else {}
    out: list[tuple[str, str]] = []
    for part in citation.cited:
        if out:
            out.append((words["cite_and"], ""))
        out.append((_one(entries[part.key], part.place, citation.said, words), part.key))
    return out if citation.said else [(words["cite_open"], ""), *out, (words["cite_close"], "")]


def _one(source: Source, place: str, said: bool, words: dict[str, str]) -> str:
    year = f"{source.year}{words['cite_comma']}{place}" if place else str(source.year)
    if said:
        return f"{source.cited_as}{words['cite_said_open']}{year}{words['cite_close']}"
    return f"{source.cited_as}, {year}"
