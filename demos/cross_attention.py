"""Cross-attention in a translation: the decoder asks, the encoder answers, and the weights are not square."""

import numpy as np

from demos.kit import (
    Text,
    View,
    bars,
    beside,
    fmt,
    index,
    join,
    matrix_table,
    note,
    panel,
    percent,
    setter,
    spot,
    text,
    token_row,
    working,
)
from demos.models.translation import D_K, D_V, PAIRS, S_DEC, attend
from transformer_core import AttentionTrace

TITLE = text(zh="译文在看原文的哪里", en="Where the translation looks")
CONTROLS = {
    "source": index(
        [" ".join(english) for english, _ in PAIRS],
        value=0,
        label=text(zh="原文（encoder）", en="Source (encoder)"),
        style="list",
    ),
    "query": spot(1, S_DEC, value=(0, 3), label=text(zh="译文 token（decoder）", en="Decoder token")),
}


def view(*, source: int, query: tuple[int, int]) -> View:
    english, chinese = PAIRS[source]
    at = query[1]
    trace, value = attend(source)
    row = trace.weights[at].tolist()
    best = sorted(range(len(english)), key=lambda j: (-round(row[j], 9), j))
    picture = [
        panel(DECODER, token_row(chinese, chosen=at, set_token=lambda i: setter(query=f"0,{i}"))),
        panel(ENCODER.format(query=chinese[at]), token_row(english, shares=row)),
        beside(
            panel(ROW.format(query=chinese[at]), bars(list(zip(english, row, strict=True)), lit=best[:1])),
            matrix_table(
                trace.weights.tolist(),
                name=WEIGHTS,
                rows=chinese,
                columns=english,
                show=lambda weight: percent(weight, 0),
                shares=trace.weights.tolist(),
                lit_rows=[at],
                set_cell=lambda i, j: setter(query=f"0,{i}"),
            ),
        ),
        panel(MIXTURE.format(query=chinese[at]), working(_mixture(row, english, best), _numbers(trace, at))),
        note("plain", HAND_BUILT),
    ]
    S_enc = len(english)
    shapes = (
        f"Q ({S_DEC}, {D_K})",
        f"K ({S_enc}, {D_K})",
        f"V ({S_enc}, {D_V})",
        join([WEIGHT_SHAPE, f" ({S_DEC}, {S_enc})"]),
        join([OUTPUT, f" ({S_DEC}, {D_V})"]),
    )
    return View(picture, _say(english, chinese[at], best, row), shapes, _tables(trace, value, source, at))


def _mixture(row: list[float], english: list[str], best: list[int]) -> str:
    shown = " + ".join(f"{fmt(row[j])} · v({english[j]})" for j in best[:3])
    return f"{shown} + …"


def _numbers(trace: AttentionTrace, at: int) -> str:
    return "= [" + ", ".join(fmt(number) for number in trace.output[at]) + "]"


def _say(english: list[str], asked: str, best: list[int], row: list[float]) -> Text:
    first, second = best[:2]
    said = SAY_ROW.format(
        query=asked,
        key=english[first],
        weight=percent(row[first]),
        next=english[second],
        rest=percent(row[second]),
    )
    return said + SAY_SHAPE.format(S_dec=S_DEC, S_enc=len(english))


def _tables(trace: AttentionTrace, value: np.ndarray, source: int, at: int) -> list:
    english, chinese = PAIRS[source]
    numbered = [f"{word} ({i + 1})" for i, word in enumerate(english)]
    components = [str(i + 1) for i in range(D_V)]
    return [
        matrix_table(trace.scaled.tolist(), name=SCALED, rows=chinese, columns=numbered, lit_rows=[at]),
        matrix_table(trace.weights.tolist(), name=EXACT, rows=chinese, columns=numbered, lit_rows=[at]),
        matrix_table(value.tolist(), name=VALUES, rows=numbered, columns=components),
        matrix_table(trace.output.tolist(), name=OUTPUT, rows=chinese, columns=components, lit_rows=[at]),
    ]


DECODER = text(zh="decoder 一侧（出 Q）：点一个 token", en="The decoder’s side (gives Q): press a token")
ENCODER = text(
    zh="encoder 一侧（出 K 和 V）：“{query}” 的权重",
    en="The encoder’s side (gives K and V): the weights of “{query}”",
)
ROW = text(zh="“{query}” 这一行", en="The row of “{query}”")
WEIGHTS = text(zh="权重：行是 decoder，列是 encoder", en="Weights: decoder down, encoder across")
MIXTURE = text(
    zh="“{query}” 的输出是 encoder 的 V 的加权和", en="The output of “{query}”: encoder values, weighted"
)
HAND_BUILT = text(
    zh="词向量是手工构造的，意思相同的词能对上，不是训练出来的；得分、权重和输出都由它们实际算出。",
    en="The embeddings are built by hand so that words of one meaning meet, not trained; "
    "scores, weights and output are computed from them.",
)
SCALED = text(zh="得分 ÷ √d_k", en="Scores ÷ √d_k")
WEIGHT_SHAPE = text(zh="权重", en="weights")
EXACT = text(zh="权重（三位小数）", en="Weights, three decimals")
VALUES = text(zh="encoder 的 V", en="The encoder’s V")
OUTPUT = text(zh="输出", en="Output")
SAY_ROW = text(
    zh="“{query}” 把 {weight} 的权重给了原文的 “{key}”，其次是 “{next}”（{rest}）。",
    en="“{query}” gives {weight} of its weight to “{key}” in the source, then {rest} to “{next}”. ",
)
SAY_SHAPE = text(
    zh="Q 来自译文的 {S_dec} 个 token，K 和 V 来自原文的 {S_enc} 个，"
    "所以权重是 {S_dec} × {S_enc}，每行的和是 1。",
    en="Q comes from the {S_dec} tokens of the translation, K and V from the {S_enc} of the source, so the "
    "weights are {S_dec} × {S_enc}, each row adding up to 1.",
)
