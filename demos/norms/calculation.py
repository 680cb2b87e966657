"""Layer, RMS and batch norm over a small batch, each step as a matrix, and the groups they average over."""

from typing import NamedTuple

import numpy as np

from demos.kit import Words, entry, text
from transformer_core import batch_norm_train, layer_norm_trace, rms_norm_trace

B, S, D = 2, 2, 4
ROWS = B * S
MEAN, VARIANCE, NORMALISE, SCALE = range(4)
STEPS = [
    text(zh="均值", en="mean"),
    text(zh="方差", en="variance"),
    text(zh="标准化", en="normalise"),
    text(zh="缩放与平移", en="scale and shift"),
]
FEATURE = text(zh="特征 {j}", en="feature {j}")


class Steps(NamedTuple):
    """Every step; a group, whose numbers are averaged, is a row, under batch norm a column."""

    x: np.ndarray  # (ROWS, D)
    mean: np.ndarray  # (groups,)
    centered: np.ndarray  # (ROWS, D) x - mean; x itself under RMS norm, which takes no mean away
    variance: np.ndarray  # (groups,) the mean of centered²
    inverse: np.ndarray  # (groups,) 1 / √(variance + eps)
    normalized: np.ndarray  # (ROWS, D)
    output: np.ndarray  # (ROWS, D)


class Group(NamedTuple):
    """The group that the selected cell belongs to."""

    number: int
    name: Words
    place: int  # of the cell in it
    names: list[str]  # of its cells


def steps(norm: str, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float) -> Steps:
    """The steps of a norm over x (B, S, D), as matrices of B·S rows."""
    if norm == "batch":
        batch = batch_norm_train(x, np.zeros(D), np.ones(D), gamma, beta, eps=eps)
        over = layer_norm_trace(x, eps=eps, axis=(0, 1))  # the same statistics, with the steps between
        parts = batch.mean, over.centered, batch.variance, over.inverse_std, batch.normalized, batch.output
    elif norm == "rms":
        rms = rms_norm_trace(x, gamma, eps=eps)
        mean = layer_norm_trace(x).mean  # shown, not taken away
        parts = mean, x, rms.mean_square, rms.inverse_rms, rms.normalized, rms.output
    else:
        layer = layer_norm_trace(x, gamma, beta, eps=eps)
        parts = layer.mean, layer.centered, layer.variance, layer.inverse_std, layer.normalized, layer.output
    return Steps(*(part.reshape(ROWS, D) if part.size == x.size else part.ravel() for part in (x, *parts)))


def group_at(norm: str, cell: tuple) -> Group:
    row, column = cell
    if norm == "batch":
        return Group(column, FEATURE.format(j=column + 1), row, [token(i) for i in range(ROWS)])
    return Group(row, token(row), column, [entry(token(row) + ",", j) for j in range(D)])


def in_group(norm: str, values: np.ndarray, number: int) -> list[float]:
    return (values[:, number] if norm == "batch" else values[number]).tolist()


def token(row: int) -> str:
    return entry("x", row // S, row % S)
