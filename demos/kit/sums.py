"""Arithmetic as it is written on paper: `S₂₃ = 1×1 + 1×1 = 2`."""

from __future__ import annotations

from collections.abc import Sequence

from .numbers import short

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
DIGITS = 4


def entry(name: str, *places: int) -> str:
    """The name of a matrix entry or a row; places count from 0, as in numpy, and are shown from 1.

    >>> entry("S", 1, 2), entry("q", 0)
    ('S₂₃', 'q₁')
    """
    return name + "".join(str(place + 1) for place in places).translate(SUBSCRIPTS)


def operand(value: float, digits: int = DIGITS) -> str:
    """A number inside a calculation: in brackets where it is negative.

    >>> operand(0.70710678), operand(-2.0)
    ('0.7071', '(−2)')
    """
    shown = short(value, digits)
    return shown if shown[0].isdigit() else f"({shown})"


def equals(value: float, digits: int = DIGITS) -> str:
    """`= 2` for a number that is shown whole, `≈ 0.7071` for one that is rounded.

    >>> equals(2.0), equals(0.70710678)
    ('= 2', '≈ 0.7071')
    """
    shown = short(value, digits)
    return f"{'=' if shown == short(value, 9) else '≈'} {shown}"


def products(left: Sequence[float], right: Sequence[float], digits: int = DIGITS) -> str:
    """The sum of products before it is added up.

    >>> products([1, 1], [0, -1])
    '1×0 + 1×(−1)'
    """
    return " + ".join(f"{operand(a, digits)}×{operand(b, digits)}" for a, b in zip(left, right, strict=True))


def total(terms: Sequence[float], digits: int = DIGITS) -> str:
    """A sum before it is added up.

    >>> total([1.0, 2.0281])
    '1 + 2.0281'
    """
    return " + ".join(operand(term, digits) for term in terms)
