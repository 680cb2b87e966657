"""The training side together: tiny models that really learn, in a second or two each."""

import numpy as np
import pytest

from transformer_core import (
    IGNORED,
    Dropout,
    ModelConfig,
    adamw_init,
    adamw_step,
    clip_by_global_norm,
    decay_matrices,
    generate,
    init_model,
    loss_and_gradients,
    model_logits,
    next_token_labels,
    noam,
    warmup_cosine,
)

WIDTH = {"d_model": 32, "n_heads": 4, "d_ff": 64}
END, DIGITS = 0, 8  # tokens 1 to 7 are what the tasks are about


def train(config, batch, steps, learning_rate, dropout=None, seed=0):
    """The loop that a training script has: one loss, one step, again. batch(rng) gives arguments."""
    rng = np.random.default_rng(seed)
    params = init_model(rng, config, dtype=np.float32)
    state, losses = adamw_init(params), []
    for step in range(1, steps + 1):
        token_ids, labels, options = batch(rng)
        loss, gradients = loss_and_gradients(
            token_ids, labels, params, config, dropout=dropout and Dropout(dropout, rng), **options
        )
        gradients = clip_by_global_norm(gradients, 1.0)
        params, state = adamw_step(
            params, gradients, state, learning_rate=float(learning_rate(step)), decays=decay_matrices
        )
        losses.append(loss)
    return params, losses


@pytest.mark.parametrize(
    "kind",
    [
        {"n_layers": 1, "positions": "learned", "max_positions": 9, "feed_forward": "gelu"},
        {"n_layers": 2, "positions": "rope", "norm": "rms", "feed_forward": "swiglu", "n_kv_heads": 2},
    ],
    ids=["GPT-2's kind", "Llama's kind"],
)
def test_a_decoder_learns_to_write_four_digits_backwards(kind):
    """1 2 3 4 END -> 4 3 2 1. What comes before END is not to be predicted: ignored labels."""
    config = ModelConfig(architecture="decoder", vocab_size=DIGITS, **(WIDTH | kind))

    def batch(rng):
        digits = rng.integers(1, DIGITS, (32, 4))
        text = np.concatenate([digits, np.full((32, 1), END), digits[:, ::-1]], axis=1)
        labels = next_token_labels(text)
        labels[:, :4] = IGNORED
        return text[:, :-1], labels[:, :-1], {}

    steps = 300
    params, losses = train(config, batch, steps, lambda step: warmup_cosine(step, 1e-2, 20, steps))
    assert np.mean(losses[:3]) > 1.9  # as good as guessing among seven: log 7 = 1.95
    assert np.mean(losses[-10:]) < 0.1

    unseen = np.random.default_rng(99).integers(1, DIGITS, (100, 4))
    prompt = np.concatenate([unseen, np.full((100, 1), END)], axis=1)
    written = generate(prompt, params, config, 4)[:, 5:]
    assert (written == unseen[:, ::-1]).all(axis=1).mean() > 0.95


def test_an_encoder_decoder_learns_to_translate():
    """Each digit becomes the next one up, and the order turns: with dropout and Noam, as in 2017."""
    config = ModelConfig(
        architecture="encoder-decoder", vocab_size=DIGITS, n_layers=1, positions="sinusoidal",
        scale_embedding=True, norm_first=False, final_norm=False, feed_forward="relu", **WIDTH,
    )  # fmt: skip

    def translated(digits):
        return (digits % (DIGITS - 1) + 1)[:, ::-1]

    def batch(rng):
        digits = rng.integers(1, DIGITS, (32, 4))
        target = translated(digits)
        shifted = np.concatenate([np.full((32, 1), END), target[:, :-1]], axis=1)
        return shifted, target, {"source_ids": digits, "label_smoothing": 0.1}

    params, _ = train(config, batch, 300, lambda step: noam(step, 32, 60, factor=0.5), dropout=0.05)
    unseen = np.random.default_rng(99).integers(1, DIGITS, (100, 4))
    written = generate(np.full((100, 1), END), params, config, 4, source_ids=unseen)[:, 1:]
    assert (written == translated(unseen)).all(axis=1).mean() > 0.9


def test_an_encoder_learns_to_fill_a_gap():
    """A row of equal digits with one hidden: BERT's task, in small."""
    config = ModelConfig(
        architecture="encoder", vocab_size=DIGITS, n_layers=1, positions="learned", max_positions=5,
        norm_first=False, final_norm=False, embedding_norm=True, **WIDTH,
    )  # fmt: skip

    def batch(rng):
        text = np.repeat(rng.integers(1, DIGITS, (32, 1)), 5, axis=1)
        labels, gaps = np.full((32, 5), IGNORED), rng.integers(0, 5, 32)
        labels[np.arange(32), gaps] = text[np.arange(32), gaps]
        text[np.arange(32), gaps] = END
        return text, labels, {}

    params, losses = train(config, batch, 120, lambda step: warmup_cosine(step, 5e-3, 10, 120))
    assert np.mean(losses[-10:]) < 0.1
    logits = model_logits([[3, 3, END, 3, 3], [6, 6, 6, 6, END]], params, config)
    assert (logits[0, 2].argmax(), logits[1, 4].argmax()) == (3, 6)


def test_the_same_seed_trains_the_same_model():
    config = ModelConfig(architecture="decoder", vocab_size=DIGITS, n_layers=1, **WIDTH)

    def batch(rng):
        text = rng.integers(1, DIGITS, (4, 6))
        return text, next_token_labels(text), {}

    first, second = (train(config, batch, 3, lambda step: 1e-2, dropout=0.1)[1] for _ in range(2))
    assert first == second
