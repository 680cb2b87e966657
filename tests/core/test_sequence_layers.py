"""Layers that read a sequence: paths walked over masks, products counted one by one."""

from itertools import pairwise

import numpy as np
import pytest

from transformer_core import causal_mask, sequence_layers, sliding_window_mask

S = 13
WIDTHS = (3, 5, 7, 13, 31)
KINDS = ("recurrent", "convolution", "window", "attention")


def seen(kind, width):
    """What a token takes in by one move, (S, S): row i has the tokens that i sees."""
    if kind == "recurrent":
        return causal_mask(S) & sliding_window_mask(S, window=2)
    if kind == "attention":
        return np.ones((S, S), dtype=bool)
    return sliding_window_mask(S, window=(width + 1) // 2, is_causal=False)


def moves(kind, width):
    """The fewest moves from each token to each other, (start, end); -1 where there is no way."""
    fewest = np.where(np.eye(S, dtype=bool), 0, -1)
    reached = np.eye(S, dtype=bool)
    for count in range(1, S + 1):
        further = (seen(kind, width).astype(int) @ reached.astype(int)) > 0
        fewest = np.where(further.T & (fewest < 0), count, fewest)
        reached = further
    return fewest


# --- what only right formulas do; `code` is the module


def check_path_lengths(code):
    for kind in KINDS:
        for width in WIDTHS:
            fewest = moves(kind, width)
            for distance in range(S):
                assert code.path_length(kind, distance, width=width) == fewest[0, distance]


def check_paths(code):
    """Each path is as short as can be, and each of its moves one that the layer makes."""
    for kind in KINDS:
        for width in WIDTHS:
            fewest, steps = moves(kind, width), seen(kind, width)
            for start in range(S):
                for end in range(S):
                    path = code.token_path(kind, start, end, width=width)
                    if fewest[start, end] < 0:
                        assert path is None
                        continue
                    assert (path[0], path[-1], len(path) - 1) == (start, end, fewest[start, end])
                    assert all(steps[b, a] for a, b in pairwise(path))


def check_serial(code):
    assert [code.serial_steps(kind, 7) for kind in KINDS] == [7, 1, 1, 1]


def check_products(code):
    """Every product's multiply-adds, rows times inner times columns."""
    n, d, k = 11, 3, 5

    def total(*shapes):
        return sum(rows * inner * columns for rows, inner, columns in shapes)

    whole = {
        "recurrent": total(*[(1, d, d)] * (2 * n)),
        "convolution": total(*[(n, d, d)] * k),
        "window": total(*[(n, d, d)] * 4, *[(1, d, k), (1, k, d)] * n),
        "attention": total(*[(n, d, d)] * 4, (n, d, n), (n, n, d)),
    }
    leading = {
        "recurrent": n * d * d,
        "convolution": k * n * d * d,
        "window": n * k * d,
        "attention": n * n * d,
    }
    for kind in KINDS:
        assert code.layer_multiply_adds(kind, n, d, width=k) == whole[kind]
        assert code.layer_multiply_adds(kind, n, d, width=k, leading=True) == leading[kind]
    # a window that is wider than the sequence sees the sequence
    assert code.layer_multiply_adds("window", 4, d, width=9) == code.layer_multiply_adds("attention", 4, d)


def check_overtaking(code):
    """The first length at which attention does more, by trying them all."""
    for kind in ("recurrent", "convolution", "window"):
        for d in (1, 2, 7, 16):
            for width in (3, 5, 9):
                for leading in (False, True):
                    work = {"width": width, "leading": leading}
                    first = next(
                        n
                        for n in range(1, 500)
                        if code.layer_multiply_adds("attention", n, d, **work)
                        > code.layer_multiply_adds(kind, n, d, **work)
                    )
                    assert code.attention_overtakes(kind, d, **work) == first


def test_layers(check, run_check):
    run_check(check, sequence_layers)


def test_wrong_layers_are_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sequence_layers.path_length("rnn", 3),
         "kind must be one of 'recurrent', 'convolution', 'window', 'attention', got 'rnn'"),
        (lambda: sequence_layers.serial_steps("rnn", 3),
         "kind must be one of 'recurrent', 'convolution', 'window', 'attention', got 'rnn'"),
        (lambda: sequence_layers.token_path("window", 0, 3, width=4),
         "width must be odd and at least 3, so that a token has neighbours, got 4"),
        (lambda: sequence_layers.layer_multiply_adds("convolution", 3, 4, width=1),
         "width must be odd and at least 3, so that a token has neighbours, got 1"),
        (lambda: sequence_layers.layer_multiply_adds("attention", 0, 4), "S must be positive, got 0"),
        (lambda: sequence_layers.attention_overtakes("attention", 4),
         "kind must be another layer than attention, which never overtakes itself"),
        (lambda: sequence_layers.attention_overtakes("window", 0), "d_model must be positive, got 0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
