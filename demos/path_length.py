"""RNN, convolution and attention: how many moves from one token to another, and what a layer costs."""

import math
from typing import get_args

from demos.kit import (
    Axis,
    Element,
    Line,
    Text,
    Trail,
    View,
    Words,
    chart,
    grouped,
    join,
    panel,
    percent,
    pick,
    power_of_ten,
    scientific,
    short,
    slider,
    table,
    text,
    trails,
)
from transformer_core import (
    SequenceLayer,
    attention_overtakes,
    layer_multiply_adds,
    path_length,
    serial_steps,
    token_path,
)

ROOM = 2.5  # above and below the outermost powers of ten, which else meet the names of the axes
DRAWN = 16  # tokens of the sentence whose paths are drawn
LENGTHS = (16, 32, 64, 100, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
KINDS: tuple[SequenceLayer, ...] = get_args(SequenceLayer)
OTHERS = KINDS[:-1]

NAMES = {
    "recurrent": text(zh="RNN", en="RNN"),
    "convolution": text(zh="卷积", en="convolution"),
    "window": text(zh="窗口注意力", en="windowed attention"),
    "attention": text(zh="注意力", en="attention"),
}
TITLE = text(zh="一步到，还是一步步传", en="In one move, or hand to hand")
CONTROLS = {
    "kind": pick(list(NAMES.items()), value="recurrent", label=text(zh="看哪一种", en="Look at")),
    "j": slider(1, DRAWN, value=1, label=text(zh="从 j", en="From j")),
    "i": slider(1, DRAWN, value=DRAWN, label=text(zh="到 i", en="To i")),
    "width": slider(
        value=5, stops=[3, 5, 7, 9, 17, 33, 65, 257, 1025], label=text(zh="宽度 k", en="Width k")
    ),
    "length": slider(value=100, stops=LENGTHS, label=text(zh="长度 S", en="Length S")),
    "d_model": slider(value=512, stops=[2**n for n in range(6, 14)], label=text(zh="d_model", en="d_model")),
    "count": pick(
        [
            ("leading", text(zh="表 1 的主项", en="leading terms")),
            ("all", text(zh="全部矩阵乘法", en="all products")),
        ],
        value="leading",
        label=text(zh="乘加怎么数", en="Multiply-adds"),
    ),
}


def view(
    *, kind: SequenceLayer, j: float, i: float, width: float, length: float, d_model: float, count: str
) -> View:
    S, d, k = int(length), int(d_model), int(width)
    start, end, leading = int(j) - 1, int(i) - 1, count == "leading"
    paths = {each: token_path(each, start, end, width=k) for each in KINDS}
    work = {each: layer_multiply_adds(each, S, d, width=k, leading=leading) for each in KINDS}
    cross = {each: attention_overtakes(each, d, width=k, leading=leading) for each in OTHERS}
    picture = [
        panel(WAYS.format(n=DRAWN), _ways(paths, kind, start, end)),
        panel(WORK.format(d=d), _work(S, work, d, k, leading), _compared(S, k, work)),
    ]
    say = _say_path(kind, paths[kind], start, end, k) + _say_work(kind, S, work, cross)
    shapes = f"x ({S}, {d})", f"scores ({S}, {S})"
    return View(picture, say, shapes, _numbers(paths, cross, d, k, leading))


def _ways(paths: dict, kind: str, start: int, end: int) -> Element:
    ways = [Trail(NAMES[each], path or (), _moves(path), lit=each == kind) for each, path in paths.items()]
    told = [part for way in ways for part in (way.name, " ", way.length, COMMA)][:-1]
    return trails(
        ways,
        size=DRAWN,
        start=start,
        end=end,
        names=(f"j = {start + 1}", f"i = {end + 1}"),
        describe=join([DESCRIBE.format(j=start + 1, i=end + 1), *told]),
    )


def _moves(path: list[int] | None) -> Words:
    return NEVER if path is None else MOVES.format(n=len(path) - 1)


def _work(S: int, work: dict, d: int, k: int, leading: bool) -> Element:
    """Multiply-adds against the length, both axes logarithmic; a marker of each at S."""
    steps = sorted({*LENGTHS, min(k, LENGTHS[-1])} - set(range(LENGTHS[0])))  # a window bends at its width
    curves = {
        kind: [(n, layer_multiply_adds(kind, n, d, width=k, leading=leading)) for n in steps]
        for kind in KINDS
    }
    ends = [curve[place][1] for curve in curves.values() for place in (0, -1)]
    low, high = math.floor(_power(min(ends))), math.ceil(_power(max(ends)))
    ticks = [10**power for power in range(low, high + 1) if (power - low) % (1 + (high - low) // 6) == 0]
    return chart(
        Axis(LENGTHS[0], LENGTHS[-1], [100, 1000, 10_000, 100_000], LENGTH, show=_thousands, warp=math.log10),
        Axis(
            10**low / ROOM,
            10**high * ROOM,
            ticks,
            WORKED,
            show=lambda n: power_of_ten(round(_power(n))),
            warp=math.log10,
        ),
        lines=[Line(curves[kind], COLOURS[kind], NAMES[kind]) for kind in KINDS],
        markers=[(S, work[kind], COLOURS[kind]) for kind in KINDS],
        describe=join(
            [DESCRIBE_WORK.format(S=grouped(S)), *_listed({kind: scientific(work[kind]) for kind in KINDS})]
        ),
    )


def _power(number: float) -> float:
    return round(math.log10(number), 9)


def _thousands(number: float) -> str:
    return f"{short(number / 1000)}k" if number >= 1000 else short(number)


def _listed(shown: dict[SequenceLayer, Words]) -> list[Words]:
    return [part for kind, value in shown.items() for part in (NAMES[kind], " ", value, COMMA)][:-1]


def _compared(S: int, k: int, work: dict) -> Element:
    rows: list[list[Words]] = [
        [
            NAMES[kind],
            grouped(path_length(kind, S - 1, width=k)),
            grouped(serial_steps(kind, S)),
            scientific(work[kind]),
        ]
        for kind in KINDS
    ]
    return table(COMPARED.format(S=grouped(S)), ["", LONGEST, SERIAL, WORKED], rows)


def _say_path(kind: str, path: list[int] | None, start: int, end: int, k: int) -> Text:
    if path is None:
        return SAY_NEVER.format(j=start + 1, i=end + 1)
    if start == end:
        return SAY_SAME
    said = {"j": start + 1, "i": end + 1, "n": len(path) - 1, "reach": (k - 1) // 2}
    return SAY_PATH[kind].format(**said)


def _say_work(kind: SequenceLayer, S: int, work: dict, cross: dict) -> Text:
    other: SequenceLayer = "recurrent" if kind == "attention" else kind
    ratio = work["attention"] / work[other]
    said = {
        "S": grouped(S),
        "other": NAMES[other],
        "work": scientific(work[other]),
        "own": scientific(work["attention"]),
        "times": TIMES.format(n=short(ratio, 1)) if ratio >= 2 else SHARE.format(n=percent(ratio)),
        "cross": grouped(cross[other]),
    }
    return SAY_WORK.format(**said) + SAY_CROSS["always" if cross[other] == 1 else "later"].format(**said)


def _numbers(paths: dict, cross: dict, d: int, k: int, leading: bool) -> list[Element]:
    ways: list[list[Words]] = [
        [NAMES[kind], NEVER if path is None else " → ".join(str(place + 1) for place in path)]
        for kind, path in paths.items()
    ]
    work: list[list[Words]] = [
        [grouped(n), *(grouped(layer_multiply_adds(kind, n, d, width=k, leading=leading)) for kind in KINDS)]
        for n in LENGTHS
    ]
    first: list[list[Words]] = [[NAMES[kind], grouped(cross[kind])] for kind in OTHERS]
    return [
        table(PLACES, ["", TOKENS_TOUCHED], ways),
        table(EVERY_LENGTH, [LENGTH, *(NAMES[kind] for kind in KINDS)], work),
        table(CROSSINGS, ["", LENGTH], first),
    ]


COLOURS = {"recurrent": "bad", "convolution": "value", "window": "query", "attention": "good"}
WAYS = text(zh="{n} 个 token 里，从 j 走到 i", en="From j to i among {n} tokens")
DESCRIBE = text(zh="从第 {j} 个 token 到第 {i} 个：", en="From token {j} to token {i}: ")
COMMA = text(zh="，", en=", ")
MOVES = text(zh="{n} 步", en="moves: {n}")
NEVER = text(zh="到不了", en="never")
WORK = text(
    zh="一层的乘加次数，d_model = {d}（两轴都是对数）",
    en="Multiply-adds of a layer, d_model = {d} (log axes)",
)
DESCRIBE_WORK = text(zh="四条曲线；S = {S} 处：", en="Four curves; at S = {S}: ")
LENGTH = text(zh="长度 S", en="length S")
WORKED = text(zh="乘加", en="multiply-adds")
COMPARED = text(zh="S = {S} 时的一层", en="A layer at S = {S}")
LONGEST = text(zh="最长路径", en="longest path")
SERIAL = text(zh="串行步数", en="serial steps")
PLACES = text(zh="经过哪些 token", en="The tokens on the way")
TOKENS_TOUCHED = text(zh="路径", en="path")
EVERY_LENGTH = text(zh="各个长度的乘加次数", en="Multiply-adds at each length")
CROSSINGS = text(zh="从多长起，注意力算得更多", en="The length from which attention does more")
TIMES = text(zh="{n} 倍", en="{n} times as many")
SHARE = text(zh="{n}", en="{n} as many")
SAY_NEVER = text(
    zh="RNN 从左往右读：第 {i} 个 token 在第 {j} 个之前，得不到它的信息，要另加一个反向的 RNN。",
    en="An RNN reads from left to right: token {i} comes before token {j} and never learns of it; "
    "that takes a second RNN that reads backwards. ",
)
SAY_SAME = text(zh="i = j：自己的信息不用走。", en="i = j: a token’s own information has no way to go. ")
SAY_PATH = {
    "recurrent": text(
        zh="从第 {j} 个到第 {i} 个，RNN 走 {n} 步，一步一个位置，前一步没算完，后一步不能开始。",
        en="Steps of the RNN from token {j} to token {i}: {n}, one position each; each waits "
        "for the one before. ",
    ),
    "convolution": text(
        zh="从第 {j} 个到第 {i} 个，卷积要 {n} 层：每层左右各伸 {reach} 个位置，同一层的所有位置可以一起算。",
        en="Layers of convolution from token {j} to token {i}: {n}, each with a reach of {reach} to either "
        "side; within a layer all positions are computed at once. ",
    ),
    "window": text(
        zh="从第 {j} 个到第 {i} 个，窗口注意力要 {n} 层：每层左右各看 {reach} 个 token，更远的靠上一层转达。",
        en="Layers of windowed attention from token {j} to token {i}: {n}; each sees {reach} to either side, "
        "and what lies beyond is passed on by the layer before. ",
    ),
    "attention": text(
        zh="从第 {j} 个到第 {i} 个，注意力 {n} 层就到，隔多远都一样。",
        en="From token {j} to token {i} attention takes {n} layer, however far apart they are. ",
    ),
}
SAY_WORK = text(
    zh="S = {S} 时一层的乘加，{other} {work} 次，注意力 {own} 次，是它的 {times}；",
    en="At S = {S} the multiply-adds of a layer are {work} ({other}) and {own} (attention), {times}; ",
)
SAY_CROSS = {
    "later": text(zh="从 S = {cross} 起，注意力算得更多。", en="from S = {cross} on attention does more."),
    "always": text(
        zh="算上四个投影，再短的序列也是注意力算得更多。",
        en="with its four projections attention does more at any length.",
    ),
}
