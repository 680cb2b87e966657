"""Printed numbers against values: what rounds to what."""

from __future__ import annotations

import math

import pytest

from course_markdown.printed import IncomparableError, agrees, parse, split_list


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.198", 0.19778),
        ("0.503", 0.50346),
        ("-0.45", -0.4472),
        ("−0.45", -0.4472),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("41.9%", 0.4188),
        ("42%", 0.4188),
        ("41.9\\%", 0.4188),
        ("41.9％", 0.4188),
        ("8,030,261,248", 8030261248),
        ("8{,}030", 8030),
        ("1,234.5", 1234.46),
        ("1.2e-5", 1.23e-5),
        ("1.2×10⁻⁵", 1.23e-5),
        ("1.2 \\times 10^{-5}", 1.23e-5),
        ("3e8", 2.998e8),
        ("3", 3),
        ("3", 3.0),
        ("16", 15.999999999999998),
        ("0", -0.0),
        ("0.125", 0.125),
        ("0.12", 0.125),
        ("0.13", 0.125),
        ("∞", math.inf),
        ("-\\infty", -math.inf),
        ("True", True),
        ("d_k", "d_k"),
        ("[0.198, 0.401]", [0.19778, 0.40111]),
        ("(2, 3)", [2, 3]),
        ("[[1, 0], [0, 1]]", [[1, 0], [0, 1]]),
        ("[]", []),
    ],
)
def test_agrees(text: str, value: object) -> None:
    assert agrees(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.504", 0.50346),
        ("0.198", -0.198),
        ("41.9%", 0.4196),
        ("41.9%", 41.9),
        ("3", 3.4),
        ("8,030,261,248", 8030261249),
        ("1.2e-5", 1.26e-5),
        ("0.5", math.nan),
        ("0.5", math.inf),
        ("∞", 1e308),
        ("True", False),
        ("d_k", "d_v"),
        ("[1, 2]", [1, 2, 3]),
        ("[1, 2]", [1, 3]),
    ],
)
def test_differs(text: str, value: object) -> None:
    assert not agrees(text, value)


@pytest.mark.parametrize(
    ("text", "value"), [("half", 0.5), ("0.5", [0.5]), ("[0.5]", 0.5), ("1,2", 12), ("", 1)]
)
def test_incomparable(text: str, value: object) -> None:
    with pytest.raises(IncomparableError):
        agrees(text, value)


def test_parts_of_a_number() -> None:
    printed = parse("1,234.50%")
    assert printed is not None
    assert (str(printed.number), str(printed.unit), printed.percent, printed.exact) == (
        "1234.50",
        "0.01",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("[a, [b, c], (d)]", ["a", " [b, c]", " (d)"]),
        ("(a，b)", ["a", "b"]),
        ("a, b", None),
        ("[a)", None),
        ("", None),
    ],
)
def test_items_of_a_list(text: str, items: list[str] | None) -> None:
    assert split_list(text) == items
