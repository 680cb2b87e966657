"""The second route to a gradient: move a number a little both ways, and see how far the result moves.

    numeric = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "finite_differences.py")))

In float64, with steps of 1e-5, the error is about 1e-10 for smooth functions with values near 1.
"""

import numpy as np

from transformer_core import map_arrays, named_arrays

STEP = 1e-5


def by_entry(function, x):
    """The gradient of a function of one array by each entry of it."""
    gradient = np.zeros(np.shape(x))
    for index in np.ndindex(gradient.shape):
        move = np.zeros(gradient.shape)
        move[index] = STEP
        gradient[index] = (function(x + move) - function(x - move)) / (2 * STEP)
    return gradient


def assert_matches(function, tree, gradients, seed=0, rel=1e-6):
    """Each array alone moves, in a random direction: the function must move as the gradients say."""
    rng = np.random.default_rng(seed)
    slopes, arrays = named_arrays(gradients), named_arrays(tree)
    assert slopes.keys() == arrays.keys()
    for path, array in arrays.items():
        assert slopes[path].shape == array.shape, path
        direction = rng.standard_normal(array.shape)

        def moved(step, path=path, direction=direction):
            paths = iter(arrays)
            return map_arrays(lambda a: a + step * direction if next(paths) == path else a, tree)

        rise = (function(moved(STEP)) - function(moved(-STEP))) / (2 * STEP)
        expected = float((slopes[path] * direction).sum())
        assert abs(rise - expected) <= rel * max(abs(rise), abs(expected)) + 1e-8, (path, rise, expected)
