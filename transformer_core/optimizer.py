"""AdamW, and the clipping of gradients, over a whole tree of parameters. Pure: new parameters, new state."""

import math
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from transformer_core.arrays import FloatArray, cast
from transformer_core.errors import ShapeError
from transformer_core.parameters import map_arrays, named_arrays, replace_arrays

Tree = TypeVar("Tree")


class AdamWState(NamedTuple, Generic[Tree]):
    """What the optimiser remembers from step to step; the two trees are built like the parameters."""

    step: int  # updates made so far
    mean: Tree  # running mean of the gradients, starts at 0
    mean_square: Tree  # running mean of their squares, starts at 0


def adamw_init(parameters: Tree) -> AdamWState[Tree]:
    """The state before the first update.

    >>> adamw_init((np.ones(2),))
    AdamWState(step=0, mean=(array([0., 0.]),), mean_square=(array([0., 0.]),))
    """
    return AdamWState(0, map_arrays(np.zeros_like, parameters), map_arrays(np.zeros_like, parameters))


def decay_everything(path: str, array: FloatArray) -> bool:
    """Decay all parameters, as PyTorch's AdamW does unless told otherwise.

    >>> decay_everything("layers.0.attention.b_Q", np.ones(4))
    True
    """
    return True


def decay_matrices(path: str, array: FloatArray) -> bool:
    """Decay matrices but no biases and no norm parameters, as the GPT models do.

    >>> decay_matrices("layers.0.attention.b_Q", np.ones(4))
    False
    """
    return array.ndim >= 2


def adamw_step(
    parameters: Tree,
    gradients: Tree,
    state: AdamWState[Tree],
    *,
    learning_rate: float,
    beta_1: float = 0.9,
    beta_2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    decays: Callable[[str, FloatArray], bool] = decay_everything,
) -> tuple[Tree, AdamWState[Tree]]:
    """One update. (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2.)

        mean        <- beta_1 * mean        + (1 - beta_1) * gradient
        mean_square <- beta_2 * mean_square + (1 - beta_2) * gradient ** 2
        parameter   <- parameter * (1 - learning_rate * weight_decay)
                       - learning_rate * mean / (1 - beta_1 ** step)
                         / (sqrt(mean_square / (1 - beta_2 ** step)) + eps)

    Both running means start at 0 and are too small at first; the divisions by 1 - beta ** step undo that.
    The decay acts on the parameter and stays out of both means: that is the W.
    Raises ShapeError where the gradients are not built like the parameters.

    >>> weights, gradients = (np.array([1.0]),), (np.array([5.0]),)
    >>> adamw_step(weights, gradients, adamw_init(weights), learning_rate=0.1)[0]
    (array([0.899]),)
    """
    _check_alike(parameters, gradients)
    step = state.step + 1
    mean = map_arrays(lambda m, g: beta_1 * m + (1 - beta_1) * g, state.mean, gradients)
    mean_square = map_arrays(lambda s, g: beta_2 * s + (1 - beta_2) * g * g, state.mean_square, gradients)
    means, mean_squares = named_arrays(mean), named_arrays(mean_square)

    def updated(path: str, parameter: FloatArray) -> FloatArray:
        unbiased_mean = means[path] / (1 - beta_1**step)
        unbiased_square = mean_squares[path] / (1 - beta_2**step)
        decay = 1 - learning_rate * weight_decay if decays(path, parameter) else 1.0
        direction = unbiased_mean / (np.sqrt(unbiased_square) + eps)
        return cast(parameter * decay - learning_rate * direction, parameter.dtype)

    return replace_arrays(parameters, updated), AdamWState(step, mean, mean_square)


def global_norm(gradients: object) -> float:
    """The length of all gradients laid end to end as one vector.

    >>> global_norm((np.array([3.0]), np.array([[4.0]])))
    5.0
    """
    return math.sqrt(
        sum(float(np.square(array, dtype=np.float64).sum()) for array in named_arrays(gradients).values())
    )


def clip_by_global_norm(gradients: Tree, maximum: float) -> Tree:
    """The gradients, all shortened by one factor where together they are longer than `maximum`.

    >>> clip_by_global_norm((np.array([3.0]), np.array([4.0])), 1.0)
    (array([0.6]), array([0.8]))
    """
    norm = global_norm(gradients)
    if norm <= maximum:
        return gradients
    return map_arrays(lambda gradient: gradient * gradient.dtype.type(maximum / norm), gradients)


def _check_alike(parameters: object, gradients: object) -> None:
    expected = {path: array.shape for path, array in named_arrays(parameters).items()}
    got = {path: array.shape for path, array in named_arrays(gradients).items()}
    for path in sorted(expected.keys() | got.keys()):
        if expected.get(path) != got.get(path):
            raise ShapeError(
                f"gradients must be built like parameters, got at {path!r} "
                f"parameter {expected.get(path)}, gradient {got.get(path)}"
            )
