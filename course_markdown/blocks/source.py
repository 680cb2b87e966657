"""`:::source softmax, layer_norm title`: the source of functions and classes, as it is now.

A name that is not public is looked for in the file of the name before it.
"""

from __future__ import annotations

import inspect
import re
import sys
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from course_markdown.builder import Builder, element
from course_markdown.errors import Code, nearest
from course_markdown.inline import inline
from course_markdown.listing import Listing, listing
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.tree import Block, Fence, Item

COMMA = r"\s*[,，、]\s*"
NAMES = re.compile(rf"[^\s,，、]+(?:{COMMA}[^\s,，、]+)*")


class Source:
    """The block kind."""

    def read(self, block: Block, page: Page) -> SourceNode:
        names, title = split_title(block.title)
        if not names:
            page.problem(Code.SOURCE_NAME, block.line)
        found = list(_listings(names, block.line, page))
        own = page.labels.label["source_comma"].join(f"`{name}`" for name in names)
        title = title or page.labels.label["source"].format(names=own)
        fences: list[Item] = [
            _fence(path, list(parts)) for path, parts in groupby(found, key=lambda part: part.path)
        ]
        return SourceNode(
            block.line,
            "source",
            inline(title, block.line, page),
            any(part.cut for part in found),
            body([*block.items, *fences], page),
        )


@dataclass
class SourceNode:
    """Listings that were read; `cut` if a docstring is not whole."""

    line: int
    name: str
    title: str
    cut: bool
    body: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        box = element(parent, "details", class_="course-box source", data_search_exclude="true")
        element(box, "summary", self.title, class_="box-title icon-source")
        builder.parse(box, self.body)
        if self.cut:
            element(box, "p", builder.page.labels.label["source_cut"], class_="source-cut")


def split_title(title: str) -> tuple[list[str], str]:
    """The names in a block's title, and the words after them.

    >>> split_title("softmax, layer_norm 两个函数")
    (['softmax', 'layer_norm'], '两个函数')
    """
    match = NAMES.match(title)
    names = re.split(COMMA, match[0]) if match else []
    return names, title[match.end() :].strip() if match else title


def _listings(names: list[str], line: int, page: Page) -> Iterator[Listing]:
    around: dict[str, Any] = {}
    for name in names:
        known = {**around, **page.names}
        thing: Any = known.get(name)
        found = listing(thing)
        if found:
            around = vars(sys.modules[inspect.unwrap(thing).__module__])
            yield found
        else:
            listed = [other for other, value in known.items() if listing(value)]
            page.problem(Code.UNKNOWN_SOURCE, line, name=name, cure=nearest(name.rpartition(".")[2], listed))


def _fence(path: str, parts: list[Listing]) -> Fence:
    lines = "\n\n\n".join(part.text for part in parts).split("\n")
    return Fence(0, "", f'```python title="{path}"', "```", lines)
