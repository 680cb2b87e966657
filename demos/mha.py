"""Four heads side by side: what each one looks at, how they are joined, and why four equal heads are one."""

from functools import cache
from typing import NamedTuple

import numpy as np

from demos.kit import (
    Node,
    Text,
    View,
    beside,
    flow,
    fmt,
    heat_map,
    index,
    matrix_table,
    note,
    panel,
    percent,
    pick,
    setter,
    text,
    toggle,
)
from demos.models import coreference, positional_heads
from transformer_core import AttentionParams, MultiHeadTrace, multi_head_attention, multi_head_trace

N_HEADS = 4
SENTENCES = coreference.EXAMPLES[::2]  # one of each pair
HEADS = [text(zh=f"头 {n}", en=f"head {n}") for n in range(1, N_HEADS + 1)]
PATTERNS = [
    text(zh="前一个 token", en="previous token"),
    text(zh="自己", en="itself"),
    text(zh="第一个 token", en="first token"),
    text(zh="左右邻居", en="both neighbours"),
]
TITLE = text(zh="四个头各看各的", en="Four heads, four patterns")
SOURCES = {
    "built": text(zh="按位置写成的", en="written for positions"),
    "first": text(zh="训练好的，第 1 层", en="trained, layer 1"),
    "last": text(zh="训练好的，第 2 层", en="trained, layer 2"),
}
CONTROLS = {
    "source": pick(list(SOURCES.items()), value="built", label=text(zh="四个头", en="The four heads")),
    "sentence": index(
        [" ".join(sentence) for sentence in SENTENCES],
        value=0,
        label=text(zh="句子", en="Sentence"),
        style="list",
    ),
    "head": index(HEADS, value=0, label=text(zh="头", en="Head")),
    "every": toggle(True, label=text(zh="四个头都显示", en="Show all four")),
    "same": toggle(False, label=text(zh="同一个头用四次", en="The same head four times")),
}


class Heads(NamedTuple):
    """Multi-head attention of one sentence, and the same with one head in place of all four."""

    trace: MultiHeadTrace
    params: AttentionParams
    merged: np.ndarray | None  # (S, d_model) a single head with the four W_O blocks added up; for equal heads


def attention_of(source: str, sentence: int) -> tuple[np.ndarray, AttentionParams]:  # (S, d_model), params
    """What goes into the attention, and its projections: written by hand, or those of a trained layer."""
    tokens = SENTENCES[sentence]
    if source == "built":
        return positional_heads.embed(tokens), positional_heads.projections()
    layer = 0 if source == "first" else -1
    trace = coreference.run(tokens).stack.layers[layer]
    return trace.attention.module_input, coreference.load().params.encoder[layer].attention


@cache
def run(source: str, sentence: int, repeated: int | None) -> Heads:
    """The four heads on a sentence, or head `repeated` in the place of each of them."""
    x, params = attention_of(source, sentence)
    if repeated is None:
        return Heads(multi_head_trace(x, params, N_HEADS), params, None)
    one = [np.split(np.asarray(W), N_HEADS, axis=1)[repeated] for W in params[:3]]
    equal = AttentionParams(*(np.tile(W, N_HEADS) for W in one), params.W_O)
    summed = sum(np.split(np.asarray(params.W_O), N_HEADS, axis=0))
    merged = multi_head_attention(x, AttentionParams(*one, summed), 1)
    return Heads(multi_head_trace(x, equal, N_HEADS), equal, merged)


def view(*, source: str, sentence: int, head: int, every: bool, same: bool) -> View:
    tokens = SENTENCES[sentence]
    it = tokens.index("it")
    made = run(source, sentence, head if same else None)
    weights = made.trace.attention.weights  # (H, S, S)
    picture: list[Node] = [
        beside(
            *(
                panel(_name(source, h, head if same else h), _map(tokens, it, weights[h], h))
                for h in (range(N_HEADS) if every else [head])
            )
        ),
        flow(_steps(made)),
        panel(CONCAT.format(token=tokens[it]), _concat(made.trace, it, None if every else head)),
    ]
    if made.merged is not None:
        gap = float(np.abs(made.trace.output - made.merged).max())
        picture.append(note("wrong", SAME.format(gap=fmt(gap))))
    picture.append(note("plain", BUILT if source == "built" else TRAINED))
    said = _say(tokens, it, weights, head, same)
    return View(picture, said, tuple(_shapes(made)), _tables(tokens, it, made, head))


def _name(source: str, number: int, kind: int) -> Text:
    if source == "built":
        return MAP.format(head=HEADS[number], pattern=PATTERNS[kind])
    return HEADS[number]


def _map(tokens: tuple[str, ...], it: int, weights: np.ndarray, number: int) -> Node:
    best = int(np.argmax(np.round(weights[it], 9)))
    return heat_map(
        weights.tolist(),
        rows=tokens,
        columns=tokens,
        set_row=lambda _: setter(head=number),
        describe=DESCRIBE.format(
            head=HEADS[number], token=tokens[it], key=tokens[best], weight=percent(weights[it, best])
        ),
    )


def _concat(trace: MultiHeadTrace, it: int, lit: int | None) -> Node:
    row = trace.attention.output[:, it]  # (H, d_v): the concat row of one token, a line a head
    largest = float(np.abs(row).max())
    return heat_map(
        (np.abs(row) / largest).tolist(),
        rows=HEADS,
        columns=[str(n) for n in range(1, row.shape[1] + 1)],
        chosen=lit,
        set_row=lambda i: setter(head=i),
        describe=CONCAT_DESCRIBE,
        slanted=False,
    )


def _steps(made: Heads) -> list[tuple[Text | str, str]]:
    trace, W_O = made.trace, np.asarray(made.params.W_O)
    return [
        (text(zh="每个头的输出", en="output of each head"), str(trace.attention.output.shape)),
        (text(zh="拼接", en="concat"), str(trace.concat.shape)),
        ("× W_O", str(W_O.shape)),
        (text(zh="输出", en="output"), str(trace.output.shape)),
    ]


def _shapes(made: Heads) -> list[str]:
    trace = made.trace
    return [
        f"Q, K, V {trace.query.shape}",
        f"weights {trace.attention.weights.shape}",
        f"concat {trace.concat.shape}",
    ]


def difference(weights: np.ndarray) -> float:  # (H, S, S) -> the mean over pairs of heads and over rows
    """How far apart two heads' rows are on average: 0 where they agree, 1 where they share no token."""
    apart = np.abs(weights[:, None] - weights[None]).sum(axis=-1) / 2  # (H, H, S)
    pairs = np.triu_indices(len(weights), k=1)
    return float(apart[pairs].mean())


def _say(tokens: tuple[str, ...], it: int, weights: np.ndarray, head: int, same: bool) -> Text:
    row = weights[head, it]
    best = int(np.argmax(np.round(row, 9)))
    said = SAY_HEAD.format(
        head=HEADS[head], token=tokens[it], weight=percent(float(row[best])), key=tokens[best]
    )
    apart = percent(difference(weights))
    return said + (SAY_SAME if same else SAY_APART).format(apart=apart)


def _tables(tokens: tuple[str, ...], it: int, made: Heads, head: int) -> list[Node]:
    trace = made.trace
    numbered = [f"{token} ({i + 1})" for i, token in enumerate(tokens)]
    widths = [str(n + 1) for n in range(trace.value.shape[-1])]
    return [
        matrix_table(
            trace.attention.weights[head].tolist(),
            name=WEIGHTS.format(head=HEADS[head]),
            rows=numbered,
            columns=numbered,
            show=percent,
            lit_rows=[it],
        ),
        matrix_table(
            trace.attention.output[:, it].tolist(),
            name=CONCAT.format(token=tokens[it]),
            rows=HEADS,
            columns=widths,
        ),
    ]


MAP = text(zh="{head}：{pattern}", en="{head}: {pattern}")
DESCRIBE = text(
    zh="{head} 的权重图；“{token}” 一行里最深的是 “{key}”，{weight}",
    en="The weights of {head}; in the row of “{token}” the deepest is “{key}”, {weight}",
)
CONCAT = text(
    zh="“{token}” 拼接后的一行（折成四行，一头一行）", en="The concat row of “{token}”, folded: a line a head"
)
CONCAT_DESCRIBE = text(zh="颜色越深，绝对值越大", en="The deeper the colour, the larger the absolute value")
WEIGHTS = text(zh="{head} 的权重", en="The weights of {head}")
SAME = text(
    zh="四行完全一样。这四个头等于一个头配上四块 W_O 之和：两种算法的输出最大差 {gap}。"
    "多花三倍计算，什么也没多看到。",
    en="Four equal lines. These heads are one head with the four blocks of W_O added up: "
    "the outputs differ by {gap} at most. Three times the work more, and nothing more seen.",
)
BUILT = text(
    zh="这四个头的 W_Q、W_K 是按位置写成的：key 里只有 token 的位置，query 里只有它要找的位置；"
    "权重由它们算出。",
    en="W_Q and W_K of these heads are written for positions: a key holds where its token stands, a "
    "query where it wants to look; the weights are computed from them.",
)
TRAINED = text(
    zh="这四个头来自训练好的小编码器。训练只要求过最后一层的头 1、2 看向 “it” 指代的名词，"
    "其余的头自己学成这样。",
    en="These heads are those of the small trained encoder. Only heads 1 and 2 of its last layer were "
    "guided, towards the noun that “it” stands for; the others came to this by themselves.",
)
SAY_HEAD = text(
    zh="{head} 里，“{token}” 把 {weight} 的权重给了 “{key}”。",
    en="In {head}, “{token}” gives {weight} of its weight to “{key}”. ",
)
SAY_APART = text(
    zh="任取两个头，同一个 query 的两行权重平均有 {apart} 落在不同的 token 上，所以四个头各带回不同的信息。",
    en="Between two heads, {apart} of a row’s weight lies on different tokens on average, "
    "so each brings back something else.",
)
SAY_SAME = text(
    zh="四个头的权重相差 {apart}：看四遍同一个地方，拼接起来还是一份信息。",
    en="The four heads differ by {apart}: one place looked at four times is still one piece of information.",
)
