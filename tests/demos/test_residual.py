"""The demo of the residual path: its Jacobian products against tangents pushed through the same network."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.depth import network
from demos.kit import fmt, frame, grouped, load, percent, scientific
from transformer_core import FeedForwardParams, feed_forward, layer_norm, layer_norm_trace

CORNERS = [
    {"gain": "0.5", "scale": "0.1", "layers": "64"},
    {"gain": "1.5", "scale": "1", "layers": "64", "norm": "true"},
    {"gain": "1.5", "scale": "1", "layers": "64", "residual": "false"},
    {"layers": "1", "norm": "true", "residual": "false"},
    {"layers": "17", "seed": "20"},
]


def values(state):
    demo = load("residual")
    full = demo.complete(state)
    return {name: control.parse(full[name]) for name, control in demo.controls.items()}


def layer(x, n, value, *, kept):
    """Layer n of a state's network on x (..., D)."""
    _, up, down = network.drawn(int(value["seed"]))
    gain = value["gain"]
    inner = layer_norm(x) if value["norm"] else x
    out = feed_forward(inner, FeedForwardParams(up[n] * gain, down[n] * gain))
    return value["scale"] * out + (x if kept else 0)


def tangents(value, last, *, kept):
    """dx_n/dx_0 for n = 0 … last: each unit vector's tangent pushed through layer by layer."""
    x, up, down = network.drawn(int(value["seed"]))
    pushed = np.eye(network.D)
    found = [pushed]
    for n in range(last):
        tangent, inner = pushed, x
        if value["norm"]:
            trace = layer_norm_trace(x)
            inner, unit = trace.output, trace.normalized
            along = (unit * tangent).mean(axis=1, keepdims=True)
            tangent = (tangent - tangent.mean(axis=1, keepdims=True) - unit * along) * trace.inverse_std
        gain = value["gain"]
        slope = inner @ (up[n] * gain) > 0
        moved = (tangent @ (up[n] * gain) * slope) @ (down[n] * gain) * value["scale"]
        pushed = moved + (pushed if kept else 0)
        x = layer(x, n, value, kept=kept)
        found.append(pushed)
    return np.array(found)


def times(growth):
    return fmt(growth) if 0.01 <= growth < 1000 else scientific(growth)


def share(part):
    return percent(part) if part >= 0.001 else scientific(part)


def expected(state):
    """A state's rows: n, growth with and without, the identity's share."""
    value = values(state)
    last = int(value["layers"])
    kept, bare = (tangents(value, last, kept=kept) for kept in (True, False))
    own = math.sqrt(network.D)
    rows = []
    for n, (a, b) in enumerate(zip(kept, bare, strict=True)):
        detour = np.sqrt(((a - np.eye(network.D)) ** 2).sum())
        rows.append(
            [str(n), times(np.sqrt((a**2).sum()) / own), times(np.sqrt((b**2).sum()) / own),
             share(own / (own + detour))]
        )  # fmt: skip
    return rows


def check(state, shown, tables):
    rows = expected(state)
    (found,) = (rows for name, rows in tables(shown.html).items() if name.startswith("‖"))
    assert found[1:] == rows
    _, kept, bare, identity = rows[-1]
    own, other = (kept, bare) if values(state)["residual"] else (bare, kept)
    assert f"through {rows[-1][0]} layers {own} times as large" in shown.say
    assert f"make it {other} times" in shown.say
    assert f"{identity} of it by the identity path" in shown.say


@pytest.mark.parametrize("state", [{}, *CORNERS], ids=str)
def test_the_numbers_are_those_of_the_network(state, sound_frame, tables):
    check(state, sound_frame("residual", state), tables)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("residual"))
    check(state, sound_frame("residual", state), tables)


@pytest.mark.parametrize("norm", ["true", "false"])
@pytest.mark.parametrize("kept", [True, False])
def test_the_product_is_the_slope_of_the_network(norm, kept):
    value = values({"norm": norm, "gain": "0.9", "seed": "3"})
    x = network.drawn(3)[0]
    step = 1e-6

    def through(inputs):
        for n in range(5):
            inputs = layer(inputs, n, value, kept=kept)
        return inputs

    slope = (through(x + step * np.eye(network.D)) - through(x - step * np.eye(network.D))) / (2 * step)
    made = network.measure(3, 0.9, 1.0, norm == "true", 16)
    which = network.WITH if kept else network.WITHOUT
    assert made.growth[5, which] == pytest.approx(np.linalg.norm(slope) / 4, rel=1e-6)
    if kept:
        detour = np.linalg.norm(slope - np.eye(network.D))
        assert made.identity[5] == pytest.approx(4 / (4 + detour), rel=1e-6)


def test_more_layers_lengthen_the_same_curves():
    deep, shallow = (network.measure(2, 0.8, 0.5, True, depth) for depth in (64, 16))
    assert deep.growth[:17] == pytest.approx(shallow.growth)
    assert deep.identity[:17] == pytest.approx(shallow.identity)


def test_without_residuals_the_gradient_vanishes_and_with_them_it_does_not():
    ends = [network.measure(seed, 0.7, 1.0, False, 32).growth[24] for seed in range(1, 11)]
    assert all(kept > 1 > 1e-5 > bare for kept, bare in ends)


def test_a_small_scale_keeps_the_gradient_near_one():
    for seed in range(1, 11):
        assert network.measure(seed, 1.0, 0.1, False, 64).growth[64, network.WITH] == pytest.approx(
            1, abs=0.6
        )


@pytest.mark.parametrize(
    ("state", "said", "unsaid"),
    [
        ({"residual": "false", "layers": "64"}, "in half precision it is 0", "limit"),
        ({"residual": "false", "layers": "2"}, "Without residuals", "float16"),
        ({"gain": "1.5", "layers": "64"}, "beyond float16’s limit, 65,504", "it is 0"),
        ({}, "With residuals", "float16"),
    ],
)
def test_the_sentence_fits_the_state(state, said, unsaid, sound_frame):
    say = sound_frame("residual", state).say
    assert said in say
    assert unsaid not in say


def test_paths_are_counted():
    assert f"for n = 64 that is {grouped(2**64)} paths" in frame("residual", {"layers": "64"}, "en").html


def test_the_formula_is_that_of_the_state():
    assert "xₙ₊₁ = xₙ + 0.5·ReLU(xₙ·W₁)·W₂" in frame("residual", {"scale": "0.5"}).html
    assert "xₙ₊₁ = ReLU(norm(xₙ)·W₁)·W₂" in frame("residual", {"residual": "false", "norm": "true"}).html


@pytest.mark.parametrize("state", [{}, *CORNERS], ids=str)
def test_the_curves_end_where_the_table_ends(state):
    html = frame("residual", state).html
    powers = [int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))) for power in
              re.findall(r'text-anchor="end">10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)<', html)]  # fmt: skip
    heights = [float(y) for y in re.findall(r'class="grid" d="M40 ([\d.]+)H', html)]
    assert len(powers) == len(heights) >= 2
    ends = re.findall(r'<circle class="marker (good|bad)" cx="([\d.]+)" cy="([\d.]+)"', html)
    value = values(state)
    for kind, x, y in ends:
        product = tangents(value, int(value["layers"]), kept=kind == "good")[-1]
        power = math.log10(np.linalg.norm(product) / 4)
        height = np.polyval(np.polyfit(powers, heights, 1), power)
        assert (float(x), float(y)) == (350, pytest.approx(height, abs=0.05))
