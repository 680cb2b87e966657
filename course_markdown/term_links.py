"""The first use of a term on a page leads to its entry in the glossary, and shows what the entry says.

So does the first table with a head that the site names: a table of symbols leads to the notation.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from course_markdown.page import Page
from course_markdown.site import Site

HEADING = re.compile("h([1-6])")
NO_LINK = frozenset(
    ("a", "button", "code", "course-demo", "figure", "form", "label", "math", "pre", "script")
)
NO_LINK |= frozenset(("style", "summary", "svg", "th", "h1", "h2", "h3", "h4", "h5", "h6"))
NO_LINK_CLASS = frozenset(("bank", "bibliography", "box-title", "quiz", "question", "related", "shapeflow"))
LATIN = re.compile(r"[A-Za-z0-9_-]")


@dataclass(frozen=True)
class Slot:
    """A stretch of text: the text of `part`, or what follows `part` in `parent`."""

    part: etree.Element
    parent: etree.Element | None
    folded: bool
    sections: tuple[str, ...]  # the ids of the headings above it

    @property
    def text(self) -> str:
        return (self.part.text if self.parent is None else self.part.tail) or ""


@dataclass(frozen=True)
class Use:
    """Where a term stands in a slot."""

    slot: Slot
    start: int
    end: int


class TermLinks(Treeprocessor):
    """Runs when headings have their ids, and before the table of contents."""

    page: Page

    def __init__(self, md: Markdown, terms: Mapping[str, str], heads: Mapping[str, str]) -> None:
        super().__init__(md)
        self.terms = terms
        self.heads = heads
        self.pattern = term_pattern(terms)

    def run(self, root: etree.Element) -> None:
        if self.page.site.strict:
            link_terms(root, self.terms, self.pattern, self.page.site)
            link_heads(root, self.heads, self.page.site)


def link_terms(
    root: etree.Element, terms: Mapping[str, str], pattern: re.Pattern[str] | None, site: Site
) -> None:
    """Make links of the first use of each term; one that is folded away gives way to one that is seen."""
    if not pattern or any(target.partition("#")[0] == site.uri for target in terms.values()):
        return
    uses: dict[str, Use] = {}
    for slot in _slots(root):
        here = {f"{site.uri}#{ident}" for ident in slot.sections}
        for term, start, end in _found(slot.text, pattern):
            target = terms.get(term) or terms[term.removesuffix("s")]
            entry = site.entries.get(target)
            if target in uses and (slot.folded or not uses[target].slot.folded):
                continue
            if target not in here and not (entry and entry.sections & here):
                uses[target] = Use(slot, start, end)
    for target, use in sorted(uses.items(), key=lambda item: -item[1].start):  # the last of a slot first
        entry = site.entries.get(target)
        _link(use, site.link(target), entry.words if entry else "")


def link_heads(root: etree.Element, heads: Mapping[str, str], site: Site) -> None:
    """Make a link of each of the `heads`, in the first table that has it."""
    left = {head: target for head, target in heads.items() if target.partition("#")[0] != site.uri}
    for cell in root.iter("th") if left else ():
        if len(cell) == 0 and (target := left.pop((cell.text or "").strip(), None)):
            link = etree.SubElement(cell, "a", {"class": "term", "href": site.link(target)})
            link.text, cell.text = cell.text, None


def term_pattern(terms: Mapping[str, str]) -> re.Pattern[str] | None:
    """All terms in lower case, the longest first; Latin ones end with their word, or with its plural."""
    longest = sorted(terms, key=lambda term: (-len(term), term))
    ends = (re.escape(term) + (r"s?(?![a-z0-9_-])" if LATIN.match(term[-1]) else "") for term in longest)
    return re.compile("|".join(ends)) if longest else None


def _found(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int, int]]:
    lower = text.lower()
    at = 0
    while len(lower) == len(text) and (match := pattern.search(lower, at)):
        start, at = match.span()
        if start and LATIN.match(text[start]) and LATIN.match(text[start - 1]):
            at = start + 1  # inside a word
        else:
            yield match[0], start, at


def _slots(root: etree.Element) -> Iterator[Slot]:
    """The texts of a page in which a term may be a link, in their order."""
    path: dict[int, str] = {}
    for part in root:
        if heading := HEADING.fullmatch(part.tag):
            level = int(heading[1])
            path = {above: ident for above, ident in path.items() if above < level}
            path[level] = part.get("id", "")
        yield from _inside(part, False, tuple(path.values()))


def _inside(part: etree.Element, folded: bool, sections: tuple[str, ...]) -> Iterator[Slot]:
    names = (part.get("class") or "").split()
    if part.tag in NO_LINK or not NO_LINK_CLASS.isdisjoint(names):
        return
    folded = folded or (part.tag == "details" and part.get("open") is None)
    yield Slot(part, None, folded, sections)
    for number, child in enumerate(part):
        if not (
            number == 1 and "answer" in names and _is_bold(child)
        ):  # the answer in short, below its label
            yield from _inside(child, folded, sections)
        yield Slot(child, part, folded, sections)


def _is_bold(part: etree.Element) -> bool:
    return part.tag == "p" and len(part) == 1 and part[0].tag == "strong" and not (part.text or "").strip()


def _link(use: Use, href: str, words: str) -> None:
    slot, text = use.slot, use.slot.text
    link = etree.Element("a", {"class": "term", "href": href})
    if words:
        link.set("title", words)
    link.text, link.tail = text[use.start : use.end], text[use.end :]
    if slot.parent is None:
        slot.part.text = text[: use.start]
        slot.part.insert(0, link)
    else:
        slot.part.tail = text[: use.start]
        slot.parent.insert(list(slot.parent).index(slot.part) + 1, link)
