"""Tables: rows that are in none would be shown with their bars, cells beyond the last column not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from course_markdown.errors import Code
from course_markdown.inline import NUMBER
from course_markdown.page import Page
from course_markdown.regions import CODE_SPAN
from course_markdown.tree import Block, Item, Prose

HIDDEN = re.compile(rf"(?:{CODE_SPAN})|\$[^$]+\$|{NUMBER.pattern}", re.DOTALL)  # a bar in it parts no cells
SEPARATOR = re.compile(r"[\s|:]*-[\s|:-]*")


def check_tables(items: list[Item], page: Page) -> None:
    """Note the rows that are in no table, once for each run of lines, and those with too many cells."""
    for run in _runs(items):
        lines = [HIDDEN.sub("…", prose.content).strip() for prose in run]
        columns = _columns(lines)
        for prose, line in zip(run, lines, strict=True):
            count = len(_cells(line))
            if not columns and len(line) > 2 and line[0] == line[-1] == "|":
                page.problem(Code.NO_TABLE, prose.line)
                break
            if columns and count > columns:
                page.problem(Code.CELLS, prose.line, count=count, columns=columns)


def _runs(items: list[Item]) -> Iterator[list[Prose]]:
    """The lines of text that nothing parts: no empty line, no heading, no block."""
    run: list[Prose] = []
    for item in items:
        if isinstance(item, Prose) and not item.code and item.content.strip() and item.content[0] != "#":
            run.append(item)
            continue
        if run:
            yield run
            run = []
        if isinstance(item, Block):
            yield from _runs(item.items)
    if run:
        yield run


def _columns(lines: list[str]) -> int:
    """How many columns the lines have if they are a table, else 0."""
    if len(lines) < 2 or "|" not in lines[1] or not SEPARATOR.fullmatch(lines[1]):
        return 0
    count = len(_cells(lines[0]))
    return count if count == len(_cells(lines[1])) else 0


def _cells(line: str) -> list[str]:
    return line.removeprefix("|").removesuffix("|").split("|")
