"""The weighted sum: shares and output against plain arithmetic, and the triangle that holds it."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, percent, plane, render, short
from transformer_core import worked_example

NAME = "weighted-sum"
WE = worked_example()
CAPTION = "How three parts make the output"


def mixed(state):
    """Raw weights, shares and output, number by number."""
    whole = load(NAME).complete(state)
    raw = [float(whole[f"a{n}"]) for n in (1, 2, 3)]
    total = round(sum(raw), 9)
    shares = [each / total if total else 0.0 for each in raw]
    output = [sum(share * value[d] for share, value in zip(shares, WE.value, strict=True)) for d in (0, 1)]
    return raw, shares, output


def vector(values):
    return "[" + ", ".join(short(value) for value in values) + "]"


def check(state, html, tables):
    raw, shares, output = mixed(state)
    rows = tables(html)[CAPTION][1:]
    for n, row in enumerate(rows[:3]):
        assert row[1:3] == [fmt(raw[n]), fmt(shares[n])]
        assert row[3:] == [vector(WE.value[n]), vector(shares[n] * WE.value[n])]
    assert rows[3][1:] == [fmt(sum(raw)), fmt(sum(shares)), "", vector(output)]
    assert re.findall(r'bar-number">([^<]*)<', html) == [percent(share) for share in shares]


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"a1": "0", "a2": "0", "a3": "0"},
        {"a1": "1", "a2": "1", "a3": "1"},
        {"a1": "1", "a2": "0", "a3": "0.001"},
    ],
)
def test_the_numbers(state, sound_frame, tables):
    check(state, sound_frame(NAME, state).html, tables)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state).html, tables)


def drawn(html):
    """The corners of the triangle, and the tip of the output, as they are drawn."""
    points = re.search(r'class="hull" points="([^"]*)"', html)[1]
    corners = [tuple(map(float, point.split(","))) for point in points.split()]
    tip = re.search(r'class="arrow-head output" d="M([\d.]+) ([\d.]+)L', html)
    return corners, (float(tip[1]), float(tip[2]))


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_drawn_output_never_leaves_the_drawn_triangle(data, any_state):
    state = data.draw(any_state(NAME))
    if all(float(state[f"a{n}"]) == 0 for n in (1, 2, 3)):
        return
    corners, tip = drawn(frame(NAME, state).html)
    basis = np.array([[*corner, 1.0] for corner in corners]).T
    shares = np.linalg.solve(basis, [*tip, 1.0])
    assert shares.min() > -1e-3
    assert shares == pytest.approx(mixed(state)[1], abs=1e-3)


def presets(html):
    found = re.findall(r'aria-pressed="(\w+)" data-set="([^"]*)">([^<]*)<', html)
    return {
        words: (pressed, dict(p.split("=") for p in sets.split("&amp;"))) for pressed, sets, words in found
    }


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_rows_of_the_worked_example_give_its_outputs(row):
    _, state = presets(frame(NAME, None, "en").html)[f"worked example, row {row + 1}"]
    _, shares, output = mixed(state)
    assert shares == pytest.approx(WE.attention.weights[row], abs=1e-3)
    assert output == pytest.approx(WE.attention.output[row], abs=1e-3)
    assert vector(output) in frame(NAME, state, "en").say


def test_presets_know_the_present_state():
    first = presets(frame(NAME, None, "en").html)
    assert [words for words, (pressed, _) in first.items() if pressed == "true"] == ["worked example, row 1"]
    for words, (_, state) in first.items():
        again = presets(frame(NAME, state, "en").html)
        assert [each for each, (pressed, _) in again.items() if pressed == "true"] == [words]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (("0.3", "0", "0"), "All weight is on v₁, and the output is v₁ itself: [1, 0]"),
        (("0", "0.5", "0.5"), "lies on the edge between them, v₂ has 50.0%"),
        (("0.1", "0.1", "0.6"), "inside the triangle, the largest share is 75.0% for v₃"),
        (("0", "0", "0"), "there is no sum to divide by"),
        (("1", "1", "0.5"), "The sliders add up to 2.5; divided by that they are weights."),
    ],
)
def test_the_sentence_fits(weights, said):
    state = dict(zip(("a1", "a2", "a3"), weights, strict=True))
    assert said in frame(NAME, state, "en").say


def test_one_name_where_the_output_lies_on_a_value():
    html = frame(NAME, {"a1": "0", "a2": "0.4", "a3": "0"}, "en").html
    assert re.findall(r'class="arrow-name \w+"[^>]*>([^<]*)<', html) == ["v₁", "", "v₃", "o = v₂"]


def test_without_a_sum_no_output_is_drawn():
    html = frame(NAME, {"a1": "0", "a2": "0", "a3": "0"}, "en").html
    assert "arrow output" not in html
    assert 'class="remark warn"' in html


def test_the_parts_stand_end_to_end():
    html = frame(NAME, {"a1": "0.2", "a2": "0.3", "a3": "0.5"}).html
    dashes = [
        tuple(map(float, found))
        for found in re.findall(r'class="dash" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', html)
    ]
    assert len(dashes) == 3
    for before, after in pairwise(dashes):
        assert before[2:] == after[:2]
    assert dashes[-1][2:] == drawn(html)[1]


def test_a_plane_with_handles_has_its_origin_in_the_middle():
    handle = [(1.0, 0.0, "x=x")]
    with pytest.raises(ValueError, match=r"origin must lie at \(0.5, 0.5\), got \(0.1, 0.1\)"):
        plane([], reach=1, handles=handle, origin=(0.1, 0.1), describe="")
    assert 'data-drag="x=x"' in render(plane([], reach=1, handles=handle, describe=""), "en")
