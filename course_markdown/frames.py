"""A block that is open, or the page itself, and the lines that were put into it so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from course_markdown.containers import MARKER, TAB, Lists, Stand
from course_markdown.tree import Block, Item, Prose

TABLE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


@dataclass
class Frame:
    """Where the lines of a block start, and the lists, quote and paragraph that are open in it.

    stand       of the block's opening line; its other lines lose the same quote marks and indentation
    lists       list items around quotes and text, `quoted` those inside of a quote of `marks` marks
    open_scope  whether the next line may continue a paragraph, or a table if `table`
    broken      a code fence in it never closes: its lines are text, but colons still count
    """

    block: Block | None
    items: list[Item]
    stand: Stand
    lists: Lists = field(default_factory=Lists)
    quoted: Lists = field(default_factory=Lists)
    marks: int = 0
    open_scope: bool = False
    table: bool = False
    broken: bool = False

    def block_prefix(self, at: Stand) -> str:
        """Where a block that begins at a line belongs. What it interrupts is over."""
        self._enter(at)
        self.open_scope = self.table = False
        outer = self.lists.block(at.outer)
        return _prefix(outer, at.marks, self.quoted.block(at.inner) if at.marks else 0)

    def add_code(self, line: int, at: Stand) -> None:
        """A line that is text whatever it holds."""
        self.items.append(Prose(line, at.lead, at.content, code=True))

    def add(self, line: int, at: Stand, scopes: Iterator[int]) -> Prose | None:
        """A line of prose, an empty one, or indented code; returned if there is something to read in it."""
        if not at.content and not at.marks:
            self.end_paragraph()
            self.items.append(Prose(line, at.lead, ""))
            return None
        changed = self._enter(at)
        lists, indent = (self.quoted, at.inner) if at.marks else (self.lists, at.outer)
        first = ">" if at.marks else at.content
        if self.lists.is_code(at.outer, first) or lists.is_code(indent, at.content):
            self.open_scope = False
            self.add_code(line, at)
            return None
        outer = self.lists.text(at.outer, first) if at.marks else at.outer
        lead = " " * (outer - at.outer) + at.lead
        if not at.content:
            self.quoted.blank()
            self.open_scope = self.table = False
            self.items.append(Prose(line, lead, ""))
            return None
        self.open_scope &= not changed
        return self._paragraph(Prose(line, lead, at.content), at, lists, indent, scopes)

    def end_paragraph(self) -> None:
        """An empty line, or a formula that stands by itself."""
        self.lists.blank()
        self.quoted.blank()
        self.open_scope = self.table = False

    def _paragraph(self, prose: Prose, at: Stand, lists: Lists, indent: int, scopes: Iterator[int]) -> Prose:
        heading = prose.content.startswith("#")
        if self.open_scope and "|" in prose.content and TABLE.match(prose.content):
            self.table = True
        alone = heading or self.table or MARKER.match(prose.content)
        before = self.items[-1] if self.items else None
        continues = self.open_scope and not alone and isinstance(before, Prose)
        prose.scope = before.scope if continues and isinstance(before, Prose) else next(scopes)
        self.open_scope = not heading
        if lists.needs_gap(prose.content):
            self.items.append(Prose(prose.line, _prefix(0, at.marks, 0), ""))
        moved = lists.text(indent, prose.content) - indent
        prose.lead = prose.lead + " " * moved if moved >= 0 else prose.lead[:moved]
        if heading and not indent:
            lists.block(0)
        prose.prefix = _prefix(self.lists.level(at.outer), at.marks, lists.level(indent) if at.marks else 0)
        return prose

    def _enter(self, at: Stand) -> bool:
        """Note the quote marks of a line; whether they differ from those of the line before."""
        changed = at.marks != self.marks
        if changed:
            self.marks, self.quoted = at.marks, Lists()
        return changed


def _prefix(outer: int, marks: int, inner: int) -> str:
    return " " * TAB * outer + "> " * marks + " " * TAB * inner
