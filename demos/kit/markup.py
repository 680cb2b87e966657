"""HTML and SVG as values: built as a tree, escaped once, when it is rendered."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple, TypeAlias

from .text import Text, words

VOID = frozenset({"br", "hr", "img", "input", "col", "wbr"})

Attribute: TypeAlias = "str | int | float | bool | Text | None"


class Element(NamedTuple):
    """One element with its attributes and children; `el` makes one."""

    tag: str
    attributes: tuple[tuple[str, Attribute], ...]
    children: tuple[Node, ...]


Node: TypeAlias = "Element | Text | str | int | list[Node] | tuple[Node, ...] | None"


def el(tag: str, attributes: dict[str, Attribute] | None = None, /, *children: Node) -> Element:
    """An element. An attribute that is None or False is left out, True stands alone."""
    return Element(tag, tuple((attributes or {}).items()), children)


def render(node: Node, lang: str) -> str:
    """The markup of `node` in `lang`, with everything from outside escaped."""
    markup: list[str] = []
    _write(node, lang, markup.append)
    return "".join(markup)


def _write(node: Node, lang: str, write: Callable[[str], None]) -> None:
    """Piece by piece in the order of the markup: a slider asks for a thousand elements at each step."""
    if isinstance(node, Element):  # a tuple too, so it is asked for first
        tag, attributes, children = node
        write(f"<{tag}")
        for name, value in attributes:
            if value is True:
                write(f" {name}")
            elif isinstance(value, float):
                write(f' {name}="{coordinate(value)}"')
            elif value is not None and value is not False:
                write(f' {name}="{escape(words(value, lang))}"')
        write(">")
        if tag not in VOID:
            for child in children:
                _write(child, lang, write)
            write(f"</{tag}>")
    elif isinstance(node, list | tuple):
        for child in node:
            _write(child, lang, write)
    elif node is not None:
        write(escape(words(node, lang), quote=False))


def coordinate(value: float) -> str:
    """A length in a drawing: two decimals, no trailing zeros, so that both interpreters agree."""
    shown = f"{round(float(value), 2):.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
