"""transformer_core beside PyTorch, in float64: run by `make verify`, which installs PyTorch.

A plain `pytest` leaves this folder out. Named on the command line it is run, and without PyTorch it fails.
"""

from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path, config):
    """Only what the command line names: this folder or a file in it."""
    named = (Path(str(argument).split("::")[0]).resolve() for argument in config.invocation_params.args)
    return None if any(path == HERE or HERE in path.parents for path in named) else True


@pytest.fixture(autouse=True)
def float64():
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.fixture
def draw():
    """draw(shape, seed): numbers from N(0, 1), the same for the same seed."""
    return lambda *shape, seed=0: np.random.default_rng(seed).standard_normal(shape)


@pytest.fixture
def same():
    """same(ours, theirs): equal to 1e-9 of their size, a thousandth of what is promised."""

    def same(ours, theirs):
        theirs = theirs.detach().numpy()
        assert ours.shape == theirs.shape
        assert np.asarray(ours).dtype == theirs.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)

    return same


@pytest.fixture
def leaf():
    """leaf(array): as a tensor whose gradient autograd keeps."""
    import torch

    return lambda array: torch.tensor(np.asarray(array), requires_grad=True)
