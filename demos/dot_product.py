"""The dot product of a query and a key: two arrows, their angle, and the score after the softmax."""

import math
from typing import NamedTuple

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
    operand,
    panel,
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
from transformer_core import attention_trace, worked_example

FIXED = worked_example().key[:2]  # (2, 2) the keys [0, 1] and [1, 0] of the worked example
LONGEST, REACH = 3.0, 3.5
TITLE = text(zh="点积：方向有多一致", en="The dot product: how well two directions agree")


def _angle(name: str, value: int):
    label = text(zh=f"{name} 的角度", en=f"Angle of {name}")
    return slider(0, 360, step=1, value=value, label=label, unit="°")


def _length(name: str, value: float):
    label = text(zh=f"{name} 的长度", en=f"Length of {name}")
    return slider(0.1, LONGEST, step=0.1, value=value, label=label)


CONTROLS = {
    "q_angle": _angle("q", 30),
    "q_length": _length("q", 2.0),
    "k_angle": _angle("k", 75),
    "k_length": _length("k", 2.5),
}


class Meeting(NamedTuple):
    """A query and a key, and what comes of them."""

    query: np.ndarray  # (2,)
    key: np.ndarray  # (2,)
    degrees: int  # between them, from 0 to 180
    dot: float
    shadow: float  # how far the key reaches along the query
    scores: np.ndarray  # (3,) of the key and the two fixed ones
    scaled: np.ndarray  # (3,)
    weights: np.ndarray  # (3,)


def meet(q_angle: float, q_length: float, k_angle: float, k_length: float) -> Meeting:
    """Both sums come from the coordinates; the angle between is that of the sliders, exactly."""
    query, key = _vector(q_angle, q_length), _vector(k_angle, k_length)
    apart = int(abs(q_angle - k_angle)) % 360
    trace = attention_trace(query[None], np.stack([key, *FIXED]), np.zeros((3, 1)))
    dot = float(trace.scores[0, 0])
    return Meeting(
        query,
        key,
        min(apart, 360 - apart),
        dot,
        dot / q_length,
        trace.scores[0],
        trace.scaled[0],
        trace.weights[0],
    )


def _vector(angle: float, length: float) -> np.ndarray:
    """Polar coordinates as x and y; rounded, so that 90 degrees gives a true 0."""
    radians = math.radians(angle)
    return np.array([round(length * math.cos(radians), 12), round(length * math.sin(radians), 12)])


def view(*, q_angle: float, q_length: float, k_angle: float, k_length: float) -> View:
    met = meet(q_angle, q_length, k_angle, k_length)
    names = ["k", *(f"{entry('k', n)} = {_shown(key)}" for n, key in enumerate(FIXED))]
    scores = list(zip(names, met.weights.tolist(), strict=True))
    picture = [
        beside(_arrows(met, q_length), panel(AFTER, bars(scores, lit=[0]))),
        working(*_sums(met, q_length, k_length)),
        presets(_turns(q_angle), chosen=_present(q_angle, k_angle)),
    ]
    shapes = "q (2,)", "k (2,)", "q · k ()"
    return View(picture, _say(met), shapes, _numbers(met, names, q_length, k_length))


def _arrows(met: Meeting, q_length: float) -> Element:
    (qx, qy), (kx, ky) = met.query.tolist(), met.key.tolist()
    foot = (met.shadow * qx / q_length, met.shadow * qy / q_length)
    arrows = [(float(x), float(y), "key-vector faint", entry("k", n)) for n, (x, y) in enumerate(FIXED)]
    arrows += [(kx, ky, "key-vector", "k"), (qx, qy, "query", "q")]
    return plane(
        arrows,
        reach=REACH,
        dashes=[((kx, ky), foot), ((0.0, 0.0), foot)],
        handles=[
            (kx, ky, "k_angle=polar-angle&k_length=polar-length"),
            (qx, qy, "q_angle=polar-angle&q_length=polar-length"),
        ],
        describe=DESCRIBE.format(query=_shown(met.query), key=_shown(met.key), degrees=met.degrees),
    )


def _sums(met: Meeting, q_length: float, k_length: float) -> list[str]:
    cosine = math.cos(math.radians(met.degrees))
    lengths = f"{short(q_length)}×{short(k_length)}"
    return [
        f"q·k = {products(met.query.tolist(), met.key.tolist(), 3)} {equals(met.dot, 3)}",
        f"|q||k| cos θ = {lengths}×cos {met.degrees}° = {lengths}×{operand(cosine, 3)} {equals(met.dot, 3)}",
    ]


def _numbers(met: Meeting, names: list[str], q_length: float, k_length: float) -> list[Element]:
    rows = [
        ["q", _shown(met.query)],
        ["k", _shown(met.key)],
        ["|q|", fmt(q_length)],
        ["|k|", fmt(k_length)],
        ["θ", f"{met.degrees}°"],
        ["cos θ", fmt(math.cos(math.radians(met.degrees)))],
        ["q·k", fmt(met.dot)],
        [SHADOW, fmt(met.shadow)],
    ]
    after = zip(names, met.scores.tolist(), met.scaled.tolist(), met.weights.tolist(), strict=True)
    softmax = [[name, fmt(score), fmt(scaled), percent(weight)] for name, score, scaled, weight in after]
    return [table(NUMBERS, [WHAT, NUMBER], rows), table(AFTER, ["key", "q·k", "q·k / √2", WEIGHT], softmax)]


def _turns(q_angle: float) -> list:
    return [(name, setter(k_angle=short((q_angle + turn) % 360))) for name, turn in TURNS]


def _present(q_angle: float, k_angle: float) -> int | None:
    turned = (k_angle - q_angle) % 360
    return next((n for n, (_, turn) in enumerate(TURNS) if turn == turned), None)


def _say(met: Meeting) -> Text:
    side = "right" if met.degrees == 90 else "sharp" if met.degrees < 90 else "blunt"
    said = {"degrees": met.degrees, "dot": short(met.dot), "shadow": short(abs(met.shadow))}
    share, equal = float(met.weights[0]), 1 / len(met.weights)
    compared = "same" if percent(share) == percent(equal) else "more" if share > equal else "less"
    weight = SAY_WEIGHT[compared].format(share=percent(share), equal=percent(equal))
    return join([SAY[side].format(**said), weight])


def _shown(vector: np.ndarray) -> str:
    return "[" + ", ".join(short(value) for value in vector.tolist()) + "]"


TURNS = [
    (text(zh="对齐", en="aligned"), 0),
    (text(zh="垂直", en="orthogonal"), 90),
    (text(zh="相反", en="opposite"), 180),
]
AFTER = text(zh="softmax 之后的权重", en="Weights after the softmax")
DESCRIBE = text(
    zh="q = {query} 与 k = {key} 两个箭头，夹角 {degrees}°；虚线是 k 在 q 方向上的投影",
    en="Arrows q = {query} and k = {key}, {degrees}° apart; the dashes project k onto the direction of q",
)
NUMBERS = text(zh="两个向量和它们的点积", en="Two vectors and their dot product")
WHAT = text(zh="量", en="what")
NUMBER = text(zh="数", en="number")
SHADOW = text(zh="k 在 q 方向上的投影", en="projection of k onto q")
WEIGHT = text(zh="权重", en="weight")
SAY = {
    "sharp": text(
        zh="夹角 {degrees}°，小于 90°：k 顺着 q 的方向伸出 {shadow}，点积是正的：{dot}。",
        en="{degrees}° apart, less than 90°: k reaches {shadow} along q, and the dot product is {dot}. ",
    ),
    "right": text(
        zh="夹角正好 90°：k 在 q 的方向上没有分量，点积是 {dot}，与两个长度无关。",
        en="Exactly 90° apart: k has no part along q, and the dot product is {dot}, whatever the lengths. ",
    ),
    "blunt": text(
        zh="夹角 {degrees}°，大于 90°：k 逆着 q 的方向伸出 {shadow}，点积是负的：{dot}。",
        en="{degrees}° apart, more than 90°: k reaches {shadow} against q, and the dot product is {dot}. ",
    ),
}
SAY_WEIGHT = {
    "more": text(
        zh="与两个固定的 key 一起做 softmax，它得到 {share}，多于平分的 {equal}。",
        en="In a softmax with two fixed keys it gets {share}, more than an equal share of {equal}.",
    ),
    "less": text(
        zh="与两个固定的 key 一起做 softmax，它得到 {share}，少于平分的 {equal}。",
        en="In a softmax with two fixed keys it gets {share}, less than an equal share of {equal}.",
    ),
    "same": text(
        zh="与两个固定的 key 一起做 softmax，它得到 {share}，正好是平分的 {equal}。",
        en="In a softmax with two fixed keys it gets {share}, just an equal share ({equal}).",
    ),
}
