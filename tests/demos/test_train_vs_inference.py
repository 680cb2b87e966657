"""The demo of training and inference: its counts by formula, its logits by running the model another way."""

import dataclasses
import re

import numpy as np
import pytest

from demos.generating import tiny
from demos.kit import fmt, frame, load, percent
from demos.kit.shipped import shipped_frames
from transformer_core import softmax
from transformer_core.generation import advance, start_cache
from transformer_core.model import model_logits

S, L, H = tiny.STEPS, tiny.CONFIG.n_layers, tiny.CONFIG.n_heads
STATES = list(load("train-vs-inference").states())
AT_ONE_SPEED = [state for state in STATES if state["speed"] == "1600"]


def teacher():
    """The logits of one causal pass over the text."""
    return model_logits(range(S), tiny.fitted(), tiny.CONFIG)


def peeking():
    """The logits of the same weights where every position sees all."""
    params = tiny.fitted()
    config = dataclasses.replace(tiny.CONFIG, architecture="encoder")
    as_encoder = params._replace(encoder=params.decoder, encoder_norm=params.decoder_norm)
    return model_logits(range(S), as_encoder, config)


def one_by_one():
    """The logits of each prefix alone, without any cache."""
    return np.array([model_logits(range(n + 1), tiny.fitted(), tiny.CONFIG)[-1] for n in range(S)])


def counts(n):
    """Passes, projections and dot products after n steps: training, without cache, with cache."""
    steps = range(1, n + 1)
    return [
        [1, S * L, H * L * S * S],
        [n, L * sum(steps), H * L * sum(t * t for t in steps)],
        [n, L * n, H * L * sum(steps)],
    ]


def only(found, start):
    (rows,) = (rows for name, rows in found.items() if name.startswith(start))
    return rows


@pytest.mark.parametrize(
    "state", [s for s in STATES if s["speed"] == "1600"], ids=lambda s: "-".join(s.values())
)
def test_the_numbers_are_those_of_the_runs(state, sound_frame, tables):
    shown = sound_frame("train-vs-inference", state)
    found = tables(shown.html)
    n = int(state["step"]) + 1
    work = only(found, "Counted")[1:]
    assert [row[1:] for row in work] == [[str(count) for count in row] for row in counts(n)]

    taught = teacher() if state["causal"] == "true" else peeking()
    theirs = one_by_one()
    known = S if state["mode"] == "train" else n
    gaps = np.abs(taught - theirs)
    rows = only(found, "Logit of the predicted")[1:]
    assert len(rows) == known
    for place, row in enumerate(rows):
        name = f"{place + 1} {tiny.TOKENS[place]} → {tiny.TOKENS[place + 1]}"
        gap = gaps[place].max()
        told = "< 10⁻¹²" if gap < 1e-12 else fmt(gap)
        assert row == [name, fmt(taught[place, place + 1]), fmt(theirs[place, place + 1]), told]

    for start, logits in (("Training: all", taught), ("Inference: all", theirs)):
        assert [row[1:] for row in only(found, start)[1:]] == [[fmt(each) for each in row] for row in logits]
    chances = [row[1] for row in only(found, "Probability")[1:]]
    assert chances == [percent(softmax(theirs[place])[place + 1]) for place in range(S)]

    largest = gaps[:known].max()
    assert ("< 10⁻¹²" if largest < 1e-12 else fmt(largest)) in shown.say
    mine = counts(n)[0 if state["mode"] == "train" else 1 + (state["cache"] == "true")]
    assert f"{mine[1]} token projections and {mine[2]} dot products" in shown.say
    if state["mode"] == "infer":
        assert f"says “{tiny.TOKENS[n]}”" in shown.say


def test_with_the_mask_training_and_inference_agree_and_without_it_they_do_not():
    theirs = one_by_one()
    assert np.abs(teacher() - theirs).max() < 1e-12
    assert (np.abs(peeking() - theirs).max(axis=1) > 1).all()


@pytest.mark.parametrize("use_cache", [False, True])
def test_inference_says_the_sentence_by_itself(use_cache):
    said = tiny.infer(use_cache)
    assert said.tokens == tuple(range(S + 1))
    assert [each.fed.tolist() for each in said.steps] == (
        [[n] for n in range(S)] if use_cache else [list(range(n + 1)) for n in range(S)]
    )


def test_the_counts_of_training_are_those_that_generation_counts():
    whole = advance(range(S), tiny.fitted(), tiny.CONFIG, start_cache(tiny.fitted(), tiny.CONFIG))
    assert tiny.train(True).work == whole.work == tiny.train(False).work


def grid(state):
    html = frame("train-vs-inference", state, "en").html
    body = html[html.index("Rows: passes") :]
    body = body[body.index("<tbody>") : body.index("</tbody>")]
    return ["".join(mark for mark in row if mark in "●○·—") for row in body.split("</tr>")[:-1]]


def test_training_lights_all_positions_at_once():
    assert grid({"mode": "train"}) == ["●●●●●●"] + ["——————"] * 5


def test_inference_lights_them_one_by_one():
    assert grid({"mode": "infer", "step": "2"}) == ["●·····", "○●····", "○○●···"] + ["······"] * 3
    assert (
        grid({"mode": "infer", "step": "2", "cache": "false"})
        == ["●·····", "●●····", "●●●···"] + ["······"] * 3
    )


def test_the_words_not_yet_said_are_not_shown():
    html = frame("train-vs-inference", {"mode": "infer", "step": "2"}).html
    row = html[html.index('class="tokens"') :]
    row = row[: row.index("</div>")]
    assert row.count("…") == 3
    assert "all" in row
    assert "need" not in row


@pytest.mark.parametrize(
    ("state", "lit"),
    [
        ({}, "training"),
        ({"cache": "false"}, "training"),
        ({"mode": "infer"}, "KV cache"),
        ({"mode": "infer", "cache": "false"}, "no cache"),
    ],
)
def test_the_row_of_this_run_is_lit(state, lit):
    html = frame("train-vs-inference", state, "en").html
    counted = html[html.index("Counted on the arrays") :]
    body = counted[: counted.index("</tbody>")]
    assert re.findall(r'<th scope="row" class="lit">([^<]*)<', body) == [lit]


@pytest.mark.parametrize(
    ("state", "shapes"),
    [
        ({}, ["x (1, 6, 16)", "scores (1, 2, 6, 6)"]),
        ({"mode": "infer", "step": "3"}, ["x (1, 1, 16)", "key (1, 2, 4, 8)", "scores (1, 2, 1, 4)"]),
        ({"mode": "infer", "step": "3", "cache": "false"}, ["x (1, 4, 16)", "scores (1, 2, 4, 4)"]),
    ],
)
def test_shapes(state, shapes):
    html = frame("train-vs-inference", state).html
    assert all(shape in html for shape in shapes)


def test_all_frames_ship_and_speed_changes_none():
    shipped = shipped_frames("train-vs-inference")
    assert len(shipped["states"]) == len(STATES)
    assert len(shipped["frames"]) == len(STATES) / 3 - S * 2  # speed; and the cache while training
