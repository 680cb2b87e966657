"""What blocks use to make their elements while Python-Markdown parses."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from dataclasses import dataclass
from typing import Protocol

from markdown import Markdown
from markdown.util import AtomicString

from course_markdown.page import Page


class Node(Protocol):
    """A block that was read: `build` adds its element to `parent`."""

    line: int
    name: str

    def build(self, parent: etree.Element, builder: Builder) -> None: ...


@dataclass
class Builder:
    """Makes elements of one page."""

    md: Markdown
    page: Page

    def parse(self, parent: etree.Element, number: int) -> None:
        """Parse body `number` as Markdown below `parent`."""
        state = self.md.parser.state
        state.set("course")  # not inside of whatever list or quote the block stands in
        self.md.parser.parseChunk(parent, self.page.bodies[number])
        state.reset()

    def fill(self, parent: etree.Element, number: int) -> bool:
        """Like `parse`, but one lone paragraph gives its text to `parent`; whether that was so."""
        holder = etree.Element("div")
        self.parse(holder, number)
        lone = len(holder) == 1 and holder[0].tag == "p" and not holder[0].attrib
        source = holder[0] if lone else holder
        parent.text = source.text
        parent.extend(list(source))
        return lone

    def html(self, html: str) -> AtomicString:
        """Text that becomes `html` when the page is finished."""
        return AtomicString(self.md.htmlStash.store(html))


def element(parent: etree.Element, tag: str, text: str = "", /, **attributes: str) -> etree.Element:
    """A new child; `class_` stands for class, an underscore inside a name for a hyphen."""
    made = etree.SubElement(parent, tag)
    made.text = text or None
    for name, value in attributes.items():
        made.set(name.rstrip("_").replace("_", "-"), value)
    return made
