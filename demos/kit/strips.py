"""Numbers as dots on parallel lines with one scale: where each group lies, and how wide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .markup import Attribute, Element, Node, el
from .numbers import short
from .text import Words

WIDTH, LEFT, RIGHT = 300.0, 48.0, 14.0
GAP, FLOOR, RADIUS = 34.0, 24.0, 5.0


class Strip(NamedTuple):
    """One line: its name, its dots (one may be chosen), a tick at `centre`, a band `spread` to each side."""

    name: Words
    values: Sequence[float]
    chosen: int | None = None
    centre: float | None = None
    spread: float | None = None
    lit: bool = False


def strips(lines: Sequence[Strip], *, reach: float, describe: Words) -> Element:
    """The lines one below the other over an axis from -reach to reach; equal dots stand on each other."""
    height = GAP * len(lines) + FLOOR
    inner: list[Node] = [el("title", {}, describe)]
    for place, line in enumerate(lines):
        inner += _line(line, GAP * (place + 0.75), reach)
    floor = GAP * len(lines) + 4
    inner.append(el("path", {"class": "axis", "d": f"M{LEFT:g} {floor:g}H{WIDTH - RIGHT:g}"}))
    for tick in (-reach, -reach / 2, 0.0, reach / 2, reach):
        middle: dict[str, Attribute] = {"x": _x(tick, reach), "y": floor + 14, "text-anchor": "middle"}
        inner.append(el("text", {"class": "tick", **middle}, short(tick)))
    viewbox = f"0 0 {WIDTH:g} {height:g}"
    return el("svg", {"class": "chart strips", "viewBox": viewbox, "role": "img"}, *inner)


def _line(line: Strip, y: float, reach: float) -> list[Node]:
    lit = " lit" if line.lit else ""
    parts: list[Node] = [el("text", {"class": f"strip-name{lit}", "x": 2.0, "y": y + 4}, line.name)]
    if line.centre is not None and line.spread is not None:
        left, right = (_x(line.centre + side * line.spread, reach) for side in (-1, 1))
        edges: dict[str, Attribute] = {"x": left, "y": y - 11, "width": right - left, "height": 22.0}
        parts.append(el("rect", {"class": f"bin band{lit}", **edges}))
    parts.append(el("path", {"class": "grid", "d": f"M{LEFT:g} {y:g}H{WIDTH - RIGHT:g}"}))
    if line.centre is not None:
        x = _x(line.centre, reach)
        parts.append(el("path", {"class": f"axis centre{lit}", "d": f"M{x:.2f} {y - 13:g}V{y + 13:g}"}))
    seen: dict[float, int] = {}
    for place, value in enumerate(line.values):
        x = round(_x(value, reach), 1)
        below = seen[x] = seen.get(x, -1) + 1
        chosen = " chosen value" if place == line.chosen else ""
        dot: dict[str, Attribute] = {"cx": x, "cy": y - 5 * below, "r": RADIUS}
        parts.append(el("circle", {"class": f"marker{lit}{chosen}", **dot}))
    return parts


def _x(value: float, reach: float) -> float:
    share = min(1.0, max(0.0, (value + reach) / (2 * reach)))
    return LEFT + share * (WIDTH - LEFT - RIGHT)
