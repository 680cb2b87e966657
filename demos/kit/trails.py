"""Ways between two places on a line, one below the other: how many hops each takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .markup import Attribute, Element, Node, el
from .text import Words

WIDTH, SIDE = 360.0, 12.0
ROW, LINE, FLOOR = 60.0, 42.0, 22.0  # LINE: where in a row its places lie
CLOSE = 4  # names of places that are closer stand on two lines
FLAT, HIGH = 5.0, 24.0  # how high the shortest hop rises, and the longest


@dataclass(frozen=True)
class Trail:
    """One way: its name, the places it touches, in order (none where there is no way), how long it is."""

    name: Words
    places: Sequence[int]
    length: Words
    lit: bool = False


def trails(
    ways: Sequence[Trail], *, size: int, start: int, end: int, names: tuple[Words, Words], describe: Words
) -> Element:
    """The ways over `size` places from `start` to `end`; `names` stand below those two."""
    height = ROW * len(ways) + FLOOR
    gap = (WIDTH - 2 * SIDE) / (size - 1)
    inner: list[Node] = [el("title", {}, describe)]
    for place, way in enumerate(ways):
        inner += _way(way, ROW * place + LINE, gap, size, (start, end))
    ends = [(start, names[0]), (end, names[1])] if start != end else [(start, f"{names[0]} = {names[1]}")]
    for place, (at, name) in enumerate(ends):
        x = min(max(SIDE + at * gap, 2 * SIDE), WIDTH - 2 * SIDE)
        y = ROW * len(ways) + (14 if place and abs(end - start) < CLOSE else 0)
        below: dict[str, Attribute] = {"x": x, "y": y, "text-anchor": "middle"}
        inner.append(el("text", {"class": "trail-end", **below}, name))
    viewbox = f"0 0 {WIDTH:g} {height:g}"
    return el("svg", {"class": "chart trails", "viewBox": viewbox, "role": "img"}, *inner)


def _way(way: Trail, y: float, gap: float, size: int, ends: tuple[int, int]) -> list[Node]:
    lit = " lit" if way.lit else ""
    parts: list[Node] = [
        el("text", {"class": f"trail-name{lit}", "x": 2.0, "y": y - 26}, way.name),
        el(
            "text",
            {"class": f"trail-name{lit}", "x": WIDTH - 2, "y": y - 26, "text-anchor": "end"},
            way.length,
        ),
    ]
    for a, b in pairwise(way.places):
        left, right = SIDE + a * gap, SIDE + b * gap
        rise = FLAT + (HIGH - FLAT) * (abs(b - a) - 1) / max(1, size - 2)
        curve = f"M{left:.2f} {y:g}Q{(left + right) / 2:.2f} {y - 2 * rise:.2f} {right:.2f} {y:g}"
        parts.append(el("path", {"class": f"trail{lit}", "d": curve}))
    touched = set(way.places)
    for kind, shown in (("", set(range(size)) - touched), (" touched", touched)):
        dots = "".join(f"M{SIDE + at * gap:.2f} {y:g}h0" for at in sorted(shown - {*ends}))
        if dots:
            parts.append(el("path", {"class": f"trail-places{kind}{lit}", "d": dots}))
    for at, kind in zip(ends, ("query", "value"), strict=True):
        parts.append(el("circle", {"class": f"trail-place {kind}", "cx": SIDE + at * gap, "cy": y, "r": 4.5}))
    return parts
