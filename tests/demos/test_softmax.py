"""The softmax demo: its steps against the core, and each way in which a number format breaks."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, percent, scientific, short
from demos.softmax import EDGES, limit, number, steps
from transformer_core import softmax, softmax_trace

NAME = "softmax"
CAPTION = "three scores, a column each"
ODD = "NaN ∞"
SMALLEST = {"float16": 6.0e-8, "float32": 1.4e-45, "float64": 4.9e-324}


def parts(state):
    whole = load(NAME).complete(state)
    z = np.array([float(whole[name]) for name in ("z1", "z2", "z3")]) / float(whole["temperature"])
    return z, np.dtype(whole["dtype"]), whole["shift"] == "true", float(whole["temperature"])


def read(shown):
    """A cell as a number."""
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    plain = shown.replace("∞", "inf").translate(raised)
    return float(plain.replace("×10", "e"))


def check(state, html, tables):
    z, dtype, shift, _ = parts(state)
    with np.errstate(over="ignore"):
        trace = softmax_trace(z, subtract_max=shift, dtype=dtype)
    rows = {row[0]: row[1:] for row in tables(html)[CAPTION][1:]}
    assert rows["z/T"][:3] == [number(value) for value in z.astype(dtype)]
    assert ("− max" in rows) == shift
    if shift:
        assert rows["− max"][:3] == [number(value) for value in trace.shifted]
    close = {"rel": max(4e-4, 4 * float(np.finfo(dtype).eps)), "abs": 1e-4}
    shown = [read(cell) for cell in rows["exp"]]
    for got, expected in zip(shown, [*trace.exponentials, trace.total[0]], strict=True):
        # with one digit behind the point where there is a power of ten
        assert got == pytest.approx(float(expected), **{**close, "rel": 0.06}) or not np.isfinite(expected)
        assert np.isinf(got) == np.isinf(expected)
    weights = [read(cell) for cell in rows["÷ sum"][:3]]
    broken = np.isinf(trace.total[0]) or trace.total[0] == 0
    if not broken:
        assert weights == pytest.approx(softmax(z.astype(dtype).astype(float)), abs=2e-3)
        assert read(rows["÷ sum"][3]) == pytest.approx(1, abs=3e-3)
    elif np.isinf(trace.exponentials).any():
        assert [np.isnan(weight) for weight in weights] == np.isinf(trace.exponentials).tolist()
    else:
        assert all(np.isnan(weight) if trace.total[0] == 0 else weight == 0 for weight in weights)
    return broken


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shift", ["false", "true"])
@pytest.mark.parametrize("z", [(2, 1, 0), (11, 11, 0), (100, -20, 3), (-20, -20, -20), (50.5, 50.4, -3)])
@pytest.mark.parametrize("temperature", ["0.1", "1", "10"])
def test_the_steps_are_those_of_the_core(dtype, shift, z, temperature, sound_frame, tables):
    state = {"z1": str(z[0]), "z2": str(z[1]), "z3": str(z[2])}
    state |= {"dtype": dtype, "shift": shift, "temperature": temperature}
    broken = check(state, sound_frame(NAME, state, may_say=ODD).html, tables)
    assert not (broken and shift == "true"), "the maximum is subtracted, and yet it breaks"


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state, may_say=ODD).html, tables)


def test_the_default_row(tables):
    rows = tables(frame(NAME, None, "en").html)[CAPTION][1:]
    assert rows[1] == ["exp", "7.3891", "2.7183", "1", "11.1073"]
    assert rows[2] == ["÷ sum", *(short(w, 4) for w in softmax([2.0, 1.0, 0.0])), "1"]


@pytest.mark.parametrize(
    ("dtype", "fits", "breaks", "temperature"),
    [("float16", "11", "11.1", "1"), ("float32", "88.7", "88.8", "1"), ("float64", "70.9", "71", "0.1")],
)
def test_the_edge_of_each_format(dtype, fits, breaks, temperature):
    def fate(z, shift):
        return steps((float(z), 1.0, 0.0), float(temperature), dtype, shift).fate

    assert fate(fits, False) == "fine"
    assert fate(breaks, False) == "overflow"
    assert fate(breaks, True) in ("fine", "vanished")
    exact = math.log(float(np.finfo(dtype).max))
    assert float(fits) / float(temperature) < exact < float(breaks) / float(temperature)
    assert limit(dtype) == pytest.approx(exact)
    state = {"z1": breaks, "dtype": dtype, "temperature": temperature}
    say = frame(NAME, state, "en").say
    assert f"above x = {fmt(exact, 2)} it is ∞" in say
    assert "∞" not in frame(NAME, {**state, "shift": "true"}, "en").say


def test_limits_are_the_ones_of_the_course():
    assert [fmt(limit(dtype), 2) for dtype in ("float16", "float32")] == ["11.09", "88.72"]


def test_a_sum_that_overflows_alone():
    made = steps((11.0, 11.0, 0.0), 1.0, "float16", False)
    assert made.fate == "total"
    assert np.isfinite(made.exponentials).all()
    assert made.weights.tolist() == [0, 0, 0]
    say = frame(NAME, {"z1": "11", "z2": "11", "z3": "0", "dtype": "float16"}, "en").say
    assert "Each exponential fits, but their sum passes 65504" in say
    assert "z₁ has 50.0%" in say


def test_scores_so_low_that_nothing_is_left():
    state = {"z1": "-20", "z2": "-19", "z3": "-20", "dtype": "float16"}
    made = steps((-20.0, -19.0, -20.0), 1.0, "float16", False)
    assert made.fate == "underflow"
    assert np.isnan(made.weights).all()
    assert made.right == pytest.approx(softmax([-20.0, -19.0, -20.0]))
    say = frame(NAME, state, "en").say
    assert "even e^−19 is 0 in float16" in say
    assert f"z₂ has {percent(softmax([-20.0, -19.0, -20.0])[1])}" in say


def test_a_zero_that_does_no_harm():
    made = steps((100.0, -20.0, 99.0), 1.0, "float32", True)
    assert made.fate == "vanished"
    assert made.weights[1] == 0
    assert made.weights.sum() == pytest.approx(1)
    say = frame(NAME, {"z1": "100", "z2": "-20", "z3": "99", "shift": "true"}, "en").say
    assert "lies 120 below the largest" in say


def test_bars_show_the_right_weights_where_the_formula_breaks():
    html = frame(NAME, {"z1": "88.8", "z2": "88.8"}, "en").html
    assert "The weights once the maximum is subtracted" in html
    assert re.findall(r'bar-number">([^<]*)<', html) == ["50.0%", "50.0%", "0.0%"]
    assert "The weights once" not in frame(NAME, {"z1": "88.7"}, "en").html


def test_temperature_sharpens_and_flattens_and_says_so():
    for temperature, word in (("0.5", "sharpens"), ("4", "flattens")):
        say = frame(NAME, {"temperature": temperature}, "en").say
        assert word in say
        assert f"at T = 1 the largest is {percent(softmax([2.0, 1.0, 0.0])[0])}" in say
        assert percent(softmax(np.array([2.0, 1.0, 0.0]) / float(temperature))[0]) in say
    same = {"z1": "1", "z2": "1", "z3": "1", "temperature": "0.5"}
    assert "sharpens" not in frame(NAME, same, "en").say


def test_the_bounds_of_the_formats(tables):
    rows = tables(frame(NAME, None, "en").html)["The bounds of each format"][1:]
    for name, largest, above, least, below in rows:
        assert largest == scientific(float(np.finfo(name).max), 3)
        assert read(least) == pytest.approx(SMALLEST[name], rel=0.02)
        assert read(below) == pytest.approx(math.log(SMALLEST[name]), abs=0.02)
        assert above == fmt(math.log(float(np.finfo(name).max)), 2)


def test_presets_lead_over_the_edge():
    for words, attributes in EDGES[:3]:
        state = dict(part.split("=") for part in attributes["data-set"].split("&"))
        made = frame(NAME, state, "en")
        assert words.en.split()[-1] in made.say
        assert "✗ overflow" in made.html


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (2.0, "2"),
        (0.00005, "5.0×10⁻⁵"),
        (9999.04, "9999"),
        (10000.0, "1.0×10⁴"),
        (123.46, "123.5"),
        (-700.0, "−700"),
        (np.inf, "∞"),
        (np.nan, "NaN"),
    ],
)
def test_number(value, shown):
    assert number(value) == shown
