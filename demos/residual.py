"""What residuals do for the gradient: the Jacobian product of a random network, with and without them."""

import math

import numpy as np

from demos.depth.network import D_FF, DEEPEST, WITH, WITHOUT, D, Depths, measure
from demos.kit import (
    Axis,
    Line,
    Text,
    View,
    Words,
    bars,
    chart,
    fmt,
    grouped,
    panel,
    percent,
    power_of_ten,
    scientific,
    short,
    slider,
    table,
    text,
    toggle,
    working,
)

COMPUTED = (16, 32, DEEPEST)  # depths that are computed whole, so that moving the slider costs nothing
HALF = np.finfo(np.float16)

TITLE = text(zh="有残差与没有残差的梯度", en="Gradients with and without residuals")
CONTROLS = {
    "layers": slider(1, DEEPEST, value=24, label=text(zh="层数", en="Layers")),
    "gain": slider(0.5, 1.5, value=0.7, step=0.05, label=text(zh="权重增益", en="Gain of the weights")),
    "scale": slider(0.1, 1, value=1, step=0.05, label=text(zh="子层缩放 s", en="Sub-layer scale s")),
    "residual": toggle(True, label=text(zh="残差", en="Residual")),
    "norm": toggle(False, label=text(zh="子层前加 LayerNorm", en="LayerNorm before each sub-layer")),
    "seed": slider(1, 20, value=1, label=text(zh="随机种子", en="Random seed")),
}


def view(*, layers: float, gain: float, scale: float, residual: bool, norm: bool, seed: float) -> View:
    last = int(layers)
    depth = next(depth for depth in COMPUTED if last <= depth)
    measured = measure(int(seed), gain, scale, norm, depth)
    made = Depths(measured.growth[: last + 1], measured.identity[: last + 1])
    kept = float(made.identity[last])
    picture = [
        panel(CURVES, _chart(made, last)),
        working(_formula(residual, norm, scale), PATHS.format(n=last, count=grouped(2**last))),
        panel(SHARES.format(n=last), bars([(IDENTITY, kept), (DETOURS, 1 - kept)], show=_share, lit=[0])),
    ]
    return View(picture, _say(made, last, residual), _shapes(), _numbers(made))


def _chart(made: Depths, last: int):
    powers = np.round(np.log10(made.growth), 6)
    low, high = min(-1, math.floor(powers.min())), max(1, math.ceil(powers.max()))
    step = max(1, -(-(high - low) // 5))
    ticks = [power for power in range(low, high + 1) if power % step == 0]
    marks = sorted({round(last * quarter / 4) for quarter in range(5)})
    names = {WITH: (WITH_RESIDUAL, "good"), WITHOUT: (WITHOUT_RESIDUAL, "bad")}
    lines = [
        Line([(n, float(power)) for n, power in enumerate(powers[:, which])], kind, name)
        for which, (name, kind) in names.items()
    ]
    return chart(
        Axis(0, last, marks, LAYERS),
        Axis(low, high, ticks, GROWTH, show=lambda power: power_of_ten(int(power))),
        lines=lines,
        markers=[(last, float(powers[last, which]), kind) for which, (_, kind) in names.items()],
        describe=DESCRIBE.format(
            n=last, kept=_times(made.growth[last, WITH]), bare=_times(made.growth[last, WITHOUT])
        ),
    )


def _formula(residual: bool, norm: bool, scale: float) -> str:
    inner = "norm(xₙ)" if norm else "xₙ"
    scaled = "" if scale == 1 else f"{short(scale, 2)}·"
    branch = f"{scaled}ReLU({inner}·W₁)·W₂"
    return f"xₙ₊₁ = xₙ + {branch}" if residual else f"xₙ₊₁ = {branch}"


def _say(made: Depths, last: int, residual: bool) -> Text:
    which = WITH if residual else WITHOUT
    growth = float(made.growth[last, which])
    words = (SAY_WITH if residual else SAY_WITHOUT).format(
        n=last,
        own=_times(growth),
        other=_times(made.growth[last, 1 - which]),
        share=_share(made.identity[last]),
    )
    if growth < float(HALF.smallest_subnormal):
        return words + SAY_GONE.format(least=scientific(float(HALF.smallest_subnormal)))
    if growth > float(HALF.max):
        return words + SAY_OVER.format(most=grouped(int(HALF.max)))
    return words


def _shapes() -> tuple[str, ...]:
    return f"x ({D},)", f"W₁ ({D}, {D_FF})", f"W₂ ({D_FF}, {D})", f"∂xₙ/∂x₀ ({D}, {D})"


def _numbers(made: Depths):
    rows: list[list[Words]] = [
        [n, _times(grown[WITH]), _times(grown[WITHOUT]), _share(share)]
        for n, (grown, share) in enumerate(zip(made.growth, made.identity, strict=True))
    ]
    return table(TABLE, [LAYERS, WITH_RESIDUAL, WITHOUT_RESIDUAL, IDENTITY], rows)


def _times(growth: float) -> str:
    return fmt(growth) if 0.01 <= growth < 1000 else scientific(growth)


def _share(share: float) -> str:
    return percent(share) if share >= 0.001 else scientific(share)


CURVES = text(zh="梯度传回 n 层后的倍数（对数轴）", en="Growth of the gradient over n layers (log axis)")
LAYERS = text(zh="层数 n", en="layers n")
GROWTH = text(zh="倍数", en="times")
WITH_RESIDUAL = text(zh="有残差", en="with")
WITHOUT_RESIDUAL = text(zh="没有残差", en="without")
DESCRIBE = text(
    zh="{n} 层之后，有残差是 {kept} 倍，没有残差是 {bare} 倍",
    en="After {n} layers: {kept} times with residuals, {bare} times without",
)
PATHS = text(
    zh="∂xₙ/∂x₀ = J₁·J₂·…·Jₙ，J = I + s·∂FFN/∂x；n = {n} 时展开成 {count} 条路径，只有一条是 I",
    en="∂xₙ/∂x₀ = J₁·J₂·…·Jₙ with J = I + s·∂FFN/∂x; for n = {n} that is {count} paths, one of them I",
)
SHARES = text(
    zh="{n} 层乘积里，恒等通路占多少", en="The identity path’s share of the product over {n} layers"
)
IDENTITY = text(zh="恒等", en="identity")
DETOURS = text(zh="其余", en="others")
TABLE = text(
    zh="‖∂xₙ/∂x₀‖ ÷ ‖I‖，和恒等通路的份额 ‖I‖ ÷ (‖I‖ + ‖∂xₙ/∂x₀ − I‖)",
    en="‖∂xₙ/∂x₀‖ ÷ ‖I‖, and the identity’s share ‖I‖ ÷ (‖I‖ + ‖∂xₙ/∂x₀ − I‖)",
)
SAY_WITH = text(
    zh="有残差时，梯度传回 {n} 层是 {own} 倍，恒等通路占 {share}；同样的权重去掉残差，是 {other} 倍。",
    en="With residuals the gradient comes back through {n} layers {own} times as large, "
    "{share} of it by the identity path; the same weights without residuals make it {other} times.",
)
SAY_WITHOUT = text(
    zh="没有残差时，梯度传回 {n} 层是 {own} 倍；同样的权重加上残差，是 {other} 倍，其中恒等通路占 {share}。",
    en="Without residuals the gradient comes back through {n} layers {own} times as large; "
    "the same weights with residuals make it {other} times, {share} of it by the identity path.",
)
SAY_GONE = text(
    zh="它比 float16 最小的正数 {least} 还小，在半精度里就是 0。",
    en=" That is below float16’s least positive number, {least}: in half precision it is 0.",
)
SAY_OVER = text(
    zh="它超过 float16 的上限 {most}：残差不防爆炸，要靠小的 s 或归一化。",
    en=" That is beyond float16’s limit, {most}: against explosion a small s helps, or a norm.",
)
