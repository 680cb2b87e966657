"""The mask demo: its three stages against the core, and what each way does to a row's sum."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, percent
from demos.kit.shipped import shipped_frames
from demos.masking.cases import KEY, QUERY, SENTENCE, judge, sequence, stages, visible
from transformer_core import W_K, W_Q, X, attention_trace

NAME = "causal-mask"
ORDER = {"right": [0, 1, 2, 3, 4, 5], "left": [4, 5, 0, 1, 2, 3]}
FILLS = {"inf": -np.inf, "big": -1e9, "half": -np.inf, "zero": 0.0}  # -1e9 is no float16
SIGNS = "NaN ∞"


def expected_mask(data, mask):
    """Who sees whom, pair by pair."""
    real = [True] * 3 if data == "we" else [SENTENCE[n] != "PAD" for n in ORDER[data]]
    size = len(real)
    seen = np.ones((size, size), bool)
    for i in range(size):
        for j in range(size):
            seen[i, j] = not (mask in ("causal", "both") and j > i) and (
                mask not in ("padding", "both") or real[j]
            )
    return seen


def expected(data, mask, fill, late):
    """The three stages, worked out without the demo's code; a row of nothing is zeros."""
    query, key = (X @ W_Q, X @ W_K) if data == "we" else (QUERY[ORDER[data]], KEY[ORDER[data]])
    scaled = query @ key.T / np.sqrt(query.shape[1])
    seen = expected_mask(data, mask)

    def weights(scores):
        rows = []
        for row in scores:
            raised = [math.exp(score - row.max()) if score > -np.inf else 0.0 for score in row]
            rows.append([part / (sum(raised) or 1) for part in raised])
        return np.array(rows)

    if late:
        return scaled, weights(scaled), np.where(seen, weights(scaled), FILLS[fill])
    masked = np.where(seen, scaled, FILLS[fill])
    return scaled, masked, weights(masked)


def shown(value, digits):
    if value == 0:
        return "0"
    return {-1e9: "−1×10⁹", -2e9: "−2×10⁹"}.get(value) or fmt(value, digits)


def check(html, state, tables):
    data, stage = state["data"], int(state["stage"])
    made = expected(data, state["mask"], state["fill"], state["late"] == "true")[stage]
    digits = 3 if data == "we" else 2
    found = tables(html)["rows: queries, columns: keys"]
    size = len(made)
    assert len(found) == size + 1
    for row, numbers in zip(found[1:], made, strict=True):
        if state["fill"] == "half":  # three digits, and then rounding
            for cell, number in zip(row[1 : size + 1], numbers, strict=True):
                assert float(cell.replace("−", "-").replace("∞", "inf")) == pytest.approx(number, abs=0.006)
        else:
            assert row[1 : size + 1] == [shown(number, digits) for number in numbers]


def complete(**state):
    return load(NAME).complete(state)


@pytest.mark.parametrize("data", ["we", "right", "left"])
@pytest.mark.parametrize("mask", ["causal", "padding", "both", "none"])
@pytest.mark.parametrize("late", ["false", "true"])
def test_every_stage_of_every_fill(data, mask, late, sound_frame, tables):
    for fill in FILLS:
        for stage in "012":
            state = complete(data=data, mask=mask, late=late, fill=fill, stage=stage)
            check(sound_frame(NAME, state, may_say=SIGNS).html, state, tables)


@pytest.mark.parametrize("mask", ["causal", "padding", "both"])
@pytest.mark.parametrize("data", ["we", "right", "left"])
def test_minus_infinity_in_time_is_attention_with_a_mask(data, mask):
    query, key = (X @ W_Q, X @ W_K) if data == "we" else (QUERY[ORDER[data]], KEY[ORDER[data]])
    trace = attention_trace(query, key, key, expected_mask(data, mask))
    assert stages(data, mask, "inf", False).weights == pytest.approx(trace.weights, abs=1e-6)


def test_the_row_of_the_course_without_and_with_the_mask(tables):
    def row(**state):
        found = tables(frame(NAME, complete(stage="2", data="right", **state), "en").html)
        return next(cells for cells in found["rows: queries, columns: keys"] if cells[0] == "my")

    scaled = sequence("right").scaled[SENTENCE.index("my")]
    assert scaled.tolist() == [2, 1, 3, 2, 4, 5]
    assert row(mask="none")[5:7] == ["0.23", "0.62"]
    assert row(mask="padding")[1:7] == ["0.20", "0.07", "0.53", "0.20", "0", "0"]
    say = frame(NAME, complete(stage="2", data="right", mask="none"), "en").say
    assert "[0.031, 0.011, 0.083, 0.031, 0.227, 0.617]" in say
    assert "84.4% of its weight to PAD" in say
    say = frame(NAME, complete(stage="2", data="right", mask="padding"), "en").say
    assert "[0.197, 0.072, 0.534, 0.197, 0, 0]" in say


WAYS = {
    ("inf", False): "right",
    ("big", False): "right",
    ("half", False): "right",
    ("zero", False): "leaks",
    ("inf", True): "breaks",
    ("big", True): "breaks",
    ("half", True): "breaks",
    ("zero", True): "breaks",
}


@pytest.mark.parametrize("data", ["we", "right", "left"])
@pytest.mark.parametrize(("way", "kind"), WAYS.items())
def test_which_way_breaks_the_row_sum(data, way, kind):
    fill, late = way
    assert judge(data, "causal", fill, late).kind == kind


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_table_of_ways_tells_sums_and_leaks(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    html = sound_frame(NAME, state, may_say=SIGNS).html
    names = {"causal": "causal", "padding": "padding", "both": "both", "none": "none"}
    rows = tables(html)[f"Row sums of every way, mask: {names[state['mask']]}"][1:]
    seen = expected_mask(state["data"], state["mask"])
    some = seen.any(axis=-1)
    for (_, low, high, leak, verdict), (fill, late) in zip(rows, WAYS, strict=True):
        weights = expected(state["data"], state["mask"], fill, late)[2][some]
        sums = weights.sum(axis=-1)
        lost = max(0, np.where(seen[some], 0, weights).sum(axis=-1).max())
        if fill != "half":
            assert leak == percent(lost)
            if np.isfinite(sums).all() and sums.min() > -1e6:
                assert (low, high) == (fmt(sums.min()), fmt(sums.max()))
        holds = np.allclose(sums, 1)
        assert verdict == ("✗ sum" if not holds else "✗ leaks" if lost > 0 else "✓")


def test_a_row_that_sees_nothing(sound_frame, tables):
    state = complete(stage="2", data="left", mask="both")
    made = sound_frame(NAME, state, may_say=SIGNS)
    found = tables(made.html)
    weights = [row[1:7] for row in found["rows: queries, columns: keys"][1:3]]
    assert weights == [["0"] * 6] * 2
    ours, bare, finite = (row[1] for row in found["A row that sees no key at all"][1:4])
    assert (ours, bare, finite) == ("0", "NaN", fmt(1 / 6))
    assert made.say.endswith(
        "2 rows see no key at all: the softmax here gives them zeros, the bare formula 0 ÷ 0."
    )


@pytest.mark.parametrize(
    ("fill", "late", "fate"),
    [
        ("half", "false", "gives them zeros"),
        ("big", "false", "all their scores are −1e9, so all keys share equally"),
        ("zero", "false", "all their scores are 0, so all keys share equally"),
        ("zero", "true", "they hold nothing but 0"),
        ("inf", "true", "they hold nothing but −∞"),
    ],
)
def test_the_sentence_about_empty_rows_fits(fill, late, fate, tables):
    made = frame(NAME, complete(stage="2", data="left", mask="both", fill=fill, late=late), "en")
    assert fate in made.say
    first = tables(made.html)["rows: queries, columns: keys"][1][1:7]
    assert len(set(first)) == 1
    by_fate = {"share equally": "0.17", "zeros": "0", "nothing but 0": "0", "nothing but −∞": "−∞"}
    assert first[0] == next(cell for words, cell in by_fate.items() if words in fate)


@pytest.mark.parametrize("data", ["we", "right"])
def test_no_empty_rows_no_word_of_them(data, tables):
    for mask in ("causal", "padding", "both", "none"):
        made = frame(NAME, complete(stage="2", data=data, mask=mask), "en")
        assert "no key" not in made.say
        assert "A row that sees no key at all" not in tables(made.html)


def test_float16_cannot_hold_it_and_the_page_says_so(tables):
    made = frame(NAME, complete(stage="1", fill="half"), "en")
    assert "float16 ends at −65504" in made.say
    cells = [cell for row in tables(made.html)["rows: queries, columns: keys"][1:] for cell in row[1:]]
    assert cells.count("−∞") == 3
    assert np.finfo(np.float16).min == -65504


def test_hidden_places_are_marked_and_leaks_are_wrong():
    def classes(**state):
        html = frame(NAME, complete(stage="2", **state), "en").html
        return re.findall(r'<td class="(hidden|wrong)"', html)

    assert classes() == ["hidden"] * 3
    assert classes(fill="zero") == ["wrong"] * 3
    assert classes(fill="zero", late="true") == ["hidden"] * 3
    assert classes(mask="none") == []


def test_weights_are_tinted_by_their_size_and_scores_are_not():
    def tints(**state):
        html = frame(NAME, complete(**state), "en").html
        return [float(tint) for tint in re.findall(r"--heat:([\d.]+)", html)]

    weights = expected("we", "causal", "inf", False)[2]
    assert tints(stage="2") == pytest.approx(weights.ravel(), abs=1e-3)
    assert tints(stage="1", late="true") == pytest.approx(
        expected("we", "none", "inf", False)[2].ravel(), abs=1e-3
    )
    assert tints(stage="0") == tints(stage="1") == []


def test_the_lost_share_in_the_sentence():
    say = frame(NAME, complete(stage="2", mask="none"), "en").say
    weights = attention_trace(X @ W_Q, X @ W_K, X).weights
    assert f"token 1 gives {percent(weights[0, 1:].sum())} of its weight to the future" in say
    late = frame(NAME, complete(stage="1", late="true"), "en").say
    assert f"take up to {percent(weights[0, 1:].sum())} of a row" in late


def test_masks_of_the_core_are_the_ones_spelt_out_here():
    for data in ("we", "right", "left"):
        for mask in ("causal", "padding", "both", "none"):
            assert np.array_equal(visible(data, mask), expected_mask(data, mask))


def test_all_its_frames_lie_beside_the_page():
    shipped = shipped_frames(NAME, "en")
    assert len(shipped["states"]) == 288
    assert len(shipped["frames"]) < 150
