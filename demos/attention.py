"""Which tokens one token looks at: a sentence's weights in a small attention stack, layer by layer."""

from demos.kit import (
    Text,
    View,
    bars,
    beside,
    fmt,
    heat_map,
    index,
    join,
    matrix_table,
    note,
    panel,
    percent,
    setter,
    spot,
    table,
    text,
    token_row,
)
from demos.models import hand_built
from transformer_core import AttentionTrace

SENTENCES = [
    tuple(f"The {first} did not {verb} the {second} because it was too {quality}".split())
    for first, verb, second, qualities in (
        ("animal", "cross", "street", ("tired", "wide")),
        ("trophy", "fit", "suitcase", ("big", "small")),
    )
    for quality in qualities
]
LENGTH = len(SENTENCES[0])
TOP = 5  # keys in the table of scores

TITLE = text(zh="“it” 在看谁", en="What “it” looks at")
CONTROLS = {
    "sentence": index(
        [" ".join(sentence) for sentence in SENTENCES],
        value=0,
        label=text(zh="句子", en="Sentence"),
        style="list",
    ),
    "query": spot(
        1, LENGTH, value=(0, SENTENCES[0].index("it")), label=text(zh="query 词元", en="Query token")
    ),
    "layer": index(
        [text(zh="第 1 层", en="layer 1"), text(zh="第 2 层", en="layer 2")],
        value=1,
        label=text(zh="层", en="Layer"),
    ),
}


def view(*, sentence: int, query: tuple[int, int], layer: int) -> View:
    tokens, at = SENTENCES[sentence], query[1]
    trace = hand_built.run(tokens)[layer]
    row = trace.weights[at].tolist()
    order = sorted(range(LENGTH), key=lambda j: (-round(row[j], 9), j))
    picture = [
        panel(
            CHOOSE.format(query=tokens[at]),
            token_row(tokens, shares=row, chosen=at, set_token=lambda i: setter(query=f"0,{i}")),
        ),
        beside(
            panel(ROW.format(query=tokens[at]), bars(list(zip(tokens, row, strict=True)), lit=order[:1])),
            panel(
                MAP,
                heat_map(
                    trace.weights.tolist(),
                    rows=tokens,
                    columns=tokens,
                    chosen=at,
                    set_row=lambda i: setter(query=f"0,{i}"),
                    describe=DESCRIBE.format(
                        query=tokens[at], key=tokens[order[0]], weight=percent(row[order[0]])
                    ),
                ),
            ),
        ),
        note("plain", HAND_BUILT),
    ]
    return View(picture, _say(tokens, at, order, row, layer), _shapes(), _tables(tokens, at, order, trace))


def _say(tokens: tuple[str, ...], at: int, order: list[int], row: list[float], layer: int) -> Text:
    first, second = order[:2]
    said = SAY_ROW.format(
        layer=layer + 1,
        query=tokens[at],
        key=tokens[first],
        weight=percent(row[first]),
        next=tokens[second],
        rest=percent(row[second]),
    )
    if row[first] < 2 / LENGTH:
        return said + SAY_FLAT.format(equal=percent(1 / LENGTH))
    if tokens[at] != "it":
        return said
    return said + (SAY_PAIR.format(word=tokens[-1]) if layer == 1 else SAY_GATHERS.format(word=tokens[first]))


def _shapes() -> tuple[str, ...]:
    S, d_k = LENGTH, hand_built.D_K
    return f"x ({S}, {hand_built.D_MODEL})", f"Q, K, V ({S}, {d_k})", f"scores, weights ({S}, {S})"


def _tables(tokens: tuple[str, ...], at: int, order: list[int], trace: AttentionTrace) -> list:
    keys = [
        [
            join([tokens[j], f" ({j + 1})"]),
            fmt(trace.scores[at, j]),
            fmt(trace.scaled[at, j]),
            percent(float(trace.weights[at, j])),
        ]
        for j in order[:TOP]
    ]
    numbered = [f"{token} ({i + 1})" for i, token in enumerate(tokens)]
    return [
        table(TOP_KEYS.format(query=tokens[at]), [KEY, SCORE, SCALED, WEIGHT], keys),
        matrix_table(
            trace.weights.tolist(), name=ALL, rows=numbered, columns=numbered, show=percent, lit_rows=[at]
        ),
    ]


CHOOSE = text(
    zh="点一个词元，让它当 query（现在是 “{query}”）", en="Press a token to make it the query (now “{query}”)"
)
ROW = text(zh="“{query}” 这一行的权重", en="The weights of “{query}”")
MAP = text(zh="全部权重：行是 query，列是 key", en="All weights: queries down, keys across")
DESCRIBE = text(
    zh="权重图。“{query}” 一行里最深的是 “{key}”，{weight}",
    en="Map of the weights. In the row of “{query}” the deepest is “{key}”, {weight}",
)
HAND_BUILT = text(
    zh="这里的词向量和投影矩阵是手工设定的构造，不是训练出来的；权重由 transformer_core 用它们算出。",
    en="Embeddings and projections are set by hand here, not trained; "
    "transformer_core computes the weights from them.",
)
TOP_KEYS = text(zh="“{query}” 权重最大的 5 个 key", en="The 5 keys with the largest weights for “{query}”")
KEY = text(zh="key（位置）", en="key (position)")
SCORE = text(zh="得分 q·k", en="score q·k")
SCALED = text(zh="得分 ÷ √d_k", en="score ÷ √d_k")
WEIGHT = text(zh="权重", en="weight")
ALL = text(zh="全部权重（S × S）", en="All weights (S × S)")
SAY_ROW = text(
    zh="第 {layer} 层里，“{query}” 把 {weight} 的权重给了 “{key}”，其次是 “{next}”（{rest}）。",
    en="In layer {layer}, “{query}” gives {weight} of its weight to “{key}”, then {rest} to “{next}”. ",
)
SAY_FLAT = text(
    zh="这一行接近平分（每个 {equal}）：它没有特别要找的词元。",
    en="The row is close to equal shares ({equal} each): this token looks for nothing in particular.",
)
SAY_GATHERS = text(
    zh="它先从 “{word}” 那里取来一个性质，第 2 层才知道该找哪个名词。",
    en="It first takes a quality from “{word}”; only then can layer 2 know which noun to look for.",
)
SAY_PAIR = text(
    zh="把句尾的 “{word}” 换成另一个词（换成对的那一句），最大的权重就移到另一个名词上。",
    en="Change the last word, “{word}” (the other sentence of the pair), and it moves to the other noun.",
)
