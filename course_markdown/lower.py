"""From the scanner's items back to lines, with tokens where blocks, formulas and numbers were."""

from __future__ import annotations

from itertools import groupby

from course_markdown.formulas import DisplayFormula
from course_markdown.inline import pieces
from course_markdown.page import Page
from course_markdown.tree import Block, Item, Prose


def body(items: list[Item], page: Page) -> int:
    """Lower `items` and keep them as a body of the page, parsed where it belongs; returns its number."""
    number = len(page.bodies)
    page.bodies.append("")
    page.bodies[number] = "\n".join(lines(items, page))
    return number


def lines(items: list[Item], page: Page) -> list[str]:
    """The Markdown lines of `items`, top to bottom."""
    out: list[str] = []
    for scope, group in groupby(items, key=lambda item: item.scope if isinstance(item, Prose) else 0):
        if scope:
            out += _paragraph([item for item in group if isinstance(item, Prose)], page)
            continue
        for item in group:
            out += _single(item, page)
    return out


def _single(item: Item, page: Page) -> list[str]:
    if isinstance(item, Prose):
        return [item.lead + item.content]
    if isinstance(item, Block):
        return alone(item.prefix, page.tokens.add_block(page.kind(item).read(item, page)))
    return alone(item.prefix, item.opener, *item.lines, item.mark)


def alone(prefix: str, *inner: str) -> list[str]:
    """Lines behind `prefix` with an empty line before and after, so that they are no part of a paragraph."""
    return [prefix.rstrip(), *(prefix + line if line else prefix.rstrip() for line in inner), prefix.rstrip()]


def _paragraph(prose: list[Prose], page: Page) -> list[str]:
    text = "\n".join(item.content for item in prose)

    def row(at: int) -> int:
        return text.count("\n", 0, at)

    out: list[str] = []
    current: str | None = prose[0].lead
    for piece in pieces(text, lambda at: prose[row(at)].line, page):
        if piece.formula and _whole_lines(text, piece.start, piece.end):
            node = DisplayFormula(page.tokens.add(piece.formula))
            out += alone(prose[row(piece.start)].prefix, page.tokens.add_block(node))
            current = None  # the line is used up
            continue
        inner = page.tokens.add(piece.formula) if piece.formula else piece.text
        for number, part in enumerate(inner.split("\n")):
            if number:
                if current is not None:
                    out.append(current)
                current = prose[row(piece.start) + number].lead
            if part:
                current = (current or "") + part
    return [*out, current] if current is not None else out


def _whole_lines(text: str, start: int, end: int) -> bool:
    before, after = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
    return not before.strip() and not after.strip()
