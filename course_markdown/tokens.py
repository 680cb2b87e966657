"""Placeholders: what Markdown must not look into is taken out of the text and comes back at the end.

A token is between STX and ETX, which Python-Markdown first removes from the source: no author can write one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from markdown.util import ETX, STX

if TYPE_CHECKING:
    from course_markdown.builder import Node

TOKEN = re.compile(f"{STX}course:([0-9]+){ETX}")
BLOCK = re.compile(f"{STX}course-block:([0-9]+){ETX}")
OURS = re.compile(f"{STX}course")
BODY = re.compile(f"{STX}course-body:([0-9]+){ETX}")


@dataclass(frozen=True)
class Formula:
    """A formula; `line` is the line of its first character, `source` how it was written."""

    tex: str
    display: bool
    line: int
    source: str


@dataclass(frozen=True)
class Number:
    """`{{printed := expression}}`, or `{{:format := expression}}` for one that is inserted."""

    printed: str
    expression: str
    line: int
    source: str


@dataclass(frozen=True)
class Cited:
    """One source of a citation, and the place in it, or an empty string."""

    key: str
    place: str


@dataclass(frozen=True)
class Citation:
    """`[@key, place; @other]`; `said` if the authors are a word of the sentence."""

    cited: tuple[Cited, ...]
    said: bool
    line: int
    source: str


Inline: TypeAlias = Formula | Number | Citation


@dataclass
class Tokens:
    """Everything on a page that a token stands for."""

    inline: list[Inline] = field(default_factory=list)
    blocks: list[Node] = field(default_factory=list)

    def add(self, item: Inline) -> str:
        """A token inside of a line."""
        self.inline.append(item)
        return f"{STX}course:{len(self.inline) - 1}{ETX}"

    def add_block(self, node: Node) -> str:
        """A token that is a paragraph by itself; `node` builds what stands there."""
        self.blocks.append(node)
        return f"{STX}course-block:{len(self.blocks) - 1}{ETX}"

    def source(self, text: str) -> str:
        """`text` as its author wrote it, for code and attributes."""
        return TOKEN.sub(lambda match: self.inline[int(match[1])].source, text)


def body_mark(number: int) -> str:
    """The line that stands before body `number` while all bodies are one text."""
    return f"{STX}course-body:{number}{ETX}"
