"""Why attention divides by the square root of d_k: scores of random queries and keys, and their softmax."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from demos.kit import (
    Axis,
    Line,
    Text,
    View,
    bars,
    beside,
    chart,
    fmt,
    join,
    panel,
    percent,
    pick,
    short,
    slider,
    table,
    text,
)
from transformer_core import attention_trace, entropy, softmax

QUERIES, GROUPS, KEYS = 64, 8, 8  # each of 64 queries meets 8 groups of 8 keys: 512 rows of 8 weights
ROWS = QUERIES * GROUPS
REACH = 32.0  # half the width of the histogram's axis, the same in every state, so that widths compare
BIN = 0.4  # width of a bin, in theoretical standard deviations

RULES = {
    "none": text(zh="不缩放", en="not scaled"),
    "sqrt": text(zh="÷ √d_k", en="÷ √d_k"),
    "full": text(zh="÷ d_k", en="÷ d_k"),
}
TITLE = text(zh="为什么除以 √d_k", en="Why divide by √d_k")
CONTROLS = {
    "d_k": slider(value=64, stops=[2**n for n in range(10)], label=text(zh="维度 d_k", en="Dimension d_k")),
    "seed": slider(1, 40, value=1, label=text(zh="随机种子", en="Random seed")),
    "rule": pick(list(RULES.items()), value="none", label=text(zh="缩放方式", en="Scaling rule")),
}


class Spread(NamedTuple):
    """What the softmax makes of scores (GROUPS, QUERIES, KEYS); figures: row 0, mean of all rows."""

    scores: np.ndarray
    weights: np.ndarray
    largest: tuple[float, float]
    entropy: tuple[float, float]
    slope: tuple[float, float]  # mean of p(1 - p), the diagonal of the softmax Jacobian


@lru_cache(maxsize=64)
def drawn_scores(d_k: int, seed: int) -> np.ndarray:  # -> (GROUPS, QUERIES, KEYS)
    """Unscaled scores of standard normal queries and keys."""
    draw = np.random.default_rng(seed).standard_normal
    query, key = draw((QUERIES, d_k)), draw((GROUPS, KEYS, d_k))
    value = np.ones((KEYS, 1))  # attention needs one; only its scores are looked at
    return attention_trace(query, key, value, scale=1.0).scores


def factor(rule: str, d_k: int) -> float:
    """What the rule multiplies the scores by."""
    return {"none": 1.0, "sqrt": 1 / math.sqrt(d_k), "full": 1 / d_k}[rule]


@lru_cache(maxsize=64)
def spread(d_k: int, seed: int, rule: str) -> Spread:
    """The scores under a rule, their weights, and how sharp those are."""
    scores = drawn_scores(d_k, seed) * factor(rule, d_k)
    weights = softmax(scores)

    def both(figure: np.ndarray) -> tuple[float, float]:  # (GROUPS, QUERIES) -> row 0, mean
        return float(figure[0, 0]), float(figure.mean())

    return Spread(
        scores,
        weights,
        both(weights.max(axis=-1)),
        both(entropy(weights)),
        both((weights * (1 - weights)).mean(axis=-1)),
    )


def view(*, d_k: float, seed: float, rule: str) -> View:
    d, number = int(d_k), int(seed)
    every = {each: spread(d, number, each) for each in RULES}
    compared = "full" if rule == "full" else "sqrt"
    picture = [
        panel(HISTOGRAM.format(rule=RULES[rule]), _histogram(every[rule].scores, d, rule)),
        beside(*(_weights(every[each], each) for each in ("none", compared))),
    ]
    return View(picture, _say(every, d, rule), _shapes(d), _tables(every, d, compared))


def binned(scores: np.ndarray, deviation: float) -> tuple[np.ndarray, np.ndarray]:  # -> (n + 1,), (n,)
    """Edges and densities of a histogram whose bins grow with the deviation and end with the axis."""
    edges = np.unique(np.clip(np.arange(-15, 16) * BIN * deviation, -REACH, REACH))
    # rounded, so that a last bit that differs between two interpreters moves no score over an edge
    counts, _ = np.histogram(np.round(scores, 9), edges)
    return edges, counts / (scores.size * np.diff(edges))


def _histogram(scores: np.ndarray, d_k: int, rule: str):
    deviation = math.sqrt(d_k) * factor(rule, d_k)
    edges, heights = binned(scores, deviation)
    reach = min(REACH, 4 * deviation)
    curve = [(float(x), _normal(float(x), deviation)) for x in np.linspace(-reach, reach, 81)]
    top = max(float(heights.max()), _normal(0.0, deviation))
    return chart(
        Axis(-REACH, REACH, [-32, -16, 0, 16, 32], text(zh="得分", en="score")),
        Axis(0.0, top * 1.08, [0.0, _normal(0.0, deviation)], text(zh="密度", en="density")),
        histogram=list(zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)),
        lines=[Line(curve, "second", THEORY.format(deviation=fmt(deviation)))],
        describe=DESCRIBE.format(empirical=fmt(float(scores.std())), deviation=fmt(deviation)),
    )


def _normal(x: float, deviation: float) -> float:
    return math.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def _weights(shown: Spread, rule: str):
    row = shown.weights[0, 0].tolist()
    largest = max(range(KEYS), key=row.__getitem__)
    return panel(
        WEIGHTS.format(rule=RULES[rule]),
        bars([(_key(j), weight) for j, weight in enumerate(row)], lit=[largest]),
        table(FIGURES.format(rule=RULES[rule]), ["", THIS_ROW, ALL_ROWS], _figures(shown)),
    )


def _figures(shown: Spread) -> list[list]:
    return [
        [LARGEST, *(percent(figure) for figure in shown.largest)],
        [ENTROPY, *(fmt(figure) for figure in shown.entropy)],
        [SLOPE, *(fmt(figure, 4) for figure in shown.slope)],
    ]


def _say(every: dict[str, Spread], d_k: int, rule: str) -> Text:
    shown = every[rule]
    deviation = math.sqrt(d_k) * factor(rule, d_k)
    said = SAY_SPREAD.format(
        rule=RULES[rule],
        d_k=d_k,
        theory=THEORIES[rule].format(d_k=d_k, deviation=short(deviation)),
        empirical=fmt(float(shown.scores.std())),
        largest=percent(shown.largest[1]),
        slope=fmt(shown.slope[1], 4),
    )
    if rule == "none" and round(shown.largest[1], 6) > 0.7:
        share = percent(shown.slope[1] / every["sqrt"].slope[1], 0)
        return said + SAY_SATURATED.format(slope=fmt(every["sqrt"].slope[1], 4), share=share)
    if rule == "none":
        return said + SAY_NOT_YET
    if rule == "full" and d_k > 1:
        return said + SAY_TOO_FLAT.format(equal=percent(1 / KEYS))
    return said + SAY_STEADY


def _shapes(d_k: int) -> tuple[str, ...]:
    query, key, scores = (QUERIES, d_k), (GROUPS, KEYS, d_k), (GROUPS, QUERIES, KEYS)
    return f"query {query}", f"key {key}", f"scores = query @ keyᵀ {scores}", f"weights {scores}"


def _tables(every: dict[str, Spread], d_k: int, compared: str) -> list:
    spreads = []
    for rule, shown in every.items():
        deviation = math.sqrt(d_k) * factor(rule, d_k)
        spreads.append([RULES[rule], fmt(float(shown.scores.std())), fmt(deviation)])
    row = [every[rule] for rule in ("none", compared)]
    keys = []
    for j in range(KEYS):
        cells = [
            cell
            for shown in row
            for cell in (fmt(shown.scores[0, 0, j]), percent(float(shown.weights[0, 0, j])))
        ]
        keys.append([_key(j), *cells])
    heads = [join([RULES[rule], COLON, name]) for rule in ("none", compared) for name in (SCORE, WEIGHT)]
    return [
        table(SPREAD, [SCALING, EMPIRICAL, THEORETICAL], spreads),
        table(ONE_ROW, ["key", *heads], keys),
    ]


def _key(number: int) -> str:
    return "k" + "₁₂₃₄₅₆₇₈"[number]


HISTOGRAM = text(zh="4096 个得分的分布：{rule}", en="4096 scores: {rule}")
THEORY = text(zh="正态分布，标准差 {deviation}", en="normal, standard deviation {deviation}")
DESCRIBE = text(
    zh="得分的直方图，实测标准差 {empirical}；曲线是标准差为 {deviation} 的正态分布",
    en="Histogram of the scores, measured deviation {empirical}; the curve is normal with {deviation}",
)
WEIGHTS = text(zh="一个 query 对 8 个 key 的权重：{rule}", en="One query’s weights over 8 keys: {rule}")
FIGURES = text(zh="权重有多尖：{rule}", en="How sharp the weights are: {rule}")
THIS_ROW = text(zh="这一行", en="this row")
ALL_ROWS = text(zh=f"{ROWS} 行平均", en=f"mean of {ROWS} rows")
LARGEST = text(zh="最大权重", en="largest weight")
ENTROPY = text(zh="熵（nat）", en="entropy (nats)")
SLOPE = text(zh="p(1−p) 均值", en="mean of p(1−p)")
SPREAD = text(zh="得分的标准差", en="Standard deviation of the scores")
SCALING = text(zh="缩放方式", en="scaling")
EMPIRICAL = text(zh="实测", en="measured")
THEORETICAL = text(zh="理论", en="theory")
ONE_ROW = text(zh="图中那一行", en="The row in the picture")
SCORE = text(zh="得分", en="score")
WEIGHT = text(zh="权重", en="weight")
COLON = text(zh="：", en=": ")
THEORIES = {
    "none": text(zh="√{d_k} = {deviation}", en="√{d_k} = {deviation}"),
    "sqrt": text(zh="√{d_k} / √{d_k} = {deviation}", en="√{d_k} / √{d_k} = {deviation}"),
    "full": text(zh="√{d_k} / {d_k} = {deviation}", en="√{d_k} / {d_k} = {deviation}"),
}
SAY_SPREAD = text(
    zh="d_k = {d_k}，{rule}：得分的标准差实测 {empirical}，理论值 {theory}；"
    f"{ROWS} 行平均下来，8 个 key 里最大的权重是 {{largest}}，p(1−p) 的均值是 {{slope}}。",
    en="d_k = {d_k}, {rule}: the scores’ standard deviation is {empirical}, in theory {theory}; "
    f"over {ROWS} rows the largest of 8 weights is {{largest}} on average, and p(1−p) is {{slope}}. ",
)
SAY_SATURATED = text(
    zh="softmax 快要变成 one-hot：能穿过它的梯度，p(1−p) 这一项只有缩放后（{slope}）的 {share}。",
    en="The softmax is close to one-hot: p(1−p), its share of the gradient, is {share} of that "
    "with ÷ √d_k ({slope}).",
)
SAY_NOT_YET = text(
    zh="d_k 还小，softmax 没有饱和；把 d_k 往右拖。",
    en="d_k is still small and the softmax not saturated; drag d_k to the right.",
)
SAY_STEADY = text(
    zh="把 d_k 拖到哪里，这些数都差不多：权重的尖锐程度与 d_k 无关。",
    en="Wherever you drag d_k, these figures stay about the same: sharpness no longer depends on d_k.",
)
SAY_TOO_FLAT = text(
    zh="除过头了：d_k 越大，权重越接近平分（{equal}），query 分不清 key；"
    "p(1−p) 虽大，链式法则还要再乘 1/d_k。",
    en="That is too much: as d_k grows the weights near equal shares ({equal}) and keys cannot be told "
    "apart; p(1−p) is large, but the chain rule multiplies it by 1/d_k.",
)
