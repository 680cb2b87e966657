"""`:::shapeflow`: one flow a line; shapes in square brackets, arrows and × set apart."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass

from markdown.util import AtomicString

from course_markdown.blocks.box import check_content
from course_markdown.builder import Builder, element
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.tree import Block, Item, Prose

ARROWS = ("→", "->", "⟶", "➜")
PARTS = re.compile(r"(\[[^\[\]]*\]|→|->|⟶|➜|×)")
SPACE = re.compile(r"\s+")


class Shapeflow:
    """The block kind."""

    def read(self, block: Block, page: Page) -> ShapeflowNode:
        check_content(block, page)
        flows = [
            inline(item.content.strip(), item.line, page)
            for item in block.items
            if isinstance(item, Prose) and item.content.strip()
        ]
        others: list[Item] = [item for item in block.items if not isinstance(item, Prose)]
        title = inline(block.title, block.line, page)
        return ShapeflowNode(block.line, "shapeflow", title, flows, body(others, page))


@dataclass
class ShapeflowNode:
    """Flows that were read."""

    line: int
    name: str
    title: str
    flows: list[str]
    others: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        if self.title:
            element(parent, "p", self.title, class_="box-title")
        flows = element(parent, "ol", class_="shapeflow", aria_label=builder.page.labels.label["shapeflow"])
        for flow in self.flows:
            _flow(element(flows, "li"), flow)
        builder.parse(parent, self.others)


def _flow(item: etree.Element, flow: str) -> None:
    """The steps of a flow and the arrows between them, which are kept apart by spaces."""
    step: etree.Element | None = None
    for part in PARTS.split(flow):
        if not part.strip():
            if part and step is not None:
                _apart(step)
        elif part in ARROWS:
            _apart(item)
            element(item, "span", "→", class_="flow-arrow")
            step = None
        else:
            if step is None:
                _apart(item)
                step = element(item, "span", class_="flow-step")
            _word(step, part)
    for step in item:
        if len(step):
            step[-1].tail = None  # no space before an arrow but the one between steps


def _apart(parent: etree.Element) -> None:
    if len(parent):
        parent[-1].tail = " "


def _word(step: etree.Element, part: str) -> None:
    """A shape, a times sign, or other words, whose Markdown is read in an element of their own."""
    text = SPACE.sub(" ", part.strip())
    if part[0].isspace():
        _apart(step)
    if text.startswith("["):
        element(step, "span", class_="shape").text = AtomicString(text)
    else:
        element(step, "span", text, class_="flow-times" if text == "×" else "flow-text")
    if part[-1].isspace():
        _apart(step)
