"""Four heads whose patterns depend on the position alone, because W_Q and W_K are written to make them so.

A token is its word (39 random numbers) with its position after it (one of 13 numbers is 1). A head's W_K
copies the position into the key, its W_Q asks for the position that it wants; both read nothing of the word.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from transformer_core import AttentionParams

S_MAX, D_WORD, N_HEADS = 13, 39, 4
D_MODEL, D_K = D_WORD + S_MAX, S_MAX
REACH = 4.5  # length of a query and a key: a wanted position scores REACH ** 2


@cache
def projections() -> AttentionParams:
    """W_Q and W_K written by hand, W_V and W_O random."""
    draw = np.random.default_rng(7).standard_normal
    wanted = np.zeros((N_HEADS, S_MAX, S_MAX))  # (head, own position, position that is asked for)
    wanted[0] = np.eye(S_MAX, k=-1)  # previous; the first token asks for none
    wanted[1] = np.eye(S_MAX)  # itself
    wanted[2, :, 0] = 1  # the first token
    wanted[3] = np.eye(S_MAX, k=-1) + np.eye(S_MAX, k=1)  # both neighbours

    def from_position(blocks: np.ndarray) -> np.ndarray:  # (H, S_MAX, d_k) -> (d_model, H * d_k)
        return np.vstack([np.zeros((D_WORD, N_HEADS * D_K)), np.hstack(list(blocks))])

    W_V = np.vstack([draw((D_WORD, N_HEADS * D_K)) / np.sqrt(D_WORD), np.zeros((S_MAX, N_HEADS * D_K))])
    W_O = draw((N_HEADS * D_K, D_MODEL)) / np.sqrt(N_HEADS * D_K)
    key = from_position(np.stack([np.eye(S_MAX)] * N_HEADS))
    return AttentionParams(REACH * from_position(wanted), REACH * key, W_V, W_O)


def embed(tokens: Sequence[str]) -> np.ndarray:  # (S, d_model)
    """Each word's numbers, the same wherever it stands, with its place behind them."""
    words = sorted(set(tokens))
    numbers = np.random.default_rng(11).standard_normal((len(words), D_WORD))
    return np.array(
        [[*numbers[words.index(token)], *np.eye(S_MAX)[place]] for place, token in enumerate(tokens)]
    )
