"""What is taken out of a paragraph before Markdown reads it: formulas, checked numbers, citations, comments.

Code spans and HTML tags are only passed over, so that what they hold is text. Comments are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from course_markdown.citations import CITATION, read_citation
from course_markdown.dollars import formula_end, is_price
from course_markdown.errors import Code
from course_markdown.html_names import AUTOLINK, TAG, is_element
from course_markdown.page import Page
from course_markdown.tokens import Formula, Number

SPECIAL = re.compile(r"\\.|`+|<|\$\$|\$|\{\{|:::|\[@", re.DOTALL)
NUMBER = re.compile(
    r"\{\{(?P<printed>(?:[^{}]|\{[^{}]*\})*?):=(?P<expression>.*?)\}\}",
    re.DOTALL,  # TeX prints 10^{-4}
)
OPEN_NUMBER = re.compile(r"\{\{(?:[^{}\n]|\{[^{}\n]*\})*:=")
DISPLAY_END = re.compile(r"\\.|(?P<end>\$\$)", re.DOTALL)
ADDRESS = re.compile(r"(?<=\]\()<[^<>\n]*>|(?<=\]: )<[^\s<>]*>")  # of a link
SVG_OR_MATHML = re.compile(r"<(svg|math)\b.*?</\1>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """`text` stands for the source up to `end`; `formula` if it is a display formula."""

    start: int
    end: int
    text: str
    formula: Formula | None = None


def pieces(text: str, line_at: Callable[[int], int], page: Page) -> Iterator[Piece]:
    """Cut a paragraph: text that Markdown reads, and tokens for what it must not."""
    at = 0
    while match := SPECIAL.search(text, at):
        if match.start() > at:
            yield Piece(at, match.start(), text[at : match.start()])
        piece = _special(text, match, line_at(match.start()), page)
        yield piece
        at = piece.end
    if at < len(text):
        yield Piece(at, len(text), text[at:])


def inline(text: str, line: int, page: Page) -> str:
    """One line of Markdown, a title for instance, with its tokens."""
    return "".join(
        page.tokens.add(piece.formula) if piece.formula else piece.text
        for piece in pieces(text, lambda at: line, page)
    )


def _special(text: str, match: re.Match[str], line: int, page: Page) -> Piece:
    start, found = match.start(), match[0]
    if found.startswith("`"):
        return _code_span(text, match, line, page)
    if found == "<":
        return _html(text, start, line, page)
    if found == "$$":
        return _display(text, start, line, page)
    if found == "$":
        return _dollar(text, start, line, page)
    if found == "{{":
        return _number(text, start, line, page)
    if found == "[@":
        return _citation(text, start, line, page)
    if found == ":::":
        page.problem(Code.NOT_ALONE, line)
    return Piece(start, match.end(), found[1:] if found in ("\\$", "\\:") else found)


def _code_span(text: str, match: re.Match[str], line: int, page: Page) -> Piece:
    ticks = match[0]
    close = re.compile(rf"(?<!`){ticks}(?!`)").search(text, match.end())
    if close:
        return Piece(match.start(), close.end(), text[match.start() : close.end()])
    page.problem(Code.CODE_OPEN, line, ticks=ticks)
    return Piece(match.start(), match.end(), "\\`" * len(ticks))


def _html(text: str, start: int, line: int, page: Page) -> Piece:
    if text.startswith("<!--", start):
        end = text.find("-->", start)
        if end < 0:  # reported by the scanner, which knows where comments of several lines end
            return Piece(start, start + 4, "&lt;!--")
        return Piece(start, end + 3, "")
    if address := ADDRESS.match(text, start):
        return Piece(start, address.end(), address[0])
    tag = SVG_OR_MATHML.match(text, start) or AUTOLINK.match(text, start) or TAG.match(text, start)
    if not tag:
        return Piece(start, start + 1, "&lt;")
    if tag.re is TAG and not is_element(tag):
        page.problem(Code.HTML_UNKNOWN, line, tag=" ".join(tag[0].split()))
        return Piece(start, tag.end(), "&lt;" + tag[0][1:])
    if tag.re is TAG:
        page.tags.append((line, tag[0]))
    return Piece(start, tag.end(), tag[0])


def _display(text: str, start: int, line: int, page: Page) -> Piece:
    end = next((match.start() for match in DISPLAY_END.finditer(text, start + 2) if match["end"]), None)
    if end is None:
        page.problem(Code.MATH_OPEN, line)
        return Piece(start, start + 2, "$$")
    source = text[start : end + 2]
    return Piece(start, end + 2, source, Formula(text[start + 2 : end], True, line, source))


def _dollar(text: str, start: int, line: int, page: Page) -> Piece:
    end = formula_end(text, start)
    if end is not None:
        source = text[start : end + 1]
        return Piece(start, end + 1, page.tokens.add(Formula(source[1:-1], False, line, source)))
    if not is_price(text, start):
        page.problem(Code.DOLLAR, line)
    return Piece(start, start + 1, "$")


def _citation(text: str, start: int, line: int, page: Page) -> Piece:
    match = CITATION.match(text, start) if page.sources else None
    if match is None:
        return Piece(start, start + 2, "[@")
    citation = read_citation(match[0], line, page)
    return Piece(start, match.end(), page.tokens.add(citation) if citation else match[0])


def _number(text: str, start: int, line: int, page: Page) -> Piece:
    match = NUMBER.match(text, start)
    if match:
        number = Number(match["printed"].strip(), match["expression"].strip(), line, match[0])
        return Piece(start, match.end(), page.tokens.add(number))
    if OPEN_NUMBER.match(text, start):
        page.problem(Code.NUMBER_OPEN, line)
    return Piece(start, start + 2, "{{")
