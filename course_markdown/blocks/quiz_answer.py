"""What a quiz asks for, told by the form of its answer.

答案: B            one option          答案: 0.576 ± 0.001    a number (`{{0.576 := code}}` too)
答案: A, C         several options     答案: (2, 3)           row 2, column 3 of the question's table
答案: C → A → B    the options in order
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from course_markdown.blocks.quiz_source import Source
from course_markdown.checked import number_text
from course_markdown.errors import Code
from course_markdown.inline import NUMBER, inline
from course_markdown.page import Page
from course_markdown.printed import Printed, parse
from course_markdown.tokens import Number

BETWEEN = re.compile(r"[\s,，、;；/&+.。和与]|\band\b", re.IGNORECASE)
ARROW = re.compile(r"\s*(?:→|⟶|➜|-+>|[>＞])\s*")
CELL = re.compile(
    r"[（(]\s*(\d+)\s*[,，]\s*(\d+)\s*[)）]|第\s*(\d+)\s*行\s*第\s*(\d+)\s*列|row\s*(\d+)[\s,]*column\s*(\d+)",
    re.IGNORECASE,
)
NUMERIC = re.compile(r"[-−+.\d∞]|\{\{|.*±")
TOLERANT = re.compile(
    r"(?P<number>\{\{.*?\}\}|[^±{}]+?)(?:\s*(?:±|\+/-|\+-)\s*(?P<tolerance>\{\{.*\}\}|[^±{}]+))?"
)
HOW_NUMBER = "write '答案: 0.576 ± 0.001'"


@dataclass(frozen=True)
class Answer:
    """`kind` is choice, order, number or cell; `value` what the page's script compares with.

    shown      the answer for readers, as Markdown with this page's tokens
    tolerance  how far a number may be off; `unit` is % where the number is a percentage
    """

    kind: str
    value: str = ""
    shown: str = ""
    tolerance: str = ""
    unit: str = ""


def read_answer(source: Source, page: Page) -> Answer:
    """The answer of a quiz; what is wrong with it goes to the page."""
    text = (source.answer or "").rstrip("。")
    if cell := CELL.fullmatch(text):
        if source.options:
            page.problem(Code.QUIZ_MIXED, source.answer_line, answer=text)
        return Answer("cell", cell_value(cell), inline(text, source.answer_line, page))
    if source.options and ARROW.search(text):
        return _order(text, source, page)
    if not source.options and NUMERIC.match(text):
        return _number(text, source.answer_line, page)
    return _choice(source, page)


def key_value(key: str, answer: Answer, source: Source, line: int, page: Page) -> str | None:
    """What the script knows the answer `key` of an explanation by; None if it is no answer."""
    if answer.kind == "choice":
        letter = key.upper()
        return letter if letter in source.letters else None
    if answer.kind == "number":
        printed = parse(_computed(key, line, page) or "")
        return _plain(printed.number) if printed and printed.percent == bool(answer.unit) else None
    cell = CELL.fullmatch(key) if answer.kind == "cell" else None
    return cell_value(cell) if cell else None


def cell_value(cell: re.Match[str]) -> str:
    """Row and column as the values of inputs have them."""
    row, column = (int(digits) for digits in cell.groups() if digits)
    return f"{row},{column}"


def _choice(source: Source, page: Page) -> Answer:
    if source.answer is None:
        return Answer("choice")
    letters = BETWEEN.sub("", source.answer).upper()
    known = source.letters
    if not letters or any(letter not in known for letter in letters):
        options = ", ".join(known) or "none"
        page.problem(Code.QUIZ_ANSWER, source.answer_line, answer=source.answer, options=options)
    right = [letter for letter in known if letter in letters]
    return Answer("choice", "".join(right), ", ".join(right))


def _order(text: str, source: Source, page: Page) -> Answer:
    letters = [part.strip().upper() for part in ARROW.split(text)]
    if sorted(letters) != sorted(source.letters):
        options = ", ".join(source.letters)
        page.problem(Code.QUIZ_STEPS, source.answer_line, answer=text, options=options)
    elif letters == source.letters:
        page.problem(Code.QUIZ_SORTED, source.answer_line)
    return Answer("order", "".join(letters), " → ".join(letters))


def _number(text: str, line: int, page: Page) -> Answer:
    match = TOLERANT.fullmatch(text)
    printed = _computed(match["number"], line, page) if match else ""
    allowed = _computed(match["tolerance"] or "", line, page) if match else ""
    if printed is None or allowed is None:
        return Answer("number")
    number, tolerance = parse(printed), parse(allowed)
    cure = _number_cure(number, tolerance, bool(allowed))
    if cure or number is None:
        page.problem(Code.QUIZ_NUMBER, line, answer=text, cure=cure)
        return Answer("number")
    within = tolerance.number if tolerance else Decimal(0) if number.exact else number.unit / 2
    unit = "%" if number.percent else ""
    return Answer("number", _plain(number.number), inline(text, line, page), _plain(within), unit)


def _number_cure(number: Printed | None, tolerance: Printed | None, wanted: bool) -> str:
    """What to do about an answer that is no number with a tolerance; empty if it is one."""
    if number is None or number.number.is_infinite() or (wanted and tolerance is None):
        return HOW_NUMBER
    if tolerance and tolerance.percent != number.percent:
        return "give both a '%', or neither"
    if tolerance and tolerance.number < (0 if number.exact else number.unit / 2):
        return f"write the number with more digits, or a tolerance of at least {_plain(number.unit / 2)}"
    return ""


def _computed(text: str, line: int, page: Page) -> str | None:
    """`text`, or what its code prints; None after a problem was noted."""
    checked = NUMBER.fullmatch(text.strip())
    if not checked:
        return text
    number = Number(checked["printed"].strip(), checked["expression"].strip(), line, text)
    found = number_text(number, page)
    return found[0] if found else None


def _plain(number: Decimal) -> str:
    """A number without an exponent, and without zeros that say nothing."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
