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
    setter,
    text,
    toggle,
)
from demos.models import positional_heads
from transformer_core import AttentionParams, MultiHeadTrace, multi_head_attention, multi_head_trace

N_HEADS = 4
SENTENCES = [
    f"the {one} did not {verb} the {two} because it was too {quality}".split()
    for one, verb, two, quality in (
        ("animal", "cross", "street", "tired"),
        ("trophy", "fit", "suitcase", "big"),
    )
]
IT = SENTENCES[0].index("it")

HEADS = [text(zh=f"头 {n}", en=f"head {n}") for n in range(1, N_HEADS + 1)]
PATTERNS = [
    text(zh="前一个词元", en="previous token"),
    text(zh="自己", en="itself"),
    text(zh="第一个词元", en="first token"),
    text(zh="左右邻居", en="both neighbours"),
]
TITLE = text(zh="四个头各看各的", en="Four heads, four patterns")
CONTROLS = {
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


@cache
def run(sentence: int, repeated: int | None) -> Heads:
    """The four heads on a sentence, or head `repeated` in the place of each of them."""
    x, params = positional_heads.embed(SENTENCES[sentence]), positional_heads.projections()
    if repeated is None:
        return Heads(multi_head_trace(x, params, N_HEADS), params, None)
    one = [np.split(np.asarray(W), N_HEADS, axis=1)[repeated] for W in params[:3]]
    equal = AttentionParams(*(np.tile(W, N_HEADS) for W in one), params.W_O)
    summed = sum(np.split(np.asarray(params.W_O), N_HEADS, axis=0))
    merged = multi_head_attention(x, AttentionParams(*one, summed), 1)
    return Heads(multi_head_trace(x, equal, N_HEADS), equal, merged)


def view(*, sentence: int, head: int, every: bool, same: bool) -> View:
    tokens = SENTENCES[sentence]
    made = run(sentence, head if same else None)
    weights = made.trace.attention.weights  # (H, S, S)
    shown = range(N_HEADS) if every else [head]
    picture: list[Node] = [
        beside(*(_map(tokens, weights[h], h, head if same else h) for h in shown)),
        flow(_steps(made)),
        panel(CONCAT.format(token=tokens[IT]), _concat(made.trace, head if not every else None)),
    ]
    if made.merged is not None:
        gap = float(np.abs(made.trace.output - made.merged).max())
        picture.append(note("wrong", SAME.format(gap=fmt(gap))))
    return View(picture, _say(tokens, weights, head, same), tuple(_shapes(made)), _tables(tokens, made, head))


def _map(tokens: list[str], weights: np.ndarray, place: int, kind: int) -> Node:
    best = int(np.argmax(np.round(weights[IT], 9)))
    return panel(
        MAP.format(head=HEADS[place], pattern=PATTERNS[kind]),
        heat_map(
            weights.tolist(),
            rows=tokens,
            columns=tokens,
            set_row=lambda _: setter(head=place),
            describe=DESCRIBE.format(
                head=HEADS[place], token=tokens[IT], key=tokens[best], weight=percent(weights[IT, best])
            ),
        ),
    )


def _concat(trace: MultiHeadTrace, lit: int | None) -> Node:
    row = trace.attention.output[:, IT]  # (H, d_v): the concat row of one token, a line a head
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


def _say(tokens: list[str], weights: np.ndarray, head: int, same: bool) -> Text:
    row = weights[head, IT]
    best = int(np.argmax(np.round(row, 9)))
    said = SAY_HEAD.format(
        head=HEADS[head], token=tokens[IT], weight=percent(float(row[best])), key=tokens[best]
    )
    apart = percent(difference(weights))
    return said + (SAY_SAME if same else SAY_APART).format(apart=apart)


def _tables(tokens: list[str], made: Heads, head: int) -> list[Node]:
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
            lit_rows=[IT],
        ),
        matrix_table(
            trace.attention.output[:, IT].tolist(),
            name=CONCAT.format(token=tokens[IT]),
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
SAY_HEAD = text(
    zh="{head} 里，“{token}” 把 {weight} 的权重给了 “{key}”。",
    en="In {head}, “{token}” gives {weight} of its weight to “{key}”. ",
)
SAY_APART = text(
    zh="任取两个头，同一个 query 的两行权重平均有 {apart} 落在不同的词元上，所以四个头各带回不同的信息。",
    en="Between two heads, {apart} of a row’s weight lies on different tokens on average, "
    "so each brings back something else.",
)
SAY_SAME = text(
    zh="四个头的权重相差 {apart}：看四遍同一个地方，拼接起来还是一份信息。",
    en="The four heads differ by {apart}: one place looked at four times is still one piece of information.",
)
