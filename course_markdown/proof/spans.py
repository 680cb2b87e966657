"""A page's source as a list of spans, each of one kind and on a known line: what the rules of proof read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from typing import Literal, TypeAlias

from course_markdown.blocks.quiz_source import cut
from course_markdown.blocks.source import split_title
from course_markdown.citations import citation_text
from course_markdown.inline import pieces
from course_markdown.page import Page
from course_markdown.tokens import TOKEN, Citation, Formula
from course_markdown.tree import Block, Fence, Item, Prose

Kind: TypeAlias = Literal["text", "title", "code", "math", "number", "fence", "html"]
ENTITY = re.compile(r"&(?:\w+|#\d+|#x[\da-f]+);", re.IGNORECASE)
ATTRIBUTES = re.compile(r"(?:\{[:#.]|(?<=\))\{)[^{}\n]*\}")  # of a heading or an image


@dataclass(frozen=True)
class Span:
    """`text` as it was written, on `line` (its first).

    kind    text and titles are what Markdown reads, without attributes; code is inline, a fence is a block;
            a number is checked, `{{printed := expression}}`; html is a tag
    scope   spans of one paragraph, list item or table have one number
    blocks  the names of the blocks around it, outermost first
    wrong   it belongs to a wrong option of a quiz
    """

    kind: Kind
    line: int
    text: str
    scope: int
    blocks: tuple[str, ...] = ()
    wrong: bool = False


def spans(items: list[Item], page: Page, blocks: tuple[str, ...] = ()) -> Iterator[Span]:
    """All spans of `items` in their order. `page` is one that nobody else uses: its problems are not told."""
    prose: list[Prose] = []
    for item in items:
        if isinstance(item, Prose) and item.scope and not item.code:
            if prose and prose[0].scope != item.scope:
                yield from _paragraph(prose, page, blocks)
                prose = []
            prose.append(item)
            continue
        if prose:
            yield from _paragraph(prose, page, blocks)
            prose = []
        if isinstance(item, Fence):
            yield Span("fence", item.line, "\n".join([item.opener, *item.lines]), 0, blocks)
        elif isinstance(item, Block):
            yield from _title(item, page, blocks)
            inner = spans(item.items, page, (*blocks, item.name))
            yield from _quiz(item, inner, page) if item.name == "quiz" else inner
        elif item.content.strip():
            yield Span("html", item.line, item.content, 0, blocks)
    if prose:
        yield from _paragraph(prose, page, blocks)


def _quiz(block: Block, inner: Iterator[Span], page: Page) -> Iterator[Span]:
    """The spans of a quiz, cut at its options, so that each is right or wrong."""
    source = cut(block, page)
    right = set(re.findall("[A-H]", source.answer or ""))
    starts = {option.line: option.letter not in right for option in source.options} if right else {}
    ends = [source.answer_line, *(reason.line for reason in source.reasons)]
    starts |= dict.fromkeys(ends, False)
    wrong = False
    for span in inner:
        rows = span.text.split("\n") if span.kind == "text" else [span.text]
        for line, text in enumerate(rows, span.line):
            wrong = starts.get(line, wrong)
            yield replace(span, line=line, text=text, wrong=wrong)


def _title(block: Block, page: Page, blocks: tuple[str, ...]) -> Iterator[Span]:
    title = block.title
    if block.name == "demo":
        title = title.partition(" ")[2]
    elif block.name == "source":
        _, title = split_title(title)
    for span in _paragraph([Prose(block.line, "", title)], page, (*blocks, block.name)):
        yield Span("title" if span.kind == "text" else span.kind, span.line, span.text, 0, span.blocks)


def _paragraph(prose: list[Prose], page: Page, blocks: tuple[str, ...]) -> Iterator[Span]:
    text = "\n".join(item.content for item in prose)
    scope = prose[0].scope

    def line_at(at: int) -> int:
        return prose[text.count("\n", 0, at)].line

    for piece in pieces(text, line_at, page):
        line = line_at(piece.start)
        token = TOKEN.fullmatch(piece.text)
        if piece.formula:
            yield Span("math", line, piece.formula.tex, scope, blocks)
        elif token:
            item = page.tokens.inline[int(token[1])]
            if isinstance(item, Formula):
                yield Span("math", line, item.tex, scope, blocks)
            elif isinstance(item, Citation):  # the rules read what the reader reads
                yield Span("text", line, citation_text(item, page), scope, blocks)
            else:
                yield Span("number", line, item.source, scope, blocks)
        elif piece.text.startswith("`"):
            yield Span("code", line, piece.text, scope, blocks)
        elif text[piece.start] == "<":
            yield Span("html", line, piece.text, scope, blocks)
        else:
            written = ENTITY.sub(lambda entity: unescape(entity[0]), ATTRIBUTES.sub("", piece.text))
            yield Span("text", line, written, scope, blocks)
