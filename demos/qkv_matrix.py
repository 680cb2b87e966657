"""From X to the output in five matrix steps: which shapes meet, and where each entry comes from."""

import numpy as np

from demos.handcalc.calculation import (
    INPUT,
    MIX,
    PROJECT,
    PROJECTIONS,
    ROOT,
    SCALE,
    SCORE,
    STEPS,
    TOKENS,
    WEIGH,
    WIDTH,
    Calculation,
    calculate,
)
from demos.handcalc.pictures import operands, result
from demos.handcalc.written import lines, name_of, worked_out
from demos.kit import (
    Element,
    Text,
    View,
    beside,
    entry,
    flow,
    fmt,
    join,
    matrix,
    panel,
    pick,
    presets,
    setter,
    short,
    spot,
    stepper,
    table,
    text,
    toggle,
    working,
)
from transformer_core import W_K, W_Q, W_V, X

TITLE = text(zh="从 X 到 Q、K、V，再到输出", en="From X to Q, K, V, and on to the output")
EDITED = {"low": -5, "high": 5, "step": 1, "when": "edit=true"}
ROOM = f"({TOKENS}, {WIDTH})"
SQUARE = f"({TOKENS}, {TOKENS})"

CONTROLS = {
    "step": stepper(STEPS, label=text(zh="步骤", en="Step")),
    "of": pick(
        [(name, name) for name in PROJECTIONS],
        value="Q",
        label=text(zh="哪个投影", en="Which projection"),
        when="step=1",
    ),
    "cell": spot(TOKENS, TOKENS, value=(2, 0), label=text(zh="选中的格", en="Chosen entry")),
    "edit": toggle(False, label=text(zh="改数字", en="Change the numbers")),
    "x": matrix(X.tolist(), label=text(zh="输入 X", en="Input X"), **EDITED),
    "w_q": matrix(W_Q.tolist(), label=text(zh="参数 W_Q", en="Parameters W_Q"), **EDITED),
    "w_k": matrix(W_K.tolist(), label=text(zh="参数 W_K", en="Parameters W_K"), **EDITED),
    "w_v": matrix(W_V.tolist(), label=text(zh="参数 W_V", en="Parameters W_V"), **EDITED),
}
ONE = np.eye(WIDTH)
OTHER_KEY = np.array([[1.0, 1.0], [0.0, 1.0]])  # W_Q OTHER_KEYᵀ is not symmetric, so neither are the scores
PRESETS = [
    (text(zh="统一算例", en="worked example"), (W_Q, W_K)),
    (text(zh="换一个 W_K", en="another W_K"), (W_Q, OTHER_KEY)),
    (text(zh="W_K 取 W_Q", en="W_K = W_Q"), (W_Q, W_Q)),
    (text(zh="Q、K 不投影", en="no projection of Q, K"), (ONE, ONE)),
]


def view(*, step, of, cell, edit, x, w_q, w_k, w_v) -> View:
    calc = calculate(x, w_q, w_k, w_v)
    i, j = cell[0], min(cell[1], calc.result(step, of).shape[1] - 1)
    made, given = result(step, calc, of, i, j, _choose), operands(step, calc, of, i, j)
    shown = [made, *given] if step == INPUT else [*given, made]
    picture = [
        flow(FLOW, current=step),
        panel(STEPS[step], beside(*shown), working(*lines(step, calc, of, i, j))),
        _presets(w_q, w_k),
    ]
    return View(picture, _say(step, calc, of, i, j), SHAPES[step], _row(calc, i))


def _choose(i: int, j: int):
    return setter(cell=f"{i},{j}")


def _presets(w_q, w_k) -> Element:
    spelt = [[CONTROLS["w_q"].show(matrix) for matrix in both] for _, both in PRESETS]
    present = [CONTROLS["w_q"].show(matrix) for matrix in (w_q, w_k)]
    options = [
        (name, setter(w_q=query, w_k=key)) for (name, _), (query, key) in zip(PRESETS, spelt, strict=True)
    ]
    return presets(options, chosen=spelt.index(present) if present in spelt else None)


def _row(calc: Calculation, i: int) -> Element:
    """The whole way of one token, from its vector to its output."""
    steps = [
        (entry("x", i), calc.x[i]),
        (entry("q", i), calc.projected["Q"][i]),
        (entry("k", i), calc.projected["K"][i]),
        (entry("v", i), calc.projected["V"][i]),
        (f"{entry('q', i)} Kᵀ", calc.scores[i]),
        (f"{entry('q', i)} Kᵀ / √d_k", calc.scaled[i]),
        ("softmax", calc.weights[i]),
        (entry("o", i), calc.output[i]),
    ]
    rows = [[name, "[" + ", ".join(short(n, 4) for n in values.tolist()) + "]"] for name, values in steps]
    return table(ONE_TOKEN.format(token=entry("x", i)), [WHAT, NUMBERS], rows)


def _say(step: int, calc: Calculation, of: str, i: int, j: int) -> Text:
    row = "[" + ", ".join(short(float(n), 4) for n in calc.result(step, of)[i]) + "]"
    said = {
        "i": i + 1,
        "j": j + 1,
        "row": row,
        "of": of,
        "token": entry("x", i),
        "name": name_of(step, of, i, j),
        "sum": worked_out(step, calc, of, i, j),
        "root": short(ROOT, 4),
    }
    told = SAY[step].format(**said)
    if step == SCORE:
        return join([told, SYMMETRIC if _symmetric(calc.scores) else NOT_SYMMETRIC])
    if step == WEIGH and _symmetric(calc.scores) and not _symmetric(calc.weights):
        return join([told, _uneven(calc.weights)])
    return told


def _symmetric(values: np.ndarray) -> bool:
    return bool(np.array_equal(np.round(values, 9), np.round(values.T, 9)))


def _uneven(weights: np.ndarray) -> Text:
    """The pair of weights that differ most across the diagonal."""
    apart = np.round(np.abs(weights - weights.T), 9)
    a, b = (int(place) for place in np.unravel_index(int(apart.argmax()), apart.shape))
    pair = {"first": entry("A", a, b), "second": entry("A", b, a)}
    return UNEVEN.format(**pair, one=fmt(float(weights[a, b]), 4), other=fmt(float(weights[b, a]), 4))


FLOW = [
    ("X", ROOM),
    ("Q, K, V", ROOM),
    ("QKᵀ", SQUARE),
    ("÷ √d_k", SQUARE),
    ("softmax", SQUARE),
    ("· V", ROOM),
]
SHAPES = {
    INPUT: (f"X (S={TOKENS}, d_model={WIDTH})",),
    PROJECT: (f"X {ROOM}", f"W ({WIDTH}, {WIDTH})", f"X @ W {ROOM}"),
    SCORE: (f"Q {ROOM}", f"Kᵀ ({WIDTH}, {TOKENS})", f"Q @ Kᵀ {SQUARE}"),
    SCALE: (f"S {SQUARE}", f"S / √d_k {SQUARE}"),
    WEIGH: (f"Z {SQUARE}", f"softmax(Z) {SQUARE}"),
    MIX: (f"A {SQUARE}", f"V {ROOM}", f"A @ V {ROOM}"),
}
ONE_TOKEN = text(zh="{token} 走完全程", en="The whole way of {token}")
WHAT = text(zh="量", en="what")
NUMBERS = text(zh="数", en="numbers")
SAY = {
    INPUT: text(
        zh="X 的每一行是一个 token，每一列是一维：{token} 这一行是 {row}。同一个 X 要分别乘三个参数矩阵。",
        en="Each row of X is a token, each column a dimension: {token} is {row}. "
        "This one X is multiplied by three matrices of parameters.",
    ),
    PROJECT: text(
        zh="(3, 2) 乘 (2, 2)，中间的 2 消去，得 (3, 2)。{name} 是 {token} 乘 W_{of} 的第 {j} 列：{sum}。",
        en="(3, 2) times (2, 2): the inner 2 is summed away, which leaves (3, 2). "
        "{name} is {token} times column {j} of W_{of}: {sum}.",
    ),
    SCORE: text(
        zh="(3, 2) 乘 (2, 3)，d_k = 2 消去，得 (3, 3)：每个 token 对每个 token 一个得分。{name}：{sum}。",
        en="(3, 2) times (2, 3): d_k = 2 is summed away, which leaves (3, 3), a score for each pair. "
        "{name}: {sum}.",
    ),
    SCALE: text(
        zh="形状不变，每格除以 √d_k ≈ {root}。{name}：{sum}。",
        en="The shape stays, each entry is divided by √d_k ≈ {root}. {name}: {sum}.",
    ),
    WEIGH: text(
        zh="形状不变，每一行各做一次 softmax：第 {i} 行成了 {row}，加起来是 1。",
        en="The shape stays, each row has its own softmax: row {i} becomes {row}, which adds up to 1.",
    ),
    MIX: text(
        zh="(3, 3) 乘 (3, 2)，token 那一维消去，得 (3, 2)，与 X 同形。{token} 的输出是 {row}。",
        en="(3, 3) times (3, 2): the sum runs over the tokens and leaves (3, 2), the shape of X. "
        "The output of {token} is {row}.",
    ),
}
SYMMETRIC = text(
    zh="这张得分表是对称的：换过来问，得分一样。",
    en=" This table of scores is symmetric: asked the other way round, the score is the same.",
)
NOT_SYMMETRIC = text(
    zh="这张得分表不对称：i 看 j 和 j 看 i 是两回事。",
    en=" This table of scores is not symmetric: i asking j is not j asking i.",
)
UNEVEN = text(
    zh="得分对称，权重却不对称：{first} = {one}，{second} = {other}，因为两行的分母不同。",
    en=" The scores are symmetric, the weights are not: {first} = {one}, {second} = {other}, "
    "since the two rows have different sums.",
)
