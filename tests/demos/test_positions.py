"""The demo of positions: scores by distance, tokens in other seats, embeddings, against plain loops."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, percent, short
from demos.places import schemes
from transformer_core import TOKENS, W_K, W_Q, X, t5_buckets

NAME = "positions"
SCHEMES = ("sinusoidal", "rope", "alibi", "t5", "none")
ORDERS = {"swap": (2, 1, 0), "turn": (1, 2, 0), "same": (0, 1, 2)}
CORNERS = [
    {},
    *({"scheme": scheme} for scheme in SCHEMES),
    {"scheme": "rope", "i": "0", "j": "15"},
    {"scheme": "alibi", "head": "7", "i": "15", "j": "0"},
    {"scheme": "t5", "i": "2", "j": "15"},
    {"i": "4", "j": "4"},
    {"scheme": "rope", "i": "4", "j": "4"},
    *({"look": "order", "scheme": scheme} for scheme in SCHEMES),
    {"look": "order", "scheme": "none", "causal": "true", "order": "turn"},
    {"look": "order", "scheme": "rope", "order": "same"},
    {"look": "size", "scaled": "true"},
    {"look": "size", "scaled": "false", "d_model": "4096", "i": "0"},
]


def plain_score(scheme, head, i, j):
    """What positions put into one score, from the formula."""
    if scheme == "sinusoidal":
        return sum(math.cos((i - j) / 10_000 ** (2 * pair / 16)) for pair in range(8))
    if scheme == "rope":
        return math.cos(i - j) + math.cos((i - j) / 10)
    if scheme == "alibi":
        return -(2.0 ** -(head + 1)) * abs(i - j)
    if scheme == "t5":
        table = np.random.default_rng(3).standard_normal((32, 1))
        return float(table[int(t5_buckets(j - i)), 0])
    return 0.0


def plain_output(scheme, order, causal):
    """The worked example in this order, with loops over pairs in place of matrices."""
    x = [X[place].copy() for place in order]
    if scheme == "sinusoidal":
        x = [row + np.array([math.sin(place), math.cos(place)]) for place, row in enumerate(x)]
    turn = [np.array([[math.cos(p), math.sin(p)], [-math.sin(p), math.cos(p)]]) for p in range(3)]
    query, key = [row @ W_Q for row in x], [row @ W_K for row in x]
    if scheme == "rope":
        query, key = ([row @ turn[p] for p, row in enumerate(rows)] for rows in (query, key))
    outputs = []
    for i in range(3):
        seen = range(i + 1) if causal else range(3)
        bias = {j: plain_score(scheme, 0, i, j) if scheme in ("alibi", "t5") else 0.0 for j in seen}
        raised = {j: math.exp(query[i] @ key[j] / math.sqrt(2) + bias[j]) for j in seen}
        outputs.append(sum(raised[j] * x[j] for j in seen) / sum(raised.values()))  # W_V = I
    return np.array(outputs)


def row_of(values):
    return "[" + ", ".join(fmt(value) for value in values) + "]"


def signed(number):
    return f"+{number}" if number > 0 else short(number)


def check_distance(v, found, shown):
    i, j, scheme, head = int(v["i"]), int(v["j"]), v["scheme"], int(v["head"])
    row = [plain_score(scheme, head, i, key) for key in range(16)]
    raised = [math.exp(score / {"sinusoidal": 4, "rope": 2}.get(scheme, 1)) for score in row]
    assert found[f"Row {i}, all tokens of the same content"][1:] == [
        [str(key), signed(key - i), fmt(row[key]), percent(raised[key] / sum(raised))] for key in range(16)
    ]
    pairs = found["Pairs of the same offset"][1:]
    assert [pairs[0][:2], pairs[-1][:2]] == [[str(i), str(j)], [str(i + 48), str(j + 48)]]
    assert {(int(key) - int(query), score) for query, key, _, score in pairs} == {(j - i, fmt(row[j]))}
    assert fmt(row[j]) in shown.say
    if scheme == "sinusoidal":
        vectors = next(rows for name, rows in found.items() if name.startswith("The vectors"))[1:]
        for column, *both in vectors:
            pair, is_cos = divmod(int(column), 2)
            wave = math.cos if is_cos else math.sin
            assert both == [fmt(wave(place / 10_000 ** (pair / 8))) for place in (i, j)]
    if scheme == "t5":
        own = int(t5_buckets(j - i))
        assert f"bucket {own}" in shown.say
        shared = [n for n in range(-15, 16) if t5_buckets(n) == own]
        told = "to itself" if len(shared) == 1 else f"{signed(shared[0])} … {signed(shared[-1])} share it"
        assert told in shown.say


def check_order(v, found, shown):
    order, causal = ORDERS[v["order"]], v["causal"] == "true"
    before = plain_output(v["scheme"], (0, 1, 2), causal)
    after = plain_output(v["scheme"], order, causal)
    rows = found["Whether each token’s output has changed"][1:]
    for seat, (row, token) in enumerate(zip(rows, order, strict=True)):
        apart = np.abs(after[seat] - before[token]).max()
        assert row == [str(seat + 1), TOKENS[token], row_of(after[seat]), row_of(before[token]), fmt(apart)]
    changed = [np.abs(after[seat] - before[token]).max() > 1e-9 for seat, token in enumerate(order)]
    assert ("is still" in shown.say) == (v["order"] != "same" and not any(changed))
    assert ("goes from" in shown.say) == any(changed)


def check_size(v, found, shown):
    d, scaled = int(v["d_model"]), v["scaled"] == "true"
    drawn = np.random.default_rng(0).standard_normal(4096)[:d]
    word = math.sqrt(sum(drawn**2) / (1 if scaled else d))
    place = math.sqrt(d / 2)
    share = word**2 / (word**2 + place**2)
    assert found["Before they are added"][1:] == [
        ["embedding", fmt(word), fmt(word**2 / d, 5), percent(share)],
        ["position", fmt(place), fmt(0.5, 5), percent(1 - share)],
    ]
    assert percent(share) in shown.say


def check(state, sound_frame, tables):
    v = load(NAME).complete(state)
    shown = sound_frame(NAME, state)
    looks = {"distance": check_distance, "order": check_order, "size": check_size}
    looks[v["look"]](v, tables(shown.html), shown)


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_numbers_are_those_of_the_formulas(state, sound_frame, tables):
    check(state, sound_frame, tables)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    check(data.draw(any_state(NAME)), sound_frame, tables)


def test_only_without_positions_and_mask_does_order_not_matter():
    """All orders, all schemes: who sees that tokens have moved on, and who sees that all is reversed."""
    blind = {}
    for scheme in SCHEMES:
        for causal in (False, True):
            for order in ("swap", "turn"):
                before, after = (schemes.attend(scheme, ORDERS[each], causal) for each in ("same", order))
                if np.allclose(after, before[list(ORDERS[order])]):
                    blind.setdefault((scheme, causal), set()).add(order)
    assert blind == {("none", False): {"swap", "turn"}, ("alibi", False): {"swap"}}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_diagonal_of_the_scores_has_one_value(scheme):
    scores = schemes.placed(scheme, 2)
    for offset in range(-15, 16):
        assert np.ptp(np.diagonal(scores, offset)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("state", [{"i": "7", "j": "3"}, {"i": "0", "j": "15"}], ids=str)
def test_the_arrows_of_rope_point_where_their_position_turns_them(state):
    html = frame(NAME, {"scheme": "rope", **state}, "en").html
    tips = re.findall(r'class="arrow-head (\S+)(?: faint)?" d="M([\d.]+) ([\d.]+)L', html)
    turned = [(kind, (float(x) - 150) / 150 * 1.4, (150 - float(y)) / 150 * 1.4) for kind, x, y in tips]
    angles = {"query": int(state["i"]), "key-vector": int(state["j"])}
    assert [kind for kind, *_ in turned] == ["key-vector", "query"] * 2
    for place, (kind, x, y) in enumerate(turned):
        angle = angles[kind] * (1.0 if place < 2 else 0.1)
        assert (x, y) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_curve_s_marker_lies_on_it_at_the_offset(scheme):
    html = frame(NAME, {"scheme": scheme, "i": "4", "j": "9"}, "en").html
    x, y = re.search(r'class="marker value" cx="([\d.]+)" cy="([\d.]+)"', html).groups()
    points = re.search(r'<polyline class="line " points="([^"]*)"', html)[1].split()
    assert len(points) == 31
    assert points[15 + 5] == f"{float(x):.2f},{float(y):.2f}"


@pytest.mark.parametrize(
    ("state", "sets"),
    [
        ({}, ["i=8&amp;j=5", "i=10&amp;j=7", "i=9&amp;j=7"]),
        ({"i": "15", "j": "0"}, ["i=15&amp;j=1"]),
        ({"i": "0", "j": "15"}, []),
    ],
)
def test_buttons_move_both_or_the_key_within_the_sentence(state, sets):
    html = frame(NAME, state, "en").html
    assert re.findall(r'<button[^>]* data-set="([^"]*)"', html) == sets


def test_a_row_of_the_map_sets_the_query(sound_frame):
    html = sound_frame(NAME, {"scheme": "alibi"}).html
    assert re.findall(r'<g data-set="(i=\d+)"', html) == [f"i={place}" for place in range(16)]
