"""The dot product: both sums, the drawing and the softmax against plain trigonometry and the core."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, percent, short
from transformer_core import scaled_dot_product_attention, worked_example

NAME = "dot-product"
FIXED = worked_example().key[:2]
CORNERS = [
    {},
    {"q_angle": "0", "k_angle": "360"},
    {"q_length": "0.1", "k_length": "0.1"},
    {"q_angle": "360", "k_angle": "180", "q_length": "3", "k_length": "3"},
    {"q_angle": "45", "k_angle": "135"},
]


def plain(state):
    """Query, key, their dot product and the angle between them."""
    whole = {name: float(value) for name, value in load(NAME).complete(state).items()}
    turns = [math.radians(whole[f"{name}_angle"]) for name in "qk"]
    lengths = [whole[f"{name}_length"] for name in "qk"]
    query, key = (
        np.array([length * math.cos(turn), length * math.sin(turn)])
        for length, turn in zip(lengths, turns, strict=True)
    )
    return query, key, lengths, math.cos(turns[0] - turns[1])


def vector(values):
    return "[" + ", ".join(short(value) for value in values) + "]"


def check(state, html, tables):
    query, key, lengths, cosine = plain(state)
    found = tables(html)
    shown = dict(found["Two vectors and their dot product"][1:])
    assert shown["q"] == vector(query)
    assert shown["k"] == vector(key)
    assert [shown["|q|"], shown["|k|"]] == [fmt(length) for length in lengths]
    assert math.cos(math.radians(int(shown["θ"][:-1]))) == pytest.approx(cosine)
    assert 0 <= int(shown["θ"][:-1]) <= 180
    assert shown["cos θ"] == fmt(cosine)
    assert shown["q·k"] == fmt(query[0] * key[0] + query[1] * key[1])
    assert shown["q·k"] == fmt(lengths[0] * lengths[1] * cosine)
    assert shown["projection of k onto q"] == fmt(lengths[1] * cosine)
    keys = np.stack([key, *FIXED])
    weights = scaled_dot_product_attention(query[None], keys, np.eye(3))[0]
    rows = found["Weights after the softmax"][1:]
    for row, each, weight in zip(rows, keys, weights, strict=True):
        score = query @ each
        assert row[1:] == [fmt(score), fmt(score / math.sqrt(2)), percent(weight)]
    assert re.findall(r'bar-number">([^<]*)<', html) == [percent(weight) for weight in weights]


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_numbers(state, sound_frame, tables):
    check(state, sound_frame(NAME, state).html, tables)


@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state).html, tables)


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_both_sums_are_written_out_and_agree(state):
    query, key, _, _ = plain(state)
    first, second = re.findall(r"<p>((?:q·k|\|q\|).*?)</p>", frame(NAME, state, "en").html)
    assert re.search(r"[=≈] (\S+)$", first)[1] == re.search(r"[=≈] (\S+)$", second)[1] == short(query @ key)
    factors = re.findall(r"−?\d+(?:\.\d+)?", first)[:4]
    assert factors == [short(each) for pair in zip(query, key, strict=True) for each in pair]


def tip(html, kind):
    found = re.search(rf'class="arrow-head {kind}" d="M([\d.]+) ([\d.]+)L', html)
    return np.array([float(found[1]), float(found[2])])


def test_the_arrows_point_where_they_should_and_the_dashes_are_at_right_angles():
    state = {"q_angle": "30", "k_angle": "100"}
    query, key, _, cosine = plain(state)
    html = frame(NAME, state).html
    scale = 300 / 7
    for kind, expected in (("query", query), ("key-vector", key)):
        assert tip(html, kind) == pytest.approx(
            [150 + expected[0] * scale, 150 - expected[1] * scale], abs=0.01
        )
    ends = re.findall(r'class="dash" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', html)
    (x1, y1, x2, y2), along = (list(map(float, end)) for end in ends)
    assert (x1, y1) == pytest.approx(tip(html, "key-vector"), abs=0.01)
    assert along[2:] == [x2, y2]
    assert (x2 - x1) * query[0] - (y2 - y1) * query[1] == pytest.approx(0, abs=0.05)
    assert cosine > 0
    assert math.hypot(x2 - 150, y2 - 150) == pytest.approx(float(key @ query) / 2 * scale, abs=0.02)


def test_both_tips_can_be_dragged():
    html = frame(NAME).html
    assert html.count('class="handle"') == 2
    for name in "qk":
        assert f'data-drag="{name}_angle=polar-angle&amp;{name}_length=polar-length"' in html


@pytest.mark.parametrize("q_angle", ["0", "30", "200", "315"])
def test_buttons_turn_the_key_and_know_when_it_is_there(q_angle):
    html = frame(NAME, {"q_angle": q_angle}, "en").html
    found = re.findall(r'data-set="k_angle=(\d+)">(\w+)<', html)
    assert [words for _, words in found] == ["aligned", "orthogonal", "opposite"]
    for (angle, words), degrees in zip(found, (0, 90, 180), strict=True):
        made = frame(NAME, {"q_angle": q_angle, "k_angle": angle}, "en")
        assert f'aria-pressed="true" data-set="k_angle={angle}">{words}' in made.html
        assert f"{degrees}°" in made.say


@pytest.mark.parametrize(
    ("k_angle", "said"),
    [
        ("30", "0° apart, less than 90°: k reaches 2.5 along q, and the dot product is 5."),
        ("120", "Exactly 90° apart: k has no part along q, and the dot product is 0"),
        ("210", "180° apart, more than 90°: k reaches 2.5 against q, and the dot product is −5."),
        ("350", "40° apart"),
    ],
)
def test_the_sentence_fits(k_angle, said):
    assert said in frame(NAME, {"k_angle": k_angle}, "en").say


def test_more_and_less_than_an_equal_share():
    def say(**state):
        return frame(NAME, state, "en").say

    assert "more than an equal share of 33.3%" in say(k_angle="30")
    assert "less than an equal share of 33.3%" in say(k_angle="210")
    equal = say(q_angle="135", q_length="0.1", k_angle="45", k_length="0.1")
    assert "just an equal share (33.3%)" in equal
