"""Layer, RMS and batch norm, step by step, over a small batch: which numbers each of them averages."""

import math

import numpy as np

from demos.kit import (
    Strip,
    View,
    Words,
    beside,
    equals,
    fmt,
    matrix,
    matrix_table,
    operand,
    panel,
    pick,
    scientific,
    setter,
    short,
    slider,
    spot,
    stepper,
    strips,
    table,
    text,
    total,
    working,
)
from demos.norms.calculation import (
    FEATURE,
    MEAN,
    NORMALISE,
    ROWS,
    STEPS,
    VARIANCE,
    B,
    D,
    Group,
    S,
    Steps,
    group_at,
    in_group,
    steps,
    token,
)
from demos.norms.saying import say

REACHES = (2.0, 5.0, 10.0, 20.0)  # half widths of the strips' axis

TITLE = text(zh="逐步计算三种归一化", en="Three norms, step by step")
CONTROLS = {
    "norm": pick(
        [("layer", "LayerNorm"), ("rms", "RMSNorm"), ("batch", "BatchNorm")],
        value="layer",
        label=text(zh="归一化", en="Norm"),
    ),
    "step": stepper(STEPS, label=text(zh="步骤", en="Step")),
    "x": matrix(
        [[1, 2, 3, 4], [2, 4, 6, 8], [-3, 0, 0, 3], [6, 6, 7, 9]],
        step=0.5,
        label=text(zh="输入 x（每行一个 token）", en="Input x (a row for each token)"),
    ),
    "gamma": matrix(
        [[1, 1, 1, 1]], low=-3, high=3, step=0.1, label=text(zh="缩放 γ", en="Scale γ"), when="step=3"
    ),
    "beta": matrix(
        [[0, 0, 0, 0]],
        low=-3,
        high=3,
        step=0.1,
        label=text(zh="平移 β", en="Shift β"),
        when="step=3&norm=layer,batch",
    ),
    "eps": slider(
        value=1e-5, stops=[0, 1e-12, 1e-6, 1e-5, 1e-3, 0.1, 1], label=text(zh="ε", en="ε"), when="step=2,3"
    ),
    "cell": spot(ROWS, D, value=(0, 0), label=text(zh="选中的一格", en="Selected cell")),
}


def view(*, norm: str, step: int, x: tuple, gamma: tuple, beta: tuple, eps: float, cell: tuple) -> View:
    parameters = np.array(gamma[0]), np.array(beta[0]), eps
    batch = np.array(x).reshape(B, S, D)
    made = steps(norm, batch, *parameters)
    group = group_at(norm, cell)
    sums = working(*_sums(norm, step, made, group, cell, parameters))
    picture = beside(
        panel(STAGES[norm][step], _matrix(norm, step, made, cell), sums),
        panel(LINES[norm] + TICKS[norm][step], _strips(norm, step, made, group)),
    )
    elsewhere = batch.copy()
    elsewhere[1 - cell[0] // S] += 1
    moved = steps(norm, elsewhere, *parameters).output[cell]
    return View(picture, say(norm, step, made, group, cell, moved), _shapes(norm), _tables(norm, made, group))


def _stage(step: int, made: Steps) -> np.ndarray:  # -> (ROWS, D)
    """The matrix that a step is about."""
    return (made.x, made.centered, made.normalized, made.output)[step]


def _matrix(norm: str, step: int, made: Steps, cell: tuple):
    figures = None
    if step == MEAN and norm != "rms":
        figures = ("μ", [short(figure, 2) for figure in made.mean])
    elif step == VARIANCE:
        figures = (SQUARES[norm], [short(figure, 2) for figure in made.variance])
    over_rows = norm == "batch"
    return matrix_table(
        _stage(step, made).tolist(),
        name=ROWS_ARE,
        show=lambda value: short(value, 2),
        rows=[token(row) for row in range(ROWS)],
        columns=[str(j + 1) for j in range(D)],
        selected=cell,
        lit_rows=() if over_rows else (cell[0],),
        lit_columns=(cell[1],) if over_rows else (),
        set_cell=lambda i, j: setter(cell=f"{i},{j}"),
        totals=None if over_rows else figures,
        foot=figures if over_rows else None,
    )


def _sums(norm: str, step: int, made: Steps, group: Group, cell: tuple, parameters: tuple) -> list[Words]:
    """The step's arithmetic for the selected cell and its group."""
    gamma, beta, eps = parameters
    centered, normalized = made.centered[cell], made.normalized[cell]
    variance = made.variance[group.number]
    if step == MEAN:
        if norm == "rms":
            return [NO_MEAN]
        values = in_group(norm, made.x, group.number)
        return [f"μ = ({total(values)}) ÷ {len(values)} {equals(made.mean[group.number])}"]
    if step == VARIANCE:
        values = in_group(norm, made.centered, group.number)
        squares = " + ".join(f"{operand(value)}²" for value in values)
        return [f"{SQUARES[norm]} = ({squares}) ÷ {len(values)} {equals(variance)}"]
    if step == NORMALISE:
        above = "x" if norm == "rms" else "(x − μ)"
        ratio = f"{operand(centered)} ÷ √({short(variance, 4)} + {_small(eps)})"
        sums = [f"x̂ = {above} ÷ √({SQUARES[norm]} + ε) = {ratio} {equals(normalized)}"]
        return sums if variance + eps > 0 else [*sums, ZERO_BY_ZERO]
    scaled = f"{operand(gamma[cell[1]])}×{operand(normalized)}"
    if norm == "rms":
        return [f"y = γ·x̂ = {scaled} {equals(made.output[cell])}"]
    return [f"y = γ·x̂ + β = {scaled} + {operand(beta[cell[1]])} {equals(made.output[cell])}"]


def _strips(norm: str, step: int, made: Steps, group: Group):
    stage = _stage(step, made)
    groups = [in_group(norm, stage, number) for number in range(made.mean.size)]
    lines = []
    for number, values in enumerate(groups):
        centre, spread = None, None
        if step == MEAN and norm != "rms":
            centre = float(made.mean[number])
        elif step == VARIANCE:
            centre, spread = 0.0, math.sqrt(made.variance[number])
        elif step == NORMALISE:
            centre, spread = 0.0, 1.0
        own = number == group.number
        name = FEATURE.format(j=number + 1) if norm == "batch" else token(number)
        lines.append(Strip(name, values, group.place if own else None, centre, spread, own))
    top = round(float(np.abs(stage).max()), 6)
    reach = next(reach for reach in REACHES if top <= reach)
    return strips(lines, reach=reach, describe=DESCRIBE.format(step=STEPS[step], group=group.name))


def _shapes(norm: str) -> tuple[str, ...]:
    statistics = f"mean, variance ({D},)" if norm == "batch" else f"mean, variance ({B}, {S}, 1)"
    if norm == "rms":
        return f"x ({B}, {S}, {D})", f"mean of x² ({B}, {S}, 1)", f"γ ({D},)", f"y ({B}, {S}, {D})"
    return f"x ({B}, {S}, {D})", statistics, f"γ, β ({D},)", f"y ({B}, {S}, {D})"


def _tables(norm: str, made: Steps, group: Group) -> list:
    squares = SQUARES[norm]
    named = [FEATURE.format(j=j + 1) if norm == "batch" else token(j) for j in range(made.mean.size)]
    figures = [
        [name, *(fmt(statistic[number], 4) for statistic in (made.mean, made.variance, made.inverse))]
        for number, name in enumerate(named)
    ]
    parts = {"x": made.x, "x − μ": made.centered, "x̂": made.normalized, "y": made.output}
    if norm == "rms":
        del parts["x − μ"]
    columns = [in_group(norm, part, group.number) for part in parts.values()]
    cells = [
        [name, *(fmt(value, 4) for value in values)]
        for name, *values in zip(group.names, *columns, strict=True)
    ]
    return [
        table(STATISTICS, [GROUP, MEAN_NAME, squares, f"1 ÷ √({squares} + ε)"], figures),
        table(SELECTED.format(group=group.name), [CELL, *parts], cells),
    ]


def _small(eps: float) -> str:
    return short(eps) if eps == 0 or eps >= 1e-3 else scientific(eps, 0)


SQUARES = {"layer": "σ²", "rms": "mean(x²)", "batch": "σ²"}
_SHIFTED = [
    text(zh="x 与均值 μ", en="x and its mean μ"),
    text(zh="x − μ 与方差 σ²", en="x − μ and its variance σ²"),
    text(zh="标准化后的 x̂", en="x̂, normalised"),
    text(zh="输出 y = γ·x̂ + β", en="The output y = γ·x̂ + β"),
]
STAGES = {
    "layer": _SHIFTED,
    "rms": [
        text(zh="x（不减均值）", en="x (no mean is taken away)"),
        text(zh="x 与 x² 的均值", en="x and the mean of x²"),
        _SHIFTED[NORMALISE],
        text(zh="输出 y = γ·x̂", en="The output y = γ·x̂"),
    ],
    "batch": _SHIFTED,
}
ROWS_ARE = text(
    zh="行是 token（x₁₂：句子 1 的 token 2），列是特征；亮起的一组一起算统计量",
    en="Rows: tokens (x₁₂ is token 2 of sequence 1); columns: features; lit: one group",
)
LINES = {
    "layer": text(zh="一条线是一个 token 的 4 个分量", en="A line: the 4 features of one token"),
    "rms": text(zh="一条线是一个 token 的 4 个分量", en="A line: the 4 features of one token"),
    "batch": text(zh="一条线是一个特征在 4 行里的值", en="A line: one feature in all 4 rows"),
}
_NO_TICK = text(zh="", en="")
_UNIT = text(zh="；色带是 ±1", en="; the band is ±1")
_TICKS = [
    text(zh="；竖线是均值", en="; the tick is the mean"),
    text(zh="；色带是 ±σ", en="; the band is ±σ"),
    _UNIT,
    _NO_TICK,
]
TICKS = {
    "layer": _TICKS,
    "rms": [_NO_TICK, text(zh="；色带是 ± 均方根", en="; the band is ± root mean square"), _UNIT, _NO_TICK],
    "batch": _TICKS,
}
DESCRIBE = text(
    zh="{step}这一步的数轴图，亮起的一条是{group}",
    en="Number lines at the step “{step}”; the lit one is {group}",
)
NO_MEAN = text(
    zh="RMSNorm 没有减均值这一步，直接看 x²。",
    en="RMSNorm takes no mean away; it goes straight to x².",
)
ZERO_BY_ZERO = text(
    zh="这里是 0 ÷ 0：ε = 0 时这一组没有可以放大的方向，代码约定输出 0。",
    en="This is 0 ÷ 0: with ε = 0 the group has nothing to scale, and the code gives 0 by agreement.",
)
STATISTICS = text(zh="每一组的统计量", en="The statistics of every group")
SELECTED = text(zh="选中的一组：{group}", en="The selected group: {group}")
GROUP = text(zh="组", en="group")
MEAN_NAME = text(zh="均值 μ", en="mean μ")
CELL = text(zh="分量", en="entry")
