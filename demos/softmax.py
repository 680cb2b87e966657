"""Softmax in three aligned steps, exp, sum, normalise, and where each number format breaks."""

from functools import cache
from typing import NamedTuple

import numpy as np

from demos.kit import (
    Element,
    Text,
    View,
    Words,
    bars,
    entry,
    fmt,
    join,
    matrix_table,
    note,
    panel,
    percent,
    pick,
    presets,
    scientific,
    setter,
    short,
    slider,
    table,
    text,
    toggle,
)
from transformer_core import softmax

DTYPES = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
STARTS = (2.0, 1.0, 0.0)

SCORE = text(zh="得分 {name}", en="Score {name}")

TITLE = text(zh="Softmax：取指数、求和、归一化", en="Softmax: exponentials, sum, shares")
CONTROLS = {
    **{
        f"z{n + 1}": slider(-20, 100, step=0.1, value=start, label=SCORE.format(name=entry("z", n)))
        for n, start in enumerate(STARTS)
    },
    "temperature": slider(
        value=1, stops=[0.1, 0.25, 0.5, 1, 2, 4, 10], label=text(zh="温度 T", en="Temperature T")
    ),
    "dtype": pick(
        [(name, name) for name in DTYPES], value="float32", label=text(zh="数的格式", en="Number format")
    ),
    "shift": toggle(False, label=text(zh="先减去最大值", en="Subtract the maximum first")),
}


class Steps(NamedTuple):
    """A softmax over three scores as the bare formula has it, in one number format."""

    scores: np.ndarray  # (3,) z / T
    shifted: np.ndarray  # (3,) what goes into exp
    exponentials: np.ndarray  # (3,)
    total: np.ndarray  # ()
    weights: np.ndarray  # (3,) exponentials / total, NaN where that is inf / inf or 0 / 0
    right: np.ndarray  # (3,) what transformer_core makes of the same scores, in float64

    @property
    def fate(self) -> str:
        """What happened: fine, vanished (a harmless 0), or how it broke."""
        if np.isinf(self.exponentials).any():
            return "overflow"
        if np.isinf(self.total):
            return "total"
        if self.total == 0:
            return "underflow"
        return "vanished" if (self.exponentials == 0).any() else "fine"

    @property
    def broken(self) -> bool:
        return self.fate in ("overflow", "total", "underflow")


@cache
def steps(logits: tuple[float, ...], temperature: float, dtype: str, shift: bool) -> Steps:
    """Every step in the dtype; exp itself is taken in float64 and rounded to it.

    float32's own exp differs in the last bit from one machine to another, and a frame must not.
    """
    kind = DTYPES[dtype]
    scores = np.array([z / temperature for z in logits]).astype(kind)
    shifted = scores - scores.max() if shift else scores
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # they are what is shown
        exponentials = np.exp(shifted.astype(np.float64)).astype(kind)
        total = exponentials[0] + exponentials[1] + exponentials[2]
        weights = exponentials / total
    return Steps(scores, shifted, exponentials, total, weights, softmax(scores.astype(np.float64)))


def view(*, z1: float, z2: float, z3: float, temperature: float, dtype: str, shift: bool) -> View:
    made = steps((z1, z2, z3), temperature, dtype, shift)
    picture = [
        _rows(made, shift),
        note("wrong" if made.broken else "right", VERDICTS[made.fate]),
        panel(RIGHT if made.broken else WEIGHTS, _bars(made.right if made.broken else made.weights)),
        presets(EDGES),
    ]
    say = _say(made, (z1, z2, z3), temperature, dtype, shift)
    shapes = "z (3,)", "exp(z) (3,)", "sum ()", f"weights (3,) {dtype}"
    return View(picture, say, shapes, _limits())


def _rows(made: Steps, shift: bool) -> Element:
    rows: list[tuple[Words, np.ndarray, str]] = [("z/T", made.scores, "")]
    if shift:
        rows.append((text(zh="− 最大", en="− max"), made.shifted, ""))
    rows.append(("exp", made.exponentials, number(made.total)))
    rows.append((text(zh="÷ 和", en="÷ sum"), made.weights, number(sum(made.weights.tolist()))))

    def mark(i: int, j: int) -> str | None:
        return None if np.isfinite(rows[i][1][j]) else "wrong"

    shares = [[0.0] * 3 for _ in rows[:-1]] + [np.nan_to_num(made.weights.astype(np.float64)).tolist()]
    return matrix_table(
        [[number(value) for value in values] for _, values, _ in rows],
        name=STEPS,
        rows=[name for name, _, _ in rows],
        columns=[entry("z", n) for n in range(3)],
        show=str,
        shares=shares,
        mark=mark,
        totals=(SUM, [total for _, _, total in rows]),
    )


def _bars(weights: np.ndarray) -> Element:
    shares = [float(weight) for weight in weights]
    largest = max(range(3), key=lambda n: round(shares[n], 9))
    return bars([(entry("z", n), share) for n, share in enumerate(shares)], lit=[largest])


def number(value: float) -> str:
    """Four decimals; a true zero is 0, what is large or tiny gets a power of ten."""
    plain = float(value)
    if plain == 0:
        return "0"
    if np.isfinite(plain) and not 1e-3 <= abs(plain) < 1e4:
        return scientific(plain, 1)
    return short(plain, 4) if abs(plain) < 100 else short(plain, 1)


def limit(dtype: str) -> float:
    """The largest score whose exponential the format holds."""
    return float(np.log(float(np.finfo(DTYPES[dtype]).max)))


def _limits() -> Element:
    rows = []
    for name, kind in DTYPES.items():
        largest, least = float(np.finfo(kind).max), float(np.finfo(kind).smallest_subnormal)
        below = fmt(np.log(least), 2)
        rows.append([name, scientific(largest, 3), fmt(limit(name), 2), scientific(least, 2), below])
    return table(FORMATS, [FORMAT, LARGEST, OVERFLOWS, LEAST, VANISHES], rows)


def _say(made: Steps, logits: tuple[float, ...], temperature: float, dtype: str, shift: bool) -> Text:
    top = int(np.argmax(made.shifted))
    said: dict[str, Words] = {
        "dtype": dtype,
        "top": short(float(made.shifted[top]), 2),
        "name": entry("z", top),
        "limit": fmt(limit(dtype), 2),
        "largest": number(np.finfo(DTYPES[dtype]).max) if dtype != "float16" else "65504",
        "sum": number(made.total),
        "share": percent(float(made.right[top])),
        "gap": short(float(made.scores.max() - made.scores.min()), 1),
    }
    told = SAY[made.fate].format(**said)
    if made.broken or temperature == 1:
        return told
    plain = percent(float(softmax(np.array(logits)).max()))
    if plain == said["share"]:
        return told
    key = "sharper" if temperature < 1 else "flatter"
    return join([told, SAY_TEMPERATURE[key].format(temperature=short(temperature), plain=plain)])


EDGE = text(zh="{dtype} 的边缘", en="the edge of {dtype}")
EDGES = [
    *(
        (EDGE.format(dtype=name), setter(z1=z, temperature=temperature, dtype=name, shift="false"))
        for name, z, temperature in (
            ("float16", "11.1", "1"),
            ("float32", "88.8", "1"),
            ("float64", "71", "0.1"),
        )
    ),
    (text(zh="减去最大值", en="subtract the maximum"), setter(shift="true")),
]
STEPS = text(zh="三个得分，一列一个", en="three scores, a column each")
SUM = text(zh="和", en="sum")
WEIGHTS = text(zh="权重", en="Weights")
RIGHT = text(zh="减去最大值之后的权重", en="The weights once the maximum is subtracted")
FORMATS = text(zh="各种格式的边界", en="The bounds of each format")
FORMAT = text(zh="格式", en="format")
LARGEST = text(zh="最大的数", en="largest number")
OVERFLOWS = text(zh="e^x 溢出：x 大于", en="e^x overflows above x =")
LEAST = text(zh="最小的正数", en="least positive number")
VANISHES = text(zh="e^x 变成 0：x 约小于", en="e^x becomes 0 below about x =")
VERDICTS = {
    "fine": text(zh="✓ 每个数都装得下", en="✓ every number fits"),
    "vanished": text(zh="✓ 有的指数小到成了 0，无害", en="✓ an exponential vanished into 0: no harm done"),
    "overflow": text(zh="✗ 上溢：exp 成了 ∞", en="✗ overflow: an exponential is ∞"),
    "total": text(zh="✗ 上溢：和成了 ∞", en="✗ overflow: the sum is ∞"),
    "underflow": text(zh="✗ 下溢：exp 全成了 0", en="✗ underflow: every exponential is 0"),
}
SAY = {
    "fine": text(
        zh="指数的和是 {sum}，各自除以它就是权重，加起来是 1；最大的 {name} 占 {share}。",
        en="The exponentials add up to {sum}; divided by it they are the weights and add up to 1. "
        "The largest, {name}, has {share}.",
    ),
    "vanished": text(
        zh="最小的得分比最大的低 {gap}，它的指数在 {dtype} 里下溢成 0，权重也是 0；{name} 占 {share}。",
        en="The smallest score lies {gap} below the largest, and its exponential is 0 in {dtype}, "
        "as is its weight; {name} has {share}.",
    ),
    "overflow": text(
        zh="{name} 要算 e^{top}，而 {dtype} 最大只到 {largest}，x 过了 {limit} 就成了 ∞，∞ ÷ ∞ 是 NaN。"
        "先减去最大值，{name} 就是 {share}。",
        en="{name} asks for e^{top}, but {dtype} ends at {largest}: above x = {limit} it is ∞, and ∞ ÷ ∞ is "
        "NaN. With the maximum subtracted, {name} has {share}.",
    ),
    "total": text(
        zh="每个指数都还装得下，加起来却超过了 {dtype} 的 {largest}：和是 ∞，权重全成了 0。"
        "先减去最大值，{name} 就是 {share}。",
        en="Each exponential fits, but their sum passes {largest}, where {dtype} ends: it is ∞, and all "
        "weights are 0. With the maximum subtracted, {name} has {share}.",
    ),
    "underflow": text(
        zh="得分都太低，最大的 e^{top} 在 {dtype} 里也成了 0，0 ÷ 0 是 NaN。"
        "先减去最大值，{name} 就是 {share}。",
        en="All scores are so low that even e^{top} is 0 in {dtype}, and 0 ÷ 0 is NaN. "
        "With the maximum subtracted, {name} has {share}.",
    ),
}
SAY_TEMPERATURE = {
    "sharper": text(
        zh="T = {temperature} 小于 1，权重更尖：T = 1 时最大的是 {plain}。",
        en=" T = {temperature} is below 1 and sharpens: at T = 1 the largest is {plain}.",
    ),
    "flatter": text(
        zh="T = {temperature} 大于 1，权重更平：T = 1 时最大的是 {plain}。",
        en=" T = {temperature} is above 1 and flattens: at T = 1 the largest is {plain}.",
    ),
}
