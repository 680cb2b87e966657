"""A matrix of shares as a map of tinted squares: for sentences too long for a table of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .markup import Attribute, Element, Node, el
from .text import Words
from .views import heat

CELL, LEFT, TOP, SLANT = 18.0, 78.0, 66.0, -60


def heat_map(
    shares: Sequence[Sequence[float]],
    *,
    rows: Sequence[Words],
    columns: Sequence[Words],
    describe: Words,
    chosen: int | None = None,
    set_row: Callable[[int], dict[str, Attribute]] | None = None,
) -> Element:
    """Shares from 0 to 1, a square each, under the names of their rows and columns.

    `chosen` frames a row; with `set_row`, a row can be pressed. The numbers belong in a table beside it.
    """
    width, height = LEFT + CELL * len(columns) + 40, TOP + CELL * len(rows) + 2
    inner: list[Node] = [el("title", {}, describe)]
    for j, name in enumerate(columns):
        x, y = LEFT + (j + 0.65) * CELL, TOP - 6
        turn = f"rotate({SLANT} {x:g} {y:g})"
        inner.append(el("text", {"class": "map-name", "x": x, "y": y, "transform": turn}, name))
    for i, row in enumerate(shares):
        y = TOP + i * CELL
        kind = "map-name chosen" if i == chosen else "map-name"
        label = el("text", {"class": kind, "x": LEFT - 6, "y": y + 13, "text-anchor": "end"}, rows[i])
        squares = [
            el(
                "rect",
                {
                    "class": "map-cell",
                    "x": LEFT + j * CELL,
                    "y": y,
                    "width": CELL - 1,
                    "height": CELL - 1,
                    "style": heat(share)["style"],
                },
            )
            for j, share in enumerate(row)
        ]
        inner.append(el("g", set_row(i) if set_row is not None else {}, label, *squares))
    if chosen is not None:
        frame: dict[str, Attribute] = {"x": LEFT - 1, "y": TOP + chosen * CELL - 1, "height": CELL + 1}
        inner.append(el("rect", {"class": "map-frame", **frame, "width": CELL * len(columns) + 1}))
    return el("svg", {"class": "heat-map", "viewBox": f"0 0 {width:g} {height:g}", "role": "img"}, *inner)
