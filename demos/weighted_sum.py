"""A weighted mean of three value vectors, as an arrow: it never leaves the triangle between them."""

from itertools import pairwise

import numpy as np

from demos.kit import (
    Element,
    Text,
    View,
    bars,
    beside,
    entry,
    equals,
    fmt,
    join,
    note,
    percent,
    plane,
    presets,
    products,
    setter,
    short,
    slider,
    table,
    text,
    working,
)
from transformer_core import worked_example

VALUES = worked_example().value  # (3, 2)
ROWS = worked_example().attention.weights  # (3, 3)
COUNT = len(VALUES)
REACH, ORIGIN = 0.8, (0.14, 0.14)  # the values of the example lie right of the origin and above it

WEIGHT = text(zh="权重 {name}", en="Weight {name}")
TITLE = text(zh="输出是三个 value 的加权平均", en="The output is a weighted mean of three values")
CONTROLS = {
    f"a{n + 1}": slider(0, 1, step=0.001, value=start, label=WEIGHT.format(name=entry("a", n)))
    for n, start in enumerate((0.198, 0.401, 0.401))  # row 1 of the worked example, rounded
}


def view(*, a1: float, a2: float, a3: float) -> View:
    raw = np.array([a1, a2, a3])
    whole = round(float(raw.sum()), 9)
    weights = raw / whole if whole else np.zeros(COUNT)
    output = weights @ VALUES
    picture = [
        beside(_arrows(weights, output, whole), bars([(entry("v", n), w) for n, w in enumerate(weights)])),
        working(*_sums(weights, output)) if whole else note("warn", NOTHING),
        presets(PRESETS, chosen=_present(raw)),
    ]
    shapes = f"weights (1, {COUNT})", f"V {VALUES.shape}", f"weights @ V (1, {VALUES.shape[1]})"
    return View(picture, _say(raw, weights, output, whole), shapes, _parts(raw, weights, output))


def _arrows(weights: np.ndarray, output: np.ndarray, whole: float) -> Element:
    arrows = [(float(x), float(y), "value", entry("v", n)) for n, (x, y) in enumerate(VALUES)]
    if not whole:
        return _plane(arrows, [], DESCRIBE_NOTHING)
    steps = [np.zeros(2), *np.cumsum(weights[:, None] * VALUES, axis=0)]
    places = [(float(x), float(y)) for x, y in steps]
    chain = list(pairwise(places))
    alone = [n for n, weight in enumerate(weights) if round(float(weight), 9) == 1]
    # where the output lies on a value, one name says so in place of two on top of each other
    arrows = [(x, y, kind, "" if n in alone else name) for n, (x, y, kind, name) in enumerate(arrows)]
    name = " = ".join(["o", *(entry("v", n) for n in alone)])
    arrows.append((float(output[0]), float(output[1]), "output", name))
    return _plane(arrows, chain, DESCRIBE.format(output=_vector(output)))


def _plane(arrows, chain, describe: Text) -> Element:
    hull = [(float(x), float(y)) for x, y in VALUES]
    return plane(arrows, reach=REACH, origin=ORIGIN, hull=hull, dashes=chain, describe=describe)


def _sums(weights: np.ndarray, output: np.ndarray) -> list[str]:
    """The mixture, and each of its entries written out."""
    mixture = " + ".join(f"{fmt(weight)}·{entry('v', n)}" for n, weight in enumerate(weights))
    entries = [
        f"{entry('o', d)} = {products(weights, VALUES[:, d], 3)} {equals(value, 3)}"
        for d, value in enumerate(output)
    ]
    return [f"o = {mixture} = {_vector(output)}", *entries]


def _parts(raw: np.ndarray, weights: np.ndarray, output: np.ndarray) -> Element:
    rows = [
        [entry("v", n), fmt(raw[n]), fmt(weights[n]), _vector(VALUES[n]), _vector(weights[n] * VALUES[n])]
        for n in range(COUNT)
    ]
    total = [SUM, fmt(raw.sum()), fmt(weights.sum()), "", _vector(output)]
    return table(PARTS, [VALUE, RAW, NORMALISED, VECTOR, SHARE], [*rows, total])


def _say(raw: np.ndarray, weights: np.ndarray, output: np.ndarray, whole: float) -> Text:
    if not whole:
        return NOTHING
    used = [n for n in range(COUNT) if raw[n] > 0]
    names = {"first": entry("v", used[0]), "last": entry("v", used[-1]), "output": _vector(output)}
    largest = max(range(COUNT), key=lambda n: (round(float(weights[n]), 9), -n))
    names |= {"largest": entry("v", largest), "share": percent(float(weights[largest]))}
    told = SAY[len(used)].format(**names)
    return told if whole == 1 else join([SAY_RAW.format(whole=short(whole)), told])


def _vector(values: np.ndarray) -> str:
    return "[" + ", ".join(short(float(value)) for value in values) + "]"


def _spelt(weights) -> dict[str, str]:
    return {f"a{n + 1}": f"{round(float(weight), 3):g}" for n, weight in enumerate(weights)}


ONE_HOT = text(zh="只要 {name}", en="{name} alone")
EQUAL = text(zh="平分", en="equal shares")
ROW = text(zh="统一算例第 {row} 行", en="worked example, row {row}")
CHOICES = [
    *((ONE_HOT.format(name=entry("v", n)), _spelt(np.eye(COUNT)[n])) for n in range(COUNT)),
    (EQUAL, _spelt([1, 1, 1])),
    *((ROW.format(row=n + 1), _spelt(ROWS[n])) for n in range(COUNT)),
]
PRESETS = [(name, setter(**state)) for name, state in CHOICES]


def _present(raw: np.ndarray) -> int | None:
    states = [state for _, state in CHOICES]
    return states.index(_spelt(raw)) if _spelt(raw) in states else None


NOTHING = text(
    zh="三个权重都是 0，没有可以归一化的和；把一个往右拖。",
    en="All three weights are 0, there is no sum to divide by; drag one to the right.",
)
DESCRIBE = text(
    zh="三个 value 的箭头围成一个三角形，输出 {output} 落在其中；虚线是首尾相接的三份",
    en="The arrows of three values span a triangle, the output {output} lies in it; "
    "dashes are the three parts, end to end",
)
DESCRIBE_NOTHING = text(
    zh="三个 value 的箭头和它们围成的三角形", en="Three values and the triangle between them"
)
PARTS = text(zh="三份怎样加成输出", en="How three parts make the output")
SUM = text(zh="和", en="sum")
VALUE = text(zh="value", en="value")
RAW = text(zh="滑块", en="slider")
NORMALISED = text(zh="权重", en="weight")
VECTOR = text(zh="向量", en="vector")
SHARE = text(zh="权重 × 向量", en="its part")
SAY_RAW = text(
    zh="三个滑块加起来是 {whole}，各除以它才是权重。",
    en="The sliders add up to {whole}; divided by that they are weights. ",
)
SAY = {
    1: text(
        zh="权重全给了 {first}，输出就是 {first} 本身：{output}。",
        en="All weight is on {first}, and the output is {first} itself: {output}.",
    ),
    2: text(
        zh="只有 {first} 和 {last} 有权重，输出 {output} 落在它们之间的边上；{largest} 占 {share}。",
        en="Only {first} and {last} have weight: the output {output} lies on the edge between them, "
        "{largest} has {share}.",
    ),
    3: text(
        zh="三个都有权重，输出 {output} 落在三角形内部；最大的一份是 {largest} 的 {share}。"
        "怎么拖都出不了这个三角形。",
        en="All three have weight: the output {output} lies inside the triangle, the largest share is "
        "{share} for {largest}. However you drag, it stays inside.",
    ),
}
