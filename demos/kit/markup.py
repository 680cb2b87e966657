"""HTML and SVG as values: built as a tree, escaped once, when it is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from .text import Text, words

VOID = frozenset({"br", "hr", "img", "input", "col", "wbr"})

Attribute: TypeAlias = "str | int | float | bool | Text | None"


@dataclass(frozen=True)
class Element:
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
    if node is None:
        return ""
    if isinstance(node, list | tuple):
        return "".join(render(child, lang) for child in node)
    if not isinstance(node, Element):
        return escape(words(node, lang), quote=False)
    opening = node.tag + "".join(_attribute(name, value, lang) for name, value in node.attributes)
    if node.tag in VOID:
        return f"<{opening}>"
    return f"<{opening}>{''.join(render(child, lang) for child in node.children)}</{node.tag}>"


def _attribute(name: str, value: Attribute, lang: str) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    if isinstance(value, float):
        return f' {name}="{coordinate(value)}"'
    return f' {name}="{escape(words(value, lang))}"'


def coordinate(value: float) -> str:
    """A length in a drawing: two decimals, no trailing zeros, so that both interpreters agree."""
    shown = f"{round(float(value), 2):.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown
