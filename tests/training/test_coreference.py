"""The training of the tiny encoder: its sentences, its gradients, a short run, and the weights that ship."""

import hashlib

import numpy as np
import pytest

from demos.models import coreference as released
from training import coreference, guided, sentences
from transformer_core import (
    IGNORED,
    cross_entropy,
    init_model,
    model_logits,
    model_trace,
    named_arrays,
    padding_mask_from_ids,
    replace_arrays,
)

TIRED = "the animal did not cross the street because it was too tired"


def some(size=6, *, held_out=False, seed=3):
    return sentences.batch(np.random.default_rng(seed), sentences.pairs(held_out, seed), size)


def words_of(ids):
    return [sentences.WORDS[number] for number in ids if sentences.WORDS[number] != sentences.PAD]


def kind_of(table, word):
    return next(kind for kind, words in table.items() if word in words)


def test_it_stands_for_the_noun_that_the_quality_fits():
    made = some(200)
    for ids, it, noun, other in zip(*made, strict=True):
        words = words_of(ids)
        assert words[it] == "it"
        quality = next(word for word in words if any(word in q for q in sentences.QUALITIES.values()))
        assert kind_of(sentences.NOUNS, words[noun]) == kind_of(sentences.QUALITIES, quality)
        assert kind_of(sentences.NOUNS, words[other]) != kind_of(sentences.QUALITIES, quality)


def test_the_right_noun_stands_first_as_often_as_second():
    made = some(2000)
    assert np.mean(made.noun < made.other) == pytest.approx(0.5, abs=0.04)


def test_no_pair_of_nouns_is_on_both_sides():
    seen, kept_back = (
        {frozenset(pair[2:]) for pair in sentences.pairs(side, coreference.SEED)} for side in (False, True)
    )
    assert seen & kept_back == set()
    assert {frozenset(pair) for pair in sentences.SHOWN} <= kept_back
    assert 0.1 < len(kept_back) / len(seen | kept_back) < 0.3


def test_every_noun_is_seen_in_training_beside_others():
    seen = {noun for pair in sentences.pairs(False, coreference.SEED) for noun in pair[2:]}
    assert seen == {noun for nouns in sentences.NOUNS.values() for noun in nouns}


def test_a_batch_is_the_same_for_the_same_seed_and_another_for_another():
    assert all(np.array_equal(a, b) for a, b in zip(some(seed=3), some(seed=3), strict=True))
    assert not np.array_equal(some(seed=3).ids, some(seed=4).ids)


def total_loss(params, made):
    """Both terms by another route: no trace of the step, the weights of "it" picked sentence by sentence."""
    mask = padding_mask_from_ids(made.ids, 0)
    logits = model_logits(made.ids, params, coreference.CONFIG, attn_mask=mask)
    labels = np.full_like(made.ids, IGNORED)
    missing = []
    for row, (ids, it, noun, _) in enumerate(zip(*made, strict=True)):
        labels[row, it] = ids[noun]
        words = len(words_of(ids))
        trace = model_trace(ids[:words], params, coreference.CONFIG)
        weights = trace.stack.layers[-1].attention.module.attention.weights
        on_noun = (weights[0, it, noun] + weights[1, it, noun]) / 2
        missing.append(max(0.0, np.log(0.8) - np.log(on_noun)))
    return cross_entropy(logits, labels) + 0.7 * np.mean(missing)


@pytest.mark.parametrize(
    "path",
    [
        "token_embedding",
        "position_embedding",
        "encoder.0.attention.W_V",
        "encoder.0.feed_forward.W_1",
        "encoder.1.attention.W_Q",
        "encoder.1.attention.W_K",
        "encoder.1.attention.W_O",
        "encoder.1.attention_norm.gamma",
    ],
)
def test_the_gradient_of_both_terms_is_that_of_finite_differences(path):
    params = init_model(np.random.default_rng(1), coreference.CONFIG)
    made = some()
    answer, guide, gradients = coreference.step(params, made, guide=0.7)
    assert answer + 0.7 * guide == pytest.approx(total_loss(params, made))
    gradient = named_arrays(gradients)[path]
    rng = np.random.default_rng(2)
    direction = rng.standard_normal(gradient.shape)

    def moved(by):
        return replace_arrays(params, lambda at, array: array + by * direction if at == path else array)

    slope = (total_loss(moved(1e-6), made) - total_loss(moved(-1e-6), made)) / 2e-6
    assert (gradient * direction).sum() == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_the_guide_pulls_no_further_once_the_weight_is_there():
    made = released.run(tuple(TIRED.split()))
    alone = sentences.Batch(np.zeros((1, 12), int), np.array([8]), np.array([1]), np.array([6]))
    batched = made._replace(stack=made.stack._replace(layers=tuple(map(_with_batch_axis, made.stack.layers))))
    term = guided.guided_loss(batched, alone)
    assert term.loss == 0
    assert not term.weights.any()
    wrong = guided.guided_loss(batched, alone._replace(noun=np.array([6])))
    assert wrong.loss > 1
    assert wrong.weights[0, :2, 8, 6].max() < 0


def _with_batch_axis(layer):
    module = layer.attention.module
    attention = module.attention._replace(weights=module.attention.weights[None])
    return layer._replace(attention=layer.attention._replace(module=module._replace(attention=attention)))


def test_a_short_run_learns_it_for_pairs_that_it_never_saw():
    said = []
    params = coreference.train(steps=300, say=said.append)
    figures = coreference.evaluate(params, held_out=True)
    assert figures.row >= 0.95
    assert figures.answer >= 0.95
    assert len(said) == 10


def test_a_difference_in_the_last_bit_does_not_grow(monkeypatch):
    def nudged(rng, config):
        return replace_arrays(init_model(rng, config), lambda _, array: array * (1 + 1e-15))

    straight = named_arrays(coreference.train(steps=40, say=str))
    monkeypatch.setattr(coreference, "init_model", nudged)
    other = named_arrays(coreference.train(steps=40, say=str))
    assert max(np.abs(straight[path] - other[path]).max() for path in straight) < 1e-9


def test_the_same_seed_trains_the_same_weights():
    one, other = (named_arrays(coreference.train(steps=8, say=str)) for _ in range(2))
    assert all(np.array_equal(one[path], other[path]) for path in one)


def test_the_released_file_is_small_and_the_one_that_was_released():
    content = released.FILE.read_bytes()
    assert len(content) <= 150_000
    assert hashlib.sha256(content).hexdigest() == released.SHA256


def test_the_released_weights_have_the_figures_that_the_file_states():
    saved = released.load()
    assert saved.config == coreference.CONFIG
    assert list(saved.words) == sentences.WORDS
    figures = coreference.evaluate(saved.params, held_out=True)
    assert coreference.flat(figures) == pytest.approx(saved.figures["guided"], abs=0.002)
    assert figures.row >= released.PROMISED
    assert saved.figures["unguided"][1] < saved.figures["guided"][1]


def test_another_file_in_its_place_is_refused(tmp_path, monkeypatch):
    damaged = tmp_path / "coreference.npz"
    damaged.write_bytes(released.FILE.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(released, "FILE", damaged)
    released.load.cache_clear()
    try:
        with pytest.raises(ValueError, match=rf"{released.SHA256}, got [0-9a-f]{{64}}$"):
            released.load()
    finally:
        released.load.cache_clear()


def test_a_training_that_fails_its_promise_writes_nothing(monkeypatch, capsys):
    before = released.FILE.read_bytes()
    monkeypatch.setattr(coreference, "train", lambda **_: released.load().params)
    monkeypatch.setattr(released, "PROMISED", 1.01)
    assert coreference.main([]) == 1
    assert "nothing was written" in capsys.readouterr().out
    assert released.FILE.read_bytes() == before


def test_check_tells_the_released_weights_from_others(monkeypatch, capsys):
    params = released.load().params
    monkeypatch.setattr(coreference, "train", lambda **_: params)
    assert coreference.main(["--check"]) == 0
    assert "largest difference to the released weights: 0," in capsys.readouterr().out
    figures = coreference.evaluate(params, held_out=True)
    assert coreference.compare(params, figures._replace(weight=figures.weight - 0.02)) == 1
