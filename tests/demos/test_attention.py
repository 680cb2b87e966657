"""The demo of who looks at whom: its numbers against the trained model by another route; what is typed."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import attention, kit
from demos.kit import fmt, percent
from demos.models import coreference
from training.guided import GUIDED_HEADS
from transformer_core import attention_trace, encoder_layer, layer_norm, load_model, softmax

DEFAULT = {
    "sentence": "0",
    "words": "the animal did not cross the street because it was too tired",
    "query": "0,0",
    "layer": "1",
    "head": "mean",
}
SAVED = load_model(coreference.FILE)


def other_route(tokens):
    """Scores and weights of both layers, head by head from single matrices; and the logits at each token."""
    params, config = coreference.load().params, SAVED.config
    words = SAVED.extras["words"].tolist()
    x = params.token_embedding[[words.index(token) for token in tokens]]
    x = x + params.position_embedding[: len(tokens)]
    every = []
    for layer in params.encoder:
        inner = layer_norm(x, layer.attention_norm.gamma, layer.attention_norm.beta)
        heads = []
        for h in range(4):
            cut = slice(8 * h, 8 * h + 8)
            q, k, v = (inner @ W[:, cut] for W in layer.attention[:3])
            heads.append(attention_trace(q, k, v))
        every.append(heads)
        x = encoder_layer(x, layer, config)
    hidden = layer_norm(x, params.encoder_norm.gamma, params.encoder_norm.beta)
    return every, hidden @ params.token_embedding.T


def tokens_and_place(state):
    tokens = attention.EXAMPLES[int(state["sentence"])]
    if state["sentence"] == "own":
        tokens = tuple(state["words"].split())
    column = int(state["query"].split(",")[1])
    return tokens, tokens.index("it") if column == 0 else min(column, len(tokens)) - 1


def check_tables(found, state):
    tokens, at = tokens_and_place(state)
    heads = other_route(tokens)[0][int(state["layer"])]
    weights = np.array([trace.weights for trace in heads])
    shown = weights.mean(axis=0) if state["head"] == "mean" else weights[int(state["head"]) - 1]
    every = found["All weights (S × S)"]
    assert [row[1:] for row in every[1:]] == [[percent(w) for w in row] for row in shown]
    top = found[f"The keys with the largest weights for “{tokens[at]}”"][1:]
    places = [int(row[0].rsplit("(")[1].strip(")")) - 1 for row in top]
    assert len(set(places)) == min(5, len(tokens))
    assert min(shown[at, places]) >= max(np.delete(shown[at], places), default=0) - 1e-9
    for j, row in zip(places, top, strict=True):
        if state["head"] == "mean":
            numbers = [percent(w) for w in [*weights[:, at, j], shown[at, j]]]
        else:
            trace = heads[int(state["head"]) - 1]
            numbers = [fmt(trace.scores[at, j]), fmt(trace.scaled[at, j]), percent(shown[at, j])]
        assert row == [f"{tokens[j]} ({j + 1})", *numbers]


CORNERS = [
    DEFAULT,
    *(
        {**DEFAULT, "sentence": sentence, "query": query, "layer": layer, "head": head}
        for sentence, query, layer, head in (
            ("0", "0,1", "0", "1"),
            ("3", "0,15", "1", "4"),
            ("2", "0,0", "0", "mean"),
        )
    ),
]


@pytest.mark.parametrize("state", CORNERS, ids=lambda state: " ".join(state.values())[:8])
def test_the_numbers_are_those_of_attention(state, sound_frame, tables):
    check_tables(tables(sound_frame("attention", state).html), state)


known = st.lists(st.sampled_from(coreference.vocabulary()), min_size=1, max_size=attention.LONGEST).map(
    " ".join
)


@given(
    sentence=st.sampled_from("0123"),
    query=st.integers(0, attention.LONGEST),
    layer=st.sampled_from("01"),
    head=st.sampled_from(["mean", "1", "2", "3", "4"]),
)
@settings(max_examples=20, deadline=None)
def test_and_in_any_state(sentence, query, layer, head, sound_frame, tables):
    state = {**DEFAULT, "sentence": sentence, "query": f"0,{query}", "layer": layer, "head": head}
    check_tables(tables(sound_frame("attention", state).html), state)


@given(words=known, query=st.integers(1, attention.LONGEST), head=st.sampled_from(["mean", "3"]))
@settings(max_examples=20, deadline=None)
def test_any_sentence_of_known_words_can_be_typed(words, query, head, sound_frame):
    state = {**DEFAULT, "sentence": "own", "words": words, "query": f"0,{query}", "head": head}
    say = sound_frame("attention", state).say
    tokens = words.split()
    assert f"“{tokens[min(query, len(tokens)) - 1]}”" in say


def test_a_typed_sentence_has_the_numbers_of_attention(sound_frame, tables):
    words = "because it was too hot the old cat did not eat the soup"
    for query, head in (("0,0", "mean"), ("0,8", "2")):
        state = {**DEFAULT, "sentence": "own", "words": words, "query": query, "head": head}
        tokens = tuple(words.split())
        found = tables(sound_frame("attention", state).html)
        heads = other_route(tokens)[0][1]
        weights = np.array([trace.weights for trace in heads])
        shown = weights.mean(axis=0) if head == "mean" else weights[1]
        every = found["All weights (S × S)"]
        assert [row[1:] for row in every[1:]] == [[percent(w) for w in row] for row in shown]


def test_the_default_is_it_in_the_last_layer(sound_frame):
    assert sound_frame("attention").state == DEFAULT


@pytest.mark.parametrize(("sentence", "noun"), list(enumerate(["animal", "street", "trophy", "suitcase"])))
def test_one_word_decides_which_noun_it_looks_at(sentence, noun, sound_frame):
    words = attention.EXAMPLES[sentence]
    weights = np.mean([trace.weights for trace in other_route(words)[0][1]], axis=0)[words.index("it")]
    assert words[weights.argmax()] == noun
    said = sound_frame("attention", {"sentence": str(sentence)}).say
    assert f"“it” gives {percent(weights.max())} of its weight to “{noun}”" in said
    other = sound_frame("attention", {"sentence": str(sentence ^ 1)}).say
    assert f"looks at most is “{noun}” ({percent(weights.max())})" in other


def test_the_answer_is_the_softmax_of_the_logits_at_it(sound_frame):
    words = attention.EXAMPLES[1]
    chances = softmax(other_route(words)[1][words.index("it")])
    best = np.argsort(-chances)[:3]
    html = sound_frame("attention", {"sentence": "1"}).html
    shown = html[html.index("What the model answers") :]
    for place in best:
        word = SAVED.extras["words"].tolist()[place]
        assert f'"bar-name">{word}</span>' in shown
        assert f'"bar-number">{percent(chances[place])}</span>' in shown
    assert SAVED.extras["words"].tolist()[best[0]] == "street"


def test_the_sentences_of_a_pair_differ_in_one_word():
    for one, other in (attention.EXAMPLES[:2], attention.EXAMPLES[2:]):
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1


def test_column_0_is_it_wherever_it_stands():
    assert attention.place(("because", "it", "was"), 0) == 1
    assert attention.place(("the", "cat"), 0) == 0
    assert attention.place(("the", "cat"), 2) == 1
    assert attention.place(("the", "cat"), 9) == 1


def test_case_and_full_stops_do_not_matter():
    assert attention.tokens_of("The dog, it was TIRED.") == ("the", "dog", "it", "was", "tired")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("the castle was big", "The model does not know “castle”: it has learnt 77 words. Close to it are:"),
        ("the zzz", "“zzz”: it has learnt 77 words. They are listed below the picture"),
        ("the · cat", "does not know “·”"),
        (" . ", "A sentence has 1 to 15 words here, got 0"),
        ("the " * 16, "A sentence has 1 to 15 words here, got 16"),
        ("<b>cat</b>", "does not know “<b>cat</b>”"),
    ],
)
def test_what_the_model_cannot_read_is_said_and_nothing_else_happens(words, said):
    state = {**DEFAULT, "sentence": "own", "words": words}
    answer = json.loads(kit.frame_json("attention", json.dumps(state), "en"))
    assert answer["error"]["code"] == "state"
    assert said in answer["error"]["message"]


def test_what_is_typed_does_not_matter_for_the_other_sentences(sound_frame):
    odd = sound_frame("attention", {"words": "zzz"})
    assert odd.html == sound_frame("attention").html


def test_a_sentence_without_it_is_said_to_have_no_answer(sound_frame):
    state = {"sentence": "own", "words": "the dog did not eat the bread"}
    assert "There is no “it”" in sound_frame("attention", state).html
    assert "What the model answers" not in sound_frame("attention", state).html


def test_the_words_to_choose_from_are_listed_where_they_are_needed(sound_frame):
    listed = ", ".join(coreference.vocabulary())
    assert listed in sound_frame("attention", {"sentence": "own"}).html
    assert listed not in sound_frame("attention").html


def test_a_flat_row_is_called_flat_and_a_steep_one_is_not(sound_frame):
    flat = sound_frame("attention", {"layer": "0", "head": "4"}).say
    assert "equal shares (8.3% each)" in flat
    assert "equal shares" not in sound_frame("attention").say


def test_a_single_token_keeps_all_its_weight(sound_frame):
    say = sound_frame("attention", {"sentence": "own", "words": "cat", "query": "0,1"}).say
    assert say == "“cat” is the only token, so all of its weight goes to itself."


def test_the_map_tints_every_weight(sound_frame):
    weights = attention.shown_weights(attention.EXAMPLES[0], 1, "mean")
    html = sound_frame("attention").html
    paths = re.findall(r'<path class="map-cell" style="--heat:([\d.]+)" d="([^"]+)"', html)
    drawn = np.zeros_like(weights)
    for tint, squares in paths:
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)h", squares):
            drawn[round((float(y) - 66) / 18), round((float(x) - 78) / 18)] = float(tint)
    assert drawn == pytest.approx(weights, abs=0.00501)


def test_the_page_says_how_the_model_was_trained_with_the_figures_of_the_file(sound_frame):
    html = sound_frame("attention").html
    answer, row, *_ = SAVED.extras["guided"]
    plain_answer, plain_row, *_ = SAVED.extras["unguided"]
    for said in (
        "2 layers, 4 heads, d_model 32",
        f"{percent(answer)} of the answers are right, and {percent(row)} of the last layer’s rows",
        f"Without the term {percent(plain_answer)} of the answers are right, but only {percent(plain_row)}",
        "guides heads 1 and 2",
        "they are no reasons",
    ):
        assert said in html
    assert GUIDED_HEADS == 2
