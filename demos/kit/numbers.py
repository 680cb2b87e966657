"""The one place where a number becomes what a reader sees."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

MINUS = "\u2212"
ROOMY = Context(prec=400, rounding=ROUND_HALF_UP)  # digits enough for the largest double
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def fmt(value: float, digits: int = 3) -> str:
    """`value` with `digits` decimals: half goes up, -0 is 0, infinities and NaN are spelt out.

    It is first cut to 12 significant digits, so that two interpreters whose results differ in the
    last bit print the same.

    >>> fmt(0.2483333), fmt(-0.0001), fmt(float("-inf"))
    ('0.248', '0.000', '\u2212\u221e')
    """
    number = float(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "\u221e" if number > 0 else f"{MINUS}\u221e"
    # Far from a half and within eleven digits the cut cannot matter, and the short way gives the same.
    scaled = abs(number) * 10**digits
    if scaled < 1e5 and abs(scaled % 1 - 0.5) > 1e-5:
        return f"{MINUS if number < 0 and scaled > 0.5 else ''}{abs(number):.{digits}f}"
    rounded = ROOMY.quantize(Decimal(f"{number:.12g}"), Decimal(1).scaleb(-digits))
    shown = f"{rounded.copy_abs():f}"
    return f"{MINUS}{shown}" if rounded < 0 else shown


def short(value: float, digits: int = 3) -> str:
    """Like `fmt`, without trailing zeros: 2 instead of 2.000.

    >>> short(2.0), short(0.70710678), short(-1.5)
    ('2', '0.707', '\u22121.5')
    """
    shown = fmt(value, digits)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def percent(value: float, digits: int = 1) -> str:
    """A share of 1 in percent.

    >>> percent(0.4190)
    '41.9%'
    """
    return f"{fmt(value * 100, digits)}%"


def grouped(value: int) -> str:
    """A whole number in groups of three digits.

    >>> grouped(8030261248)
    '8,030,261,248'
    """
    return f"{value:,}".replace("-", MINUS)


def scientific(value: float, digits: int = 2) -> str:
    """A number of any size with `digits` decimals and a power of ten.

    >>> scientific(0.00012), scientific(0.0)
    ('1.20\u00d710\u207b\u2074', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else fmt(value)
    mantissa, exponent = f"{float(f'{value:.12g}'):.{digits}e}".split("e")
    return f"{mantissa.replace('-', MINUS)}\u00d7{power_of_ten(int(exponent))}"


def power_of_ten(exponent: int) -> str:
    """Ten with its exponent raised.

    >>> power_of_ten(-12)
    '10\u207b\u00b9\u00b2'
    """
    return f"10{str(exponent).translate(RAISED)}"
