"""The Python snippets of a page: each is run by itself, and what it prints is held to its comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.proof.shown import faults, imported
from course_markdown.tree import Block, Fence, Item

LANGUAGE = re.compile(r"[`~]+\s*(?:\{\s*\.?)?(?P<name>[^\s{}=]*)(?![^\s{}=]*=)")
RUN = ("python", "py")
OTHER_PYTHON = re.compile(r"i?python|py\d|pycon")


def check_snippets(items: list[Item], page: Page, elsewhere: Collection[str] = ()) -> None:
    """Run the snippets in `items` but those that import a module of `elsewhere`, and note their faults."""
    for fence in fences(items):
        if not _is_known(name := language(fence)):
            page.problem(Code.SNIPPET_LANGUAGE, fence.line, language=name)
        if name not in RUN:
            continue
        source = "\n".join(fence.lines)
        if imported(source).isdisjoint(elsewhere):
            for fault in faults(source):
                page.problem(fault.code, fence.line + fault.line, **fault.fields)


def snippets(items: list[Item]) -> Iterator[Fence]:
    """The fences of Python in `items`, also inside of blocks."""
    return (fence for fence in fences(items) if language(fence) in RUN)


def fences(items: list[Item]) -> Iterator[Fence]:
    """All fences in `items`, also inside of blocks."""
    for item in items:
        if isinstance(item, Fence):
            yield item
        elif isinstance(item, Block):
            yield from fences(item.items)


def language(fence: Fence) -> str:
    """The language that a fence names, in lower case; empty where it names none."""
    found = LANGUAGE.match(fence.opener)
    return found["name"].lower() if found else ""


def _is_known(name: str) -> bool:
    """Whether code in the language `name` is run, or only shown: no typing error, no other Python."""
    if name in RUN:
        return True
    return bool(name) and not OTHER_PYTHON.match(name) and not get_close_matches(name, ["python"], cutoff=0.7)
