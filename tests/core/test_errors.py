"""What the package says when shapes do not fit, and what it does with dtypes."""

import numpy as np
import pytest

from transformer_core import ShapeError
from transformer_core.arrays import as_float, cast, matmul, working_dtype
from transformer_core.errors import (
    broadcast_leading,
    check_broadcasts_to,
    check_choice,
    check_divides,
    check_positive,
    check_shape,
)


def test_it_is_a_value_error():
    assert issubclass(ShapeError, ValueError)


@pytest.mark.parametrize(
    ("shape", "axes", "sizes", "bound"),
    [
        ((3, 4), "S d", {}, {"S": 3, "d": 4}),
        ((3, 4), "... S d", {"d": 4}, {"d": 4, "S": 3}),
        ((5, 6, 3, 4), "... S d", {}, {"S": 3, "d": 4}),
        ((3,), "...", {}, {}),
        ((), "...", {}, {}),
        ((2, 0), "B S", {}, {"B": 2, "S": 0}),
        ((2, 1, 1, 7), "B 1 1 S_k", {"S_k": 7}, {"B": 2, "S_k": 7}),
        ((3, 3), "n n", {}, {"n": 3}),
    ],
)
def test_shapes_that_fit(shape, axes, sizes, bound):
    known = check_shape("x", np.zeros(shape), axes, **sizes)
    assert {name: known[name] for name in bound} == bound


@pytest.mark.parametrize(
    ("shape", "axes", "sizes", "message"),
    [
        ((2, 3, 5), "... S_k d_k", {"d_k": 4}, "x must have shape (..., S_k, d_k=4), got (2, 3, 5)"),
        ((4,), "... S d", {}, "x must have shape (..., S, d), got (4,)"),
        ((2, 3, 4), "S d", {}, "x must have shape (S, d), got (2, 3, 4)"),
        ((2,), "d", {"d": 3}, "x must have shape (d=3,), got (2,)"),
        ((), "... d", {}, "x must have shape (..., d), got ()"),
        ((2, 3), "n n", {}, "x must have shape (n, n), got (2, 3)"),
        ((2, 2, 1, 7), "B 1 1 S_k", {}, "x must have shape (B, 1, 1, S_k), got (2, 2, 1, 7)"),
    ],
)
def test_shapes_that_do_not_fit(shape, axes, sizes, message):
    with pytest.raises(ShapeError) as error:
        check_shape("x", np.zeros(shape), axes, **sizes)
    assert str(error.value) == message


def test_leading_axes():
    assert broadcast_leading(a=np.zeros((2, 1, 3, 4)), b=np.zeros((5, 6, 7))) == (2, 5)
    with pytest.raises(ShapeError, match=r"got a \(2, 3, 4\), b \(5, 6, 7\)"):
        broadcast_leading(a=np.zeros((2, 3, 4)), b=np.zeros((5, 6, 7)))


def test_broadcasts_to():
    check_broadcasts_to("m", np.zeros((1, 4)), "S_q S_k", (2, 3, 4))
    for shape in ((3, 5), (3, 2, 3, 4), (5, 2, 3, 4)):
        with pytest.raises(ShapeError) as error:
            check_broadcasts_to("m", np.zeros(shape), "S_q S_k", (2, 3, 4))
        assert str(error.value) == f"m must broadcast to (2, S_q=3, S_k=4), got {shape}"


def test_numbers_and_choices():
    check_positive(a=1, b=0.5)
    for bad in (0, -1, float("nan")):
        with pytest.raises(ValueError, match=f"b must be positive, got {bad}"):
            check_positive(a=1, b=bad)
    assert check_divides("n_heads", 3, "width", 12) == 4
    with pytest.raises(ShapeError, match="n_heads must divide width, got n_heads=5, width=12"):
        check_divides("n_heads", 5, "width", 12)
    with pytest.raises(ValueError, match="n_heads must be positive, got 0"):
        check_divides("n_heads", 0, "width", 12)
    check_choice("c", "a", ("a", "b"))
    with pytest.raises(ValueError, match="c must be one of 'a', 'b', got 'd'"):
        check_choice("c", "d", ("a", "b"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [("f2", "f2"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8"), ("u1", "f8"), ("?", "f8")],
)
def test_as_float(given, expected):
    assert as_float("x", np.zeros(2, given)).dtype == expected


@pytest.mark.parametrize("values", [[1j], ["a"], [None], np.array(["2020-01-01"], "M8")])
def test_not_numbers(values):
    with pytest.raises(TypeError, match="x must hold real numbers, got dtype"):
        as_float("x", values)


def test_working_dtype():
    half, single, double = (np.zeros(1, dtype) for dtype in ("f2", "f4", "f8"))
    assert working_dtype(half) == working_dtype(half, single) == np.float32
    assert working_dtype(half, double) == np.float64


def test_what_is_not_finite_goes_through_without_a_warning():
    assert cast(np.array([1e5, -np.inf, np.nan]), "f2").tolist()[:2] == [np.inf, -np.inf]
    big = np.full((1, 1), 1e308)
    assert matmul(big, big).item() == np.inf
    assert np.isnan(matmul(np.array([[np.inf, -np.inf]]), np.ones((2, 1)))).all()
    assert matmul(np.float16([[300, 300]]), np.float16([[300], [-300]])).tolist() == [[0]]
