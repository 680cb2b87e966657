"""From X to the output: each step's matrices against the core, true shapes, symmetry as it is."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, short
from transformer_core import attention_trace

NAME = "qkv-matrix"
CAPTIONS = {0: "X (3, 2)", 2: "scores S", 3: "scaled Z", 4: "weights A", 5: "O = A V"}


def made(state):
    """All that the state's matrices give, straight from the core."""
    whole = load(NAME).complete(state)
    x, w_q, w_k, w_v = (
        np.array(whole[name].split(","), float).reshape(-1, 2) for name in ("x", "w_q", "w_k", "w_v")
    )
    projected = {"Q": x @ w_q, "K": x @ w_k, "V": x @ w_v}
    trace = attention_trace(projected["Q"], projected["K"], projected["V"])
    return x, projected, trace


def result(state):
    whole = load(NAME).complete(state)
    x, projected, trace = made(state)
    step = int(whole["step"])
    values = {
        0: x,
        1: projected[whole["of"]],
        2: trace.scores,
        3: trace.scaled,
        4: trace.weights,
        5: trace.output,
    }
    return values[step], CAPTIONS.get(step, f"{whole['of']} = X W_{whole['of']}")


def check(state, html, tables):
    values, caption = result(state)
    digits = fmt if load(NAME).complete(state)["step"] in ("4", "5") else short
    (name,) = [name for name in tables(html) if name.startswith(caption)]
    shown = [row[1 : values.shape[1] + 1] for row in tables(html)[name][1:]]
    assert shown == [[digits(n, 4) for n in row] for row in values]
    assert f"({values.shape[0]}, {values.shape[1]})" in name


@pytest.mark.parametrize("step", range(6))
@pytest.mark.parametrize("of", ["Q", "K", "V"])
@pytest.mark.parametrize("numbers", [{}, {"x": "5,-5,0,2,1,1", "w_q": "1,2,3,4", "w_v": "1,1,0,2"}])
def test_each_step_shows_what_the_core_computes(step, of, numbers, sound_frame, tables):
    state = {"step": str(step), "of": of, **numbers}
    check(state, sound_frame(NAME, state).html, tables)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state).html, tables)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_way_of_one_token(data, any_state, tables):
    state = data.draw(any_state(NAME))
    i = int(state["cell"][0])
    x, projected, trace = made(state)
    expected = [
        *(values[i] for values in (x, projected["Q"], projected["K"], projected["V"])),
        *(values[i] for values in (trace.scores, trace.scaled, trace.weights, trace.output)),
    ]
    rows = tables(frame(NAME, state, "en").html)[f"The whole way of x{'₁₂₃'[i]}"][1:]
    assert [row[1] for row in rows] == ["[" + ", ".join(short(n, 4) for n in row) + "]" for row in expected]


@pytest.mark.parametrize(
    ("numbers", "symmetric"),
    [
        ({}, True),  # by chance
        ({"w_k": "1,1,0,1"}, False),
        ({"w_q": "1,2,3,4", "w_k": "1,2,3,4"}, True),
        ({"w_q": "1,0,0,1", "w_k": "1,0,0,1"}, True),
    ],
)
def test_whether_the_scores_are_symmetric(numbers, symmetric):
    trace = made(numbers)[2]
    assert np.allclose(trace.scores, trace.scores.T) == symmetric
    say = frame(NAME, {"step": "2", **numbers}, "en").say
    assert ("is symmetric" in say) == symmetric
    assert ("is not symmetric" in say) != symmetric


def test_symmetric_scores_do_not_make_symmetric_weights():
    state = {"step": "4", "w_q": "1,0,0,1", "w_k": "1,0,0,1"}
    weights = made(state)[2].weights
    say = frame(NAME, state, "en").say
    (first, one), (second, other) = re.findall(r"A(..) = ([\d.]+)", say)
    places = [tuple("₁₂₃".index(digit) for digit in pair) for pair in (first, second)]
    assert places[0] == places[1][::-1]
    assert [one, other] == [fmt(weights[place], 4) for place in places]
    assert one != other
    assert "symmetric" not in frame(NAME, {"step": "4", "w_k": "1,1,0,1"}, "en").say
    assert "symmetric" not in frame(NAME, {"step": "4", "x": "0,0,0,0,0,0"}, "en").say


@pytest.mark.parametrize("step", range(1, 6))
def test_the_sentence_writes_out_the_chosen_entry(step):
    state = {"step": str(step), "cell": "1,1"}
    values, _ = result(state)
    shown = re.escape(short(values[1, 1], 4))
    assert re.search(rf"(?:[=≈,] |\[){shown}(?!\.?\d)", frame(NAME, state, "en").say)


def test_a_cell_of_the_third_column_falls_on_the_last_one_of_a_narrow_matrix(tables):
    wide, narrow = (frame(NAME, {"step": step, "cell": "0,2"}, "en").html for step in ("2", "5"))
    assert re.search(r'class="selected"[^<]*<button[^>]*data-set="cell=0,2"', wide)
    assert re.search(r'class="selected"[^<]*<button[^>]*data-set="cell=0,1"', narrow)


def test_presets_set_both_matrices_and_know_the_present_one():
    html = frame(NAME, None, "en").html
    found = re.findall(r'aria-pressed="(\w+)" data-set="(w_q=[^"]*)"', html)
    assert [pressed for pressed, _ in found] == ["true", "false", "false", "false"]
    for _, setting in found:
        state = dict(part.split("=") for part in setting.replace("&amp;", "&").split("&"))
        again = frame(NAME, state, "en").html
        assert f'aria-pressed="true" data-set="{setting}"' in again
    assert 'aria-pressed="true" data-set="w_q' not in frame(NAME, {"w_q": "0,0,0,0"}, "en").html


def test_the_flow_marks_the_step():
    for step in range(6):
        html = frame(NAME, {"step": str(step)}, "en").html
        items = re.findall(r"<li( aria-current=\"step\")?>", html)
        assert [bool(item) for item in items] == [n == step for n in range(6)]
