"""The demo of the scaling rule: its figures against attention called directly, and its means over seeds."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import scaling
from demos.kit import fmt, percent
from transformer_core import attention_trace, softmax

FACTORS = {"none": lambda d: 1.0, "sqrt": lambda d: d**-0.5, "full": lambda d: 1 / d}
CORNERS = [{"d_k": d, "rule": rule} for d in ("1", "4", "64", "512") for rule in FACTORS]


def drawn(state):
    """The queries and keys of a state, drawn as the demo says, and the rows that its figures stand for."""
    d_k = int(state.get("d_k", "64"))
    draw = np.random.default_rng(int(state.get("seed", "1"))).standard_normal
    return d_k, draw((64, d_k)), draw((8, 8, d_k))


def check_tables(found, state):
    d_k, query, key = drawn(state)
    deviations = found["Standard deviation of the scores"][1:]
    for (_, measured, theory), rule in zip(deviations, FACTORS, strict=True):
        scaled = attention_trace(query, key, key, scale=FACTORS[rule](d_k)).scaled
        assert measured == fmt(scaled.std())
        assert theory == fmt(math.sqrt(d_k) * FACTORS[rule](d_k))
    compared = "full" if state.get("rule") == "full" else "sqrt"
    first = [
        attention_trace(query[:1], key[0], key[0], scale=FACTORS[rule](d_k)) for rule in ("none", compared)
    ]
    for j, row in enumerate(found["The row in the picture"][1:]):
        shown = [cell for trace in first for cell in (fmt(trace.scaled[0, j]), percent(trace.weights[0, j]))]
        assert row[1:] == shown


@pytest.mark.parametrize("state", [{}, *CORNERS], ids=str)
def test_the_numbers_are_those_of_attention(state, sound_frame, tables):
    check_tables(tables(sound_frame("scaling", state).html), state)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("scaling"))
    check_tables(tables(sound_frame("scaling", state).html), state)


def check_figures(found, state, rule):
    d_k, query, key = drawn(state)
    weights = attention_trace(query, key, key, scale=FACTORS[rule](d_k)).weights
    largest, entropy, slope = found[f"How sharp the weights are: {scaling.RULES[rule].en}"][1:]
    row = weights[0, 0]
    assert largest[1:] == [percent(row.max()), percent(weights.max(axis=-1).mean())]
    assert entropy[1] == fmt(-sum(p * math.log(p) for p in row))
    assert slope[1:] == [fmt(np.mean(each * (1 - each)), 4) for each in (row, weights)]


@pytest.mark.parametrize("rule", FACTORS)
def test_the_figures_beside_the_bars(rule, sound_frame, tables):
    state = {"d_k": "16", "seed": "5", "rule": rule}
    found = tables(sound_frame("scaling", state).html)
    check_figures(found, state, "none")
    check_figures(found, state, "full" if rule == "full" else "sqrt")


def mean_over_seeds(d_k, rule, figure):
    return np.mean([getattr(scaling.spread(d_k, seed, rule), figure)[1] for seed in range(1, 41)])


@pytest.mark.parametrize(("d_k", "expected"), [(4, 0.53), (1024, 0.97)])
def test_unscaled_the_largest_weight_grows_with_d_k(d_k, expected):
    assert mean_over_seeds(d_k, "none", "largest") == pytest.approx(expected, abs=0.015)


@pytest.mark.parametrize("d_k", [4, 16, 64, 256, 1024])
def test_scaled_by_the_root_it_stays(d_k):
    assert mean_over_seeds(d_k, "sqrt", "largest") == pytest.approx(0.35, abs=0.015)


@pytest.mark.parametrize("d_k", [1, 16, 512])
@pytest.mark.parametrize("rule", FACTORS)
def test_the_deviation_is_the_theoretical_one(d_k, rule):
    measured = np.mean([scaling.spread(d_k, seed, rule).scores.std() for seed in range(1, 41)])
    assert measured == pytest.approx(math.sqrt(d_k) * FACTORS[rule](d_k), rel=0.05)


def test_entropy_and_slope_by_another_route():
    shown = scaling.spread(16, 3, "none")
    row = softmax(shown.scores[0, 0])
    assert shown.entropy[0] == pytest.approx(-sum(p * math.log(p) for p in row))
    jacobian = np.diag(row) - np.outer(row, row)
    assert shown.slope[0] == pytest.approx(np.trace(jacobian) / 8)
    every = softmax(shown.scores)
    assert shown.slope[1] == pytest.approx(np.mean(every * (1 - every)))
    assert shown.largest == pytest.approx((row.max(), every.max(axis=-1).mean()))


def test_nearly_one_hot_weights_keep_a_finite_entropy():
    shown = scaling.spread(512, 2, "none")
    assert 0 <= shown.entropy[0] < math.log(8)
    assert np.isfinite(shown.entropy).all()


@pytest.mark.parametrize("d_k", [1, 8, 64, 512])
def test_the_histogram_is_a_density(d_k):
    scores = scaling.drawn_scores(d_k, 1)
    edges, heights = scaling.binned(scores, math.sqrt(d_k))
    assert edges[0] == -edges[-1] == -min(32, 6 * math.sqrt(d_k))
    for left, right, height in zip(edges[:-1], edges[1:], heights, strict=True):
        inside = sum(left <= score < right for score in scores.flat)
        assert height * (right - left) * scores.size == pytest.approx(inside)


def test_every_bin_is_drawn(sound_frame):
    _, heights = scaling.binned(scaling.spread(64, 1, "sqrt").scores, 1.0)
    bars = re.findall(r'class="bin"[^>]*height="([\d.]+)"', sound_frame("scaling", {"rule": "sqrt"}).html)
    drawn = np.array([float(bar) for bar in bars])
    assert drawn / drawn.max() == pytest.approx(heights / heights.max(), abs=0.001)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"d_k": "512"}, "close to one-hot"),
        ({"d_k": "4"}, "not saturated"),
        ({"d_k": "512", "rule": "sqrt"}, "stay about the same"),
        ({"d_k": "512", "rule": "full"}, "near equal shares (12.5%)"),
        ({"d_k": "1", "rule": "full"}, "stay about the same"),
    ],
)
def test_the_sentence_fits_the_state(state, said, sound_frame):
    assert said in sound_frame("scaling", state).say


def test_the_sentence_has_the_state_s_own_figures(sound_frame):
    say = sound_frame("scaling", {"d_k": "256", "seed": "7"}).say
    shown = scaling.spread(256, 7, "none")
    for figure in (fmt(shown.scores.std()), percent(shown.largest[1]), fmt(shown.slope[1], 4), "√256 = 16"):
        assert figure in say
