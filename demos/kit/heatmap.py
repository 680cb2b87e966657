"""A matrix of shares as a map of tinted squares: for sentences too long for a table of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .markup import Attribute, Element, Node, el
from .numbers import fmt
from .text import Words
from .views import heat

CELL, SIDE, SLANT = 18.0, 17.0, -60
LARGEST = 1.3  # a square is at most this many times larger on the screen than here


def heat_map(
    shares: Sequence[Sequence[float]],
    *,
    rows: Sequence[Words],
    columns: Sequence[Words],
    describe: Words,
    chosen: int | None = None,
    set_row: Callable[[int], dict[str, Attribute]] | None = None,
    slanted: bool = True,
    margin: float = 78.0,
) -> Element:
    """Shares from 0 to 1, a square each, under the names of their rows and columns.

    `chosen` frames a row; with `set_row`, a row can be pressed. `slanted` makes room for columns with long
    names, `margin` for those of the rows. The numbers belong in a table beside it.
    """
    top = 66.0 if slanted else 20.0
    width, height = margin + CELL * len(columns) + (40 if slanted else 4), top + CELL * len(rows) + 2
    wide = CELL * len(columns) - 1
    inner: list[Node] = [el("title", {}, describe)]
    for j, name in enumerate(columns):
        x, y = margin + (j + (0.65 if slanted else 0.5)) * CELL, top - 6
        turn = f"rotate({SLANT} {x:g} {y:g})" if slanted else None
        anchor = None if slanted else "middle"
        inner.append(
            el("text", {"class": "map-name", "x": x, "y": y, "transform": turn, "text-anchor": anchor}, name)
        )
    for i, name in enumerate(rows):
        y = top + i * CELL
        kind = "map-name chosen" if i == chosen else "map-name"
        label = el("text", {"class": kind, "x": margin - 6, "y": y + 13, "text-anchor": "end"}, name)
        ground = el("rect", {"class": "map-cell", "x": margin, "y": y, "width": wide, "height": SIDE})
        inner.append(el("g", set_row(i) if set_row is not None else {}, label, ground))
    inner += _tinted(shares, top, margin)
    if chosen is not None:
        frame: dict[str, Attribute] = {"x": margin - 1, "y": top + chosen * CELL - 1, "height": CELL + 1}
        inner.append(el("rect", {"class": "map-frame", **frame, "width": wide + 2}))
    attributes: dict[str, Attribute] = {
        "class": "heat-map",
        "viewBox": f"0 0 {width:g} {height:g}",
        "role": "img",
        "style": f"max-width:{LARGEST * width:g}px",
    }
    return el("svg", attributes, *inner)


def _tinted(shares: Sequence[Sequence[float]], top: float, margin: float) -> list[Node]:
    """The squares of one tint as one path, so that a long sentence stays light; those of 0% are not drawn.

    They let a press through to the row below them.
    """
    squares: dict[str, list[str]] = {}
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            square = f"M{margin + j * CELL:g} {top + i * CELL:g}h{SIDE:g}v{SIDE:g}h-{SIDE:g}z"
            squares.setdefault(fmt(min(1.0, max(0.0, share)), 2), []).append(square)
    return [
        el(
            "path",
            {
                "class": "map-cell",
                "style": heat(float(tint))["style"],
                "d": "".join(squares[tint]),
                "pointer-events": "none",
            },
        )
        for tint in sorted(squares)
        if float(tint) > 0
    ]
