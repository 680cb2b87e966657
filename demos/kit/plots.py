"""Charts drawn as SVG in the theme's colours: lines and histograms over axes, arrows in a plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .markup import Element, Node, el
from .numbers import short
from .text import Words

WIDTH, HEIGHT = 360.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 10.0, 12.0, 34.0


class Axis(NamedTuple):
    """Bounds, ticks and the name of one axis; `place` maps a value to a share of the axis."""

    low: float
    high: float
    ticks: Sequence[float]
    name: Words
    show: Callable[[float], str] = short
    warp: Callable[[float], float] = float

    def place(self, value: float) -> float:
        start, end = self.warp(self.low), self.warp(self.high)
        share = (self.warp(value) - start) / (end - start)
        return min(1.0, max(0.0, share))


class Line(NamedTuple):
    """A curve: points, its class (its colour), its name for the key."""

    points: Sequence[tuple[float, float]]
    kind: str
    name: Words


def chart(
    x: Axis,
    y: Axis,
    *,
    lines: Sequence[Line] = (),
    histogram: Sequence[tuple[float, float, float]] = (),
    markers: Sequence[tuple[float, float, str]] = (),
    describe: Words,
) -> Element:
    """Curves, a histogram of (left, right, height) and markers (x, y, class) over two axes."""
    inner: list[Node] = [el("title", {}, describe)]
    inner += [_bar(x, y, *bin_) for bin_ in histogram]
    inner += _axes(x, y)
    for line in lines:
        places = " ".join(f"{_x(x, px):.2f},{_y(y, py):.2f}" for px, py in line.points)
        inner.append(el("polyline", {"class": f"line {line.kind}", "points": places}))
    inner += [
        el("circle", {"class": f"marker {kind}", "cx": _x(x, px), "cy": _y(y, py), "r": 4.0})
        for px, py, kind in markers
    ]
    svg = el("svg", {"class": "chart", "viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "role": "img"}, *inner)
    if not any(line.name for line in lines):
        return svg
    keys = [el("span", {"class": f"key {line.kind}"}, line.name) for line in lines]
    return el("div", {}, svg, el("p", {"class": "keys"}, *keys))


def plane(
    arrows: Sequence[tuple[float, float, str, Words]],
    *,
    reach: float,
    hull: Sequence[tuple[float, float]] = (),
    dashes: Sequence[tuple[tuple[float, float], tuple[float, float]]] = (),
    handles: Sequence[tuple[float, float, str]] = (),
    origin: tuple[float, float] = (0.5, 0.5),
    describe: Words,
) -> Element:
    """Arrows (x, y, class, name) from the origin of a plane that is 2 * `reach` wide and high.

    `hull` is filled, `dashes` are helping lines; a handle (x, y, controls) can be dragged, and sets
    the controls named in it, such as `angle=polar-angle&length=polar-length`. `origin` is where the
    origin lies, in shares from the left and from below; with handles it lies in the middle.
    """
    if handles and origin != (0.5, 0.5):
        raise ValueError(f"plane: with handles the origin must lie at (0.5, 0.5), got {origin}")
    size = 300.0
    scale = size / (2 * reach)

    def at(px: float, py: float) -> tuple[float, float]:
        return size * origin[0] + px * scale, size * (1 - origin[1]) - py * scale

    inner: list[Node] = [el("title", {}, describe)]
    ox, oy = at(0, 0)
    inner.append(el("path", {"class": "axis", "d": f"M0 {oy:g}H{size:g}M{ox:g} 0V{size:g}"}))
    if hull:
        corners = " ".join("{:.2f},{:.2f}".format(*at(*corner)) for corner in hull)
        inner.append(el("polygon", {"class": "hull", "points": corners}))
    for start, end in dashes:
        (x1, y1), (x2, y2) = at(*start), at(*end)
        inner.append(el("line", {"class": "dash", "x1": x1, "y1": y1, "x2": x2, "y2": y2}))
    for px, py, kind, name in arrows:
        inner += _arrow(*at(0, 0), *at(px, py), kind, name)
    for px, py, sets in handles:
        cx, cy = at(px, py)
        inner.append(el("circle", {"class": "handle", "cx": cx, "cy": cy, "r": 14.0, "data-drag": sets}))
    attributes = {
        "class": "plane",
        "viewBox": f"0 0 {size:g} {size:g}",
        "role": "img",
        "data-reach": f"{reach:g}",
    }
    return el("svg", {**attributes}, *inner)


def _arrow(x1: float, y1: float, x2: float, y2: float, kind: str, name: Words) -> list[Node]:
    dx, dy = x2 - x1, y2 - y1
    length = (dx * dx + dy * dy) ** 0.5
    if length < 1:
        return [el("circle", {"class": f"arrow {kind}", "cx": x1, "cy": y1, "r": 3.0})]
    ux, uy = dx / length, dy / length
    back = min(10.0, length)
    bx, by = x2 - ux * back, y2 - uy * back
    head = f"M{x2:.2f} {y2:.2f}L{bx - uy * 5:.2f} {by + ux * 5:.2f}L{bx + uy * 5:.2f} {by - ux * 5:.2f}Z"
    return [
        el("line", {"class": f"arrow {kind}", "x1": x1, "y1": y1, "x2": bx, "y2": by}),
        el("path", {"class": f"arrow-head {kind}", "d": head}),
        el("text", {"class": f"arrow-name {kind}", "x": x2 + ux * 14, "y": y2 + uy * 14 + 4}, name),
    ]


def _x(axis: Axis, value: float) -> float:
    return LEFT + axis.place(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.place(value) * (HEIGHT - TOP - BOTTOM)


def _bar(x: Axis, y: Axis, left: float, right: float, height: float) -> Node:
    start, end, top = _x(x, left), _x(x, right), _y(y, height)
    return el(
        "rect",
        {
            "class": "bin",
            "x": start,
            "y": top,
            "width": max(0.0, end - start - 0.6),
            "height": HEIGHT - BOTTOM - top,
        },
    )


def _axes(x: Axis, y: Axis) -> list[Node]:
    floor = HEIGHT - BOTTOM
    parts: list[Node] = [el("path", {"class": "axis", "d": f"M{LEFT:g} {TOP:g}V{floor:g}H{WIDTH - RIGHT:g}"})]
    for tick in x.ticks:
        parts.append(
            el(
                "text",
                {"class": "tick", "x": _x(x, tick), "y": floor + 14, "text-anchor": "middle"},
                x.show(tick),
            )
        )
    for tick in y.ticks:
        parts.append(el("path", {"class": "grid", "d": f"M{LEFT:g} {_y(y, tick):.2f}H{WIDTH - RIGHT:g}"}))
        parts.append(
            el(
                "text",
                {"class": "tick", "x": LEFT - 5, "y": _y(y, tick) + 4, "text-anchor": "end"},
                y.show(tick),
            )
        )
    parts.append(
        el("text", {"class": "axis-name", "x": WIDTH - RIGHT, "y": HEIGHT - 4, "text-anchor": "end"}, x.name)
    )
    parts.append(el("text", {"class": "axis-name", "x": 4.0, "y": 9.0}, y.name))
    return parts
