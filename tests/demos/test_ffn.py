"""The demo of the feed-forward layer: counts against real arrays, the small layer against plain loops."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import ffn
from demos.kit import fmt, frame, grouped, load, percent, short
from transformer_core import X

BENT = {
    "relu": lambda h: max(h, 0.0),
    "gelu": lambda h: h * 0.5 * math.erfc(-h / math.sqrt(2)),
    "swiglu": lambda h: h / (1 + math.exp(-h)),
}
CORNERS = [
    {"kind": kind, "d_model": d_model, "ratio": ratio}
    for kind in BENT
    for d_model, ratio in (("2", "8/3"), ("12288", "8"), ("768", "1"))
]


def values(state):
    demo = load("ffn")
    full = demo.complete(state)
    return {name: control.parse(full[name]) for name, control in demo.controls.items()}


def row_times(row, matrix):
    """A row vector times a matrix, one product at a time."""
    return [sum(row[i] * matrix[i][j] for i in range(len(row))) for j in range(len(matrix[0]))]


def by_hand(kind, x):
    """The small layer's steps for one token: hidden, activated, up, inner, output."""
    hidden = row_times(x, ffn.W_1)
    activated = [BENT[kind](h) for h in hidden]
    up = row_times(x, ffn.W_UP)
    inner = [a * u for a, u in zip(activated, up, strict=True)] if kind == "swiglu" else activated
    return hidden, activated, up, inner, row_times(inner, ffn.W_2)


def check_small(found, state):
    value = values(state)
    hidden, activated, up, inner, _ = by_hand(value["kind"], value["x"][value["token"]])
    steps = [hidden, activated, up, inner] if value["kind"] == "swiglu" else [hidden, activated]
    (numbers,) = (rows[1:] for name, rows in found.items() if name.startswith("The hidden values"))
    (picture,) = (rows[1:] for name, rows in found.items() if name.endswith(", four wide"))
    assert [row[1:] for row in numbers] == [[fmt(h, 4) for h in step] for step in steps]
    assert [row[1:] for row in picture] == [[short(h) for h in step] for step in steps]


def vector(entries):
    return f"[{', '.join(short(entry) for entry in entries)}]"


def check_tokens(found, state):
    value = values(state)
    rows = found["The outputs of all three tokens"][1:]
    for row, old, new in zip(rows, X.tolist(), value["x"], strict=True):
        before, after = (vector(by_hand(value["kind"], x)[4]) for x in (old, new))
        assert row[1:] == [before, after, "the same" if before == after else "changed"]


def check_counts(found, state):
    value = values(state)
    d = int(value["d_model"])
    d_ff = math.floor(Fraction(value["ratio"]) * d)
    wide, narrow = (f"({d}, {d_ff})", d * d_ff), (f"({d_ff}, {d})", d * d_ff)
    parts = [wide, wide, narrow] if value["kind"] == "swiglu" else [wide, narrow]
    total = sum(count for _, count in parts)
    rows = found["Parameters"][1:]
    assert [row[1:] for row in rows[: len(parts)]] == [[shape, grouped(count)] for shape, count in parts]
    rest = [total] if value["kind"] == "swiglu" else [total, total + d_ff + d]
    assert [row[2] for row in rows[len(parts) :]] == [grouped(count) for count in (*rest, 4 * d * d)]
    return d, total


@pytest.mark.parametrize(
    "state", [{}, *CORNERS, {"x": "-9,9,9,-9,0,0", "kind": "gelu", "token": "1"}], ids=str
)
def test_the_numbers_are_those_of_the_layer(state, sound_frame, tables):
    html = sound_frame("ffn", state).html
    found = tables(html)
    check_small(found, state)
    check_tokens(found, state)
    d, total = check_counts(found, state)
    shares = re.findall(r'<span class="bar-number">([^<]*)<', html)
    assert shares == [percent(total / (total + 4 * d * d)), percent(4 * d * d / (total + 4 * d * d))]


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("ffn"))
    found = tables(sound_frame("ffn", state).html)
    check_small(found, state)
    check_tokens(found, state)
    check_counts(found, state)


@pytest.mark.parametrize(
    ("state", "sum_"),
    [
        ({}, "2 × 512 × 2,048 = 2,097,152 = 8d²"),
        ({"kind": "swiglu", "d_model": "768", "ratio": "8/3"}, "3 × 768 × 2,048 = 4,718,592 = 8d²"),
        ({"kind": "swiglu", "d_model": "512", "ratio": "8/3"}, "3 × 512 × 1,365 = 2,096,640 ≈ 7.998d²"),
    ],
)
def test_the_count_is_written_out(state, sum_):
    assert sum_ in frame("ffn", state, "en").html


def test_what_llama_makes_of_it():
    state = {"kind": "swiglu", "d_model": "4096", "ratio": "8/3"}
    assert "10,922 up to a multiple of 256: 11,008." in frame("ffn", state, "en").html
    assert "multiple of 256" not in frame("ffn", {**state, "d_model": "768"}, "en").html


def test_the_small_example_of_the_chapter():
    assert "[1, 0] → [1, 0, 1, 0] → [1, 0, 1, 0] → [2, 0]" in frame("ffn").html


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_sentence_names_who_changed_and_who_did_not(data, any_state):
    state = data.draw(any_state("ffn"))
    replaced = data.draw(st.sets(st.integers(0, 2)))
    given_x = np.array(values(state)["x"])
    x = np.where([[i in replaced] for i in range(3)], given_x, X)
    state["x"] = ",".join(f"{cell:g}" for cell in x.ravel())
    changed = [f"x{'₁₂₃'[i]}" for i in range(3) if (x[i] != X[i]).any()]
    say = frame("ffn", state, "en").say
    if len(changed) in (0, 3):
        assert "mixes no tokens" not in say
    else:
        kept = [name for name in ("x₁", "x₂", "x₃") if name not in changed]
        assert f"{' and '.join(changed)} changed, and no number of {' and '.join(kept)} did" in say


def test_pressing_the_button_changes_another_token_and_back():
    def setting(state):
        (found,) = re.findall(r'data-set="x=([^"]*)"', frame("ffn", state).html)
        return found

    assert setting({}) == "1,0,5,-3,1,1"
    assert setting({"token": "2"}) == "5,-3,0,1,1,1"
    assert setting({"x": "1,0,5,-3,1,1"}) == "1,0,0,1,1,1"
    for state in ({"x": setting({"kind": kind}), "kind": kind} for kind in BENT):
        assert "x₂ changed" in frame("ffn", state, "en").say


@pytest.mark.parametrize("kind", BENT)
@pytest.mark.parametrize("x", ["1,0,0,1,1,1", "-7,8.5,0,0,0,0"])
def test_the_hidden_values_lie_on_the_curve(kind, x):
    html = frame("ffn", {"kind": kind, "x": x}).html
    (curve,) = re.findall(r'<polyline[^>]*points="([^"]*)"', html)
    points = [tuple(map(float, point.split(","))) for point in curve.split()]
    dots = re.findall(r'<circle class="marker value" cx="([\d.]+)" cy="([\d.]+)"', html)
    assert len(dots) == 4
    for x_dot, y_dot in (map(float, dot) for dot in dots):
        expected = np.interp(x_dot, [p[0] for p in points], [p[1] for p in points])
        assert y_dot == pytest.approx(expected, abs=0.6)
