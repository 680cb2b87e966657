"""The Python snippets of a page: each is run by itself, and what it prints is held to its comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from course_markdown.page import Page
from course_markdown.proof.shown import faults, imported
from course_markdown.tree import Block, Fence, Item

PYTHON = re.compile(r"[`~]+\s*\{?\s*\.?(?:python|py)\b")


def check_snippets(items: list[Item], page: Page, elsewhere: Collection[str] = ()) -> None:
    """Run the snippets in `items` but those that import a module of `elsewhere`, and note their faults."""
    for fence in snippets(items):
        source = "\n".join(fence.lines)
        if imported(source).isdisjoint(elsewhere):
            for fault in faults(source):
                page.problem(fault.code, fence.line + fault.line, **fault.fields)


def snippets(items: list[Item]) -> Iterator[Fence]:
    """The fences of Python in `items`, also inside of blocks."""
    for item in items:
        if isinstance(item, Fence) and PYTHON.match(item.opener):
            yield item
        elif isinstance(item, Block):
            yield from snippets(item.items)
