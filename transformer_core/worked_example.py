"""The worked example of the course (统一算例): three tokens, two dimensions, numbers small enough for paper.

B = 1, S = 3, d_model = d_k = d_v = 2, one head. Every page, demo and test takes these numbers from here.
"""

from typing import Final, NamedTuple

import numpy as np

from transformer_core.arrays import FloatArray
from transformer_core.attention import AttentionTrace, attention_trace

TOKENS: Final = ("x₁", "x₂", "x₃")


def _constant(rows: list[list[float]]) -> FloatArray:
    """An array that nobody can change by accident: all pages share it."""
    array = np.array(rows, dtype=np.float64)
    array.setflags(write=False)
    return array


X: Final = _constant([[1, 0], [0, 1], [1, 1]])  # (S=3, d_model=2)
W_Q: Final = _constant([[1, 0], [1, 1]])  # (d_model=2, d_k=2)
W_K: Final = _constant([[0, 1], [1, 0]])  # (d_model=2, d_k=2)
W_V: Final = _constant([[1, 0], [0, 1]])  # (d_model=2, d_v=2)


class WorkedExample(NamedTuple):
    """The three projections and every step of the attention over them."""

    query: FloatArray  # (3, 2)
    key: FloatArray  # (3, 2)
    value: FloatArray  # (3, 2)
    attention: AttentionTrace


def worked_example(
    x: FloatArray = X,
    w_q: FloatArray = W_Q,
    w_k: FloatArray = W_K,
    w_v: FloatArray = W_V,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> WorkedExample:
    """Q = X W_Q, K = X W_K, V = X W_V, and attention over them; any of the four matrices may be another.

    >>> worked_example().attention.scores
    array([[0., 1., 1.],
           [1., 1., 2.],
           [1., 2., 3.]])
    >>> worked_example(is_causal=True).attention.weights.round(3)
    array([[1.   , 0.   , 0.   ],
           [0.5  , 0.5  , 0.   ],
           [0.14 , 0.284, 0.576]])
    """
    query, key, value = x @ w_q, x @ w_k, x @ w_v
    attention = attention_trace(query, key, value, is_causal=is_causal, scale=scale)
    return WorkedExample(query, key, value, attention)
