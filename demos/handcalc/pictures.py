"""The matrices of each step as tables: the operands with the row and the column in use, and the result."""

from collections.abc import Callable

import numpy as np

from demos.handcalc.calculation import INPUT, MIX, PROJECT, SCALE, SCORE, TOKENS, WEIGH, Calculation
from demos.kit import Element, Text, Words, entry, fmt, join, matrix_table, short, text

ROWS = {"Q": "q", "K": "k", "V": "v", "X": "x"}


def operands(step: int, calc: Calculation, of: str, i: int, j: int) -> list[Element]:
    """What the step starts from, with the row and the column of the chosen entry lit."""
    if step == INPUT:
        return [projection(calc, name) for name in calc.projections]
    if step == PROJECT:
        return [projected("X", calc.x, lit_row=i), projection(calc, of, lit_column=j)]
    if step == SCORE:
        return [projected("Q", calc.projected["Q"], lit_row=i), transposed(calc, lit_column=j)]
    if step == SCALE:
        return [pairs(SCORES, calc.scores, selected=(i, j))]
    if step == WEIGH:
        return [masked(calc, i, j), exponentials(calc, i, j)]
    return [weights(calc, lit_row=i), projected("V", calc.projected["V"], lit_column=j)]


def result(
    step: int,
    calc: Calculation,
    of: str,
    i: int,
    j: int,
    set_cell: Callable[[int, int], dict] | None = None,
) -> Element:
    """What the step makes, with the chosen entry marked."""
    if step == INPUT:
        return projected("X", calc.x, selected=(i, j), set_cell=set_cell)
    if step == PROJECT:
        return projected(of, calc.projected[of], selected=(i, j), set_cell=set_cell)
    if step == WEIGH:
        return weights(calc, selected=(i, j), set_cell=set_cell)
    if step == MIX:
        return outputs(calc, selected=(i, j), set_cell=set_cell)
    name, values = (SCORES, calc.scores) if step == SCORE else (SCALED, calc.scaled)
    return pairs(name, values, selected=(i, j), set_cell=set_cell)


def projected(
    name: str,
    values: np.ndarray,
    *,
    lit_row: int | None = None,
    lit_column: int | None = None,
    selected: tuple[int, int] | None = None,
    set_cell: Callable[[int, int], dict] | None = None,
) -> Element:
    """X, Q, K or V: a row for each token."""
    caption = name if name == "X" else f"{name} = X W_{name}"
    return matrix_table(
        values.tolist(),
        name=shaped(caption, values),
        rows=[entry(ROWS[name], n) for n in range(len(values))],
        columns=_numbers(values.shape[1]),
        show=_plain,
        selected=selected,
        lit_rows=_lit(lit_row),
        lit_columns=_lit(lit_column),
        set_cell=set_cell,
    )


def projection(calc: Calculation, name: str, lit_column: int | None = None) -> Element:
    """A matrix of parameters."""
    values = calc.projections[name]
    return matrix_table(
        values.tolist(),
        name=shaped(f"W_{name}", values),
        rows=_numbers(len(values)),
        columns=_numbers(values.shape[1]),
        show=_plain,
        lit_columns=_lit(lit_column),
    )


def transposed(calc: Calculation, lit_column: int) -> Element:
    """Kᵀ, whose columns are the keys."""
    values = calc.projected["K"].T
    return matrix_table(
        values.tolist(),
        name=shaped("Kᵀ", values),
        rows=_numbers(len(values)),
        columns=[entry("k", n) for n in range(TOKENS)],
        show=_plain,
        lit_columns=[lit_column],
    )


def pairs(
    name: Words,
    values: np.ndarray,
    *,
    selected: tuple[int, int] | None = None,
    lit_row: int | None = None,
    set_cell: Callable[[int, int], dict] | None = None,
    shares: np.ndarray | None = None,
    show: Callable[[float], str] | None = None,
    visible: np.ndarray | None = None,
    totals: np.ndarray | None = None,
) -> Element:
    """A matrix of queries against keys."""
    shown = show or _plain

    def mark(row: int, column: int) -> str | None:
        return None if visible is None or visible[row, column] else "hidden"

    return matrix_table(
        values.tolist(),
        name=shaped(name, values),
        rows=[entry("q", n) for n in range(TOKENS)],
        columns=[entry("k", n) for n in range(TOKENS)],
        show=shown,
        shares=None if shares is None else shares.tolist(),
        selected=selected,
        lit_rows=_lit(lit_row),
        set_cell=set_cell,
        mark=mark,
        totals=None if totals is None else (SUM, [_plain(sum_) for sum_ in totals.ravel().tolist()]),
    )


def masked(calc: Calculation, i: int, j: int) -> Element:
    """What goes into the softmax."""
    name = SCALED if calc.visible.all() else MASKED
    return pairs(name, calc.masked, selected=(i, j), visible=calc.visible)


def exponentials(calc: Calculation, i: int, j: int) -> Element:
    """e to the power of each score, with the rows' sums."""
    name = EXP_SHIFTED if calc.shifted else EXP
    return pairs(
        name, calc.exponentials, selected=(i, j), lit_row=i, visible=calc.visible, totals=calc.row_sums
    )


def weights(calc: Calculation, **more) -> Element:
    """The weights, tinted by their size, with the rows' sums."""
    sums = calc.weights.sum(axis=-1)
    return pairs(
        WEIGHTS,
        calc.weights,
        shares=calc.weights,
        show=lambda weight: fmt(weight, 4),
        visible=calc.visible,
        totals=sums,
        **more,
    )


def outputs(calc: Calculation, **more) -> Element:
    """The outputs: a row for each token."""
    return matrix_table(
        calc.output.tolist(),
        name=shaped("O = A V", calc.output),
        rows=[entry("o", n) for n in range(TOKENS)],
        columns=_numbers(calc.output.shape[1]),
        show=lambda value: fmt(value, 4),
        **more,
    )


def shaped(name: Words, values: np.ndarray) -> Text:
    """The name of a matrix with its shape."""
    return join([name, f" ({values.shape[0]}, {values.shape[1]})"])


def _numbers(count: int) -> list[Words]:
    return [n + 1 for n in range(count)]


def _lit(place: int | None) -> list[int]:
    return [] if place is None else [place]


def _plain(value: float) -> str:
    return short(value, 4)


SUM = text(zh="行和", en="row sum")
SCORES = text(zh="得分 S = QKᵀ", en="scores S = QKᵀ")
SCALED = text(zh="缩放后 Z = S / √d_k", en="scaled Z = S / √d_k")
MASKED = text(zh="缩放并遮住未来的 Z", en="Z, scaled, the future hidden")
EXP = text(zh="指数 E = e^Z", en="exponentials E = e^Z")
EXP_SHIFTED = text(zh="指数 E = e^(Z − 行最大值)", en="exponentials E = e^(Z − row maximum)")
WEIGHTS = text(zh="权重 A = E / 行和", en="weights A = E / row sum")
