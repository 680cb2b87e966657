"""The one formatter: ties, signs, what no rounding may show, and calm about the last bit."""

import math
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.kit import entry, equals, fmt, grouped, operand, percent, products, scientific, short, total

FINITE = st.floats(-1e9, 1e9)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.0005, 3, "0.001"),  # half goes up
        (0.0015, 3, "0.002"),
        (0.00049999, 3, "0.000"),
        (2.5, 0, "3"),
        (-2.5, 0, "−3"),
        (1.005, 2, "1.01"),  # though as a double it is a little less
        (0.1 + 0.2, 1, "0.3"),
        (-0.0, 3, "0.000"),
        (-0.0004, 3, "0.000"),
        (-0.0005, 3, "−0.001"),
        (1234567.0, 1, "1234567.0"),
        (1e30, 3, "1" + "0" * 30 + ".000"),
        (-1e300, 0, "−1" + "0" * 300),
        (float("inf"), 3, "∞"),
        (float("-inf"), 3, "−∞"),
        (float("nan"), 3, "NaN"),
    ],
)
def test_fmt(value, digits, shown):
    assert fmt(value, digits) == shown


@given(value=FINITE, digits=st.integers(0, 6))
def test_fmt_reads_back_within_half_a_digit(value, digits):
    shown = fmt(value, digits)
    assert "-" not in shown
    assert not shown.startswith("−0") or float(shown.replace("−", "-")) != 0
    limit = 0.5 * 10.0**-digits + 1e-9 + abs(value) * 1e-11
    assert abs(float(shown.replace("−", "-")) - value) <= limit


@given(value=FINITE | st.floats(-100, 100), digits=st.integers(0, 6))
def test_the_short_way_gives_what_the_long_one_does(value, digits):
    cut = Decimal(f"{value:.12g}")
    exact = cut.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    assert fmt(value, digits) == f"{'−' if exact < 0 else ''}{abs(exact):f}"


@given(thousandths=st.integers(-(10**6), 10**6))
def test_a_tie_falls_the_same_way_from_both_sides(thousandths):
    """The last bit is what two interpreters may differ in."""
    tie = thousandths / 1000 + 0.0005
    near = [math.nextafter(tie, -math.inf), tie, math.nextafter(tie, math.inf)]
    exact = Decimal(thousandths).scaleb(-3) + Decimal("0.0005")
    rounded = exact.quantize(Decimal("0.001"), rounding=ROUND_HALF_UP)
    shown = f"{abs(rounded)}"
    expected = f"−{shown}" if rounded < 0 else shown
    assert [fmt(value) for value in near] == [expected] * 3


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(2.0, 3, "2"), (0.5, 3, "0.5"), (100.0, 3, "100"), (100.0, 0, "100"), (-1.5, 3, "−1.5"), (-0.0, 3, "0")],
)
def test_short_drops_zeros_behind_the_point_alone(value, digits, shown):
    assert short(value, digits) == shown


@pytest.mark.parametrize(
    ("share", "shown"), [(0.419, "41.9%"), (1, "100.0%"), (0, "0.0%"), (0.0005, "0.1%"), (0.99996, "100.0%")]
)
def test_percent(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (999, "999"), (8030261248, "8,030,261,248"), (-1234, "−1,234")]
)
def test_grouped(value, shown):
    assert grouped(value) == shown


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.00012, 2, "1.20×10⁻⁴"),
        (-1e9, 0, "−1×10⁹"),
        (0.0, 2, "0"),
        (9.999e5, 0, "1×10⁶"),
        (math.exp(709), 2, "8.22×10³⁰⁷"),
        (float("-inf"), 2, "−∞"),
        (float("nan"), 2, "NaN"),
    ],
)
def test_scientific(value, digits, shown):
    assert scientific(value, digits) == shown


def test_a_sum_as_on_paper():
    assert entry("S", 1, 2) == "S₂₃"
    assert entry("q", 11) == "q₁₂"
    assert products([1, -2], [0.5, 0.70710678]) == "1×0.5 + (−2)×0.7071"
    assert total([1.0, 2.02811498]) == "1 + 2.0281"
    assert operand(-0.0) == "0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2.0, "= 2"), (0.25, "= 0.25"), (0.70710678, "≈ 0.7071"), (-0.00001, "≈ 0"), (0.1 + 0.2, "= 0.3")],
)
def test_a_rounded_number_is_not_called_equal(value, shown):
    assert equals(value) == shown
