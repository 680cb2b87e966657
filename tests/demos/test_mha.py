"""The demo of several heads: patterns, concat and W_O against single heads; equal heads are one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import mha
from demos.kit import fmt, percent
from demos.kit.shipped import shipped_frames
from demos.models import coreference, positional_heads
from transformer_core import attention_trace, encoder_layer, layer_norm


def inputs(source, sentence):
    """What goes into the attention and its projections, by another route than the demo's."""
    tokens = mha.SENTENCES[sentence]
    if source == "built":
        return positional_heads.embed(tokens), positional_heads.projections()
    made = coreference.load()
    x = made.params.token_embedding[[made.words.index(token) for token in tokens]]
    x = x + made.params.position_embedding[: len(tokens)]
    first, last = made.params.encoder
    layer = first
    if source == "last":
        x, layer = encoder_layer(x, first, made.config), last
    return layer_norm(x, layer.attention_norm.gamma, layer.attention_norm.beta), layer.attention


def one_head(source, sentence, head):
    """A head by itself: its own columns of the projections, attention, no splitting of axes."""
    x, params = inputs(source, sentence)
    width = params.W_Q.shape[1] // 4
    return attention_trace(*(x @ W[:, width * head : width * (head + 1)] for W in params[:3]))


def check_tables(found, state):
    source, sentence, head = state["source"], int(state["sentence"]), int(state["head"])
    it = mha.SENTENCES[sentence].index("it")
    alone = one_head(source, sentence, head)
    whole = found[f"The weights of head {head + 1}"]
    assert [row[1:] for row in whole[1:]] == [[percent(w) for w in row] for row in alone.weights]
    heads = [head] * 4 if state["same"] == "true" else range(4)
    concat = found["The concat row of “it”, folded: a line a head"]
    expected = [[fmt(number) for number in one_head(source, sentence, h).output[it]] for h in heads]
    assert [row[1:] for row in concat[1:]] == expected


DEFAULT = {"source": "built", "sentence": "0", "head": "0", "every": "true", "same": "false"}


@pytest.mark.parametrize("source", ["built", "first", "last"])
@pytest.mark.parametrize("head", ["0", "3"])
@pytest.mark.parametrize("same", ["true", "false"])
def test_the_numbers_are_those_of_single_heads(source, head, same, sound_frame, tables):
    state = {**DEFAULT, "source": source, "head": head, "same": same}
    check_tables(tables(sound_frame("mha", state).html), state)


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("mha"))
    check_tables(tables(sound_frame("mha", state).html), state)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (0, lambda i: [i - 1] if i else range(13)),
        (1, lambda i: [i]),
        (2, lambda i: [0]),
        (3, lambda i: [j for j in (i - 1, i + 1) if j >= 0]),
    ],
)
def test_each_head_finds_the_positions_that_its_name_says(head, wanted):
    for sentence, tokens in enumerate(mha.SENTENCES):
        weights = mha.run("built", sentence, None).trace.attention.weights[head]
        for i, row in enumerate(weights):
            places = [j for j in wanted(i) if j < len(tokens)]
            assert row[places].sum() > 0.95
            assert np.ptp(row[places]) < 1e-9


def test_the_guided_heads_look_at_the_noun_and_the_heads_differ(sound_frame):
    tokens = mha.SENTENCES[0]
    for head in ("0", "1"):
        row = one_head("last", 0, int(head)).weights[tokens.index("it")]
        assert tokens[row.argmax()] == "animal"
        say = sound_frame("mha", {"source": "last", "head": head}).say
        assert f"“it” gives {percent(row.max())} of its weight to “animal”" in say


@pytest.mark.parametrize("source", ["built", "last"])
def test_w_o_joins_what_the_heads_found(source):
    made = mha.run(source, 0, None)
    heads = [one_head(source, 0, head).output for head in range(4)]
    blocks = np.split(made.params.W_O, 4)
    assert made.trace.output == pytest.approx(sum(h @ block for h, block in zip(heads, blocks, strict=True)))


@pytest.mark.parametrize("source", ["built", "first"])
def test_equal_heads_are_one_head(source, sound_frame):
    made = mha.run(source, 0, 2)
    alone = one_head(source, 0, 2).output
    assert made.trace.output == pytest.approx(alone @ sum(np.split(made.params.W_O, 4)))
    html = sound_frame("mha", {"source": source, "same": "true", "head": "2"}).html
    assert "the outputs differ by 0.000 at most" in html
    assert "Four equal lines" not in sound_frame("mha", {"source": source}).html


def test_it_says_which_heads_were_written_and_which_trained(sound_frame):
    assert "W_Q and W_K of these heads are written for positions" in sound_frame("mha").html
    trained = sound_frame("mha", {"source": "last"}).html
    assert "Only heads 1 and 2 of its last layer were guided" in trained
    assert "previous token" not in trained


def test_difference_is_0_for_equal_heads_and_1_for_heads_that_share_no_token():
    eye = np.eye(3)
    assert mha.difference(np.stack([eye, eye])) == 0
    assert mha.difference(np.stack([eye, np.roll(eye, 1, axis=1)])) == 1
    assert mha.difference(np.stack([eye, np.full((3, 3), 1 / 3)])) == pytest.approx(2 / 3)


def test_the_sentence_says_how_far_apart_the_heads_are(sound_frame):
    apart = percent(mha.difference(mha.run("built", 0, None).trace.attention.weights))
    assert f"Between two heads, {apart} of a row’s weight" in sound_frame("mha").say
    assert "differ by 0.0%" in sound_frame("mha", {"same": "true"}).say


def test_one_map_or_four(sound_frame):
    assert sound_frame("mha").html.count('class="heat-map"') == 4 + 1
    assert sound_frame("mha", {"every": "false"}).html.count('class="heat-map"') == 1 + 1


def test_all_frames_ship_beside_the_page():
    assert len(shipped_frames("mha")["states"]) == 3 * 2 * 4 * 2 * 2
