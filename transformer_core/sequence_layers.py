"""Layers that read a sequence, compared: how a token reaches another, and what a layer costs.

    recurrent    h_t comes from x_t and h_(t-1): one token a step, from left to right
    convolution  each token takes in `width` neighbours, itself in the middle
    window       attention to `width` neighbours, itself in the middle
    attention    each token takes in every token
("Attention Is All You Need", table 1)
"""

from typing import Literal

from transformer_core.errors import check_choice, check_positive

SequenceLayer = Literal["recurrent", "convolution", "window", "attention"]
KINDS = ("recurrent", "convolution", "window", "attention")


def token_path(kind: SequenceLayer, start: int, end: int, *, width: int = 3) -> list[int] | None:
    """The tokens over which `end` learns of `start`, both included; None where a recurrent layer never does.

    Each move is a step of the recurrent layer, a layer of the others.

    >>> token_path("convolution", 0, 5, width=5)
    [0, 2, 4, 5]
    >>> token_path("recurrent", 3, 1), token_path("attention", 3, 1)
    (None, [3, 1])
    """
    move = _reach(kind, width)
    if kind == "recurrent" and start > end:
        return None
    if move is None:
        return [start] if start == end else [start, end]
    return [*range(start, end, move if start < end else -move), end]


def path_length(kind: SequenceLayer, distance: int, *, width: int = 3) -> int:
    """The moves between two tokens that are `distance` apart.

    >>> [path_length(kind, 99, width=5) for kind in KINDS]
    [99, 50, 50, 1]
    """
    move = _reach(kind, width)
    if move is None:
        return min(distance, 1)
    return -(-distance // move)


def serial_steps(kind: SequenceLayer, S: int) -> int:
    """How many steps of a layer must wait for one another: all S of a recurrent one, else 1.

    >>> serial_steps("recurrent", 100), serial_steps("attention", 100)
    (100, 1)
    """
    check_choice("kind", kind, KINDS)
    return S if kind == "recurrent" else 1


def layer_multiply_adds(
    kind: SequenceLayer, S: int, d_model: int, *, width: int = 3, leading: bool = False
) -> int:
    """The multiply-adds of the matrix products in one layer; `leading` has the terms of table 1 alone.

        recurrent    2 S d^2              leading  S d^2
        convolution  width S d^2                   width S d^2
        window       4 S d^2 + 2 S width d         S width d
        attention    4 S d^2 + 2 S^2 d             S^2 d

    The four S d^2 are the projections W_Q, W_K, W_V, W_O. A window at the sequence's edge counts as whole.

    >>> layer_multiply_adds("attention", 10, 4), layer_multiply_adds("attention", 10, 4, leading=True)
    (1440, 400)
    """
    check_positive(S=S, d_model=d_model)
    fixed, per_key = _per_token(kind, d_model, width, leading)
    keys = min(width, S) if kind == "window" else S
    return S * (fixed + per_key * keys)


def attention_overtakes(kind: SequenceLayer, d_model: int, *, width: int = 3, leading: bool = False) -> int:
    """The first sequence length at which attention over everything does more than a layer of this kind.

    >>> attention_overtakes("recurrent", 512, leading=True), attention_overtakes("recurrent", 512)
    (513, 1)
    """
    check_positive(d_model=d_model)
    if kind == "attention":
        raise ValueError("kind must be another layer than attention, which never overtakes itself")
    fixed, per_key = _per_token(kind, d_model, width, leading)
    own, own_per_key = _per_token("attention", d_model, width, leading)
    return max(0, fixed + per_key * width - own) // own_per_key + 1


def _reach(kind: SequenceLayer, width: int) -> int | None:
    """How many tokens a move may skip to, None for any number."""
    check_choice("kind", kind, KINDS)
    if kind in ("convolution", "window") and (width < 3 or width % 2 == 0):
        raise ValueError(f"width must be odd and at least 3, so that a token has neighbours, got {width}")
    return {"recurrent": 1, "attention": None}.get(kind, (width - 1) // 2)


def _per_token(kind: SequenceLayer, d_model: int, width: int, leading: bool) -> tuple[int, int]:
    """Multiply-adds a token: those whatever it looks at, and those for each token that it looks at."""
    _reach(kind, width)
    if kind == "recurrent":
        return d_model**2 * (1 if leading else 2), 0
    if kind == "convolution":
        return width * d_model**2, 0
    return (0, d_model) if leading else (4 * d_model**2, 2 * d_model)
