"""Links inside the site: each leads to a page's id that exists. Told when all pages have been rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course_markdown.errors import Code, Problem, nearest
from course_markdown.page import Page
from course_markdown.proof.spans import Span
from course_markdown.site import Site, from_docs

TARGET = re.compile(r"\]\(<?([^()<>\s]*#[^()<>\s]*)>?")
HREF = re.compile(r"<a\b[^>]*\bhref=[\"']([^\"'>]*#[^\"'>]*)[\"']", re.IGNORECASE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)
ID = re.compile(' id="([^"]+)"')

GENERATED = re.compile(r"num-how-|quiz-|q-[0-9a-f]{8}|.*-title$|__")


@dataclass(frozen=True)
class Link:
    """A link to an anchor: where it is written, and the page and anchor that it names."""

    path: str
    line: int
    written: str
    uri: str
    anchor: str


def links(spans: list[Span], page: Page) -> Iterator[Link]:
    """The links of a page that name an anchor on a page of the site."""
    for span in spans:
        if span.kind not in ("text", "title", "html"):
            continue
        for found in (HREF if span.kind == "html" else TARGET).finditer(span.text):
            uri, _, anchor = from_docs(re.sub(r"\?[^#]*", "", found[1]), page.site.uri).partition("#")
            if anchor and not ELSEWHERE.match(found[1]) and uri.endswith(".md"):
                line = span.line + span.text.count("\n", 0, found.start()) + page.site.first_line - 1
                yield Link(page.site.path, line, found[1], uri, anchor)


def anchors(html: str) -> set[str]:
    """The ids of a rendered page."""
    return set(ID.findall(html))


def dead_links(site: Site) -> Iterator[Problem]:
    """The links whose page is there and whose anchor is not."""
    for link in site.links:
        known = site.anchors.get(link.uri)
        if known is not None and link.anchor not in known:
            yield _problem(Code.ANCHOR, link.path, link.line, link.uri, link.anchor, known, link.written)


def dead_terms(site: Site, terms: Mapping[str, str], path: str, source: str) -> Iterator[Problem]:
    """The terms in `source`, the site's configuration at `path`, whose page or anchor does not exist."""
    rows = source.split("\n")
    for term, target in terms.items():
        uri, _, anchor = target.partition("#")
        known = site.anchors.get(uri, set())
        if anchor and anchor not in known and not ELSEWHERE.match(target):
            line = next(
                (at for at, row in enumerate(rows, 1) if row.strip().startswith(f"{term}: {target}")), 1
            )
            yield _problem(Code.TERM_ANCHOR, path, line, uri, anchor, known, term)


def _problem(
    code: Code, path: str, line: int, uri: str, anchor: str, known: set[str], written: str
) -> Problem:
    written_by_hand = {ident for ident in known if not GENERATED.match(ident)}
    alike = {ident for ident in written_by_hand if ident[:2] == anchor[:2]} or written_by_hand
    cure = nearest(anchor, alike, "'#{}'")
    text = code.message.format(written=written, uri=uri, anchor=anchor, cure=cure)
    return Problem(path, line, code.number, text)
