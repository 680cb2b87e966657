"""The demo of several heads: patterns, concat and W_O against single heads; equal heads are one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import mha
from demos.kit import fmt, percent, shipped_frames
from demos.models import positional_heads
from transformer_core import attention_trace

IT = 8


def one_head(sentence, head):
    """A head by itself: its own columns of the projections, attention, no splitting of axes."""
    x, params = positional_heads.embed(mha.SENTENCES[sentence]), positional_heads.projections()
    columns = slice(12 * head, 12 * head + 12)
    return attention_trace(*(x @ W[:, columns] for W in params[:3]))


def check_tables(found, state):
    sentence, head = int(state["sentence"]), int(state["head"])
    alone = one_head(sentence, head)
    whole = found[f"The weights of head {head + 1}"]
    assert [row[1:] for row in whole[1:]] == [[percent(w) for w in row] for row in alone.weights]
    heads = [head] * 4 if state["same"] == "true" else range(4)
    concat = found["The concat row of “it”, folded: a line a head"]
    expected = [[fmt(number) for number in one_head(sentence, h).output[IT]] for h in heads]
    assert [row[1:] for row in concat[1:]] == expected


DEFAULT = {"sentence": "0", "head": "0", "every": "true", "same": "false"}


@pytest.mark.parametrize("head", ["0", "3"])
@pytest.mark.parametrize("same", ["true", "false"])
def test_the_numbers_are_those_of_single_heads(head, same, sound_frame, tables):
    state = {**DEFAULT, "head": head, "same": same}
    check_tables(tables(sound_frame("mha", state).html), state)


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("mha"))
    check_tables(tables(sound_frame("mha", state).html), state)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (0, lambda i: [i - 1] if i else range(12)),
        (1, lambda i: [i]),
        (2, lambda i: [0]),
        (3, lambda i: [j for j in (i - 1, i + 1) if 0 <= j < 12]),
    ],
)
def test_each_head_finds_the_positions_that_its_name_says(head, wanted):
    for sentence in range(len(mha.SENTENCES)):
        weights = mha.run(sentence, None).trace.attention.weights[head]
        for i, row in enumerate(weights):
            assert row[list(wanted(i))].sum() > 0.95
            assert np.ptp(row[list(wanted(i))]) < 1e-9


def test_w_o_joins_what_the_heads_found():
    made = mha.run(0, None)
    heads = [one_head(0, head).output for head in range(4)]
    blocks = np.split(made.params.W_O, 4)
    assert made.trace.output == pytest.approx(sum(h @ block for h, block in zip(heads, blocks, strict=True)))


def test_equal_heads_are_one_head(sound_frame):
    made = mha.run(0, 2)
    alone = one_head(0, 2).output
    assert made.trace.output == pytest.approx(alone @ sum(np.split(made.params.W_O, 4)))
    html = sound_frame("mha", {"same": "true", "head": "2"}).html
    assert "the outputs differ by 0.000 at most" in html
    assert "Four equal lines" not in sound_frame("mha").html


def test_difference_is_0_for_equal_heads_and_1_for_heads_that_share_no_token():
    eye = np.eye(3)
    assert mha.difference(np.stack([eye, eye])) == 0
    assert mha.difference(np.stack([eye, np.roll(eye, 1, axis=1)])) == 1
    assert mha.difference(np.stack([eye, np.full((3, 3), 1 / 3)])) == pytest.approx(2 / 3)


def test_the_sentence_says_how_far_apart_the_heads_are(sound_frame):
    apart = percent(mha.difference(mha.run(0, None).trace.attention.weights))
    assert f"Between two heads, {apart} of a row’s weight" in sound_frame("mha").say
    assert "differ by 0.0%" in sound_frame("mha", {"same": "true"}).say


def test_one_map_or_four(sound_frame):
    assert sound_frame("mha").html.count('class="heat-map"') == 4 + 1
    assert sound_frame("mha", {"every": "false"}).html.count('class="heat-map"') == 1 + 1


def test_all_frames_ship_beside_the_page():
    assert len(shipped_frames("mha")["states"]) == 2 * 4 * 2 * 2
