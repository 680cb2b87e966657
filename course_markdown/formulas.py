"""TeX to MathML, the same as plain text, and the characters that a font needs for it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass
from functools import cache
from html import escape, unescape

from markdown.util import AtomicString
from math_core import LatexError, LatexToMathML

from course_markdown.builder import Builder, element

OFFSET = re.compile(r"(\d+): (.*)", re.DOTALL)
NAMED = re.compile(r"&\w+;")
TAG = re.compile(r"<[^>]*>")
LETTER = re.compile(r"<mi>(.)</mi>")
SCRIPTS = {"msub": "_", "msup": "^", "munder": "_", "mover": "^"}
ACCENTS = frozenset("ˆ~¯→˙¨ˇ˘´`^")


class FormulaError(Exception):
    """What is wrong with a formula, and how many lines below its first."""

    def __init__(self, reason: str, row: int) -> None:
        super().__init__(reason)
        self.row = row


@dataclass
class DisplayFormula:
    """A formula that is a block by itself."""

    token: str
    line: int = 0
    name: str = "$$"

    def build(self, parent: etree.Element, builder: Builder) -> None:
        element(parent, "div", class_="math-block").text = AtomicString(self.token)


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


@cache
def mathml(tex: str, display: bool) -> str:
    """MathML of `tex`; raises FormulaError for what is no formula."""
    if not tex.strip():
        raise FormulaError("it is empty", 0)
    try:
        return _converter().convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        match = OFFSET.fullmatch(str(error))
        offset, reason = (int(match[1]), match[2]) if match else (0, str(error))
        raise FormulaError(reason.rstrip(".") if match else reason, tex.count("\n", 0, offset)) from None


def plain(math: str) -> str:
    """A formula as one line of text, for the table of contents: `√d_k`, `a/b`, `x^2`."""
    known = NAMED.sub(lambda entity: escape(unescape(entity[0])), math)  # XML knows few of HTML's names
    return _text(etree.fromstring(known)).strip()


def characters(math: str) -> set[str]:
    """The characters that show `math`; single letters of `mi` are shown in mathematical italics."""
    return {*unescape(TAG.sub("", math)), *(italic(letter) for letter in LETTER.findall(math))}


def italic(letter: str) -> str:
    """The mathematical italic of a Latin or Greek letter, as browsers show it; others unchanged."""
    if letter == "h":
        return "ℎ"
    for first, last, base in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= letter <= last:
            return chr(base + ord(letter) - ord(first))
    return letter


def _text(part: etree.Element) -> str:
    inner = [_text(child) for child in part]
    if not inner:
        return part.text or ""
    if part.tag == "msqrt":
        return "√" + _grouped("".join(inner))
    if part.tag == "mroot":
        return f"{inner[1]}√{_grouped(inner[0])}"
    if part.tag == "mfrac":
        return f"{_grouped(inner[0])}/{_grouped(inner[1])}"
    if part.tag in SCRIPTS:
        if inner[1].strip() in ACCENTS or not inner[1].strip():
            return inner[0]
        return inner[0] + SCRIPTS[part.tag] + _grouped(inner[1])
    if part.tag in ("msubsup", "munderover"):
        return f"{inner[0]}_{_grouped(inner[1])}^{_grouped(inner[2])}"
    if part.tag == "mtable":
        return "; ".join(inner)
    if part.tag == "mtr":
        return ", ".join(inner)
    return "".join(inner)


def _grouped(text: str) -> str:
    """`text` in parentheses, unless it is one name or number, perhaps with an index."""
    return text if re.fullmatch(r"[\w.]+|.", text) else f"({text})"
