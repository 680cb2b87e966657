"""What the scanner makes of a page's lines: prose, code and blocks inside blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass
class Prose:
    """One line of Markdown. `lead` is its quote marks and indentation, `content` the rest.

    prefix  what a construct that takes this line's place stands behind
    scope   lines with the same number are one paragraph, in which code spans and formulas may run on
    code    indented code or raw HTML: nothing in it is looked at
    """

    line: int
    lead: str
    content: str
    prefix: str = ""
    scope: int = 0
    code: bool = False


@dataclass
class Fence:
    """Fenced code: its opening line without indentation, and its lines relative to that."""

    line: int
    prefix: str
    opener: str
    mark: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Block:
    """`:::name title`, what it holds, and whether it was closed. `inside` names the blocks around it."""

    line: int
    prefix: str
    name: str
    title: str
    inside: tuple[Block, ...] = ()
    closed: bool = False
    items: list[Item] = field(default_factory=list)

    @property
    def parent(self) -> str:
        """The name of the block around this one, or an empty string."""
        return self.inside[-1].name if self.inside else ""


Item: TypeAlias = Prose | Fence | Block


def is_blank(items: list[Item]) -> bool:
    """Whether nothing but empty lines is in `items`."""
    return all(isinstance(item, Prose) and not item.content.strip() for item in items)
