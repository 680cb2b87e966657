"""Quote marks, indentation and list items: where a line stands, and where a block in its place belongs.

Python-Markdown nests list items by four spaces, and wants an empty line before a list. Contributors also
indent by the width of the marker, and begin lists right below a paragraph, as other Markdowns allow. Both are
followed here: what stands in an item is moved to four spaces a level, and a gap is put before a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TAB = 4
MARKER = re.compile(r"(?:[-+*]|\d{1,9}\.) +(?=\S)")


@dataclass
class Stand:
    """A line cut into `outer` spaces, `marks` quote marks, `inner` spaces after them, and its content."""

    outer: int
    marks: int
    inner: int
    content: str
    lead: str


def stand(line: str) -> Stand:
    """Cut the quote marks and indentation from a line."""
    text = line.lstrip(" ")
    outer = len(line) - len(text)
    marks = 0
    while text.startswith(">"):
        marks += 1
        rest = text[1:].removeprefix(" ")
        text = rest.lstrip(" ") if rest.lstrip(" ").startswith(">") else rest
    content = text.lstrip(" ")
    inner = len(text) - len(content) if marks else 0
    return Stand(outer, marks, inner, content, line[: len(line) - len(content)])


def without_indent(line: str, width: int) -> str:
    """`line` without its first `width` spaces, or as many as it has."""
    return line[min(width, len(line) - len(line.lstrip(" "))) :]


def without_marks(line: str, marks: int) -> str | None:
    """`line` without `marks` quote marks; None if it has fewer."""
    for _ in range(marks):
        text = line.lstrip(" ")
        if not text.startswith(">"):
            return None
        line = text[1:].removeprefix(" ")
    return line


@dataclass
class Lists:
    """The list items that are open at a line, as (column of their content, level)."""

    items: list[tuple[int, int]] = field(default_factory=list)
    fresh: bool = True  # after an empty line, a heading or a block: only there may a list begin
    loose: bool = False  # the item has a paragraph after its first

    def blank(self) -> None:
        """An empty line."""
        self.fresh = True

    def level(self, indent: int) -> int:
        """How deep in lists a line with `indent` stands."""
        return next(
            (level for column, level in reversed(self.items) if min(column, TAB * level) <= indent), 0
        )

    def is_code(self, indent: int, content: str) -> bool:
        """Whether a line with `indent` is indented code."""
        depth = self.items[-1][1] if self.items else 0
        return self.fresh and indent >= TAB * (depth + 1) and not (depth and MARKER.match(content))

    def needs_gap(self, content: str) -> bool:
        """Whether an item begins where Python-Markdown would miss it: right below a paragraph."""
        marker = MARKER.match(content)
        if not marker or self.fresh:
            return False
        return self.loose if self.items else not content[0].isdigit() or content.startswith("1.")

    def text(self, indent: int, content: str) -> int:
        """A line of prose; returns the indentation that Python-Markdown needs to see it in the same item."""
        marker = MARKER.match(content)
        if marker and (self.items or self.fresh or self.needs_gap(content)):
            self._leave(indent)
            level = self.level(indent)
            self.items.append((indent + marker.end(), level + 1))
            self.fresh = self.loose = False
            return indent if indent // TAB == level else TAB * level
        if self.fresh:
            self._leave(indent)
            self.loose = bool(self.items)
        self.fresh = False
        if self.items and self.items[-1][0] <= indent:
            return max(indent, TAB * self.items[-1][1])
        return indent

    def block(self, indent: int) -> int:
        """A block or code that stands by itself; returns its level."""
        self._leave(indent)
        self.fresh = True
        return self.level(indent)

    def _leave(self, indent: int) -> None:
        level = self.level(indent)
        self.items = [item for item in self.items if item[1] <= level]
