"""Formulas as MathML, built from words: `formula("y = x +", frac("a", "b"))`."""

from __future__ import annotations

from .markup import Element, Node, el

OPERATORS = frozenset("=+−-·×⊙/(),;[]∈⊤")


def formula(*parts: Node) -> Element:
    """A formula on a line of its own.

    Text is cut at its spaces: a number becomes a number, a sign a sign, anything else a name, upright where
    it has several letters.
    """
    return el("math", {"display": "block"}, row(*parts))


def row(*parts: Node) -> Element:
    """Parts side by side, as one."""
    tokens: list[Node] = []
    for part in parts:
        tokens += [_token(token) for token in part.split()] if isinstance(part, str) else [part]
    return el("mrow", {}, *tokens)


def frac(above: Node, below: Node) -> Element:
    """A fraction."""
    return el("mfrac", {}, row(above), row(below))


def root(inside: Node) -> Element:
    """A square root."""
    return el("msqrt", {}, row(inside))


def sub(base: Node, below: Node) -> Element:
    """A base with an index."""
    return el("msub", {}, row(base), row(below))


def sup(base: Node, above: Node) -> Element:
    """A base with an exponent."""
    return el("msup", {}, row(base), row(above))


def _token(token: str) -> Element:
    if token in OPERATORS:
        return el("mo", {}, token)
    return el("mn" if token.replace(".", "", 1).isdigit() else "mi", {}, token)
