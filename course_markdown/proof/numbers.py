"""Which numbers of a page are checked, and by what rule each other one needs no check.

A number is covered if a checked number of its part (from one heading to the next) prints it or computes
with it: then a changed digit is noticed, because nothing there knows the new one. What a rule names is not
computed: an index, an exponent, the year of a paper, a section. All others are told.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from course_markdown.errors import Code
from course_markdown.inline import NUMBER
from course_markdown.page import Page
from course_markdown.proof.spans import Span

LITERAL = re.compile(
    r"(?<![\d.])(?:"
    r"(?:(?P<mantissa>\d+(?:\.\d+)?) ?(?:×|\\times|\\cdot) ?)?10\^(?P<power>-?\d|\{-?\d+\})"
    r"|(?P<plain>(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e(?P<exponent>[-+]?\d+))?"
    r"(?P<percent>\\?[%％])?)"
)
HEADING = re.compile(r"#{1,6}\s")
LINK_TARGET = re.compile(
    r"\]\((?:<[^<>]*>|(?:[^()\s]|\([^()\s]*\))*)|\]\[[^\]]*\]|^\[[^\[\]]+\]:\s+\S+", re.MULTILINE
)
NEAR = 4  # lines
NEAR_IN_QUIZ = 12  # from the question to the explanations
AROUND = 40  # characters that a rule may look at
BANK = "bank"  # its lines hold the numbers of questions, which the block itself checks

TALLY, WRONG_TALLY = "tally of questions", "wrong tally"
COUNTED = "(?:步骤|阶段|算法|(?<!比)例|定理|引理)"
VERSIONED = "Llama|Qwen|Gemma|PyTorch|Python|numpy|Table|Figure|Section"

# What stands around a number («this») where nothing is to be computed. The first that fits is its rule.
TEXT_RULES = {
    "section": re.compile(r"«7\.\d+»|第 ?«\d+» ?章"),
    TALLY: re.compile(r"«\d+» ?(?:问|道题)"),
    "question": re.compile(r"\bQ ?«\d+»|第 ?«\d+» ?[问题]"),
    "list": re.compile(r"^\s*«\d+»[.)] |[：；。]«\d»[)）]", re.MULTILINE),
    "place in a source": re.compile(r"«[\d.]+»[\d.]* ?(?:小?节|章)|(?:表|图|脚注|附录|式) ?\(?«[\d.]+»"),
    "tolerance": re.compile(r"(?:±|\+/?-) ?«[\d.]+%?»"),
    "shape or cell": re.compile(r"[(（](?:[\w/·]+[,，] ?)*«\d+»(?:[,，] ?[\w/·]*)*[)）]"),
    "ordinal": re.compile(
        rf"(?:第|头|位置|key|query|value|token) ?«\d+»|第 [\d、到至和 ]+«\d+»|{COUNTED} «\d+»"
    ),
    "name": re.compile(rf"[A-Za-z][-_]?«[\d.]+»|(?:{VERSIONED}) «[\d.]+»|«[\d.]+»[BDkKM]\b"),
    "year": re.compile(r"«(?:19|20)\d\d»"),
    "date": re.compile(
        r"«\d\d?» ?(?:月|日(?![元均])|世纪|年代)|(?:19|20)\d\d-(?:«[01]\d»-|[01]\d-«[0-3]\d»)"
    ),
}
MATH_RULES = {
    "index": re.compile(r"_\s*(?:\{[^{}]*)?«\d+»"),
    "exponent": re.compile(r"\^\s*(?:\{[^{}]*)?«\d+»"),
    "name": re.compile(r"\\(?:text|operatorname)\w*\{[^{}]*«\d+»"),
}
SHAPE_RULES = {"axis of one": re.compile(r"[\[,] ?«1»")}
CONSTANTS = {"text": ("0", "1"), "title": ("0", "1"), "math": ("0", "1", "2")}


@dataclass(frozen=True)
class Found:
    """A number of the page: how it was written, its line, and what covers it (empty if nothing does)."""

    text: str
    line: int
    covered: str


def coverage(spans: Iterable[Span], page: Page) -> list[Found]:
    """Every number of the page that a reader sees, in order."""
    found: list[Found] = []
    part: list[Span] = []
    for span in spans:
        if span.kind == "text" and HEADING.match(span.text) and part:
            found += _part(part, page)
            part = []
        part.append(span)
    return [*found, *_part(part, page)]


def check_numbers(spans: Iterable[Span], page: Page) -> None:
    """Count the page's numbers by what covers them, and note each that nothing does."""
    found = coverage(spans, page)
    page.site.numbers[page.site.path] = Counter(number.covered for number in found)
    for number in found:
        if number.covered == WRONG_TALLY:
            page.problem(Code.TALLY, number.line, printed=number.text, count=_questions(page))
        elif not number.covered:
            page.problem(Code.LOOSE_NUMBER, number.line, printed=number.text)


def _questions(page: Page) -> int:
    """How many questions the pages ask."""
    return len({asked.number for asked in page.site.asked})


def summary(counts: Counter[str]) -> str:
    """One line: how many numbers are checked, and how many are not, by rule."""
    checked = counts["checked"] + counts["known"]
    rules = sorted((name, count) for name, count in counts.items() if name not in ("checked", "known"))
    rest = ", ".join(f"{name or 'UNCHECKED'} {count}" for name, count in rules)
    return f"{checked} of {counts.total()} numbers checked; by rule: {rest or 'none'}"


def _part(spans: list[Span], page: Page) -> Iterator[Found]:
    known = Known(spans, page)
    questions = _questions(page)
    for span in spans:
        if span.kind == "number":
            yield Found(span.text, span.line, "checked")
        elif span.kind in ("text", "title", "math") and BANK not in span.blocks:
            yield from _span(span, known, questions)


def _span(span: Span, known: Known, questions: int) -> Iterator[Found]:
    text = span.text if span.kind == "math" else LINK_TARGET.sub("]", span.text)
    inside = [match.span() for match in NUMBER.finditer(text)]  # of a formula
    for start, end in inside:
        yield Found(text[start:end], span.line + text.count("\n", 0, start), "checked")
    for match in LITERAL.finditer(text):
        if not any(start <= match.start() < end for start, end in inside):
            line = span.line + text.count("\n", 0, match.start())
            around = known.at(line, NEAR_IN_QUIZ if "quiz" in span.blocks else NEAR)
            yield Found(match[0], line, _covered(match, text, span, around, questions))


def _covered(match: re.Match[str], text: str, span: Span, known: set[Decimal], questions: int) -> str:
    """What covers the number, or an empty string."""
    around = f"{text[: match.start()][-AROUND:]}«{match[0]}»{text[match.end() :][:AROUND]}"
    rules = MATH_RULES if span.kind == "math" else TEXT_RULES
    if span.blocks[-1:] == ("shapeflow",):
        rules = SHAPE_RULES | rules
    for name, pattern in rules.items():
        if pattern.search(around):
            return name if name != TALLY or int(match[0]) == questions else WRONG_TALLY
    if _values(match) & known:
        return "known"
    if span.wrong:
        return "wrong option"
    symbolic = span.kind != "math" or re.search(r"(?<!\\)\b[A-Za-z]", text)
    return "constant" if symbolic and match[0] in CONSTANTS[span.kind] else ""


class Known:
    """The numbers that the checked numbers of one part print or compute with.

    One digit says little, so it is known near by alone; and an index, which says where something stands and
    not what, on its own line.
    """

    def __init__(self, spans: list[Span], page: Page) -> None:
        first = min((span.line for span in spans), default=0)
        last = max((span.line + span.text.count("\n") for span in spans), default=0)
        self._long: set[Decimal] = set()
        self._short: dict[int, set[Decimal]] = {}
        self._indices: dict[int, set[Decimal]] = {}
        for item in page.checked:
            if first <= item.line <= last:
                plain, indices = _constants(ast.parse(item.expression, mode="eval"))
                values = _all_values(" ".join([item.printed, *plain]))
                short = {value for value in values if value in range(10)}
                self._long |= values - short
                self._short.setdefault(item.line, set()).update(short)
                self._indices.setdefault(item.line, set()).update(_all_values(" ".join(indices)))

    def at(self, line: int, near: int) -> set[Decimal]:
        """What is known on `line`; `near` is how many lines a single digit reaches."""
        around = (self._short.get(other, set()) for other in range(line - near, line + near + 1))
        return self._long.union(self._indices.get(line, set()), *around)


def _constants(tree: ast.AST, indexed: bool = False) -> tuple[list[str], list[str]]:
    """The numbers of an expression: those that it computes with, and those in an index."""
    plain: list[str] = []
    indices: list[str] = []
    if isinstance(tree, ast.Constant):
        (indices if indexed else plain).append(str(tree.value))
    for part in ast.iter_child_nodes(tree):
        more = _constants(part, indexed or (isinstance(tree, ast.Subscript) and part is tree.slice))
        plain += more[0]
        indices += more[1]
    return plain, indices


def _all_values(text: str) -> set[Decimal]:
    return {value for match in LITERAL.finditer(text) for value in _values(match)}


def _values(match: re.Match[str]) -> set[Decimal]:
    """The number, and of a percentage the hundredth too, because an expression does not say percent."""
    if match["power"]:
        number = Decimal(match["mantissa"] or 1).scaleb(int(match["power"].strip("{}")))
    else:
        number = Decimal(match["plain"].replace("{,}", "").replace(",", "")).scaleb(
            int(match["exponent"] or 0)
        )
    values = (number, number / 100) if match["percent"] else (number,)
    return {value.normalize() for value in values}
