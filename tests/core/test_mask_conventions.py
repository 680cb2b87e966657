"""Masks of other libraries, to ours and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import (
    ShapeError,
    causal_mask,
    from_convention,
    padding_mask,
    scaled_dot_product_attention,
    to_convention,
)

INF = np.inf
SQUARE = ["torch-sdpa", "torch-mha", "additive", "additive-min"]
KEYS_ALONE = ["torch-key-padding", "hugging-face"]


def about(name):
    def mark(check):
        check.function = name
        return check

    return mark


@about("from")
def check_from_each(convert):
    assert convert([[True, False]], "torch-sdpa").tolist() == [[True, False]]
    assert convert([[True, False]], "torch-mha").tolist() == [[False, True]]
    assert convert([[True, False]], "torch-key-padding").tolist() == [[[[False, True]]]]
    assert convert([[1, 0]], "hugging-face").tolist() == [[[[True, False]]]]
    assert convert([[0, -INF]], "additive").tolist() == [[True, False]]


@about("from")
def check_from_every_kind_of_hidden(convert):
    lowest = float(np.finfo(np.float16).min)
    assert convert([0, -1e4, -1e9, lowest, -INF], "additive").tolist() == [True, False, False, False, False]


@about("to")
def check_to_each(convert):
    assert convert([[True, False]], "torch-sdpa").tolist() == [[True, False]]
    assert convert([[True, False]], "torch-mha").tolist() == [[False, True]]
    assert convert([[[[True, False]]]], "torch-key-padding").tolist() == [[False, True]]
    assert convert([[[[True, False]]]], "hugging-face").tolist() == [[1, 0]]
    assert convert([[True, False]], "additive").tolist() == [[0, -INF]]


@about("to")
def check_to_dtype(convert):
    assert convert([True], "additive").dtype == np.float32
    lowest = convert([[True, False]], "additive-min", dtype=np.float16)
    assert (lowest.dtype, lowest.tolist()) == (np.float16, [[0, -65504]])
    assert convert([[[[True]]]], "hugging-face").dtype == np.int64


CONVERTERS = {"from": from_convention, "to": to_convention}


def test_convention(check, run_check):
    run_check(check, CONVERTERS[check.function])


def test_wrong_converter_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(convention=st.sampled_from(SQUARE), seed=st.integers(0, 99), dtype=st.sampled_from(["f2", "f4", "f8"]))
def test_there_and_back(convention, seed, dtype):
    mask = np.random.default_rng(seed).random((2, 3, 5)) < 0.5
    assert np.array_equal(from_convention(to_convention(mask, convention, dtype=dtype), convention), mask)


@given(convention=st.sampled_from(KEYS_ALONE), lengths=st.lists(st.integers(0, 4), max_size=3))
def test_there_and_back_for_keys_alone(convention, lengths):
    mask = padding_mask(np.array(lengths, int), 4)
    assert np.array_equal(from_convention(to_convention(mask, convention), convention), mask)


def test_the_additive_form_does_the_same_in_attention():
    x = np.random.default_rng(0).standard_normal((5, 3))
    by_bool = scaled_dot_product_attention(x, x, x, causal_mask(5))
    for convention in ("additive", "additive-min"):
        added = to_convention(causal_mask(5), convention)
        assert np.array_equal(scaled_dot_product_attention(x, x, x, added), by_bool)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: from_convention([[0, 2]], "hugging-face"),
            ValueError, "mask entries must be 0 or 1, got 2",
        ),
        (
            lambda: from_convention([0.0, 0.5], "additive"),
            ValueError, "mask entries must be 0, or hidden at -10000 and below, got 0.5",
        ),
        (
            lambda: from_convention([0.0, np.nan], "additive"),
            ValueError, "mask entries must be 0, or hidden at -10000 and below, got nan",
        ),
        (
            lambda: from_convention([1, 0], "hugging-face"),
            ShapeError, "mask must have shape (B, S_k), got (2,)",
        ),
        (
            lambda: from_convention(np.int8([[1, 0]]), "torch-mha"),
            TypeError, "a mask of convention 'torch-mha' must be bool, got int8",
        ),
        (
            lambda: to_convention([[0.0]], "additive"),
            TypeError, "a mask of convention 'torch-sdpa' must be bool, got float64",
        ),
        (
            lambda: to_convention(causal_mask(3), "hugging-face"),
            ShapeError, "mask must have shape (B, 1, 1, S_k) for 'hugging-face', got (3, 3)",
        ),
        (
            lambda: to_convention(causal_mask(3), "jax"),
            ValueError,
            "convention must be one of 'torch-sdpa', 'torch-mha', 'torch-key-padding', 'hugging-face', "
            "'additive', 'additive-min', got 'jax'",
        ),
    ],
)  # fmt: skip
def test_bad_arguments(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
