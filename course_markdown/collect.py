"""The numbered interview questions of a page, found without rendering it."""

from __future__ import annotations

from collections.abc import Iterator

from course_markdown.blocks.interview import OPENS, Part, cut, question_ident
from course_markdown.page import Page
from course_markdown.site import Asked
from course_markdown.tree import Block, Item, Prose


def questions(items: list[Item], page: Page) -> Iterator[Asked]:
    """The questions in `items`, in their order; `page` is one that nobody else uses."""
    for item in items:
        if not isinstance(item, Block):
            continue
        for part in cut(item, page) if item.name == "interview" and item.closed else ():
            found = OPENS.match("**" + part.question)
            if found is None:
                continue
            ident = question_ident(part, page)
            if found["number"]:
                line = part.line + page.site.first_line - 1
                yield Asked(
                    int(found["number"]),
                    part.question,
                    _short(part),
                    ident,
                    page.site.path,
                    page.site.uri,
                    line,
                )
        yield from questions(item.items, page)


def _short(part: Part) -> str:
    """The answer's first paragraph if it is bold, without its asterisks."""
    items = part.answer.items if part.answer else []
    first = next((item for item in items if not isinstance(item, Prose) or item.content.strip()), None)
    if not isinstance(first, Prose) or not first.scope:
        return ""
    lines = [item.content for item in items if isinstance(item, Prose) and item.scope == first.scope]
    text = "\n".join(lines).strip()
    bold = len(text) > 4 and text.startswith("**") and text.endswith("**")
    return text[2:-2].strip() if bold else ""
