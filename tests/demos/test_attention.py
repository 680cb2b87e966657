"""The demo of who looks at whom: its numbers against attention called directly, and what moves the weight."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import attention
from demos.kit import fmt, heat, percent, shipped_frames
from demos.models import hand_built
from transformer_core import softmax


def layers(sentence):
    """Scores of both layers by plain loops, from the weights in the file."""
    with np.load(hand_built.FILE) as file:
        made = dict(file)
    place = {word: i for i, word in enumerate(made["words"])}
    x = [made["embedding"][place[word]].copy() for word in sentence]
    every = []
    for W_Q, W_K, W_V in zip(made["W_Q"], made["W_K"], made["W_V"], strict=True):
        scores = np.array([[(q @ W_Q) @ (k @ W_K) for k in x] for q in x])
        every.append(scores)
        mixed = [sum(w * (v @ W_V) for w, v in zip(row, x, strict=True)) for row in softmax(scores / 2)]
        for token, found in zip(x, mixed, strict=True):
            token[11:15] += found
    return every


def check_tables(found, state):
    tokens = attention.SENTENCES[int(state["sentence"])]
    at = int(state["query"].split(",")[1])
    scores = layers(tokens)[int(state["layer"])]
    weights = softmax(scores / 2)
    every = found["All weights (S × S)"]
    assert [row[1:] for row in every[1:]] == [[percent(w) for w in row] for row in weights]
    top = found[f"The 5 keys with the largest weights for “{tokens[at]}”"][1:]
    places = [int(row[0].rsplit("(")[1].strip(")")) - 1 for row in top]
    assert len(set(places)) == 5
    rest = np.delete(weights[at], places)
    assert min(weights[at, places]) >= rest.max() - 1e-9
    for j, row in zip(places, top, strict=True):
        assert row == [
            f"{tokens[j]} ({j + 1})",
            fmt(scores[at, j]),
            fmt(scores[at, j] / 2),
            percent(weights[at, j]),
        ]


DEFAULT = {"sentence": "0", "query": "0,8", "layer": "1"}
CORNERS = [DEFAULT, *({"sentence": s, "query": q, "layer": "0"} for s in "03" for q in ("0,0", "0,11"))]


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_numbers_are_those_of_attention(state, sound_frame, tables):
    check_tables(tables(sound_frame("attention", state).html), state)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("attention"))
    check_tables(tables(sound_frame("attention", state).html), state)


def test_the_default_is_it_in_the_last_layer(sound_frame):
    assert sound_frame("attention").state == DEFAULT


@pytest.mark.parametrize(("sentence", "noun"), list(enumerate(["animal", "street", "trophy", "suitcase"])))
def test_one_word_decides_which_noun_it_looks_at(sentence, noun, sound_frame):
    words = attention.SENTENCES[sentence]
    it, right = words.index("it"), words.index(noun)
    row = hand_built.run(words)[1].weights[it]
    assert row.argmax() == right
    said = sound_frame("attention", {"sentence": str(sentence)}).say
    assert f"gives {percent(row[right])} of its weight to “{noun}”" in said


def test_the_sentences_of_a_pair_differ_in_one_word():
    for one, other in (attention.SENTENCES[:2], attention.SENTENCES[2:]):
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1


def test_a_flat_row_is_called_flat_and_a_steep_one_is_not(sound_frame):
    assert "equal shares (8.3% each)" in sound_frame("attention", {"query": "0,0"}).say
    assert "equal shares" not in sound_frame("attention").say


def test_the_map_tints_every_weight_that_would_show(sound_frame):
    weights = hand_built.run(attention.SENTENCES[0])[1].weights
    html = sound_frame("attention").html
    assert html.count('<path class="map-cell"') == (weights >= 0.005).sum()
    for weight in weights[8][weights[8] >= 0.005]:
        assert heat(weight)["style"] in html


def test_the_page_says_that_nothing_was_trained(sound_frame):
    assert "set by hand here, not trained" in sound_frame("attention").html


def test_the_file_holds_what_the_script_builds():
    built = hand_built.build()
    with np.load(hand_built.FILE) as file:
        stored = dict(file)
    assert stored.keys() == built.keys()
    for name, array in built.items():
        assert np.array_equal(stored[name], array), name


def test_all_frames_ship_beside_the_page():
    assert len(shipped_frames("attention")["states"]) == 4 * 12 * 2
