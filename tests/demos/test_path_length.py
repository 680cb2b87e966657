"""The demo of paths and costs: against reachability over masks, and products counted one by one."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import path_length
from demos.kit import frame, grouped, load, percent, scientific, short
from transformer_core import causal_mask, sliding_window_mask

NAME = "path-length"
KINDS = ("recurrent", "convolution", "window", "attention")
EN = {
    "recurrent": "RNN",
    "convolution": "convolution",
    "window": "windowed attention",
    "attention": "attention",
}
CORNERS = [
    {},
    {"kind": "attention", "length": "131072", "d_model": "64"},
    {"kind": "window", "count": "all", "j": "16", "i": "3"},
    {"kind": "recurrent", "j": "9", "i": "2"},
    {"kind": "convolution", "j": "4", "i": "4", "width": "1025"},
    {"kind": "convolution", "length": "16", "d_model": "8192", "count": "all"},
]


def values(state):
    full = load(NAME).complete(state)
    return {name: value if name in ("kind", "count") else int(value) for name, value in full.items()}


def fewest(kind, start, end, width, size=16):
    """The moves by powers of what a token sees in one; None where there is no way."""
    seen = {
        "recurrent": causal_mask(size) & sliding_window_mask(size, window=2),
        "attention": np.ones((size, size), dtype=bool),
    }.get(kind, sliding_window_mask(size, window=(width + 1) // 2, is_causal=False))
    reached = np.arange(size) == start
    for count in range(size + 1):
        if reached[end]:
            return count
        reached = reached | (seen.astype(int) @ reached > 0)
    return None


def products(kind, n, d, k, count):
    """Multiply-adds, written out by layer."""
    if kind == "recurrent":
        return (2 if count == "all" else 1) * n * d * d
    if kind == "convolution":
        return k * n * d * d
    seen = min(k, n) if kind == "window" else n
    return 4 * n * d * d + 2 * n * seen * d if count == "all" else n * seen * d


def check(state, shown, tables):
    v, found = values(state), tables(shown.html)
    S, d, k, count = v["length"], v["d_model"], v["width"], v["count"]
    moves = {kind: fewest(kind, v["j"] - 1, v["i"] - 1, k) for kind in KINDS}
    places = {row[0]: row[1] for row in found["The tokens on the way"][1:]}
    for kind in KINDS:
        if moves[kind] is None:
            assert places[EN[kind]] == "never"
            continue
        way = [int(place) for place in places[EN[kind]].split(" → ")]
        assert (way[0], way[-1], len(way) - 1) == (v["j"], v["i"], moves[kind])
    drawn = re.findall(r'class="trail-name[^"]*"[^>]*>([^<]*)<', shown.html)
    told = ["never" if n is None else f"moves: {n}" for n in moves.values()]
    assert drawn == [word for pair in zip(EN.values(), told, strict=True) for word in pair]
    reach = (k - 1) // 2
    rows = found[f"A layer at S = {grouped(S)}"][1:]
    longest = (S - 1, -(-(S - 1) // reach), -(-(S - 1) // reach), 1)
    for row, kind, path in zip(rows, KINDS, longest, strict=True):
        serial = S if kind == "recurrent" else 1
        assert row == [EN[kind], grouped(path), grouped(serial), scientific(products(kind, S, d, k, count))]
    for n, *work in found["Multiply-adds at each length"][1:]:
        at = int(n.replace(",", ""))
        assert work == [grouped(products(kind, at, d, k, count)) for kind in KINDS]
    for name, first in found["The length from which attention does more"][1:]:
        kind = next(kind for kind in KINDS if EN[kind] == name)
        at = int(first.replace(",", ""))
        assert products("attention", at, d, k, count) > products(kind, at, d, k, count)
        if at > 1:
            assert products("attention", at - 1, d, k, count) <= products(kind, at - 1, d, k, count)
    other = "recurrent" if v["kind"] == "attention" else v["kind"]
    ratio = products("attention", S, d, k, count) / products(other, S, d, k, count)
    assert (f"{short(ratio, 1)} times" if ratio >= 2 else percent(ratio)) + " as many" in shown.say


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_numbers_are_those_of_the_layers(state, sound_frame, tables):
    check(state, sound_frame(NAME, state), tables)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state), tables)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({}, "RNN from token 1 to token 16: 15,"),
        ({"kind": "recurrent", "j": "5", "i": "4"}, "never learns of it"),
        ({"kind": "convolution", "width": "3"}, "token 16: 15, each with a reach of 1 to"),
        ({"kind": "window", "width": "9"}, "token 16: 4; each sees 4 to either side"),
        ({"kind": "attention"}, "attention takes 1 layer,"),
        ({"j": "7", "i": "7"}, "no way to go"),
        ({}, "from S = 513 on"),
        ({"kind": "convolution"}, "from S = 2,561 on"),
        ({"count": "all"}, "at any length"),
        ({"length": "4096"}, "8 times as many"),
    ],
)
def test_the_sentence_fits_the_state(state, said, sound_frame):
    assert said in sound_frame(NAME, state).say


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_curves_meet_where_the_table_says(state):
    """In the drawing too the marker of a layer stands on its curve, and more work stands higher."""
    v, html = values(state), frame(NAME, state, "en").html
    marks = re.findall(r'<circle class="marker (\w+)" cx="([\d.]+)" cy="([\d.]+)"', html)
    assert [kind for kind, *_ in marks] == list(path_length.COLOURS.values())
    assert len({x for _, x, _ in marks}) == 1
    work = [products(kind, v["length"], v["d_model"], v["width"], v["count"]) for kind in KINDS]
    heights = [-float(y) for *_, y in marks]
    assert np.corrcoef(np.log10(work), heights)[0, 1] == pytest.approx(1, abs=1e-6) or len(set(work)) == 1
    lines = dict(re.findall(r'<polyline class="line (\w+)" points="([^"]*)"', html))
    for kind, x, y in marks:
        assert f"{float(x):.2f},{float(y):.2f}" in lines[kind].split()
