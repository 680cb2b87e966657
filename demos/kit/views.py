"""Tables and charts made of HTML: the matrix, token rows, bars, flows, written-out sums."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from .markup import Attribute, Element, Node, el
from .numbers import fmt, percent
from .text import Words


def setter(**state: str | int) -> dict[str, Attribute]:
    """Attributes that make an element set these controls when it is pressed."""
    return {"data-set": "&".join(f"{name}={value}" for name, value in state.items())}


def heat(share: float) -> dict[str, Attribute]:
    """Attributes that tint an element by `share`, from 0 to 1."""
    bounded = min(1.0, max(0.0, share))
    return {"style": f"--heat:{fmt(bounded, 3)}"}


def matrix_table(
    values: Sequence[Sequence[Any]],
    *,
    name: Words,
    rows: Sequence[Words],
    columns: Sequence[Words],
    show: Callable[[Any], Words] = fmt,
    shares: Sequence[Sequence[float]] | None = None,
    selected: tuple[int, int] | None = None,
    lit_rows: Collection[int] = (),
    lit_columns: Collection[int] = (),
    set_cell: Callable[[int, int], dict[str, Attribute]] | None = None,
    mark: Callable[[int, int], str | None] = lambda row, column: None,
    totals: tuple[Words, Sequence[Words]] | None = None,
    foot: tuple[Words, Sequence[Words]] | None = None,
) -> Element:
    """A matrix as a real table: captions and headers for the ear, tint and highlights for the eye.

    The values are numbers, or anything that `show` turns into words. `shares` (0 to 1) tint the cells;
    `set_cell` gives each cell's setter; `mark` a cell's class; `totals` adds a last column with its header,
    `foot` a last row.
    """
    head = el(
        "tr",
        {},
        el("td", {}),
        *(
            el("th", {"scope": "col", "class": "lit" if j in lit_columns else None}, c)
            for j, c in enumerate(columns)
        ),
        el("th", {"scope": "col", "class": "total"}, totals[0]) if totals else None,
    )
    body = []
    for i, row in enumerate(values):
        cells = []
        for j, value in enumerate(row):
            classes = [mark(i, j)]
            classes += ["lit"] if i in lit_rows or j in lit_columns else []
            classes += ["selected"] if (i, j) == selected else []
            tint = heat(shares[i][j]) if shares is not None else {}
            shown: Node = show(value)
            if set_cell is not None:
                pressed = "true" if (i, j) == selected else "false"
                shown = el("button", {"type": "button", "aria-pressed": pressed, **set_cell(i, j)}, shown)
            cells.append(el("td", {"class": " ".join(filter(None, classes)) or None, **tint}, shown))
        if totals:
            cells.append(el("td", {"class": "total"}, totals[1][i]))
        header = el("th", {"scope": "row", "class": "lit" if i in lit_rows else None}, rows[i])
        body.append(el("tr", {}, header, *cells))
    if foot:
        sums = (el("td", {"class": "total"}, shown) for shown in foot[1])
        body.append(el("tr", {}, el("th", {"scope": "row", "class": "total"}, foot[0]), *sums))
    return el(
        "div",
        {"class": "scroll"},
        el(
            "table",
            {"class": "matrix"},
            el("caption", {}, name),
            el("thead", {}, head),
            el("tbody", {}, *body),
        ),
    )


def table(name: Words, columns: Sequence[Words], rows: Sequence[Sequence[Words]]) -> Element:
    """A plain table of numbers; the first cell of a row is its header."""
    head = el("tr", {}, *(el("th", {"scope": "col"}, column) for column in columns))
    body = [
        el("tr", {}, el("th", {"scope": "row"}, row[0]), *(el("td", {}, cell) for cell in row[1:]))
        for row in rows
    ]
    return el(
        "div",
        {"class": "scroll"},
        el(
            "table",
            {"class": "numbers"},
            el("caption", {}, name),
            el("thead", {}, head),
            el("tbody", {}, *body),
        ),
    )


def bars(
    items: Sequence[tuple[Words, float]], *, show: Callable[[float], str] = percent, lit: Collection[int] = ()
) -> Element:
    """Shares from 0 to 1 as horizontal bars, each with its name and its number."""
    rows = [
        el(
            "div",
            {
                "class": "bar lit" if i in lit else "bar",
                "style": f"--share:{fmt(min(1.0, max(0.0, share)), 4)}",
            },
            el("span", {"class": "bar-name"}, name),
            el("span", {"class": "bar-track"}, el("span", {"class": "bar-fill"})),
            el("span", {"class": "bar-number"}, show(share)),
        )
        for i, (name, share) in enumerate(items)
    ]
    return el("div", {"class": "bars"}, *rows)


def token_row(
    tokens: Sequence[Words],
    *,
    shares: Sequence[float] | None = None,
    chosen: int | None = None,
    set_token: Callable[[int], dict[str, Attribute]] | None = None,
) -> Element:
    """A sentence as a row of tokens, tinted by `shares`; with `set_token`, each can be pressed."""
    shown = []
    for i, token in enumerate(tokens):
        tint = heat(shares[i]) if shares is not None else {}
        state: dict[str, Attribute] = {"class": "token chosen" if i == chosen else "token", **tint}
        if set_token is None:
            shown.append(el("span", state, token))
        else:
            pressed = "true" if i == chosen else "false"
            shown.append(
                el("button", {"type": "button", "aria-pressed": pressed, **state, **set_token(i)}, token)
            )
    return el("div", {"class": "tokens", "lang": "en"}, *shown)


def beside(*parts: Node) -> Element:
    """Parts side by side where there is room, one below the other where there is not."""
    return el("div", {"class": "beside"}, *parts)


def panel(name: Words, *parts: Node) -> Element:
    """A named part of a picture."""
    return el("div", {"class": "panel"}, el("p", {"class": "panel-name"}, name), *parts)


def working(*lines: Node) -> Element:
    """A calculation written out, a line each."""
    return el("div", {"class": "working"}, *(el("p", {}, line) for line in lines))


def note(kind: str, *parts: Node) -> Element:
    """A remark in the picture; `kind` is right, wrong, warn or plain."""
    return el("p", {"class": f"remark {kind}"}, *parts)


def flow(steps: Sequence[tuple[Words, Words]], *, current: int | None = None) -> Element:
    """Named steps with their shapes, one after the other."""
    items = [
        el(
            "li",
            {"aria-current": "step" if i == current else None},
            el("span", {}, name),
            el("code", {}, shape),
        )
        for i, (name, shape) in enumerate(steps)
    ]
    return el("ol", {"class": "flow"}, *items)


def presets(options: Sequence[tuple[Words, dict[str, Attribute]]], *, chosen: int | None = None) -> Element:
    """Buttons that set several controls at once: each a name and its setter, `chosen` the present state's."""
    buttons = [
        el(
            "button",
            {"type": "button", "aria-pressed": "true" if i == chosen else "false", **set_state},
            name,
        )
        for i, (name, set_state) in enumerate(options)
    ]
    return el("div", {"class": "presets"}, *buttons)
