"""What the parts of the extension share while one page is rendered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from course_markdown.errors import ELSEWHERE, Code, Problem
from course_markdown.labels import Labels
from course_markdown.site import Site
from course_markdown.sources import Sources
from course_markdown.tokens import Tokens
from course_markdown.tree import Block

if TYPE_CHECKING:
    from course_markdown.builder import Node


class Kind(Protocol):
    """A block kind: reads a block of the source, and makes what builds its element."""

    def read(self, block: Block, page: Page) -> Node: ...


@dataclass(frozen=True)
class Checked:
    """A checked number: its line, its expression, and what is printed."""

    line: int
    expression: str
    printed: str


@dataclass
class Page:
    """One page on its way from lines to HTML.

    kinds     block kinds by name; `fallback` is for a block that cannot be read as what it says
    terms     where the words of `:::related` lead, lower-case word to page or anchor
    names     what expressions of checked numbers may use
    sources   what pages may cite; None where the site has no sources, and `[@…]` is text
    raises    whether problems are raised when the page is finished, because nobody else will tell of them
    scripted  whether a block needs the page's JavaScript
    """

    site: Site
    lang: str
    labels: Labels
    kinds: Mapping[str, Kind]
    fallback: Kind
    terms: Mapping[str, str]
    names: Mapping[str, Any]
    sources: Sources | None
    raises: bool
    tokens: Tokens = field(default_factory=Tokens)
    bodies: list[str] = field(default_factory=list)
    scripted: bool = False
    numbers: int = 0  # that the reader can open
    checked: list[Checked] = field(default_factory=list)
    fences: list[tuple[int, str]] = field(default_factory=list)  # line and text of each code fence that opens
    tags: list[tuple[int, str]] = field(default_factory=list)  # line and text of each HTML tag
    _idents: dict[str, int] = field(default_factory=dict)

    def problem(self, code: Code, line: int, **fields: object) -> None:
        """Note a problem at `line` of what the extension got."""
        if line <= ELSEWHERE / 2:  # a formula may have rows below its first line
            return
        text = code.message.format(**fields)
        found = Problem(self.site.path, line + self.site.first_line - 1, code.number, text)
        if found not in self.site.problems:
            self.site.problems.append(found)

    def tell(self, found: Iterable[Problem]) -> None:
        """Note problems of another file, each once."""
        self.site.problems += [problem for problem in found if problem not in self.site.problems]

    def ident(self, wanted: str) -> str:
        """`wanted`, or with `-2`, `-3` … where the page has it already."""
        count = self._idents[wanted] = self._idents.get(wanted, 0) + 1
        return wanted if count == 1 else f"{wanted}-{count}"

    def kind(self, block: Block) -> Kind:
        """What reads `block`."""
        kind = self.kinds.get(block.name)
        return kind if kind and block.closed else self.fallback

    def bad_fences(self, left: set[str]) -> None:
        """Note the code fences that were not taken out as code: `left` are their opening lines."""
        for line, opener in self.fences:
            if opener in left:
                self.problem(Code.FENCE_HEADER, line, fence=opener)

    def open_html(self, is_block: Callable[[str], bool]) -> None:
        """Raw HTML ran on over the end of a body: note the element that was not closed."""
        opened: list[tuple[int, str]] = []
        for line, tag in self.tags:
            name = tag.strip("</>").split()[0].lower()
            if not is_block(name) or tag.endswith("/>"):
                continue
            if not tag.startswith("</"):
                opened.append((line, name))
            while tag.startswith("</") and opened and opened.pop()[1] != name:
                pass
        line, name = opened[0] if opened else (1, "div")
        self.problem(Code.HTML_OPEN, line, name=name)


def short_hash(*texts: str) -> str:
    """Eight hexadecimal digits that change only when the words of `texts` do."""
    words = "\n".join(" ".join(text.split()) for text in texts)
    return hashlib.sha256(words.encode()).hexdigest()[:8]
