"""Rotary positions and their scalings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from transformer_core import (
    ShapeError,
    ntk_base,
    rope,
    rope_frequencies,
    yarn_frequencies,
    yarn_magnitude,
)

B, H, S, d_k = 2, 3, 5, 14
PAIRS = [*range(0, d_k, 2), *range(1, d_k, 2)]  # interleaved order -> half-split order
x = np.random.default_rng(0).standard_normal((B, H, S, d_k))


# --- what only a right RoPE does


def check_exact(rope):
    """One pair at position 1 turns by one radian."""
    assert_allclose(rope([[1.0, 0.0], [1.0, 0.0]]), [[1, 0], [math.cos(1), math.sin(1)]], rtol=1e-14)
    assert_allclose(rope([[0.0, 1.0]], [1]), [[-math.sin(1), math.cos(1)]], rtol=1e-14)


def check_loops(rope, oracles):
    expected = [oracles.rope_interleaved(row, position, 10000) for position, row in enumerate(x[1, 2])]
    assert_allclose(rope(x)[1, 2], expected, rtol=1e-11)


def check_base(rope, oracles):
    expected = [oracles.rope_interleaved(row, position, 500) for position, row in enumerate(x[0, 0])]
    assert_allclose(rope(x, base=500.0)[0, 0], expected, rtol=1e-11)


def check_half_split(rope):
    assert_allclose(rope(x[..., PAIRS], layout="half-split"), rope(x)[..., PAIRS], rtol=1e-12)


def check_positions(rope):
    assert_allclose(rope(x[..., 3:, :], positions=[3, 4]), rope(x)[..., 3:, :], rtol=1e-12)
    own = np.array([[0, 1, 2, 3, 4], [7, 8, 9, 10, 11]])[:, None, :]  # (B, 1, S)
    assert_allclose(rope(x, positions=own)[1], rope(x[1], positions=np.arange(7, 12)), rtol=1e-12)


def check_partial(rope):
    turned = rope(x, rotary_dim=6)
    assert np.array_equal(turned[..., 6:], x[..., 6:])
    assert_allclose(turned[..., :6], rope(x[..., :6]), rtol=1e-12)


def check_partial_half_split(rope):
    turned = rope(x, rotary_dim=6, layout="half-split")
    assert_allclose(turned[..., :6], rope(x[..., :6], layout="half-split"), rtol=1e-12)


def check_frequencies(rope):
    slow = rope_frequencies(d_k) / 4
    assert_allclose(rope(x, frequencies=slow), rope(x, positions=np.arange(S) / 4), rtol=1e-12)


def check_magnitude(rope):
    assert_allclose(rope(x, magnitude=1.5), 1.5 * rope(x), rtol=1e-12)


def check_far_positions_keep_their_digits(rope):
    """The second pair turns by 0.01 a step, which float32 does not hold exactly."""
    far = rope(np.ones((1, 4), np.float32), positions=[100_003])
    angle = 1000.03
    assert far.dtype == np.float32
    assert_allclose(
        far[0, 2:], [math.cos(angle) - math.sin(angle), math.sin(angle) + math.cos(angle)], atol=1e-6
    )


def check_input_untouched(rope):
    copy = x.copy()
    rope(x)
    assert np.array_equal(x, copy)


def test_rope(check, run_check):
    run_check(check, rope)


def test_wrong_rope_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


def test_mutants_are_right_but_for_their_fault(check, run_check, assembly):
    run_check(check, assembly)


# --- properties


@given(
    half=st.integers(1, 5),
    layout=st.sampled_from(["interleaved", "half-split"]),
    first=st.integers(0, 500),
    offset=st.integers(-50, 50),
    moved=st.integers(0, 500),
    seed=st.integers(0, 99),
)
def test_scores_depend_on_the_offset_alone(half, layout, first, offset, moved, seed):
    query, key = np.random.default_rng(seed).standard_normal((2, 1, 2 * half))

    def score(position):
        turned = rope(query, [position], layout=layout), rope(key, [position + offset], layout=layout)
        return float(np.sum(turned[0] * turned[1]))

    assert math.isclose(score(first), score(first + moved), rel_tol=1e-9, abs_tol=1e-9)


@given(dtype=st.sampled_from(["f2", "f4", "f8"]), seed=st.integers(0, 99), position=st.integers(0, 10_000))
def test_lengths_stay(dtype, seed, position):
    vector = np.random.default_rng(seed).standard_normal((1, 8)).astype(dtype)
    turned = rope(vector, [position])
    assert turned.dtype == dtype
    lengths = [float(np.linalg.norm(v.astype("f8"))) for v in (turned, vector)]
    assert math.isclose(*lengths, rel_tol=8 * np.finfo(dtype).eps)


def test_position_zero_and_no_tokens():
    assert np.array_equal(rope(x, positions=[0] * S), x)
    assert rope(x[..., :0, :]).shape == (B, H, 0, d_k)


# --- frequencies and their scalings


def test_frequencies():
    assert_allclose(rope_frequencies(6, base=100.0), [1, 100 ** (-1 / 3), 100 ** (-2 / 3)], rtol=1e-14)


@pytest.mark.parametrize(("d_rot", "factor"), [(64, 4.0), (128, 8.0), (6, 2.0)])
def test_ntk_slows_the_slowest_by_the_factor_and_spares_the_fastest(d_rot, factor):
    ratio = rope_frequencies(d_rot) / rope_frequencies(d_rot, base=ntk_base(10_000, factor, d_rot))
    assert_allclose(ratio[[0, -1]], [1, factor], rtol=1e-12)
    assert (np.diff(ratio) > 0).all()


@pytest.mark.parametrize(
    ("d_rot", "length", "borders"),
    [
        (128, 4096, (20, 46)),  # Llama 2's 4096 stretched eight times
        (2048, 4096, (335, 721)),  # wide enough to tell 32 turns from 33
        (8, 10**9, (6, 7)),  # so long that the last pair turns more than once: the upper border is d_rot - 1
    ],
)
def test_yarn_against_its_definition(d_rot, length, borders):
    """By the released code's own steps, with plain numbers."""
    base, factor = 10_000.0, 8.0
    low = math.floor(d_rot * math.log(length / (32 * 2 * math.pi)) / (2 * math.log(base)))
    high = math.ceil(d_rot * math.log(length / (1 * 2 * math.pi)) / (2 * math.log(base)))
    low, high = max(low, 0), min(high, d_rot - 1)
    assert (low, high) == borders
    expected = []
    for pair in range(d_rot // 2):
        own = base ** (-2 * pair / d_rot)
        slowed = min(max((pair - low) / (high - low), 0), 1)
        expected.append(own / factor * slowed + own * (1 - slowed))
    scaled = yarn_frequencies(d_rot, factor=factor, original_length=length)
    assert_allclose(scaled, expected, rtol=1e-13)
    assert_allclose(scaled[:low], rope_frequencies(d_rot)[:low], rtol=1e-14)
    assert_allclose(scaled[high:], rope_frequencies(d_rot)[high:] / factor, rtol=1e-14)


def test_yarn_of_factor_one_changes_nothing():
    assert_allclose(yarn_frequencies(64, factor=1, original_length=2048), rope_frequencies(64), rtol=1e-15)
    assert yarn_magnitude(1) == 1
    assert yarn_magnitude(0.5) == 1
    assert math.isclose(yarn_magnitude(math.exp(2)), 1.2)
    assert math.isclose(yarn_magnitude(math.exp(0.5)), 1.05)


def test_yarn_of_a_length_that_no_pair_fills():
    """So short that the two borders fall together below the first pair: everything slows."""
    scaled = yarn_frequencies(8, factor=2, original_length=4)
    assert_allclose(scaled[1:], rope_frequencies(8)[1:] / 2, rtol=1e-14)


# --- errors


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rope(np.ones((2, 3))), ValueError, "d_rot must be even, since entries turn in pairs, got 3"),
        (lambda: rope(np.ones(4)), ShapeError, "x must have shape (..., S, d_k), got (4,)"),
        (lambda: rope(x, rotary_dim=16), ShapeError, "rotary_dim must lie in 1..d_k=14, got 16"),
        (lambda: rope(x, rotary_dim=0), ShapeError, "rotary_dim must lie in 1..d_k=14, got 0"),
        (lambda: rope(x, positions=[1, 2]), ShapeError, "positions must broadcast to (2, 3, S=5), got (2,)"),
        (
            lambda: rope(x, frequencies=[1.0]),
            ShapeError, "frequencies must have shape (rotary_dim/2=7,), got (1,)",
        ),
        (
            lambda: rope(x, layout="half"),
            ValueError, "layout must be one of 'interleaved', 'half-split', got 'half'",
        ),
        (lambda: rope_frequencies(4, base=0), ValueError, "base must be positive, got 0"),
        (lambda: ntk_base(10_000, 4, 2), ValueError, "d_rot must be above 2, got 2"),
        (
            lambda: yarn_frequencies(64, factor=-1, original_length=2),
            ValueError, "factor must be positive, got -1",
        ),
    ],
)  # fmt: skip
def test_bad_arguments(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
