"""What a reader can set: each control owns its default, its bounds, its parsing and its markup.

A state travels as text (`d_k=64`), in the page's form, in a link and to the worker; `parse` turns
the text into the value that `view` gets, and refuses with both numbers what is out of bounds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .markup import Node, el
from .text import Text, Words, text


class StateError(ValueError):
    """A state that a demo cannot show; `words` says why, in the reader's language."""

    def __init__(self, said: Text) -> None:
        super().__init__(said.en)
        self.words = said


class Control(Protocol):
    """What `frame` and the page ask of every control."""

    @property
    def default(self) -> Any: ...
    @property
    def when(self) -> str | None: ...
    def parse(self, given: str) -> Any: ...
    def show(self, value: Any) -> str: ...
    def values(self) -> Sequence[Any] | None: ...
    def corners(self) -> Sequence[Any]: ...
    def node(self, name: str) -> Node: ...


# A control is neither compared nor printed; generating the code for that would delay Python's start.
@dataclass(frozen=True, eq=False, repr=False)
class Slider:
    """A number from an even range, or one of a short list of numbers."""

    default: float
    stops: tuple[float, ...] | None
    low: float
    high: float
    step: float
    label: Text
    unit: str
    when: str | None

    def parse(self, given: str) -> float:
        number = _number(self.label, given)
        if self.stops is not None:
            if number not in self.stops:
                raise _not_listed(self.label, given, [self.show(stop) for stop in self.stops])
            return number
        if not self.low <= number <= self.high:
            raise _out_of_bounds(self.label, given, self.low, self.high)
        steps = round((number - self.low) / self.step)
        return float(min(self.high, round(self.low + steps * self.step, 10)))

    def show(self, value: float) -> str:
        return f"{float(value):.10g}"

    def values(self) -> Sequence[float] | None:
        return self.stops

    def corners(self) -> Sequence[float]:
        return (self.stops[0], self.stops[-1]) if self.stops else (self.low, self.high)

    def node(self, name: str) -> Node:
        if self.stops is None:
            bounds = {"min": self.show(self.low), "max": self.show(self.high), "step": self.show(self.step)}
            position, stops = self.show(self.default), None
        else:
            bounds = {"min": "0", "max": str(len(self.stops) - 1), "step": "1"}
            position, stops = str(self.stops.index(self.default)), ",".join(map(self.show, self.stops))
        shown = self.show(self.default)
        return _field(
            "slider",
            el(
                "label",
                {},
                el("span", {"class": "control-label"}, self.label),
                el(
                    "input",
                    {
                        "type": "range",
                        "name": name,
                        **bounds,
                        "value": position,
                        "data-stops": stops,
                        "aria-valuetext": shown,
                    },
                ),
            ),
            el("output", {"data-for": name}, shown),
            el("span", {"class": "control-unit"}, self.unit) if self.unit else None,
        )


def slider(
    low: float = 0,
    high: float = 1,
    *,
    value: float,
    label: Text,
    step: float = 1,
    stops: Sequence[float] | None = None,
    unit: str = "",
    when: str | None = None,
) -> Slider:
    """A slider from `low` to `high`, or over the numbers of `stops` (for a logarithmic one).

    Raises ValueError where the default is not a place on the slider.
    """
    if stops is not None:
        listed = tuple(float(stop) for stop in stops)
        if float(value) not in listed:
            raise ValueError(f"slider: value {value} is none of its stops {listed}")
        return Slider(float(value), listed, listed[0], listed[-1], 1.0, label, unit, when)
    if not low <= value <= high or step <= 0 or low >= high:
        raise ValueError(
            f"slider: needs low < high, step > 0 and a value between; got {low}..{high} step {step}, {value}"
        )
    return Slider(float(value), None, float(low), float(high), float(step), label, unit, when)


@dataclass(frozen=True, eq=False, repr=False)
class Pick:
    """One of a few named options, as chips (radio buttons) or as a list."""

    default: str
    options: tuple[tuple[str, Words], ...]
    label: Text
    style: str
    when: str | None

    def parse(self, given: str) -> str:
        keys = [key for key, _ in self.options]
        if given not in keys:
            raise _not_listed(self.label, given, keys)
        return given

    def show(self, value: str) -> str:
        return str(value)

    def values(self) -> Sequence[str]:
        return [key for key, _ in self.options]

    def corners(self) -> Sequence[str]:
        return self.values()

    def node(self, name: str) -> Node:
        if self.style == "list":
            options = [
                el("option", {"value": key, "selected": key == self.default}, shown)
                for key, shown in self.options
            ]
            label = el("span", {"class": "control-label"}, self.label)
            return _field("list", el("label", {}, label, el("select", {"name": name}, *options)))
        chips = [
            el(
                "label",
                {"class": "chip"},
                el("input", {"type": "radio", "name": name, "value": key, "checked": key == self.default}),
                el("span", {}, shown),
            )
            for key, shown in self.options
        ]
        return _group("chips", self.label, *chips)


@dataclass(frozen=True, eq=False, repr=False)
class Index(Pick):
    """A `Pick` among numbered things, whose value is the number."""

    def parse(self, given: str) -> Any:
        return int(super().parse(given))


def pick(
    options: Sequence[tuple[str, Words]],
    *,
    value: str,
    label: Text,
    style: str = "chips",
    when: str | None = None,
) -> Pick:
    """One of `options`, pairs of the key that `view` gets and the words on the chip.

    Raises ValueError where `value` is no key, or `style` is neither "chips" nor "list".
    """
    keys = [key for key, _ in options]
    if value not in keys or style not in ("chips", "list") or len(set(keys)) != len(keys):
        raise ValueError(
            f"pick: needs distinct keys, {value!r} among them, and style chips or list; got {keys}, {style}"
        )
    return Pick(value, tuple(options), label, style, when)


def index(
    names: Sequence[Words], *, value: int, label: Text, style: str = "chips", when: str | None = None
) -> Index:
    """One of several things in order (tokens, heads); `view` gets its number, from 0."""
    if not 0 <= value < len(names):
        raise ValueError(f"index: value must be from 0 to {len(names) - 1}, got {value}")
    return Index(str(value), tuple((str(i), name) for i, name in enumerate(names)), label, style, when)


@dataclass(frozen=True, eq=False, repr=False)
class Toggle:
    """Yes or no."""

    default: bool
    label: Text
    when: str | None

    def parse(self, given: str) -> bool:
        if given not in ("true", "false"):
            raise _not_listed(self.label, given, ["true", "false"])
        return given == "true"

    def show(self, value: bool) -> str:
        return "true" if value else "false"

    def values(self) -> Sequence[bool]:
        return (False, True)

    def corners(self) -> Sequence[bool]:
        return (False, True)

    def node(self, name: str) -> Node:
        box = el("input", {"type": "checkbox", "name": name, "checked": self.default})
        return _field("toggle", el("label", {}, box, el("span", {}, self.label)))


def toggle(value: bool, *, label: Text, when: str | None = None) -> Toggle:
    """A checkbox."""
    return Toggle(value, label, when)


@dataclass(frozen=True, eq=False, repr=False)
class Stepper:
    """A place in a sequence, with previous, next and play."""

    default: int
    names: tuple[Words, ...]
    label: Text
    when: str | None
    pace: str | None

    def parse(self, given: str) -> int:
        number = _number(self.label, given)
        if number != int(number) or not 0 <= number < len(self.names):
            raise _out_of_bounds(self.label, given, 0, len(self.names) - 1)
        return int(number)

    def show(self, value: int) -> str:
        return str(value)

    def values(self) -> Sequence[int]:
        return range(len(self.names))

    def corners(self) -> Sequence[int]:
        return range(len(self.names))

    def node(self, name: str) -> Node:
        last = len(self.names) - 1
        count = STEP_OF.format(k=self.default + 1, n=last + 1)
        return _field(
            "stepper",
            el("button", {"type": "button", "class": "step", "data-step": "-1", "data-of": name}, PREVIOUS),
            el(
                "label",
                {},
                el("span", {"class": "control-label"}, self.label),
                el(
                    "input",
                    {"type": "range", "name": name, "min": 0, "max": last, "step": 1, "value": self.default},
                ),
            ),
            el("button", {"type": "button", "class": "step", "data-step": "1", "data-of": name}, NEXT),
            el(
                "button",
                {
                    "type": "button",
                    "class": "play",
                    "data-play": name,
                    "data-pause": PAUSE,
                    "data-pace": self.pace,
                    "aria-pressed": "false",
                },
                PLAY,
            ),
            el(
                "output",
                {"data-for": name, "data-step-of": STEP_OF.format(k="{k}", n=last + 1)},
                count,
            ),
        )


def stepper(
    names: Sequence[Words], *, label: Text, value: int = 0, when: str | None = None, pace: str | None = None
) -> Stepper:
    """One step of several, each with its name; a demo has at most one.

    `pace` names the control whose value is how many milliseconds a step stands while the demo plays.
    """
    if not 0 <= value < len(names):
        raise ValueError(f"stepper: value must be from 0 to {len(names) - 1}, got {value}")
    return Stepper(value, tuple(names), label, when, pace)


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """A grid of numbers that the reader edits; with `blank`, a cell may be empty (None)."""

    default: tuple[tuple[float | None, ...], ...]
    low: float
    high: float
    step: float
    label: Text
    blank: bool
    when: str | None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.default), len(self.default[0])

    def parse(self, given: str) -> tuple[tuple[float | None, ...], ...]:
        rows, columns = self.shape
        cells = given.split(",")
        if len(cells) != rows * columns:
            raise StateError(CELL_COUNT.format(label=self.label, want=rows * columns, got=len(cells)))
        parsed = [self._cell(cell.strip()) for cell in cells]
        return tuple(tuple(parsed[row * columns : (row + 1) * columns]) for row in range(rows))

    def _cell(self, given: str) -> float | None:
        if not given and self.blank:
            return None
        number = _number(self.label, given)
        if not self.low <= number <= self.high:
            raise _out_of_bounds(self.label, given, self.low, self.high)
        return number

    def show(self, value: Sequence[Sequence[float | None]]) -> str:
        return ",".join("" if cell is None else f"{cell:.10g}" for row in value for cell in row)

    def values(self) -> None:
        return None

    def corners(self) -> Sequence[tuple[tuple[float | None, ...], ...]]:
        rows, columns = self.shape
        return [tuple((edge,) * columns for _ in range(rows)) for edge in (self.low, self.high)]

    def node(self, name: str) -> Node:
        rows = [
            el("tr", {}, *(el("td", {}, self._input(name, i, j, cell)) for j, cell in enumerate(row)))
            for i, row in enumerate(self.default)
        ]
        return _group(
            "matrix-cells",
            self.label,
            el("table", {"class": "cells", "role": "presentation"}, *rows),
        )

    def _input(self, name: str, row: int, column: int, cell: float | None) -> Node:
        return el(
            "input",
            {
                "type": "number",
                "name": name,
                "min": f"{self.low:.10g}",
                "max": f"{self.high:.10g}",
                "step": "any" if self.blank else f"{self.step:.10g}",
                "value": "" if cell is None else f"{cell:.10g}",
                "inputmode": "decimal",
                "aria-label": CELL.format(label=self.label, i=row + 1, j=column + 1),
            },
        )


def matrix(
    value: Sequence[Sequence[float]],
    *,
    label: Text,
    low: float = -9,
    high: float = 9,
    step: float = 1,
    when: str | None = None,
) -> Matrix:
    """A matrix whose cells the reader edits, each between `low` and `high`."""
    return Matrix(tuple(tuple(float(c) for c in row) for row in value), low, high, step, label, False, when)


def answers(rows: int, columns: int, *, label: Text, when: str | None = None) -> Matrix:
    """An empty grid into which the reader types what they have worked out by hand."""
    empty = tuple((None,) * columns for _ in range(rows))
    return Matrix(empty, -1e6, 1e6, 1.0, label, True, when)


@dataclass(frozen=True, eq=False, repr=False)
class Spot:
    """A cell that the reader chooses in the picture itself; it has no input of its own to see."""

    default: tuple[int, int]
    rows: int
    columns: int
    label: Text
    when: str | None = None

    def parse(self, given: str) -> tuple[int, int]:
        found = re.fullmatch(r"(\d{1,4}),(\d{1,4})", given)
        if not found:
            raise StateError(NOT_A_CELL.format(label=self.label, given=given))
        row, column = int(found[1]), int(found[2])
        for number, size in ((row, self.rows), (column, self.columns)):
            if number >= size:
                raise _out_of_bounds(self.label, str(number), 0, size - 1)
        return row, column

    def show(self, value: tuple[int, int]) -> str:
        return f"{value[0]},{value[1]}"

    def values(self) -> Sequence[tuple[int, int]]:
        return [(row, column) for row in range(self.rows) for column in range(self.columns)]

    def corners(self) -> Sequence[tuple[int, int]]:
        return [(0, 0), (self.rows - 1, self.columns - 1)]

    def node(self, name: str) -> Node:
        # not type=hidden: such an input keeps its value when the form is reset
        return el("input", {"type": "text", "name": name, "value": self.show(self.default), "hidden": True})


def spot(rows: int, columns: int, *, value: tuple[int, int], label: Text) -> Spot:
    """A cell of a grid of at most `rows` by `columns`, chosen in the picture."""
    return Spot(value, rows, columns, label)


PREVIOUS = text(zh="上一步", en="Previous")
NEXT = text(zh="下一步", en="Next")
PLAY = text(zh="播放", en="Play")
PAUSE = text(zh="暂停", en="Pause")
STEP_OF = text(zh="第 {k} 步，共 {n} 步", en="Step {k} of {n}")
CELL = text(zh="{label}，第 {i} 行第 {j} 列", en="{label}, row {i}, column {j}")
CELL_COUNT = text(
    zh="「{label}」要 {want} 个数，收到 {got} 个",
    en="“{label}” takes {want} numbers, got {got}",
)
NOT_A_NUMBER = text(
    zh="「{label}」要一个数，收到的是「{given}」",
    en="“{label}” takes a number, got “{given}”",
)
NOT_A_CELL = text(
    zh="「{label}」要「行,列」两个数，收到的是「{given}」",
    en="“{label}” takes “row,column”, got “{given}”",
)
OUT_OF_BOUNDS = text(
    zh="「{label}」要在 {low} 到 {high} 之间，收到的是 {given}",
    en="“{label}” must be between {low} and {high}, got {given}",
)
NOT_LISTED = text(
    zh="「{label}」没有「{given}」这一项，可选的是 {listed}",
    en="“{label}” has no option “{given}”; choose from {listed}",
)


def _number(label: Text, given: str) -> float:
    try:
        number = float(given)
    except ValueError:
        raise StateError(NOT_A_NUMBER.format(label=label, given=given)) from None
    if not math.isfinite(number):
        raise StateError(NOT_A_NUMBER.format(label=label, given=given))
    return number


def _out_of_bounds(label: Text, given: str, low: float, high: float) -> StateError:
    return StateError(OUT_OF_BOUNDS.format(label=label, given=given, low=f"{low:.10g}", high=f"{high:.10g}"))


def _not_listed(label: Text, given: str, listed: Sequence[str]) -> StateError:
    return StateError(NOT_LISTED.format(label=label, given=given, listed=", ".join(listed)))


def _field(kind: str, *children: Node) -> Node:
    return el("div", {"class": f"control {kind}"}, *children)


def _group(kind: str, label: Text, *children: Node) -> Node:
    legend = el("legend", {"class": "control-label"}, label)
    return el("fieldset", {"class": f"control {kind}"}, legend, *children)
