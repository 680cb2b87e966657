"""Five ways to tell a token's place, or none: what each puts into a score, and what comes of other seats."""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from transformer_core import (
    W_K,
    W_Q,
    W_V,
    X,
    alibi_bias,
    alibi_slopes,
    attention_trace,
    causal_mask,
    combine_masks,
    rope,
    rope_frequencies,
    sinusoidal_positions,
    softmax,
    t5_bias,
    t5_buckets,
)

S, FAR = 16, 48  # positions that are drawn, and how far on the same pair is looked at again
D = 16  # width of the sinusoidal table
HEADS = 8  # of ALiBi
ROPE_BASE = 100.0  # small, so that the second of two pairs is seen to turn within 16 positions
CONTENT = np.array([1.0, 0.0, 1.0, 0.0])  # query and key of every token: only positions differ
SPEEDS = rope_frequencies(len(CONTENT), base=ROPE_BASE)
T5_TABLE = np.random.default_rng(3).standard_normal((32, 1))  # as before training


@lru_cache(maxsize=16)
def placed(scheme: str, head: int) -> np.ndarray:  # -> (S + FAR, S + FAR)
    """What positions alone put into the score of each query and key."""
    size = S + FAR
    if scheme == "sinusoidal":
        table = sinusoidal_positions(size, D)
        return table @ table.T
    if scheme == "rope":
        turned = rope(np.tile(CONTENT, (size, 1)), base=ROPE_BASE)
        return turned @ turned.T
    if scheme == "alibi":
        return alibi_bias(HEADS, size)[head]
    return t5_bias(T5_TABLE, size)[0] if scheme == "t5" else np.zeros((size, size))


def weights_of(scheme: str, head: int, i: int) -> np.ndarray:  # -> (S,)
    """The weights of query i over S keys of equal content: products are scaled first, a bias is not."""
    width = {"sinusoidal": D, "rope": len(CONTENT)}.get(scheme, 1)
    return softmax(placed(scheme, head)[i, :S] / np.sqrt(width))


def slope(head: int) -> float:
    """What a token's distance costs in this head of ALiBi."""
    return float(alibi_slopes(HEADS)[head])


def bucket(offset: int) -> tuple[int, list[int]]:
    """T5's bucket of an offset, and all offsets in the sentence that share it."""
    offsets = np.arange(1 - S, S)
    buckets = t5_buckets(offsets)
    own = int(buckets[offset + S - 1])
    return own, [int(each) for each in offsets[buckets == own]]


def attend(scheme: str, order: tuple[int, ...], causal: bool) -> np.ndarray:  # -> (3, 2)
    """The worked example's output with its tokens in this order."""
    x = X[list(order)]
    count, width = x.shape
    if scheme == "sinusoidal":
        x = x + sinusoidal_positions(count, width)
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    if scheme == "rope":
        query, key = rope(query), rope(key)
    bias = {"alibi": alibi_bias(HEADS, count)[0], "t5": t5_bias(T5_TABLE, count)[0]}.get(scheme)
    mask = combine_masks(bias, causal_mask(count) if causal else None)
    return attention_trace(query, key, value, mask).output


class Sizes(NamedTuple):
    """An embedding and a position's vector before they are added."""

    embedding: np.ndarray  # (d_model,)
    position: np.ndarray  # (d_model,)

    @property
    def lengths(self) -> tuple[float, float]:
        return float(np.linalg.norm(self.embedding)), float(np.linalg.norm(self.position))

    @property
    def share(self) -> float:
        """The embedding's share of both squared lengths."""
        word, place = (length**2 for length in self.lengths)
        return word / (word + place)


def sizes(d_model: int, i: int, scaled: bool) -> Sizes:
    """An embedding drawn with variance 1/d_model, times the root of d_model or not."""
    factor = np.sqrt(d_model) if scaled else 1.0
    return Sizes(_drawn()[:d_model] / np.sqrt(d_model) * factor, sinusoidal_positions(i + 1, d_model)[i])


@cache
def _drawn() -> np.ndarray:
    return np.random.default_rng(0).standard_normal(4096)
