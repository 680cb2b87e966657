"""What would be shown as it is written, because it is nearly Markdown, or that of another site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from course_markdown.citations import CITATION
from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.proof.paragraphs import SHOWN, Paragraph

BEGIN = r"^[ >]*(?:(?:[-+*]|\d+\.) +)?"
TARGET = re.compile(
    r"\]\((?!\s*\))(?:<[^<>\n]*>|(?:[^()\n]|\([^()\n]*\))*(?:\n[^()\n]*)?)\)"
)  # of a link that is one
BOLD = re.compile(r"\\.|^(?:\* *){3,}$|(?P<mark>\*\*)", re.MULTILINE)  # a line of stars is a rule
KEY = re.compile(r"\[?[@＠]?(?<![\w.#/-])(?P<key>[a-z]+\d{4}[a-z]?)(?![\w.-])\]?")

NUMBER = "a checked number is '{{0.576 := expression}}'"
CITED = "a citation is '[@key]'"
LINKED = "a link is '[name](page.md#id)'"
EMPHASIS = "bold words are '**words**'"
CURES = {
    r"(?<!\\)\{\{(?![^{}\n]*:=)[^{}\n]*\}{0,2}|｛｛[^｛｝\n]*｝*": NUMBER,
    r"(?<![\\{])\{[^{}\n]*:=[^{}\n]*\}(?!\})": NUMBER,
    r"【@[^】\n]*】?|(?<!\\)\[＠[^\]\n]*\]?|(?<!\\)\[@[^\[\]\n]*\]?": CITED,
    r"(?<!\\)\[\^[^\]\n]*\]": "there are no footnotes; write it into the text, or cite with '[@key]'",
    r"\[[^\[\]\n]+\]\((?:\s*\)|[^()\n]*(?=[(\n]|$))": LINKED,
    r"\[[^\[\]\n]+\] ?[（(][^()（）\n]*(?:\.md\b|https?:)[^()（）\n]*[)）]": LINKED,
    r"【[^【】\n]+】 ?[（(][^()（）\n]*[)）]": LINKED,
    r"＊＊[^＊\n]*(?:＊＊)?|==[^=\s][^=\n]*(?<!\s)==": EMPHASIS,
    BEGIN + r"(?:(?:!!!|\?\?\?\+?) ?[\w\"]|=== ?\")[^\n]*": "a box is ':::note title' and ends with ':::'",
    r"~~[^~\n]+~~": "no words are struck out; leave them out",
    BEGIN + r"\[[ xX]\] ": "there are no boxes to tick; write a plain list",
    r"^＃+ ?[^\n]*": "a heading begins with '#'",
    r"\\\([^\n()]*\\\)|\\\[[^\n\]]*[\\_^=][^\n\]]*\\\]|＄": "a formula is '$x$' or '$$x$$'",
}
LEFT = [(re.compile(pattern, re.MULTILINE), cure) for pattern, cure in CURES.items()]
LONGEST = 40
BLANK = "\ue004"  # stands for what is right
Left = tuple[int, str, str]  # where it begins, as it was written, what to write


def check_leftovers(paragraphs: Iterable[Paragraph], page: Page) -> None:
    """Note what a reader would see as it is written."""
    for paragraph in paragraphs:
        text = TARGET.sub(lambda found: "]" + _blank(found)[1:], CITATION.sub(_blank, paragraph.written))
        for start, left, cure in [*_marks(text), *_bold(text), *_keys(text, page)]:
            left = " ".join(left.replace(BLANK, "").translate(SHOWN).split())
            left = left if len(left) <= LONGEST else left[: LONGEST - 1] + "…"
            page.problem(Code.LEFT, paragraph.row(text.count("\n", 0, start)), found=left, cure=cure)


def _marks(text: str) -> Iterator[Left]:
    for pattern, cure in LEFT:
        for found in pattern.finditer(text):
            yield found.start(), found[0], cure


def _bold(text: str) -> Iterator[Left]:
    """The marks of bold words that have no other, or stand beside a space."""
    marks = [found.start() for found in BOLD.finditer(text) if found["mark"]]
    for first, last in zip_longest(marks[::2], marks[1::2]):
        words = text[first + 2 : last]
        if last is None:
            yield first, text[first:].partition("\n")[0], EMPHASIS
        elif words != words.strip():
            yield first, text[first : last + 2], EMPHASIS


def _keys(text: str, page: Page) -> Iterator[Left]:
    """The keys of sources outside of citations."""
    for found in KEY.finditer(text) if page.sources else ():
        told = found[0].startswith(("[@", "[＠")) or text[: found.start()].endswith("【")
        if page.sources and found["key"] in page.sources.entries and not told:
            yield found.start(), found[0], f"a citation is '[@{found['key']}]'"


def _blank(found: re.Match[str]) -> str:
    """As many characters as were found, on as many lines."""
    return re.sub(r"[^\n]", BLANK, found[0])
