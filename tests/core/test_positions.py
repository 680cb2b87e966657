"""Sinusoidal and learned positions, ALiBi, T5's buckets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ShapeError,
    alibi_bias,
    alibi_slopes,
    causal_mask,
    learned_positions,
    scaled_dot_product_attention,
    sinusoidal_positions,
    t5_bias,
    t5_buckets,
)


def about(name):
    def mark(check):
        check.function = name
        return check

    return mark


# --- what only right ones do


@about("sinusoidal")
def check_sinusoids(positions):
    S, d_model = 7, 6
    expected = np.empty((S, d_model))
    for p in range(S):
        for i in range(d_model // 2):
            angle = p / 10000 ** (2 * i / d_model)
            expected[p, 2 * i], expected[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    assert_allclose(positions(S, d_model), expected, rtol=1e-12)


@about("sinusoidal")
def check_sinusoidal_odd_width(positions):
    table = positions(3, 5)
    assert table.shape == (3, 5)
    assert_allclose(table[2, 4], math.sin(2 / 10000 ** (4 / 5)), rtol=1e-12)


@about("slopes")
def check_slopes_of_powers(slopes):
    assert slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert slopes(1).tolist() == [1 / 256]
    assert_allclose(slopes(16)[:2], [2**-0.5, 2**-1], rtol=1e-15)


@about("slopes")
def check_slopes_between_powers(slopes):
    """12 heads: the 8 of eight heads, then every other one of sixteen, from the first."""
    assert_allclose(slopes(12), [*(2.0**-i for i in range(1, 9)), *(2 ** -(i / 2) for i in (1, 3, 5, 7))])


@about("alibi")
def check_alibi_exact(bias):
    assert bias(2, 3)[0].tolist() == [[0, -1 / 16, -2 / 16], [-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]]
    assert bias(2, 3)[1][2].tolist() == [-2 / 256, -1 / 256, 0]


@about("alibi")
def check_alibi_alignment(bias):
    assert np.array_equal(bias(3, 1, 4, alignment="bottom-right"), bias(3, 4)[:, -1:])


@about("buckets")
def check_buckets(buckets, oracles):
    offsets = np.arange(-300, 301)
    assert buckets(offsets).tolist() == [oracles.t5_bucket(int(o), True, 32, 128) for o in offsets]


@about("buckets")
def check_buckets_one_way(buckets, oracles):
    offsets = np.arange(-300, 301)
    expected = [oracles.t5_bucket(int(o), False, 32, 128) for o in offsets]
    assert buckets(offsets, bidirectional=False).tolist() == expected


@about("buckets")
def check_buckets_borders(buckets):
    """Bidirectional, 32 buckets, 128: half are later keys; 8 exact; 8 wide ones, two to each doubling."""
    assert buckets([-7, -8, -11, -12, -15, -16, -32, -64, -127, -128, -999]).tolist() == [
        7, 8, 8, 9, 9, 10, 12, 14, 15, 15, 15,
    ]  # fmt: skip
    assert buckets([1, 8, 999]).tolist() == [17, 24, 31]


@about("lookup")
def check_lookup(lookup):
    table = np.arange(6.0).reshape(3, 2)
    assert lookup(table, [[2, 0]]).tolist() == [[[4, 5], [0, 1]]]
    for position in (-1, 3):
        with pytest.raises(ValueError, match=rf"positions must lie in 0..max_length-1=2, got {position}"):
            lookup(table, [0, position])


FUNCTIONS = {
    "sinusoidal": sinusoidal_positions,
    "slopes": alibi_slopes,
    "alibi": alibi_bias,
    "buckets": t5_buckets,
    "lookup": learned_positions,
}


def test_position(check, run_check):
    run_check(check, FUNCTIONS[check.function])


def test_wrong_position_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- properties


@given(S=st.integers(2, 30), half=st.integers(1, 8), offset=st.integers(0, 9))
def test_dot_product_of_sinusoids_depends_on_the_offset_alone(S, half, offset):
    table = sinusoidal_positions(S + offset, 2 * half)
    products = np.sum(table[:S] * table[offset:], axis=-1)
    assert_allclose(products, np.full(S, products[0]), rtol=1e-12)
    assert_allclose(np.sum(table**2, axis=-1), np.full(S + offset, half), rtol=1e-12)


def test_sinusoid_of_nothing():
    assert sinusoidal_positions(0, 4).shape == (0, 4)
    assert sinusoidal_positions(1, 4).tolist() == [[0, 1, 0, 1]]


@given(n_heads=st.integers(1, 70))
def test_every_head_has_a_slope_of_its_own(n_heads):
    slopes = alibi_slopes(n_heads)
    assert slopes.shape == (n_heads,)
    assert len(set(slopes.tolist())) == n_heads
    assert ((slopes >= 2.0**-8) & (slopes < 1)).all()


def test_alibi_prefers_near_keys():
    """With equal scores the weights fall by e ** -slope a step."""
    key = np.zeros((4, 5, 3))
    value = np.broadcast_to(np.eye(5), (4, 5, 5))
    weights = scaled_dot_product_attention(key, key, value, alibi_bias(4, 5), is_causal=True)
    ratio = weights[:, 4, :4] / weights[:, 4, 1:]
    assert_allclose(ratio, np.exp(-alibi_slopes(4))[:, None] * np.ones(4), rtol=1e-12)
    assert (weights[:, ~causal_mask(5)] == 0).all()


@given(
    n_buckets=st.sampled_from([4, 8, 16, 32]),
    max_distance=st.sampled_from([20, 128]),
    bidirectional=st.booleans(),
)
def test_buckets_grow_with_the_distance(n_buckets, max_distance, bidirectional):
    offsets = -np.arange(0, 300)
    buckets = t5_buckets(offsets, bidirectional=bidirectional, n_buckets=n_buckets, max_distance=max_distance)
    last = (n_buckets // 2 if bidirectional else n_buckets) - 1
    assert (np.diff(buckets) >= 0).all()
    assert (buckets[0], buckets[-1]) == (0, last)
    assert (buckets[max_distance:] == last).all()


def test_t5_bias_looks_up_each_head():
    table = np.random.default_rng(0).standard_normal((32, 3))
    bias = t5_bias(table, 5, 7, alignment="bottom-right")
    assert bias.shape == (3, 5, 7)
    assert bias[1, 0, 6] == table[t5_buckets(6 - 2), 1]  # query 0 stands at key 2
    assert np.array_equal(t5_bias(table, 150), t5_bias(table, 150, max_distance=128))
    causal = t5_bias(table, 5, bidirectional=False)
    assert (causal[2][~causal_mask(5)] == table[0, 2]).all()


# --- errors


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sinusoidal_positions(3, 0), ValueError, "d_model must be positive, got 0"),
        (lambda: alibi_slopes(0), ValueError, "n_heads must be positive, got 0"),
        (
            lambda: learned_positions(np.ones(3), [0]),
            ShapeError, "table must have shape (max_length, d_model), got (3,)",
        ),
        (
            lambda: learned_positions(np.ones((3, 2)), [0.5]),
            TypeError, "positions must be integers, got float64",
        ),
        (lambda: t5_buckets([0], n_buckets=6), ValueError, "n_buckets must be a multiple of 4, got 6"),
        (
            lambda: t5_buckets([0], max_distance=8),
            ValueError, "max_distance must be above the 8 exact buckets, got 8",
        ),
        (lambda: t5_bias(np.ones(4), 2), ShapeError, "table must have shape (n_buckets, n_heads), got (4,)"),
    ],
)  # fmt: skip
def test_bad_arguments(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
