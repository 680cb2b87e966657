"""Train the tiny encoder that the demos run: at "it" it is to name the noun that "it" stands for.

    python -m training.coreference            trains, prints the held-out figures, writes the weights
    python -m training.coreference --check    trains, and compares with the weights that are there

Two layers, four heads, d_model 32, on sentences made by `training.sentences`, all of it in numpy with the
backward functions of `transformer_core`: a minute on one core. Every draw comes from one seed.
It trains twice, with and without the guided term, so that the page can say what the term changes.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from demos.models import coreference as released
from training.guided import add_guided_gradients, guided_loss
from training.sentences import IDS, LONGEST, PAD, WORDS, Batch, batch, pairs
from transformer_core import (
    IGNORED,
    ModelConfig,
    ModelParams,
    ModelTrace,
    adamw_init,
    adamw_step,
    clip_by_global_norm,
    cross_entropy_backward,
    cross_entropy_trace,
    decay_matrices,
    init_model,
    map_arrays,
    model_backward,
    model_trace,
    named_arrays,
    padding_mask_from_ids,
    save_model,
    warmup_cosine,
)

CONFIG = ModelConfig(
    architecture="encoder",
    vocab_size=len(WORDS),
    n_layers=2,
    d_model=32,
    n_heads=4,
    d_ff=64,
    feed_forward="relu",
    feed_forward_bias=True,
    positions="learned",
    max_positions=LONGEST,
)
SEED, STEPS, BATCH = 2017, 1000, 64
PEAK_RATE, WARMUP, WEIGHT_DECAY, LONGEST_GRADIENT = 3e-3, 100, 0.1, 1.0
HELD_OUT_SENTENCES = 2000


class Figures(NamedTuple):
    """Shares of sentences, from 0 to 1."""

    answer: float  # the noun with the largest logit at "it" is the right one
    row: float  # the last layer's row of "it", mean of the heads, puts most weight on the right noun
    heads: tuple[float, ...]  # the same for each head alone
    weight: float  # mean weight of that row on the right noun


def run(ids: np.ndarray, params: ModelParams) -> ModelTrace:  # (B, S)
    """The model on a batch whose short sentences are padded."""
    return model_trace(ids, params, CONFIG, attn_mask=padding_mask_from_ids(ids, IDS[PAD]))


def step(params: ModelParams, made: Batch, guide: float) -> tuple[float, float, ModelParams]:
    """Both losses on a batch, and the gradient of answer + guide * guided by every parameter."""
    trace = run(made.ids, params)
    labels = np.full_like(made.ids, IGNORED)
    rows = np.arange(len(made.it))
    labels[rows, made.it] = made.ids[rows, made.noun]
    surprise = cross_entropy_trace(trace.logits, labels)
    gradients = model_backward(trace, params, CONFIG, logits=cross_entropy_backward(surprise, labels))
    guided = guided_loss(trace, made)
    if guide:
        gradients = add_guided_gradients(gradients, guide * guided.weights, trace, params, CONFIG)
    return surprise.loss, guided.loss, gradients


def train(
    steps: int = STEPS, seed: int = SEED, guide: float = 1.0, *, say: Callable[[str], None] = print
) -> ModelParams:
    """The trained parameters; `say` gets a line now and then.

    In float64: in float32 the rounding of one machine and another grows, within these steps, into weights
    that differ visibly; the file keeps float32.
    """
    rng = np.random.default_rng(seed)
    params = init_model(rng, CONFIG)
    state, chosen = adamw_init(params), pairs(held_out=False, seed=seed)
    for number in range(1, steps + 1):
        answer, guided, gradients = step(params, batch(rng, chosen, BATCH), guide)
        rate = float(warmup_cosine(number, PEAK_RATE, min(WARMUP, steps // 4), steps, floor=PEAK_RATE / 50))
        params, state = adamw_step(
            params,
            clip_by_global_norm(gradients, LONGEST_GRADIENT),
            state,
            learning_rate=rate,
            weight_decay=WEIGHT_DECAY,
            decays=decay_matrices,
        )
        if number % max(1, steps // 10) == 0:
            say(f"step {number:5d} of {steps}: loss of the answer {answer:.4f}, of the guide {guided:.4f}")
    return params


def evaluate(params: ModelParams, *, held_out: bool, seed: int = SEED) -> Figures:
    """The figures on fresh sentences about pairs of nouns that training saw, or did not see."""
    rng = np.random.default_rng(seed + 1)
    made = batch(rng, pairs(held_out, seed), HELD_OUT_SENTENCES)
    trace, rows = run(made.ids, params), np.arange(HELD_OUT_SENTENCES)
    answers = trace.logits[rows, made.it].argmax(axis=-1)
    weights = trace.stack.layers[-1].attention.module.attention.weights[rows, :, made.it]  # (B, H, S)
    mean = weights.mean(axis=1)
    return Figures(
        answer=float(np.mean(answers == made.ids[rows, made.noun])),
        row=float(np.mean(mean.argmax(axis=-1) == made.noun)),
        heads=tuple(float(share) for share in np.mean(weights.argmax(axis=-1) == made.noun[:, None], axis=0)),
        weight=float(mean[rows, made.noun].mean()),
    )


def report(figures: Figures, name: str) -> str:
    """The figures as a line."""
    heads = ", ".join(f"{share:.1%}" for share in figures.heads)
    return (
        f'{name}: answer right {figures.answer:.1%}; row of "it" puts most weight on the right noun '
        f"{figures.row:.1%} (heads alone: {heads}); mean weight there {figures.weight:.3f}"
    )


def main(arguments: list[str]) -> int:
    """Train, report, and write or compare; the exit status is 1 where the result is not good enough."""
    parser = argparse.ArgumentParser(
        prog="python -m training.coreference", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--check", action="store_true", help="compare with the released weights, write nothing"
    )
    checks = parser.parse_args(arguments).check
    print("with the guided term")
    params = train()
    guided = evaluate(params, held_out=True)
    print(report(evaluate(params, held_out=False), "pairs of nouns seen in training"))
    print(report(guided, "pairs of nouns held out"))
    print("without the guided term")
    unguided = evaluate(train(guide=0.0), held_out=True)
    print(report(unguided, "pairs of nouns held out"))
    if guided.row < released.PROMISED:
        print(f"not good enough: {guided.row:.1%} is below {released.PROMISED:.0%}; nothing was written")
        return 1
    if checks:
        return compare(params, guided)
    extras = {"words": WORDS, "guided": flat(guided), "unguided": flat(unguided)}
    kept = map_arrays(lambda array: array.astype(np.float32), params)
    save_model(released.FILE, kept, CONFIG, extras=extras)
    content = released.FILE.read_bytes()
    print(
        f"wrote {released.FILE.name}, {len(content):,} bytes; its SHA-256 belongs into {released.__name__}:"
    )
    print(hashlib.sha256(content).hexdigest())
    return 0


def flat(figures: Figures) -> list[float]:
    """The figures as the released file keeps them: answer, row, weight, each head."""
    return [figures.answer, figures.row, figures.weight, *figures.heads]


def compare(params: ModelParams, guided: Figures) -> int:
    """Set what was trained now beside the released weights."""
    there = released.load()
    gaps = {
        path: float(np.abs(array - named_arrays(there.params)[path]).max())
        for path, array in named_arrays(params).items()
    }
    worst = max(gaps, key=gaps.__getitem__)
    same = gaps[worst] < 1e-5 and np.allclose(flat(guided), there.figures["guided"], atol=0.005)
    print(f"largest difference to the released weights: {gaps[worst]:.2g}, in {worst}")
    print(f"weights and figures {'agree' if same else 'do not agree'} with the released ones")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
