"""The page as its reader sees it: a paragraph is one text, without Markdown's marks, on known lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from course_markdown.proof.spans import Span

CODE, MATH, NUMBER = "\ue000", "\ue001", "\ue002"  # one character for each span that is not text
TAG = "\ue003"
STANDS_FOR = {"code": CODE, "math": MATH, "number": NUMBER, "html": ""}
SHOWN = str.maketrans({CODE: "`…`", MATH: "$…$", NUMBER: "{{…}}", TAG: "<…>", "\n": " "})
TITLE = r"(?:\s+(?:\"[^\"]*\"|'[^']*'))?"
LINK = re.compile(rf"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*{TITLE}\)")
MARKS = re.compile(r"^[ >]*(?:#{1,6} +|[-+*] +|\d+\. +)?|\*+|[ \t]*(?<!\\)\|[ \t]*", re.MULTILINE)
HEAD = re.compile(
    r"(?<=[，。；：？！、」）])\*\* "
)  # the bold words that a paragraph begins with, and a space
LABEL = re.compile(
    r"^(?:答案|解析|answer|explanation)[^:：\n]*[:：] *", re.IGNORECASE | re.MULTILINE
)  # of a quiz
QUOTED = re.compile("「[^「」]*」")
EXCERPT = 8


@dataclass(frozen=True)
class Paragraph:
    """`text` has a character of its own for each code span, formula and number, and `|` between cells.

    written  the same with Markdown's marks and links, and a character for each HTML tag
    """

    text: str
    written: str
    rows: tuple[int, ...]  # the line of each of its lines
    blocks: tuple[str, ...]

    def line_at(self, at: int) -> int:
        """The line of the page on which character `at` of `text` stands."""
        return self.row(self.text.count("\n", 0, at))

    def row(self, number: int) -> int:
        """The line of the page that is line `number` of the paragraph, counted from 0."""
        return self.rows[min(number, len(self.rows) - 1)]

    def near(self, start: int, end: int) -> str:
        """What stands around there, for a message."""
        before = self.text[max(0, start - EXCERPT) : start].rpartition("\n")[2]
        after = self.text[end : end + EXCERPT].partition("\n")[0]
        return f"{before}{self.text[start:end]}{after}".strip().translate(SHOWN)

    @property
    def unquoted(self) -> str:
        """The text with blanks for what stands in 「…」, where a page repeats what others say."""
        return QUOTED.sub(lambda found: " " * len(found[0]), self.text)


def paragraphs(spans: list[Span]) -> Iterator[Paragraph]:
    """The paragraphs, table cells and titles of a page, in their order. A list of names is no text."""
    for (_, _, blocks), group in groupby(spans, key=_paragraph):
        if "related" not in blocks:
            yield _joined(list(group), blocks)


def _paragraph(span: Span) -> tuple[int, int, tuple[str, ...]]:
    return span.scope, 0 if span.scope else span.line, span.blocks


def _joined(spans: list[Span], blocks: tuple[str, ...]) -> Paragraph:
    text, written, rows = "", "", [spans[0].line]
    for span in spans:
        if span.line > rows[-1] and text:
            text, written = text + "\n", written + "\n"
            rows.append(span.line)
        if span.kind in ("text", "title"):
            text, written = text + span.text, written + span.text
            rows += range(span.line + 1, span.line + 1 + span.text.count("\n"))
        else:
            text += STANDS_FOR.get(span.kind, "")
            written += STANDS_FOR.get(span.kind) or TAG
    if blocks and blocks[-1] == "quiz":
        text = LABEL.sub("", text)
    text = MARKS.sub(lambda found: "|" if "|" in found[0] else "", HEAD.sub("|", LINK.sub(r"\1", text)))
    return Paragraph(text, written, tuple(rows), blocks)
