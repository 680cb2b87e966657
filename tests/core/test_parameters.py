"""Trees of parameters: paths, counts, and rebuilding them."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import count_parameters, map_arrays, named_arrays, replace_arrays


class Pair(NamedTuple):
    left: object
    right: object


def some_arrays():
    return st.integers(0, 4).map(lambda n: np.arange(float(n)))


TREES = st.recursive(
    st.none() | some_arrays(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.builds(Pair, inner, inner),
    max_leaves=8,
)


def test_paths_in_the_order_of_the_fields():
    tree = Pair(Pair(np.ones(1), None), (np.ones(2), Pair(np.ones(3), np.ones(4))))
    assert {path: array.size for path, array in named_arrays(tree).items()} == {
        "left.left": 1, "right.0": 2, "right.1.left": 3, "right.1.right": 4,
    }  # fmt: skip
    assert list(named_arrays(tree)) == ["left.left", "right.0", "right.1.left", "right.1.right"]
    assert count_parameters(tree) == 10


def test_lists_of_numbers_are_arrays():
    assert named_arrays(Pair([[1, 2]], 3))["left"].shape == (1, 2)
    assert count_parameters(Pair([[1, 2]], 3)) == 3


@given(tree=TREES)
def test_rebuilding_keeps_the_build(tree):
    same = map_arrays(np.array, tree)
    assert repr(same) == repr(tree)
    assert count_parameters(map_arrays(lambda a: np.concatenate([a, a]), tree)) == 2 * count_parameters(tree)
    numbered = {path: n for n, path in enumerate(named_arrays(tree))}
    replaced = replace_arrays(tree, lambda path, array: np.array([numbered[path]]))
    assert [int(array[0]) for array in named_arrays(replaced).values()] == list(range(len(numbered)))


def test_several_trees_go_together():
    one, two, three = (Pair(np.array([k]), (np.array([10 * k]),)) for k in (1.0, 2.0, 3.0))
    total = map_arrays(lambda a, b, c: a + 100 * b + 10_000 * c, one, two, three)
    assert total.left.tolist() == [30201]
    assert total.right[0].tolist() == [302010]


def test_trees_of_different_builds():
    with pytest.raises(KeyError, match="right"):
        map_arrays(np.add, Pair(np.ones(1), np.ones(1)), Pair(np.ones(1), None))
