"""Boxes and arrows, each box one that can be pressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .markup import Attribute, Element, Node, el
from .text import Words

LARGEST = 1.3  # a drawing is at most this many times larger on the screen than here
HEAD = 4.0


class Box(NamedTuple):
    """A box by its middle; `sets` is what pressing it sets, `spoken` its name for the ear, `kind` a class."""

    x: float
    y: float
    width: float
    height: float
    name: Words
    sets: Mapping[str, Attribute]
    chosen: bool = False
    spoken: Words | None = None
    kind: str = ""


class Link(NamedTuple):
    """An arrow along points; `kind` is a class."""

    points: Sequence[tuple[float, float]]
    kind: str = ""


def diagram(
    boxes: Sequence[Box], links: Sequence[Link], *, width: float, height: float, describe: Words
) -> Element:
    """The boxes over the arrows between them. Their order is that of the Tab key."""
    inner: list[Node] = [_arrow(link) for link in links]
    inner += [_box(box) for box in boxes]
    attributes: dict[str, Attribute] = {
        "class": "diagram",
        "viewBox": f"0 0 {width:g} {height:g}",
        "role": "group",
        "aria-label": describe,
        "style": f"max-width:{LARGEST * width:g}px",
    }
    return el("svg", attributes, *inner)


def _box(box: Box) -> Node:
    button: dict[str, Attribute] = {
        "class": " ".join(filter(None, ["box", box.kind, "chosen" if box.chosen else ""])),
        "role": "button",
        "tabindex": "0",
        "aria-pressed": "true" if box.chosen else "false",
        "aria-label": box.name if box.spoken is None else box.spoken,
        **box.sets,
    }
    place: dict[str, Attribute] = {
        "x": box.x - box.width / 2,
        "y": box.y - box.height / 2,
        "width": box.width,
        "height": box.height,
        "rx": 6.0,
    }
    return el(
        "g",
        button,
        el("rect", place),
        el("text", {"x": box.x, "y": box.y + 4.5, "text-anchor": "middle", "aria-hidden": "true"}, box.name),
    )


def _arrow(link: Link) -> Node:
    *_, (x1, y1), (x2, y2) = link.points
    length = max(abs(x2 - x1), abs(y2 - y1))
    ux, uy = (x2 - x1) / length, (y2 - y1) / length  # links run along the axes
    bx, by = x2 - ux * 2 * HEAD, y2 - uy * 2 * HEAD
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in [*link.points[:-1], (bx, by)])
    head = f"M{x2:g} {y2:g}L{bx - uy * HEAD:g} {by + ux * HEAD:g}L{bx + uy * HEAD:g} {by - ux * HEAD:g}Z"
    kind = " ".join(filter(None, ["link", link.kind]))
    return el("g", {"class": kind}, el("path", {"d": line, "fill": "none"}), el("path", {"d": head}))
