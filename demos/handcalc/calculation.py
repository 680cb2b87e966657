"""Every number of the hand calculation, and the shapes and names of its steps."""

import math
from typing import NamedTuple

import numpy as np

from demos.kit import Text, text
from transformer_core import W_K, W_Q, W_V, X, causal_mask, worked_example

TOKENS, WIDTH = X.shape  # 3 tokens; d_model = d_k = d_v = 2
ROOT = math.sqrt(WIDTH)
PROJECTIONS = {"Q": W_Q, "K": W_K, "V": W_V}
INPUT, PROJECT, SCORE, SCALE, WEIGH, MIX = range(6)
EXP_AS_IT_IS = 6.0  # scores up to this size are raised as on paper; beyond it, the row's maximum goes first

STEPS: list[Text] = [
    text(zh="输入：X 和三个投影矩阵", en="Input: X and the three projection matrices"),
    text(zh="投影：Q、K、V", en="Projections: Q, K, V"),
    text(zh="得分：QKᵀ", en="Scores: QKᵀ"),
    text(zh="缩放：除以 √d_k", en="Scaling: divide by √d_k"),
    text(zh="权重：逐行 softmax", en="Weights: softmax, row by row"),
    text(zh="输出：权重乘 V", en="Output: weights times V"),
]


class Calculation(NamedTuple):
    """All matrices, from the input to the output."""

    x: np.ndarray  # (3, d_model)
    projections: dict[str, np.ndarray]  # "Q" -> W_Q (d_model, d_k), and so on
    projected: dict[str, np.ndarray]  # "Q" -> X W_Q (3, d_k), and so on
    scores: np.ndarray  # (3, 3)
    scaled: np.ndarray  # (3, 3)
    masked: np.ndarray  # (3, 3) hidden places are -inf
    exponentials: np.ndarray  # (3, 3)
    row_max: np.ndarray  # (3, 1) what was subtracted before exp: 0 where nothing was
    row_sums: np.ndarray  # (3, 1)
    weights: np.ndarray  # (3, 3)
    output: np.ndarray  # (3, d_v)
    visible: np.ndarray  # (3, 3) bool

    @property
    def shifted(self) -> bool:
        """Whether the rows' maxima were subtracted before exp."""
        return bool(self.row_max.any())

    def result(self, step: int, of: str) -> np.ndarray:
        """What a step makes; `of` is the projection that step 1 looks at."""
        made = {INPUT: self.x, PROJECT: self.projected[of], SCORE: self.scores, SCALE: self.scaled}
        return {**made, WEIGH: self.weights, MIX: self.output}[step]


def calculate(x, w_q, w_k, w_v, causal: bool = False) -> Calculation:
    """The whole calculation, from nested sequences of numbers."""
    x, w_q, w_k, w_v = (np.array(matrix, dtype=np.float64) for matrix in (x, w_q, w_k, w_v))
    made = worked_example(x, w_q, w_k, w_v, is_causal=causal)
    trace = made.attention
    visible = causal_mask(TOKENS) if causal else np.ones((TOKENS, TOKENS), dtype=bool)
    row_max, exponentials, row_sums = trace.row_max, trace.exponentials, trace.row_sums
    if round(float(np.abs(trace.scaled[visible]).max()), 9) <= EXP_AS_IT_IS:
        row_max, exponentials = np.zeros_like(row_max), np.exp(trace.masked)
        row_sums = exponentials.sum(axis=-1, keepdims=True)
    return Calculation(
        x,
        {"Q": w_q, "K": w_k, "V": w_v},
        {"Q": made.query, "K": made.key, "V": made.value},
        trace.scores,
        trace.scaled,
        trace.masked,
        exponentials,
        row_max,
        row_sums,
        trace.weights,
        trace.output,
        visible,
    )
