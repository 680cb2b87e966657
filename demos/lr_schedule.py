"""The learning rate over a training run: Noam and warm-up plus cosine, and Adam's first step."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from demos.kit import (
    Axis,
    Element,
    Line,
    Text,
    View,
    Words,
    chart,
    fmt,
    grouped,
    join,
    panel,
    percent,
    power_of_ten,
    scientific,
    short,
    slider,
    table,
    text,
    working,
)
from transformer_core import adamw_init, adamw_step, noam, noam_peak, warmup_cosine

FLOOR = 0.1  # the cosine ends at this share of its peak
POINTS = 24  # of a curve after the warm-up, evenly, and as many that crowd where Noam bends most
STEPS = (1, 10, 100, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 51_000, 64_000, 100_000, 200_000)
GRADIENTS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-3, 1.0, 1000.0)

TITLE = text(zh="学习率：先升后降", en="The learning rate: up, then down")
CONTROLS = {
    "d_model": slider(
        value=512,
        stops=[64, 128, 256, 512, 1024, 2048, 4096, 8192],
        label=text(zh="d_model", en="d_model"),
    ),
    "peak": slider(
        value=3,
        stops=[0.3, 0.6, 1, 1.5, 3, 6, 10, 20],
        label=text(zh="余弦峰值", en="Cosine’s peak"),
        unit="×10⁻⁴",
    ),
    "warmup": slider(250, 16_000, step=250, value=4000, label=text(zh="warm-up", en="Warm-up")),
    "total": slider(
        value=100_000,
        stops=[20_000, 50_000, 100_000, 200_000],
        label=text(zh="总步数 T", en="Total T"),
    ),
    "step": slider(value=1000, stops=STEPS, label=text(zh="第 t 步", en="Step t")),
    "gradient": slider(
        value=0.001,
        stops=GRADIENTS,
        label=text(zh="梯度 g", en="Gradient g"),
    ),
}


class Run(NamedTuple):
    """A training run, as both curves see it."""

    d_model: int
    peak: float  # of the cosine; Noam's follows from d_model and the warm-up
    warmup: int
    total: int

    @property
    def peaks(self) -> tuple[float, float]:
        return noam_peak(self.d_model, self.warmup), self.peak


def rates(run: Run, steps: list[int]) -> np.ndarray:  # -> (2, steps)
    """The learning rates at these steps: Noam's, the cosine's."""
    cosine = warmup_cosine(steps, run.peak, run.warmup, run.total, FLOOR * run.peak)
    return np.stack([noam(steps, run.d_model, run.warmup), cosine])


def view(*, d_model: float, peak: float, warmup: float, total: float, step: float, gradient: float) -> View:
    run, at = Run(int(d_model), peak / 10_000, int(warmup), int(total)), int(step)
    (first, _), now = rates(run, [1, at]).T.tolist()
    picture = [
        panel(CURVES, _chart(run, at, now)),
        working(*_sums(run, at, now)),
        panel(FIRST_STEP, working(*_first_step(gradient, first))),
    ]
    return View(picture, _say(run, at, now), table=_tables(run, at))


@lru_cache(maxsize=16)
def adam_moves(gradient: float) -> float:
    """How far Adam's very first step goes, in learning rates: the gradient over its own root square."""
    start = (np.zeros(1),)
    moved, _ = adamw_step(
        start, (np.array([gradient]),), adamw_init(start), learning_rate=1.0, weight_decay=0.0
    )
    return -float(moved[0][0])


@lru_cache(maxsize=16)  # so that another step, or another gradient, costs nothing here
def _curves(run: Run) -> list[Line]:
    spread = [
        *np.linspace(run.warmup, run.total, POINTS).tolist(),
        *np.geomspace(run.warmup, run.total, POINTS).tolist(),
    ]
    steps = [1, *sorted({round(step) for step in spread})]
    return [
        Line(list(zip(steps, curve, strict=True)), kind, name)
        for curve, kind, name in zip(rates(run, steps).tolist(), KINDS, ("Noam", COSINE), strict=True)
    ]


def _chart(run: Run, at: int, now: list[float]) -> Element:
    top = max(run.peaks)
    size = _tick(top)
    ticks = [n * size for n in range(int(top / size + 1e-9) + 1)]
    shown = zip(now, KINDS, strict=True) if at <= run.total else ()
    return chart(
        Axis(0, run.total, [run.total * quarter / 4 for quarter in range(5)], STEP, show=_thousands),
        Axis(0, top * 1.06, ticks, RATE, show=lambda rate: short(rate * 10_000, 2)),
        lines=_curves(run),
        markers=[(at, rate, kind) for rate, kind in shown],
        describe=DESCRIBE.format(
            warmup=grouped(run.warmup), noam=scientific(run.peaks[0]), cosine=scientific(run.peaks[1])
        ),
    )


def _tick(top: float) -> float:
    """A round distance of ticks: two to five of them below the top."""
    # rounded, so that a last bit that differs between two interpreters moves no tick
    power = np.floor(round(np.log10(top), 9))
    leading = round(top / 10.0**power, 9)
    return float((2.0 if leading >= 4 else 1.0 if leading >= 2 else 0.5) * 10.0**power)


def _thousands(steps: float) -> str:
    return f"{short(steps / 1000, 1)}k" if steps else "0"


def _sums(run: Run, at: int, now: list[float]) -> list[Words]:
    """The formula of each curve with its numbers, in the stretch where the step stands."""
    t, w, peak = grouped(at), grouped(run.warmup), scientific(run.peak)
    first, second = (scientific(rate) for rate in now)
    up = f"{t} ÷ ({w}·√{w})" if at < run.warmup else f"1 ÷ √{t}"
    lines: list[Words] = [f"Noam: 1/√{run.d_model} × {up} = {first}"]
    if at < run.warmup:
        return [*lines, join([COSINE, f": {peak} × {t} ÷ {w} = {second}"])]
    if at >= run.total:
        return [*lines, join([COSINE, f": {short(FLOOR)} × {peak} = {second}"])]
    share = fmt((at - run.warmup) / (run.total - run.warmup))
    low, half = scientific(FLOOR * run.peak), scientific((1 - FLOOR) * run.peak / 2)
    return [*lines, join([COSINE, f": {low} + {half} × (1 + cos(π × {share})) = {second}"])]


def _first_step(gradient: float, eta: float) -> list[Words]:
    """What Adam and plain descent make of the first gradient at the first rate of the warm-up."""
    shown, moves = _gradient(gradient), adam_moves(gradient)
    return [
        f"Adam: g ÷ (√g² + ε) = {shown} ÷ ({shown} + 10⁻⁸) = {fmt(moves)} → {fmt(moves)} η",
        f"SGD: g = {shown} → {shown} η",
        WITH_ETA.format(eta=scientific(eta), adam=scientific(moves * eta), sgd=scientific(gradient * eta)),
        SAY_ADAM["full" if round(moves, 3) == 1 else "short"],
    ]


def _gradient(gradient: float) -> str:
    return short(gradient) if gradient >= 0.001 else power_of_ten(round(np.log10(gradient)))


def _say(run: Run, at: int, now: list[float]) -> Text:
    shares = [percent(rate / peak) for rate, peak in zip(now, run.peaks, strict=True)]
    said = {
        "t": grouped(at),
        "warmup": grouped(run.warmup),
        "total": grouped(run.total),
        "noam": scientific(now[0]),
        "cosine": scientific(now[1]),
        "noam_share": shares[0],
        "cosine_share": shares[1],
        "noam_peak": scientific(run.peaks[0]),
        "end": percent(FLOOR, 0),
        "halved": grouped(4 * run.warmup),
    }
    place = "up" if at < run.warmup else "top" if at == run.warmup else "down" if at < run.total else "over"
    return SAY_VALUES.format(**said) + SAY_PLACE[place].format(**said)


def _tables(run: Run, at: int) -> list[Element]:
    steps = sorted({1, run.warmup // 2, run.warmup, 4 * run.warmup, run.total // 2, run.total, at})
    rows: list[list[Words]] = []
    for step, values in zip(steps, rates(run, steps).T.tolist(), strict=True):
        cells = [
            cell
            for value, peak in zip(values, run.peaks, strict=True)
            for cell in (scientific(value), percent(value / peak, 2 if value < peak / 100 else 1))
        ]
        rows.append([grouped(step), *cells])
    first = [[_gradient(g), fmt(adam_moves(g)), _gradient(g)] for g in GRADIENTS]
    return [
        table(VALUES, [STEP, "Noam", OF_PEAK, COSINE, OF_PEAK], rows),
        table(FIRST_STEPS, [GRADIENT, "Adam", "SGD"], first),
    ]


KINDS = ("query", "value")
COSINE = text(zh="warm-up + 余弦", en="warm-up + cosine")
CURVES = text(zh="每一步的学习率 η(t)", en="The learning rate η(t) at each step")
STEP = text(zh="步数 t", en="step t")
RATE = text(zh="学习率 η（×10⁻⁴）", en="rate η (×10⁻⁴)")
DESCRIBE = text(
    zh="两条曲线，都在第 {warmup} 步到顶：Noam 的峰值是 {noam}，余弦的是 {cosine}",
    en="Two curves, both highest at step {warmup}: Noam reaches {noam}, the cosine {cosine}",
)
VALUES = text(zh="两条曲线在几个步数上的值", en="Both curves at some steps")
OF_PEAK = text(zh="是峰值的", en="of its peak")
FIRST_STEP = text(zh="Adam 的第一步", en="Adam’s first step")
FIRST_STEPS = text(zh="第一步走了几个 η", en="How many η the first step goes")
GRADIENT = text(zh="第一个梯度 g", en="first gradient g")
WITH_ETA = text(
    zh="warm-up 的第 1 步 η(1) = {eta}（Noam）：Adam 走 {adam}，SGD 走 {sgd}",
    en="At step 1 of the warm-up η(1) = {eta} (Noam): Adam moves {adam}, SGD {sgd}",
)
SAY_ADAM = {
    "full": text(
        zh="梯度的大小被除掉了：不管可不可信，都走足一个 η。所以开头的 η 要小。",
        en="The gradient’s size cancels: trustworthy or not, it goes a whole η. So η must start small.",
    ),
    "short": text(
        zh="梯度小到和 ε = 10⁻⁸ 相当，才走不足一个 η。",
        en="Only where the gradient is as small as ε = 10⁻⁸ does it go less than a whole η.",
    ),
}
SAY_VALUES = text(
    zh="第 {t} 步：Noam 是 {noam}，为峰值的 {noam_share}；余弦是 {cosine}，为峰值的 {cosine_share}。",
    en="Step {t}: Noam gives {noam}, {noam_share} of its peak; the cosine {cosine}, {cosine_share} of its. ",
)
SAY_PLACE = {
    "up": text(
        zh="还在 warm-up，两条都是直线，到第 {warmup} 步才到顶。",
        en="This is still the warm-up: both rise in a line, and are highest at step {warmup}.",
    ),
    "top": text(
        zh="正好到顶。Noam 的峰值 {noam_peak} 由 1/√(d_model·warm-up) 定死，余弦的由人定。",
        en="This is the top. Noam’s {noam_peak} follows from 1/√(d_model·warm-up), the cosine’s is chosen.",
    ),
    "down": text(
        zh="过了顶：Noam 按 1/√t 降，到第 {halved} 步才降一半，不问总步数；余弦到第 {total} 步降到 {end}。",
        en="Past the top Noam falls as 1/√t, to half at step {halved}, whatever the length of the run; "
        "the cosine falls to {end} at step {total}.",
    ),
    "over": text(
        zh="训练在第 {total} 步结束：余弦停在峰值的 {end}，Noam 还会一直降下去。",
        en="The run ends at step {total}: the cosine stays at {end} of its peak, Noam goes on falling.",
    ),
}
