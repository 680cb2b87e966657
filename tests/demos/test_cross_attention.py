"""The demo of cross-attention: its numbers against attention called directly, and the alignment it shows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, percent
from demos.kit.shipped import shipped_frames
from demos.models import translation
from transformer_core import AttentionParams, multi_head_trace

HAN = "".join(word for _, chinese in translation.PAIRS for word in chinese)
ALIGNED = [
    {"我": "I", "昨天": "yesterday", "吃": "ate", "了": "ate", "一个": "an", "苹果": "apple"},
    {"黑": "black", "猫": "cat", "在": "on", "垫子": "mat", "上": "on", "睡觉": "sleeps"},
    {"她": "she", "从来": "never", "不": "never", "喝": "drinks", "冷": "cold", "咖啡": "coffee"},
]


def other_route(source):
    """The head as multi-head attention with a context: query from the decoder, the rest from the encoder."""
    made = translation.languages()
    english, chinese = translation.PAIRS[source]
    decoder = np.array([made.chinese[word] for word in chinese])
    encoder = np.array([made.english[word] for word in english])
    params = AttentionParams(made.W_Q, made.W_K, made.W_V, np.eye(translation.D_V))
    return multi_head_trace(decoder, params, 1, context=encoder)


def rows(matrix, show=fmt):
    return [[show(number) for number in row] for row in matrix]


def check_tables(found, state):
    trace = other_route(int(state["source"]))
    for caption, expected in (
        ("Scores ÷ √d_k", trace.attention.scaled[0]),
        ("Weights, three decimals", trace.attention.weights[0]),
        ("The encoder’s V", trace.value[0]),
        ("Output", trace.output),
    ):
        assert [row[1:] for row in found[caption][1:]] == rows(expected), caption
    whole = found["Weights: decoder down, encoder across"]
    assert [row[1:] for row in whole[1:]] == rows(trace.attention.weights[0], lambda w: percent(w, 0))


@pytest.mark.parametrize("source", ["0", "1", "2"])
@pytest.mark.parametrize("query", ["0,0", "0,3", "0,5"])
def test_the_numbers_are_those_of_attention(source, query, sound_frame, tables):
    state = {"source": source, "query": query}
    check_tables(tables(sound_frame("cross-attention", state, foreign=HAN).html), state)


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("cross-attention"))
    check_tables(tables(sound_frame("cross-attention", state, foreign=HAN).html), state)


@pytest.mark.parametrize("source", [0, 1, 2])
def test_each_word_looks_at_its_translation(source, sound_frame):
    english, chinese = translation.PAIRS[source]
    weights = other_route(source).attention.weights[0]
    for i, word in enumerate(chinese):
        best = english[weights[i].argmax()]
        assert best == ALIGNED[source][word]
        say = sound_frame("cross-attention", {"source": str(source), "query": f"0,{i}"}, foreign=HAN).say
        assert f"“{word}” gives {percent(weights[i].max())} of its weight to “{best}”" in say


def test_the_weights_are_not_square(sound_frame):
    for source, (english, chinese) in enumerate(translation.PAIRS):
        assert len(english) != len(chinese)
        say = sound_frame("cross-attention", {"source": str(source)}, foreign=HAN).say
        assert f"the weights are {len(chinese)} × {len(english)}" in say


def test_the_output_is_the_written_mixture(sound_frame):
    html = sound_frame("cross-attention", {"query": "0,3"}, foreign=HAN).html
    trace = other_route(0)
    row = trace.attention.weights[0, 3]
    first, second, third = np.argsort(-row)[:3]
    words = translation.PAIRS[0][0]
    sum_ = " + ".join(f"{fmt(row[j])} · v({words[j]})" for j in (first, second, third))
    assert f"{sum_} + …" in html
    assert "= [" + ", ".join(map(fmt, row @ trace.value[0])) + "]" in html


def test_all_frames_ship_beside_the_page():
    assert len(shipped_frames("cross-attention")["states"]) == 3 * 6
