"""Parameters are plain records: NamedTuples whose fields are arrays, more records, tuples of them, or None.

Whatever treats them all alike (counting, saving, the optimiser) goes over the tree with these functions.
A path such as "layers.0.attention.W_Q" names one array.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np

from transformer_core.arrays import FloatArray

Tree = TypeVar("Tree")


def named_arrays(parameters: Any) -> dict[str, FloatArray]:
    """Every array of the tree by its path, in the order of the fields; None is left out.

    >>> from typing import NamedTuple
    >>> class Line(NamedTuple):
    ...     W: FloatArray
    ...     b: FloatArray | None
    >>> list(named_arrays((Line(np.ones(2), None), Line(np.ones(2), np.ones(1)))))
    ['0.W', '1.W', '1.b']
    """
    return dict(_leaves(parameters, ""))


def count_parameters(parameters: Any) -> int:
    """How many numbers all the arrays hold.

    >>> count_parameters((np.ones((2, 3)), None, np.ones(4)))
    10
    """
    return sum(array.size for array in named_arrays(parameters).values())


def replace_arrays(tree: Tree, choose: Callable[[str, FloatArray], FloatArray]) -> Tree:
    """The tree with choose(path, array) in place of each array.

    >>> replace_arrays((np.ones(2), None), lambda path, array: array * 3)
    (array([3., 3.]), None)
    """
    return cast(Tree, _rebuilt(tree, "", choose))


def map_arrays(function: Callable[..., FloatArray], tree: Tree, *others: Any) -> Tree:
    """The tree with function(array, ...) in place of each array; the others are trees built alike.

    >>> map_arrays(np.add, (np.ones(1), None), (np.ones(1), None))
    (array([2.]), None)
    """
    named = [named_arrays(other) for other in others]
    return replace_arrays(tree, lambda path, array: function(array, *(other[path] for other in named)))


def _children(node: tuple[Any, ...], path: str) -> Iterator[tuple[str, Any]]:
    names = getattr(node, "_fields", None) or range(len(node))
    for name, child in zip(names, node, strict=True):
        yield f"{path}.{name}" if path else str(name), child


def _leaves(node: Any, path: str) -> Iterator[tuple[str, FloatArray]]:
    if isinstance(node, tuple):
        for child_path, child in _children(node, path):
            yield from _leaves(child, child_path)
    elif node is not None:
        yield path, np.asarray(node)


def _rebuilt(node: Any, path: str, choose: Callable[[str, FloatArray], FloatArray]) -> Any:
    if isinstance(node, tuple):
        children = [_rebuilt(child, child_path, choose) for child_path, child in _children(node, path)]
        return type(node)(*children) if hasattr(node, "_fields") else tuple(children)
    return None if node is None else choose(path, np.asarray(node))
