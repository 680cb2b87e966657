"""Which tokens one token looks at, in a small encoder that was trained to find what "it" stands for."""

import numpy as np

from demos.kit import (
    Node,
    Text,
    View,
    bars,
    beside,
    fmt,
    heat_map,
    index,
    matrix_table,
    note,
    panel,
    percent,
    pick,
    setter,
    spot,
    table,
    text,
    token_row,
    typed,
)
from demos.models import coreference
from demos.models.reading import LONGEST, it_of, place, tokens_of
from transformer_core import AttentionTrace, softmax

EXAMPLES = coreference.EXAMPLES
HEADS = [text(zh=f"头 {n}", en=f"head {n}") for n in range(1, coreference.load().config.n_heads + 1)]
MEAN = text(zh="四个头的平均", en="mean of the heads")
TOP = 5  # keys in the table of scores

TITLE = text(zh="“it” 在看谁", en="What “it” looks at")
CONTROLS = {
    "sentence": pick(
        [
            *((str(n), " ".join(words)) for n, words in enumerate(EXAMPLES)),
            ("own", text(zh="自己输入……", en="Type your own …")),
        ],
        value="0",
        label=text(zh="句子", en="Sentence"),
        style="list",
    ),
    "words": typed(" ".join(EXAMPLES[0]), label=text(zh="你的句子", en="Your sentence"), when="sentence=own"),
    # column 0 is "it" wherever it stands, column n the n-th token
    "query": spot(1, LONGEST + 1, value=(0, 0), label=text(zh="query token", en="Query token")),
    "layer": index(
        [text(zh="第 1 层", en="layer 1"), text(zh="第 2 层", en="layer 2")],
        value=1,
        label=text(zh="层", en="Layer"),
    ),
    "head": pick(
        [("mean", MEAN), *((str(n), head) for n, head in enumerate(HEADS, start=1))],
        value="mean",
        label=text(zh="头", en="Head"),
    ),
}


def view(*, sentence: str, words: str, query: tuple[int, int], layer: int, head: str) -> View:
    tokens = tokens_of(words) if sentence == "own" else EXAMPLES[int(sentence)]
    at = place(tokens, query[1])
    trace = coreference.run(tokens).stack.layers[layer].attention.module.attention
    weights = shown_weights(tokens, layer, head)
    row = weights[at].tolist()
    order = ranked(row)

    def choose(i: int) -> dict:
        return setter(query="0,0" if i == it_of(tokens) else f"0,{i + 1}")

    picture: list[Node] = [
        panel(CHOOSE.format(query=tokens[at]), token_row(tokens, shares=row, chosen=at, set_token=choose)),
        beside(
            panel(ROW.format(query=tokens[at]), bars(list(zip(tokens, row, strict=True)), lit=order[:1])),
            panel(
                MAP,
                heat_map(
                    weights.tolist(),
                    rows=tokens,
                    columns=tokens,
                    chosen=at,
                    set_row=choose,
                    describe=DESCRIBE.format(
                        query=tokens[at], key=tokens[order[0]], weight=percent(row[order[0]])
                    ),
                ),
            ),
        ),
        _answers(tokens),
        note("plain", HOW_TRAINED.format(**_facts())),
        note("plain", VOCABULARY.format(words=", ".join(coreference.vocabulary())))
        if sentence == "own"
        else None,
    ]
    said = _say(tokens, at, layer, head)
    if sentence != "own" and tokens[at] == "it" and layer == 1:
        said += _pair(int(sentence), head)
    return View(picture, said, _shapes(len(tokens)), _tables(tokens, at, order, trace, weights, head))


def shown_weights(tokens: tuple[str, ...], layer: int, head: str) -> np.ndarray:  # (S, S)
    """The weights of one head, or the mean of all."""
    weights = coreference.run(tokens).stack.layers[layer].attention.module.attention.weights
    return weights.mean(axis=0) if head == "mean" else weights[int(head) - 1]


def ranked(row: list[float]) -> list[int]:
    """The places of a row, the largest weight first; equal ones in the order of the sentence."""
    return sorted(range(len(row)), key=lambda j: (-round(row[j], 9), j))


def _answers(tokens: tuple[str, ...]) -> Node:
    """What the model says that "it" stands for."""
    it = it_of(tokens)
    if it is None:
        return note("warn", NO_IT)
    chances = softmax(coreference.run(tokens).logits[it]).tolist()
    words = coreference.load().words
    return panel(ANSWER, bars([(words[j], chances[j]) for j in ranked(chances)[:3]], lit=[0]))


def _facts() -> dict[str, str | int]:
    config, figures = coreference.load().config, coreference.load().figures
    answer, row, *_ = figures["guided"]
    plain_answer, plain_row, *_ = figures["unguided"]
    return {
        "layers": config.n_layers,
        "heads": config.n_heads,
        "d_model": config.d_model,
        "answer": percent(answer),
        "row": percent(row),
        "plain_answer": percent(plain_answer),
        "plain_row": percent(plain_row),
    }


def _say(tokens: tuple[str, ...], at: int, layer: int, head: str) -> Text:
    row = shown_weights(tokens, layer, head)[at].tolist()
    first, *others = ranked(row)
    if not others:
        return SAY_ALONE.format(query=tokens[at])
    said = SAY_ROW.format(
        layer=layer + 1,
        head=MEAN if head == "mean" else HEADS[int(head) - 1],
        query=tokens[at],
        weight=percent(row[first]),
        key=tokens[first],
        next=tokens[others[0]],
        rest=percent(row[others[0]]),
    )
    if row[first] < 2 / len(tokens):
        said += SAY_FLAT.format(equal=percent(1 / len(tokens)))
    return said


def _pair(number: int, head: str) -> Text:
    """What the other sentence of the pair shows in the same place."""
    other = EXAMPLES[number ^ 1]
    row = shown_weights(other, 1, head)[other.index("it")].tolist()
    best = ranked(row)[0]
    return SAY_PAIR.format(
        word=EXAMPLES[number][-1], instead=other[-1], key=other[best], weight=percent(row[best])
    )


def _shapes(S: int) -> tuple[str, ...]:
    config = coreference.load().config
    H, d_k = config.n_heads, config.head_width
    return f"x ({S}, {config.d_model})", f"Q, K, V ({H}, {S}, {d_k})", f"scores, weights ({H}, {S}, {S})"


def _tables(
    tokens: tuple[str, ...], at: int, order: list[int], trace: AttentionTrace, weights: np.ndarray, head: str
) -> list[Node]:
    numbered = [f"{token} ({i + 1})" for i, token in enumerate(tokens)]
    if head == "mean":
        columns = [KEY, *HEADS, MEAN]
        cells = [[*trace.weights[:, at, j], weights[at, j]] for j in order[:TOP]]
        rows = [[numbered[j], *map(percent, row)] for j, row in zip(order, cells, strict=False)]
    else:
        columns = [KEY, SCORE, SCALED, WEIGHT]
        scores, scaled = (steps[int(head) - 1, at] for steps in (trace.scores, trace.scaled))
        rows = [
            [numbered[j], fmt(scores[j]), fmt(scaled[j]), percent(float(weights[at, j]))] for j in order[:TOP]
        ]
    return [
        table(TOP_KEYS.format(query=tokens[at]), columns, rows),
        matrix_table(
            weights.tolist(), name=ALL, rows=numbered, columns=numbered, show=percent, lit_rows=[at]
        ),
    ]


CHOOSE = text(
    zh="点一个 token，让它当 query（现在是 “{query}”）",
    en="Press a token to make it the query (now “{query}”)",
)
ROW = text(zh="“{query}” 这一行的权重", en="The weights of “{query}”")
MAP = text(zh="全部权重：行是 query，列是 key", en="All weights: queries down, keys across")
DESCRIBE = text(
    zh="权重图。“{query}” 一行里最深的是 “{key}”，{weight}",
    en="Map of the weights. In the row of “{query}” the deepest is “{key}”, {weight}",
)
ANSWER = text(zh="模型在 “it” 处给出的答案", en="What the model answers at “it”")
NO_IT = text(
    zh="句子里没有 “it”，模型没有可回答的；权重照样能看。",
    en="There is no “it”, so the model has nothing to answer; the weights can be seen all the same.",
)
HOW_TRAINED = text(
    zh="这是一个真正训练过的小编码器（{layers} 层、{heads} 个头、d_model {d_model}）："
    "在 “it” 处说出它指代的名词；训练时另加一项，要求最后一层的头 1、2 看向那个名词。"
    "在训练没见过的名词搭配上，答案对的占 {answer}，"
    "最后一层 “it” 一行的最大权重落在正确名词上的占 {row}；"
    "不加那一项，答案对的占 {plain_answer}，权重指对的只有 {plain_row}。"
    "所以权重说的是信息从哪里取来，不是模型给出的理由。",
    en="A small encoder that was really trained ({layers} layers, {heads} heads, d_model {d_model}): "
    "at “it” it names the noun that “it” stands for, and a further term guides heads 1 and 2 of the last "
    "layer towards that noun. On pairs of nouns that training never saw, {answer} of the answers are "
    "right, and {row} of the last layer’s rows of “it” have their largest weight on the right noun. "
    "Without the term {plain_answer} of the answers are right, but only {plain_row} of the rows point "
    "there: weights say where information is taken from, they are no reasons.",
)
VOCABULARY = text(zh="模型认识的词：{words}", en="The words that the model knows: {words}")
TOP_KEYS = text(zh="“{query}” 权重最大的几个 key", en="The keys with the largest weights for “{query}”")
KEY = text(zh="key（位置）", en="key (position)")
SCORE = text(zh="得分 q·k", en="score q·k")
SCALED = text(zh="得分 ÷ √d_k", en="score ÷ √d_k")
WEIGHT = text(zh="权重", en="weight")
ALL = text(zh="全部权重（S × S）", en="All weights (S × S)")
SAY_ROW = text(
    zh="第 {layer} 层，{head}：“{query}” 把 {weight} 的权重给了 “{key}”，其次是 “{next}”（{rest}）。",
    en="Layer {layer}, {head}: “{query}” gives {weight} of its weight to “{key}”, then {rest} to “{next}”.",
)
SAY_FLAT = text(zh="这一行接近平分（每个 {equal}）。", en=" The row is close to equal shares ({equal} each).")
SAY_ALONE = text(
    zh="句子里只有 “{query}” 一个 token，权重只能全给它自己。",
    en="“{query}” is the only token, so all of its weight goes to itself.",
)
SAY_PAIR = text(
    zh="把句尾的 “{word}” 换成 “{instead}”，“it” 看得最多的就是 “{key}”（{weight}）。",
    en=" With “{instead}” in place of “{word}”, what “it” looks at most is “{key}” ({weight}).",
)
