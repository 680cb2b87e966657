"""Masks: which query may look at which key."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import (
    ShapeError,
    causal_mask,
    combine_masks,
    dilated_mask,
    global_local_mask,
    padding_mask,
    padding_mask_from_ids,
    query_minus_key,
    sliding_window_mask,
)

INF = np.inf
SIZE = st.integers(0, 7)
ALIGNMENTS = ["top-left", "bottom-right"]


def by_rule(S_q, S_k, alignment, rule):
    """The mask pair by pair: rule(query position, key position)."""
    first = 0 if alignment == "top-left" else S_k - S_q
    return [[rule(first + i, j) for j in range(S_k)] for i in range(S_q)]


# --- what only right masks do: each check gets one mask function


def about(name):
    def mark(check):
        check.mask = name
        return check

    return mark


@about("causal")
def check_causal_exact(mask):
    assert mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


@about("causal")
def check_causal_top_left(mask):
    assert mask(2, 4).tolist() == [[True, False, False, False], [True, True, False, False]]
    assert mask(3, 2).tolist() == [[True, False], [True, True], [True, True]]


@about("causal")
def check_causal_bottom_right(mask):
    assert mask(2, 4, alignment="bottom-right").tolist() == [[True, True, True, False], [True] * 4]
    assert mask(3, 2, alignment="bottom-right").tolist() == [[False, False], [True, False], [True, True]]


@about("window")
def check_window_exact(mask):
    assert mask(4, window=2).astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert np.array_equal(mask(3, window=1), np.eye(3, dtype=bool))


@about("window")
def check_window_both_sides(mask):
    assert mask(4, window=2, is_causal=False)[1].tolist() == [True, True, True, False]


@about("dilated")
def check_dilated_exact(mask):
    assert mask(7, window=3, dilation=2)[6].astype(int).tolist() == [0, 0, 1, 0, 1, 0, 1]
    assert mask(7, window=2, dilation=3)[6].astype(int).tolist() == [0, 0, 0, 1, 0, 0, 1]
    assert mask(7, window=3, dilation=2)[0].astype(int).tolist() == [1, 0, 0, 0, 0, 0, 0]


@about("global")
def check_global_exact(mask):
    exact = [[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]]
    assert mask(4, window=1, global_tokens=[2]).astype(int).tolist() == exact


@about("global")
def check_global_position_counts_from_the_keys(mask):
    """The one query stands at the last key: it is the global token 3 itself."""
    assert mask(1, 4, window=1, global_tokens=[3], alignment="bottom-right").all()
    assert not mask(1, 4, window=1, global_tokens=[0], alignment="bottom-right").all()


@about("global")
def check_global_causal(mask):
    exact = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1]]
    assert mask(4, window=1, global_tokens=[2], is_causal=True).astype(int).tolist() == exact


@about("padding")
def check_padding_exact(mask):
    assert mask([1, 3, 0], 3).astype(int).tolist() == [[[[1, 0, 0]]], [[[1, 1, 1]]], [[[0, 0, 0]]]]


@about("ids")
def check_ids_exact(mask):
    assert mask([[5, 0, 7], [0, 0, 9]]).astype(int).tolist() == [[[[1, 0, 1]]], [[[0, 0, 1]]]]
    assert mask([[5, 0, 7]], pad_id=7).astype(int).tolist() == [[[[1, 1, 0]]]]


@about("combine")
def check_combine_exact(mask):
    both = mask(causal_mask(2), np.array([[True, False]]))
    assert (both.dtype, both.tolist()) == (bool, [[True, False], [True, False]])


@about("combine")
def check_combine_with_float(mask):
    both = mask(causal_mask(2), np.float32([[1.5, 2.5]]), np.float32([[-INF, 1]]))
    assert (both.dtype, both.tolist()) == (np.float32, [[-INF, -INF], [-INF, 3.5]])


MASKS = {
    "causal": causal_mask,
    "window": sliding_window_mask,
    "dilated": dilated_mask,
    "global": global_local_mask,
    "padding": padding_mask,
    "ids": padding_mask_from_ids,
    "combine": combine_masks,
}


def test_mask(check, run_check):
    run_check(check, MASKS[check.mask])


def test_wrong_mask_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties: any size, both alignments, pair by pair


@given(S_q=SIZE, S_k=SIZE, alignment=st.sampled_from(ALIGNMENTS))
def test_causal_by_rule(S_q, S_k, alignment):
    mask = causal_mask(S_q, S_k, alignment=alignment)
    assert (mask.dtype, mask.shape) == (bool, (S_q, S_k))
    assert mask.tolist() == by_rule(S_q, S_k, alignment, lambda i, j: j <= i)
    assert query_minus_key(S_q, S_k, alignment=alignment).tolist() == by_rule(
        S_q, S_k, alignment, lambda i, j: i - j
    )


@given(
    S_q=SIZE, S_k=SIZE, alignment=st.sampled_from(ALIGNMENTS), is_causal=st.booleans(),
    window=st.integers(1, 4), dilation=st.integers(1, 3),
)  # fmt: skip
def test_windows_by_rule(S_q, S_k, alignment, is_causal, window, dilation):
    options = {"alignment": alignment, "is_causal": is_causal}

    def near(i, j, dilation):
        steps = range(0 if is_causal else 1 - window, window)
        return i - j in [step * dilation for step in steps]

    mask = dilated_mask(S_q, S_k, window=window, dilation=dilation, **options)
    assert mask.tolist() == by_rule(S_q, S_k, alignment, lambda i, j: near(i, j, dilation))
    mask = sliding_window_mask(S_q, S_k, window=window, **options)
    assert mask.tolist() == by_rule(S_q, S_k, alignment, lambda i, j: near(i, j, 1))
    mask = global_local_mask(S_q, S_k, window=window, global_tokens=range(S_k)[:2], **options)
    assert mask.tolist() == by_rule(
        S_q, S_k, alignment,
        lambda i, j: (near(i, j, 1) or j < 2 or 0 <= i < min(2, S_k)) and (j <= i or not is_causal),
    )  # fmt: skip


def test_a_row_of_the_cache_is_the_last_row_of_the_whole():
    for make in (
        lambda S_q: causal_mask(S_q, 6, alignment="bottom-right"),
        lambda S_q: sliding_window_mask(S_q, 6, window=3, alignment="bottom-right"),
        lambda S_q: global_local_mask(S_q, 6, window=2, global_tokens=[1], alignment="bottom-right"),
    ):
        assert np.array_equal(make(1), make(6)[-1:])


def test_combine_nothing():
    assert combine_masks() is None
    assert combine_masks(None, None) is None
    assert np.array_equal(combine_masks(None, causal_mask(2)), causal_mask(2))


def test_combine_makes_the_common_shape():
    assert combine_masks(causal_mask(3), padding_mask([1, 2], 3)).shape == (2, 1, 3, 3)
    assert combine_masks(np.zeros((3, 3)), padding_mask([1, 2], 3)).dtype == np.float64


# --- errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: padding_mask([2, 9], 5), "lengths must lie in 0..S_k=5, got [2, 9]"),
        (lambda: padding_mask([-1], 5), "lengths must lie in 0..S_k=5, got [-1]"),
        (lambda: padding_mask([[1]], 5), "lengths must have shape (B,), got (1, 1)"),
        (lambda: padding_mask_from_ids([1, 2]), "token_ids must have shape (B, S_k), got (2,)"),
        (lambda: sliding_window_mask(3, window=0), "window must be positive, got 0"),
        (lambda: dilated_mask(3, window=1, dilation=-2), "dilation must be positive, got -2"),
        (
            lambda: global_local_mask(3, window=1, global_tokens=[0, 3]),
            "global_tokens must lie in 0..S_k-1=2, got [3]",
        ),
        (
            lambda: causal_mask(3, alignment="left"),
            "alignment must be one of 'top-left', 'bottom-right', got 'left'",
        ),
        (
            lambda: combine_masks(causal_mask(3), causal_mask(2)),
            "masks must broadcast together, got (3, 3), (2, 2)",
        ),
    ],
)  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message


def test_a_mask_of_one_and_zero_is_no_mask():
    with pytest.raises(TypeError, match="a mask must be bool or float, got int64"):
        combine_masks(np.ones((2, 2), np.int64))
    with pytest.raises(ShapeError):
        combine_masks(causal_mask(3), causal_mask(2))
