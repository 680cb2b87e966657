"""Numbers as they are printed, and whether a computed value rounds to them.

`0.198` agrees with every value that is 0.198 at three decimals, `41.9%` with a hundredth of such a value,
`8,030,261,248` and every other integer with that integer alone. Lists agree item by item.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:[eE](?P<exponent>[-+]?\d+))?(?P<percent>%?)"
)
TEN = re.compile(r"\s*(?:×|\\times|\\cdot)\s*10(?:\^\{?\s*(-?\d+)\s*\}?|([⁻⁰¹²³⁴-⁹]+))")
SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
FULL_WIDTH = re.compile("[０-９．]")
SLACK = Decimal("1e-9")  # of the last printed place: floating-point noise at an exact half

Value: TypeAlias = "bool | int | float | str | list[Value]"


@dataclass(frozen=True)
class Printed:
    """A number, the value of one unit in its last place, and whether it is a percentage."""

    number: Decimal
    unit: Decimal
    percent: bool
    exact: bool

    def agrees(self, value: float) -> bool:
        if isinstance(value, float) and not math.isfinite(value):
            return math.isinf(value) and self.number == Decimal(value)
        if self.number.is_infinite():
            return False
        computed = Decimal(value) * (100 if self.percent else 1)
        gap = abs(computed - self.number)
        if self.exact:
            return gap == 0 if isinstance(value, int) else gap <= SLACK * max(Decimal(1), abs(self.number))
        return gap <= self.unit / 2 * (1 + SLACK)


class IncomparableError(Exception):
    """The printed text and the value are not of one kind; the message is the cure."""


def agrees(text: str, value: Value) -> bool:
    """Whether `value` rounds to what `text` prints; raises IncomparableError where that has no meaning."""
    if isinstance(value, list):
        items = split_list(text)
        if items is None:
            raise IncomparableError("print a list in brackets")
        return len(items) == len(value) and all(map(agrees, items, value))
    if isinstance(value, bool | str):
        return text == str(value)
    if FULL_WIDTH.search(text):
        raise IncomparableError(f"write '{unicodedata.normalize('NFKC', text)}'")
    printed = parse(text)
    if printed is None:
        raise IncomparableError("print a number: 0.198, 41.9%, 1.2e-5 or 8,030,261,248")
    return printed.agrees(value)


def parse(text: str) -> Printed | None:
    """The number that `text` prints, also as TeX prints it; None if it is none."""
    text = text.strip().replace("−", "-").replace("％", "%").replace("\\%", "%").replace("{,}", ",")
    text = TEN.sub(lambda ten: "e" + (ten[1] or ten[2].translate(SUPERSCRIPT)), text)
    if text in ("∞", "-∞", "\\infty", "-\\infty"):
        infinite = Decimal("-Infinity" if text.startswith("-") else "Infinity")
        return Printed(infinite, Decimal(0), False, False)
    match = NUMBER.fullmatch(text)
    if not match:
        return None
    exponent = int(match["exponent"] or 0)
    number = Decimal(match["sign"] + match["digits"].replace(",", "")).scaleb(exponent)
    places = len(match["digits"].partition(".")[2])
    percent = bool(match["percent"])
    exact = places == 0 and match["exponent"] is None and not percent
    return Printed(number, Decimal(1).scaleb(exponent - places), percent, exact)


def split_list(text: str) -> list[str] | None:
    """The items of `[a, [b, c]]` or `(a, b)`; None if `text` is not in brackets."""
    text = text.strip()
    if text[:1] + text[-1:] not in ("[]", "()"):
        return None
    items, depth = [""], 0
    for char in text[1:-1]:
        depth += (char in "[(") - (char in "])")
        if char in ",，" and not depth:
            items.append("")
        else:
            items[-1] += char
    return [item for item in items if item.strip()]
