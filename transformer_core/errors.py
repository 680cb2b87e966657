"""The one error of the package for shapes, and the checks that raise it.

A message names the array, and gives the whole expected shape with the sizes known by then, and what came:

    ShapeError: key must have shape (..., S_k, d_k=4), got (2, 3, 5)
"""

from typing import Any

import numpy as np
import numpy.typing as npt


class ShapeError(ValueError):
    """An array does not have the shape that its place asks for."""


def check_shape(name: str, array: npt.NDArray[Any], axes: str, **sizes: int) -> dict[str, int]:
    """Compare a shape with a pattern such as "... S_k d_k"; return the sizes known afterwards.

    A letter in `sizes` must match, any other is bound to what the array has. A number in the pattern is a
    size too. "..." stands for any number of leading axes, none included. Raises ShapeError.

    >>> check_shape("query", np.zeros((2, 3, 4)), "... S_q d_k")
    {'S_q': 3, 'd_k': 4}
    >>> check_shape("key", np.zeros((2, 3, 5)), "... S_k d_k", d_k=4)
    Traceback (most recent call last):
    transformer_core.errors.ShapeError: key must have shape (..., S_k, d_k=4), got (2, 3, 5)
    """
    names = axes.split()
    free_leading = names[:1] == ["..."]
    own = names[1:] if free_leading else names
    known = dict(sizes)
    fits = array.ndim >= len(own) if free_leading else array.ndim == len(own)
    if fits:
        for axis, size in zip(own, array.shape[array.ndim - len(own) :], strict=True):
            wanted = int(axis) if axis.isdigit() else known.setdefault(axis, size)
            fits = fits and wanted == size
    if not fits:
        expected = ", ".join(f"{axis}={sizes[axis]}" if axis in sizes else axis for axis in names)
        comma = "," if len(names) == 1 else ""
        raise ShapeError(f"{name} must have shape ({expected}{comma}), got {array.shape}")
    return known


def broadcast_leading(**arrays: npt.NDArray[Any]) -> tuple[int, ...]:
    """The common shape of the axes before the last two; ShapeError where there is none.

    >>> broadcast_leading(query=np.zeros((2, 8, 3, 4)), key=np.zeros((8, 5, 4)))
    (2, 8)
    """
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ShapeError(f"axes before the last two must broadcast together, got {shapes}") from None


def check_broadcasts_to(name: str, array: npt.NDArray[Any], axes: str, shape: tuple[int, ...]) -> None:
    """ShapeError unless the array broadcasts to exactly this shape; `axes` names its axes in the message.

    >>> check_broadcasts_to("attn_mask", np.zeros((4, 5)), "S_q S_k", (3, 5))
    Traceback (most recent call last):
    transformer_core.errors.ShapeError: attn_mask must broadcast to (S_q=3, S_k=5), got (4, 5)
    """
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        names = axes.split()
        leading = [str(size) for size in shape[: len(shape) - len(names)]]
        named = [f"{axis}={size}" for axis, size in zip(names, shape[len(leading) :], strict=True)]
        raise ShapeError(f"{name} must broadcast to ({', '.join(leading + named)}), got {array.shape}")


def check_positive(**values: int | float) -> None:
    """ValueError unless every number is above zero.

    >>> check_positive(window=0)
    Traceback (most recent call last):
    ValueError: window must be positive, got 0
    """
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")


def check_divides(part_name: str, part: int, whole_name: str, whole: int) -> int:
    """How many parts make the whole; ShapeError unless they do so exactly.

    >>> check_divides("n_heads", 8, "d_model", 64)
    8
    """
    check_positive(**{part_name: part})
    if whole % part:
        raise ShapeError(
            f"{part_name} must divide {whole_name}, got {part_name}={part}, {whole_name}={whole}"
        )
    return whole // part


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """ValueError unless the value is one of the choices; the message lists them.

    >>> check_choice("layout", "half", ("interleaved", "half-split"))
    Traceback (most recent call last):
    ValueError: layout must be one of 'interleaved', 'half-split', got 'half'
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
