"""The names that a chapter's checked numbers may use: all of transformer_core, the worked example, helpers.

In a page, `{{0.198 := we.attention.weights[0, 0]}}` is checked; `{{:= tex(we.query)}}` is filled in.
"""

from math import e, exp, inf, log, log2, pi, sqrt

import numpy as np
import numpy.typing as npt

from course_site.page_examples import (
    NORM_BATCH,
    W_O_ABOVE,
    W_O_BELOW,
    W_O_MIXING,
    X_CHANGED,
    adam_first_step,
    apartness,
    batch_normed,
    cross_key_projections,
    head_shapes,
    inference_work,
    it_looks_at,
    let_through,
    normed_stack,
    passes,
    stacked,
    two_heads,
)
from demos import ffn, mha, scaling
from demos.blocks.layers import WIDE
from demos.blocks.layers import stacks as layer_stacks
from demos.depth.network import WITH, WITHOUT
from demos.depth.network import D as RESIDUAL_WIDTH
from demos.depth.network import measure as residual_depths
from demos.generating import tiny
from demos.kit import fmt, short
from transformer_core import *  # noqa: F403  (a page may use every public name)
from transformer_core import (
    W_K,
    W_Q,
    W_V,
    AdditiveParams,
    X,
    additive_attention_trace,
    attention_trace,
    causal_mask,
    flash_attention_trace,
    padding_mask,
    softmax,
    worked_example,
)
from transformer_core import __all__ as _core_names

we = worked_example()
we_causal = worked_example(is_causal=True)
changed = worked_example(X_CHANGED)
changed_causal = worked_example(X_CHANGED, is_causal=True)

pad_row = np.array([2.0, 1.0, 3.0, 2.0, 4.0, 5.0])  # scores of one query; the last two keys are padding
pad_visible = padding_mask([4], 6)[0, 0, 0]
pad_masked = np.where(pad_visible, pad_row, -np.inf)
left_padded = np.array([[False, True, True]])

# two tokens of a translation that look at the three of its source
cross_query = np.array([[2.0, -1.0], [-1.0, 2.0]])
cross_key = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
cross_value = X
cross = attention_trace(cross_query, cross_key, cross_value)


# the same queries and keys, scored by a small network with W_query = W_key = I and v = [1, 1]
we_additive = additive_attention_trace(
    we.query, we.key, we.value, AdditiveParams(np.eye(2), np.eye(2), np.ones(2))
)

# the third query, which meets two keys in its first tile and one in its second
flash_row = flash_attention_trace(we.query[2:], we.key, we.value, tile_q=1, tile_k=2)


def attention_macs(S: int, d_model: int) -> int:
    """Multiply-adds of an attention sub-layer: four projections, Q K^T, A V.

    >>> attention_macs(2, 3)
    96
    """
    return 4 * S * d_model**2 + 2 * S**2 * d_model


def cosine(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """The cosine of the angle between two vectors.

    >>> cosine([1, 0], [0, 2])
    0.0
    """
    left, right = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return float(left @ right / sqrt((left @ left) * (right @ right)))


def slope(scores: npt.ArrayLike, at: int = 0) -> float:
    """p (1 - p) of one weight: how that weight moves with its own score.

    >>> slope([1.0, 1.0])
    0.25
    """
    p = float(softmax(np.asarray(scores, dtype=float))[at])
    return p * (1 - p)


def tex(values: npt.ArrayLike, digits: int = 3) -> str:
    r"""A matrix (or a vector, as a row) in TeX, whole numbers without decimals.

    >>> tex([[1, 0], [0.5, -np.inf]])
    '\\begin{pmatrix}1&0\\\\0.500&-\\infty\\end{pmatrix}'
    """
    rows = np.atleast_2d(np.asarray(values, dtype=float))
    body = r"\\".join("&".join(tex_number(value, digits) for value in row) for row in rows)
    return rf"\begin{{pmatrix}}{body}\end{{pmatrix}}"


def tex_column(values: npt.ArrayLike, digits: int = 3) -> str:
    """A vector in TeX, as a column."""
    return tex(np.asarray(values, dtype=float)[:, None], digits)


def tex_list(values: npt.ArrayLike, digits: int = 3) -> str:
    r"""A vector in TeX, in square brackets.

    >>> tex_list([0, 0.70710678])
    '[0,\\ 0.707]'
    """
    return "[" + ",\\ ".join(tex_number(value, digits) for value in np.ravel(np.asarray(values))) + "]"


def tex_number(value: float, digits: int = 3) -> str:
    """A number in TeX: `digits` decimals, none for a whole number, infinity as its sign."""
    if np.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    shown = short(value, digits) if float(value).is_integer() else fmt(value, digits)
    return shown.replace("\u2212", "-")


def row_list(values: npt.ArrayLike, digits: int = 3) -> str:
    """A vector as a page's text shows it.

    >>> row_list([0.198, 1, np.inf])
    '[0.198, 1, \u221e]'
    """
    return "[" + ", ".join(_number(value, digits) for value in np.ravel(np.asarray(values))) + "]"


def _number(value: float, digits: int) -> str:
    return short(value, digits) if float(value).is_integer() else fmt(value, digits)


def fixed(values: npt.ArrayLike, digits: int = 3) -> npt.NDArray[np.float64]:
    """The values as they stand on the page, rounded: for the places that speak about rounding.

    >>> fixed([0.19778, 0.40111]).tolist()
    [0.198, 0.401]
    """
    array = np.asarray(values, dtype=float)
    shown = [float(fmt(value, digits).replace("\u2212", "-")) for value in array.ravel()]
    return np.array(shown).reshape(array.shape)


def products(row: npt.ArrayLike, column: npt.ArrayLike, digits: int = 3) -> str:
    """A row times a column, written out with its sum.

    >>> products([1, 2], [0.5, 3])
    '1×0.500 + 2×3 = 6.500'
    """
    left, right = np.ravel(np.asarray(row)), np.ravel(np.asarray(column))
    terms = [f"{tex_number(a, digits)}×{tex_number(b, digits)}" for a, b in zip(left, right, strict=True)]
    return f"{' + '.join(terms)} = {tex_number(float(left @ right), digits)}"


__all__ = [
    *_core_names,
    "NORM_BATCH",
    "RESIDUAL_WIDTH",
    "WIDE",
    "WITH",
    "WITHOUT",
    "W_K",
    "W_O_ABOVE",
    "W_O_BELOW",
    "W_O_MIXING",
    "W_Q",
    "W_V",
    "X",
    "X_CHANGED",
    "adam_first_step",
    "apartness",
    "attention_macs",
    "batch_normed",
    "causal_mask",
    "changed",
    "changed_causal",
    "cosine",
    "cross",
    "cross_key",
    "cross_key_projections",
    "cross_query",
    "cross_value",
    "e",
    "exp",
    "ffn",
    "fixed",
    "flash_row",
    "head_shapes",
    "inf",
    "inference_work",
    "it_looks_at",
    "layer_stacks",
    "left_padded",
    "let_through",
    "log",
    "log2",
    "mha",
    "normed_stack",
    "np",
    "pad_masked",
    "pad_row",
    "pad_visible",
    "passes",
    "pi",
    "products",
    "residual_depths",
    "row_list",
    "scaling",
    "slope",
    "sqrt",
    "stacked",
    "tex",
    "tex_column",
    "tex_list",
    "tex_number",
    "tiny",
    "two_heads",
    "we",
    "we_additive",
    "we_causal",
]
