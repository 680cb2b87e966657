"""The feed-forward layer: its shapes and parameters at any size, and a small one that is computed whole."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from demos.kit import (
    Axis,
    Line,
    Text,
    View,
    Words,
    bars,
    beside,
    chart,
    el,
    entry,
    equals,
    flow,
    fmt,
    grouped,
    index,
    matrix,
    matrix_table,
    note,
    panel,
    pick,
    setter,
    short,
    slider,
    table,
    text,
    working,
)
from transformer_core import (
    TOKENS,
    FeedForwardParams,
    GatedFeedForwardParams,
    X,
    feed_forward_trace,
    gated_feed_forward_trace,
    gelu,
    relu,
    silu,
)
from transformer_core.config import ModelConfig
from transformer_core.cost import attention_parameters, feed_forward_parameters

# The small layer, d_model 2 and d_ff 4: W_1 writes x down twice, W_2 adds the copies up again.
W_1 = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1]])
W_2 = np.array([[1.0, 0], [0, 1], [1, 0], [0, 1]])
W_UP = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]])  # SwiGLU's second way up; its gate is W_1
ELSEWHERE = (5.0, -3.0)  # what the button puts into another token

KINDS = {"relu": "ReLU", "gelu": "GELU", "swiglu": "SwiGLU"}
CURVES = {"relu": ("ReLU", relu), "gelu": ("GELU", gelu), "swiglu": ("SiLU", silu)}
RATIOS = ("1", "2", "8/3", "4", "8")

RATIO = text(zh="扩展比 d_ff ÷ d_model", en="Ratio d_ff ÷ d_model")
TITLE = text(zh="升维、激活、降维", en="Wider, bent, and back")
CONTROLS = {
    "kind": pick(list(KINDS.items()), value="relu", label=text(zh="激活", en="Activation")),
    "d_model": slider(
        value=512,
        stops=[2, 64, 128, 256, 512, 768, 1024, 2048, 4096, 8192, 12288],
        label=text(zh="宽度 d_model", en="Width d_model"),
    ),
    "ratio": pick(
        [(ratio, ratio) for ratio in RATIOS],
        value="4",
        label=RATIO,
    ),
    "x": matrix(X.tolist(), step=0.5, label=text(zh="小例子的输入 X", en="The small example’s X")),
    "token": index(TOKENS, value=0, label=text(zh="看哪个 token", en="Token to look at")),
}


class Small(NamedTuple):
    """The small layer's steps for all tokens."""

    hidden: np.ndarray  # (3, 4) what goes into the activation
    activated: np.ndarray  # (3, 4)
    up: np.ndarray | None  # (3, 4) SwiGLU's other factor
    inner: np.ndarray  # (3, 4) what goes into the last matrix
    output: np.ndarray  # (3, 2)


def small(kind: str, x: np.ndarray) -> Small:
    """The small layer on x (3, 2)."""
    if kind == "swiglu":
        gated = gated_feed_forward_trace(x, GatedFeedForwardParams(W_1, W_UP, W_2))
        return Small(gated.gate, gated.activated, gated.up, gated.gated, gated.output)
    plain = feed_forward_trace(x, FeedForwardParams(W_1, W_2), activation=kind)
    return Small(plain.hidden, plain.activated, None, plain.activated, plain.output)


@cache
def sized(kind: str, d_model: int, ratio: str, *, bias: bool = False) -> ModelConfig:
    """A layer of this size; d_ff is rounded down where the ratio does not come out even, as Llama does."""
    d_ff = int(Fraction(ratio) * d_model)
    return ModelConfig(
        architecture="encoder", vocab_size=1, n_layers=1, d_model=d_model, n_heads=1, d_ff=d_ff,
        feed_forward=kind, feed_forward_bias=bias, positions="none",
    )  # fmt: skip


def view(*, kind: str, d_model: float, ratio: str, x: tuple, token: int) -> View:
    config = sized(kind, int(d_model), ratio)
    given = np.array(x)
    made = small(kind, given)
    picture = [
        panel(SIZES, flow(_flow(config)), working(*_count(config, ratio)), _shares(config)),
        beside(
            panel(CURVE.format(kind=CURVES[kind][0], token=TOKENS[token]), _curve(kind, made, token)),
            panel(
                SMALL.format(token=TOKENS[token]), _hidden(kind, made, token), _sentence(given, made, token)
            ),
        ),
        panel(ALONE, *_others(kind, given, made, token)),
    ]
    numbers = [_parameters(config, kind, ratio), _steps(kind, made, token)]
    return View(picture, _say(config, given, made, token), _shapes(kind), numbers)


def _flow(config: ModelConfig) -> list[tuple[Words, Words]]:
    outer, inner = f"(B, S, {config.d_model})", f"(B, S, {config.d_ff})"
    if config.is_gated:
        return [("x", outer), ("xW_gate, xW_up", inner), ("SiLU(xW_gate) ⊙ xW_up", inner), ("·W_down", outer)]
    return [("x", outer), ("xW₁", inner), (KINDS[config.feed_forward], inner), ("·W₂", outer)]


def _count(config: ModelConfig, ratio: str) -> list[Words]:
    d, d_ff, count = config.d_model, config.d_ff, feed_forward_parameters(config)
    matrices = 3 if config.is_gated else 2
    lines: list[Words] = [
        f"{matrices} × d_model × d_ff = {matrices} × {grouped(d)} × {grouped(d_ff)} "
        f"= {grouped(count)} {equals(count / d**2)}d²"
    ]
    if ratio == "8/3" and d_ff >= 256 and d_ff % 256:
        lines.append(ROUNDED.format(d_ff=grouped(d_ff), up=grouped(-(-d_ff // 256) * 256)))
    return lines


def _shares(config: ModelConfig):
    ours, attention = feed_forward_parameters(config), attention_parameters(config)
    whole = ours + attention
    return bars([(FFN, ours / whole), (ATTENTION, attention / whole)], lit=[0])


@cache
def _points(kind: str, reach: int) -> list[tuple[float, float]]:
    grid = np.linspace(-reach, reach, 81)
    return list(zip(grid.tolist(), CURVES[kind][1](grid).tolist(), strict=True))


def _curve(kind: str, made: Small, token: int):
    hidden, activated = made.hidden[token].tolist(), made.activated[token].tolist()
    reach = next(reach for reach in (4, 10) if max(abs(round(h, 6)) for h in hidden) <= reach)
    name = CURVES[kind][0]
    return chart(
        Axis(-reach, reach, [-reach, -reach / 2, 0, reach / 2, reach], INPUT),
        Axis(-reach / 4, 1.1 * reach, [0, reach / 2], f"{name}(h)"),
        lines=[Line(_points(kind, reach), "query", "")],
        markers=[(h, a, "value") for h, a in zip(hidden, activated, strict=True)],
        describe=DESCRIBE.format(kind=name, token=TOKENS[token], values=_vector(hidden)),
    )


def _rows(kind: str, made: Small, token: int) -> dict[str, list[float]]:
    """The steps of one token between the two matrices, by name."""
    hidden, activated = made.hidden[token].tolist(), made.activated[token].tolist()
    if made.up is None:
        return {"h = xW₁": hidden, f"{KINDS[kind]}(h)": activated}
    return {
        "g = xW_gate": hidden,
        "SiLU(g)": activated,
        "u = xW_up": made.up[token].tolist(),
        "SiLU(g)·u": made.inner[token].tolist(),
    }


def _hidden(kind: str, made: Small, token: int):
    steps = _rows(kind, made, token)
    return matrix_table(
        list(steps.values()),
        name=FOUR_WIDE.format(token=TOKENS[token]),
        rows=list(steps),
        columns=[entry("h", j) for j in range(4)],
        show=short,
    )


def _sentence(x: np.ndarray, made: Small, token: int):
    up, bent, down = (_vector(part[token].tolist()) for part in (made.hidden, made.inner, made.output))
    return working(f"{_vector(x[token].tolist())} → {up} → {bent} → {down}")


def _others(kind: str, x: np.ndarray, made: Small, token: int) -> list:
    before = small(kind, X).output
    rows = []
    for i, name in enumerate(TOKENS):
        old, new = _vector(before[i].tolist()), _vector(made.output[i].tolist())
        rows.append([name, old, new, SAME if old == new else CHANGED])
    other = (token + 1) % len(TOKENS)
    moved = X.copy()
    moved[other] = ELSEWHERE
    told = CHANGE.format(token=TOKENS[other], value=_vector(list(ELSEWHERE)))
    changed = bool((x != X).any())
    to = CONTROLS["x"].show((X if changed else moved).tolist())
    button = el("button", {"type": "button", **setter(x=to)}, RESTORE if changed else told)
    return [table(EVERY, [TOKEN, DEFAULT, NOW, COMPARED], rows), note("plain", button)]


def _say(config: ModelConfig, x: np.ndarray, made: Small, token: int) -> Text:
    count, attention = feed_forward_parameters(config), attention_parameters(config)
    said = SAY_SIZE.format(
        kind=KINDS[config.feed_forward],
        d=grouped(config.d_model),
        d_ff=grouped(config.d_ff),
        count=grouped(count),
        times=short(count / attention, 4),
    )
    said = said + SAY_SMALL.format(
        token=TOKENS[token],
        x=_vector(x[token].tolist()),
        inner=_vector(made.inner[token].tolist()),
        output=_vector(made.output[token].tolist()),
    )
    changed = [name for name, row in zip(TOKENS, (x != X).any(axis=1), strict=True) if row]
    kept = [name for name in TOKENS if name not in changed]
    if not changed or not kept:
        return said
    return said + SAY_ALONE.format(changed=_listed(changed), kept=_listed(kept))


def _shapes(kind: str) -> tuple[str, ...]:
    if kind == "swiglu":
        return "X (3, 2)", "W_gate, W_up (2, 4)", "W_down (4, 2)", "output (3, 2)"
    return "X (3, 2)", "W₁ (2, 4)", "W₂ (4, 2)", "output (3, 2)"


def _parameters(config: ModelConfig, kind: str, ratio: str):
    d, d_ff = config.d_model, config.d_ff
    wide, narrow = f"({d}, {d_ff})", f"({d_ff}, {d})"
    shapes = {"W₁": wide, "W₂": narrow}
    if config.is_gated:
        shapes = {"W_gate": wide, "W_up": wide, "W_down": narrow}
    rows: list[list[Words]] = [[name, shape, grouped(d * d_ff)] for name, shape in shapes.items()]
    rows.append([WEIGHTS, "", grouped(feed_forward_parameters(config))])
    if not config.is_gated:
        biased = feed_forward_parameters(sized(kind, d, ratio, bias=True))
        rows.append([WITH_BIASES, "", grouped(biased)])
    rows.append([FOUR_PROJECTIONS, "", grouped(attention_parameters(config))])
    return table(PARAMETERS, [PART, SHAPE, COUNT], rows)


def _steps(kind: str, made: Small, token: int):
    rows = [[name, *(fmt(value, 4) for value in values)] for name, values in _rows(kind, made, token).items()]
    return table(STEPS_OF.format(token=TOKENS[token]), [STEP, *(entry("h", j) for j in range(4))], rows)


def _vector(values: list[float]) -> str:
    return f"[{', '.join(short(value) for value in values)}]"


def _listed(names: list[str]) -> Text:
    return text(zh="、".join(names), en=" and ".join(names))


SIZES = text(zh="任意尺寸：形状与参数量（不含偏置）", en="Any size: shapes and parameters (no biases)")
ROUNDED = text(
    zh="8/3 × d_model 除不尽时向下取整；Llama 再把 {d_ff} 补到 256 的倍数：{up}。",
    en="8/3 × d_model is rounded down; Llama then takes {d_ff} up to a multiple of 256: {up}.",
)
FFN = text(zh="FFN", en="FFN")
ATTENTION = text(zh="注意力", en="attention")
CURVE = text(zh="{kind} 曲线，圆点是 {token} 的隐藏值", en="{kind}, with the hidden values of {token}")
INPUT = text(zh="隐藏值 h", en="hidden value h")
DESCRIBE = text(
    zh="{kind} 的曲线，{token} 的隐藏值 {values} 标在上面",
    en="The curve of {kind} with the hidden values of {token}, {values}",
)
SMALL = text(zh="小例子：{token} 走一遍", en="The small example: {token} goes through")
FOUR_WIDE = text(zh="{token} 在 4 维里的每一步", en="{token}, four wide")
ALONE = text(zh="改别的 token，会影响我吗？", en="Does another token change mine?")
CHANGE = text(zh="把 {token} 换成 {value}", en="Change {token} to {value}")
RESTORE = text(zh="改回默认的 X", en="Back to the default X")
EVERY = text(zh="三个 token 的输出", en="The outputs of all three tokens")
TOKEN = text(zh="token", en="token")
DEFAULT = text(zh="默认 X", en="default X")
NOW = text(zh="现在的 X", en="X now")
COMPARED = text(zh="比较", en="compared")
SAME = text(zh="没变", en="the same")
CHANGED = text(zh="变了", en="changed")
PARAMETERS = text(zh="参数量", en="Parameters")
PART = text(zh="部分", en="part")
SHAPE = text(zh="形状", en="shape")
COUNT = text(zh="个数", en="count")
WEIGHTS = text(zh="合计（权重矩阵）", en="matrices together")
WITH_BIASES = text(zh="加上偏置 b₁、b₂", en="with the biases b₁, b₂")
FOUR_PROJECTIONS = text(zh="对照：注意力的 4 个投影", en="beside it: attention’s four projections")
STEPS_OF = text(zh="{token} 的隐藏值", en="The hidden values of {token}")
STEP = text(zh="步骤", en="step")
SAY_SIZE = text(
    zh="{kind}：d_model = {d}、d_ff = {d_ff} 时，FFN 有 {count} 个参数，是注意力四个投影的 {times} 倍。",
    en="{kind}: with d_model = {d} and d_ff = {d_ff} the layer has {count} parameters, "
    "{times} times those of attention’s four projections. ",
)
SAY_SMALL = text(
    zh="小例子里 {token} = {x} 升到 4 维，激活后是 {inner}，降回来是 {output}。",
    en="In the small example {token} = {x} becomes {inner} four wide, and {output} when it is back.",
)
SAY_ALONE = text(
    zh="改了 {changed}，{kept} 的输出一个数都没变：FFN 不混合 token。",
    en=" {changed} changed, and no number of {kept} did: the layer mixes no tokens.",
)
