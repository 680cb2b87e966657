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

PART = re.compile(r"(?P<shape>\[[^\[\]]*\])|(?P<arrow>→|->|⟶|➜)|(?P<times>×)")
SPACED = re.compile(r"\s+")


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
    step = element(item, "span", class_="flow-step")
    at = 0
    for match in PART.finditer(flow):
        _text(step, flow[at : match.start()])
        if match["arrow"]:
            step.tail = " "
            element(item, "span", "→", class_="flow-arrow").tail = " "
            step = element(item, "span", class_="flow-step")
        else:
            name = "shape" if match["shape"] else "flow-times"
            element(step, "span", class_=name).text = AtomicString(match[0])
        at = match.end()
    _text(step, flow[at:])


def _text(step: etree.Element, text: str) -> None:
    """Words of a step, each stretch in an element of its own so that Markdown in it is read."""
    if text.strip():
        if len(step) and text[0].isspace():
            step[-1].tail = " "
        word = element(step, "span", SPACED.sub(" ", text.strip()), class_="flow-text")
        word.tail = " " if text[-1].isspace() else None
    elif text and len(step):
        step[-1].tail = " "
