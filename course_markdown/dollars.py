"""Which dollar signs are formulas, and which are money."""

from __future__ import annotations

import re

PRICE = re.compile(
    r"\$\d[\d,]*(?:\.\d+)?\s?(?:[kKMB]|bn)?(?=$|[^\x00-\x7f]|[\s|,.;:!?)\]\"'/~*_+-])",
)
NEXT = re.compile(r"\\.|\{\{.*?\}\}|(?P<stop>[$`])", re.DOTALL)
BRACES = re.compile(r"\\[A-Za-z]+|\{[^{}]*\}")
WORDS = re.compile(r"[A-Za-z]{3,}|[^\x00-\x7f]")
MATHS = frozenset("×·÷±−≤≥≈≠∞√αβγδεθλμπστφω∈→∑∏")


def formula_end(text: str, start: int) -> int | None:
    """The index of the `$` that closes the formula opened at `start`; None if no formula begins there.

    A formula has no space at its ends. One that begins with a number must not read as a price: `$5 与 $6`.
    """
    if text[start + 1 : start + 2].isspace():
        return None
    stop = next((match for match in NEXT.finditer(text, start + 1) if match["stop"]), None)
    if stop is None or stop["stop"] == "`" or stop.start() == start + 1:
        return None
    end = stop.start()
    if text[end - 1].isspace() and text[end - 2 : end - 1] != "\\":
        return None
    if text[start + 1].isdigit() and (text[end + 1 : end + 2].isdigit() or _reads_as_price(text, start, end)):
        return None
    return end


def is_price(text: str, start: int) -> bool:
    """Whether the `$` at `start` is the sign before an amount."""
    return PRICE.match(text, start) is not None


def _reads_as_price(text: str, start: int, end: int) -> bool:
    """Whether `$5 … $` is an amount and prose, not a formula that begins with 5."""
    if not is_price(text, start):
        return False
    content = BRACES.sub("", BRACES.sub("", text[start + 1 : end]))
    return any(word not in MATHS for word in WORDS.findall(content)) or content.endswith("|")
