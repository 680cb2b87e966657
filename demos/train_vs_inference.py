"""Training in one forward pass, inference token by token: the work of both, counted, and their logits."""

import numpy as np

from demos.generating.tiny import CONFIG, STEPS, TOKENS, Inference, Training, infer, total, train
from demos.kit import (
    Text,
    View,
    Words,
    beside,
    fmt,
    grouped,
    matrix_table,
    note,
    panel,
    percent,
    pick,
    power_of_ten,
    stepper,
    table,
    text,
    toggle,
    token_row,
)
from transformer_core import softmax

PREDICTED = 0.4  # tint of a token that has been predicted
EQUAL = -12  # logits that differ by less than this power of ten differ by rounding alone

TITLE = text(zh="训练一次看完，推理逐个生成", en="Training in one pass, inference token by token")
CONTROLS = {
    "mode": pick(
        [("train", text(zh="训练", en="training")), ("infer", text(zh="推理", en="inference"))],
        value="train",
        label=text(zh="运行", en="Run"),
    ),
    "step": stepper(
        [text(zh=f"第 {n + 1} 次前向的时刻", en=f"time of pass {n + 1}") for n in range(STEPS)],
        label=text(zh="时刻", en="Time"),
        pace="speed",
    ),
    "cache": toggle(True, label=text(zh="KV 缓存", en="KV cache"), when="mode=infer"),
    "causal": toggle(True, label=text(zh="训练时用因果掩码", en="Causal mask in training")),
    "speed": pick(
        [
            ("2400", text(zh="慢", en="slow")),
            ("1600", text(zh="正常", en="normal")),
            ("700", text(zh="快", en="fast")),
        ],
        value="1600",
        label=text(zh="播放速度", en="Play speed"),
    ),
}


def view(*, mode: str, step: int, cache: bool, causal: bool, speed: str) -> View:
    taught, said = train(causal), infer(cache)
    passes = 1 if mode == "train" else step + 1
    known = STEPS if mode == "train" else passes  # positions whose prediction is there
    picture = [
        panel(TRAIN_TEXT if mode == "train" else INFER_TEXT, _text(mode, known, said)),
        beside(
            panel(GRID, _grid(mode, step, said)),
            panel(WORK.format(n=step + 1), _work(mode, step, cache, taught)),
        ),
        panel(AGREE, _agreement(known, taught, said)),
        note("plain", HONEST),
    ]
    sentence = _say(mode, step, cache, causal, taught, said)
    return View(picture, sentence, _shapes(mode, step, cache), _all(taught, said))


def _text(mode: str, known: int, said: Inference):
    """The text as it stands: given whole in training, as far as it has been said in inference."""
    if mode == "train":
        return token_row(TOKENS, shares=[0.0, *[PREDICTED] * STEPS])
    words = [TOKENS[token] for token in said.tokens[: known + 1]]
    shares = [0.0, *[PREDICTED] * known, *[0.0] * (STEPS - known)]
    return token_row([*words, *["…"] * (STEPS - known)], shares=shares, chosen=known)


def _grid(mode: str, step: int, said: Inference):
    """Passes down, positions across: what went through the model in each pass."""
    rows = []
    for number in range(STEPS):
        if mode == "train":
            rows.append([COMPUTED if number == 0 else DONE] * STEPS)
        elif number > step:
            rows.append([WAITING] * STEPS)
        else:
            fed = said.steps[number].fed.shape[-1]
            first = number + 1 - fed
            rows.append([_cell(number, place, first) for place in range(STEPS)])
    return matrix_table(
        rows,
        name=LEGEND[mode],
        rows=[PASS.format(n=n + 1) for n in range(STEPS)],
        columns=[str(n + 1) for n in range(STEPS)],
        show=lambda cell: cell,
        shares=[[1.0 if cell == COMPUTED else 0.0 for cell in row] for row in rows],
        mark=lambda i, j: "hidden" if rows[i][j] in (WAITING, DONE) else None,
        lit_rows=[0 if mode == "train" else step],
    )


def _cell(number: int, place: int, first: int) -> Words:
    if place > number:
        return WAITING
    return COMPUTED if place >= first else CACHED


def _work(mode: str, step: int, cache: bool, taught: Training):
    """All three ways beside each other, at this time."""
    counts = [[1, *taught.work]]
    for use_cache in (False, True):
        steps = infer(use_cache).steps[: step + 1]
        counts.append([len(steps), *total([each.work for each in steps])])
    return matrix_table(
        counts,
        name=COUNTED.format(layers=CONFIG.n_layers, heads=CONFIG.n_heads),
        rows=[TRAINING, NO_CACHE, WITH_CACHE],
        columns=[PASSES, PROJECTIONS, PRODUCTS],
        show=grouped,
        lit_rows=[0 if mode == "train" else 1 + cache],
    )


def _agreement(known: int, taught: Training, said: Inference):
    rows = []
    for place in range(known):
        ours, theirs = taught.logits[place], said.steps[place].logits
        top = said.tokens[place + 1]
        name = f"{place + 1} {TOKENS[said.tokens[place]]} → {TOKENS[top]}"
        rows.append([name, fmt(ours[top]), fmt(theirs[top]), _gap(ours - theirs)])
    return table(LOGITS, [PREDICTS, TRAINING, INFERENCE, GAP], rows)


def _gap(difference: np.ndarray) -> str:
    """The largest difference; rounding noise is no number that two machines agree on."""
    largest = float(np.abs(difference).max())
    return f"< {power_of_ten(EQUAL)}" if largest < 10.0**EQUAL else fmt(largest)


def _say(mode: str, step: int, cache: bool, causal: bool, taught: Training, said: Inference) -> Text:
    known = STEPS if mode == "train" else step + 1
    done = said.steps[:known]
    work = taught.work if mode == "train" else total([each.work for each in done])
    words = SAY_TRAIN if mode == "train" else SAY_CACHED if cache else SAY_UNCACHED
    gap = _gap(taught.logits[:known] - np.array([each.logits for each in done]))
    return words.format(
        n=known,
        word=TOKENS[said.tokens[known]],
        fed=done[-1].fed.shape[-1],
        projections=work.token_projections,
        products=work.dot_products,
    ) + (SAY_EQUAL if causal else SAY_LEAK).format(gap=gap)


def _shapes(mode: str, step: int, cache: bool) -> tuple[str, ...]:
    d, H, d_k = CONFIG.d_model, CONFIG.n_heads, CONFIG.head_width
    S_q = STEPS if mode == "train" else 1 if cache else step + 1
    S_k = STEPS if mode == "train" else step + 1
    return (
        f"x (1, {S_q}, {d})",
        f"query (1, {H}, {S_q}, {d_k})",
        f"key (1, {H}, {S_k}, {d_k})",
        f"scores (1, {H}, {S_q}, {S_k})",
        f"logits (1, {S_q}, {len(TOKENS)})",
    )


def _all(taught: Training, said: Inference) -> list:
    rows = [f"{place + 1} {TOKENS[place]}" for place in range(STEPS)]
    theirs = [each.logits.tolist() for each in said.steps]
    chances = []
    for place, row in enumerate(rows):
        token = said.tokens[place + 1]
        chances.append([f"{row} → {TOKENS[token]}", percent(float(softmax(theirs[place])[token]))])
    return [
        matrix_table(taught.logits.tolist(), name=ALL_TRAINING, rows=rows, columns=TOKENS),
        matrix_table(theirs, name=ALL_INFERENCE, rows=rows, columns=TOKENS),
        table(CHANCES, [PREDICTS, CHANCE], chances),
    ]


TRAIN_TEXT = text(
    zh="训练：整句已知，每个位置都预测下一个 token",
    en="Training: the text is known, each position predicts the next",
)
INFER_TEXT = text(zh="推理：说到这里", en="Inference: said so far")
GRID = text(zh="每次前向算了哪些位置", en="Which positions each pass computed")
LEGEND = {
    "train": text(
        zh="行是前向，列是位置：●算了，—已结束", en="Rows: passes, columns: positions. ● computed, — over"
    ),
    "infer": text(
        zh="行是前向，列是位置：●算了，○取自缓存，·还没有",
        en="Rows: passes, columns: positions. ● computed, ○ from the cache, · not yet",
    ),
}
COMPUTED, CACHED, WAITING, DONE = "●", "○", "·", "—"
PASS = text(zh="第 {n} 次", en="pass {n}")
WORK = text(zh="到第 {n} 次前向的时刻，累计做了多少", en="Work done by the time of pass {n}")
COUNTED = text(
    zh="从真正运行时的数组上数出来（{layers} 层、{heads} 个头）",
    en="Counted on the arrays of the run ({layers} layers, {heads} heads)",
)
TRAINING = text(zh="训练", en="training")
INFERENCE = text(zh="推理", en="inference")
NO_CACHE = text(zh="推理，无缓存", en="no cache")
WITH_CACHE = text(zh="推理，有缓存", en="KV cache")
PASSES = text(zh="前向", en="passes")
PROJECTIONS = text(zh="投影", en="projections")
PRODUCTS = text(zh="点积", en="q·k")
AGREE = text(zh="两边的 logits 一样吗？", en="Do the logits agree?")
LOGITS = text(
    zh="预测 token 的 logit，和全词表的最大差", en="Logit of the predicted token; largest gap over all"
)
PREDICTS = text(zh="预测", en="prediction")
GAP = text(zh="最大差", en="gap")
HONEST = text(
    zh="模型很小：权重是随机的，只有最后的输出矩阵按这句话拟合过；每个数都是真跑出来的。",
    en="A tiny model: random weights, and a last matrix fitted to this sentence. All numbers are from runs.",
)
ALL_TRAINING = text(zh="训练：每个位置的全部 logits", en="Training: all logits of every position")
ALL_INFERENCE = text(zh="推理：每一步的全部 logits", en="Inference: all logits of every step")
CHANCES = text(zh="推理时选中 token 的概率", en="Probability of the chosen token in inference")
CHANCE = text(zh="概率", en="probability")
SAY_TRAIN = text(
    zh="训练只用 1 次前向就得到全部 {n} 个位置的预测：{projections} 次 token 投影、{products} 个点积"
    "（被掩码遮住的也算了）。",
    en="Training has the predictions of all {n} positions after 1 pass: {projections} token projections and "
    "{products} dot products, those behind the mask included. ",
)
SAY_CACHED = text(
    zh="第 {n} 次前向只送进 {fed} 个 token，生成了「{word}」；有缓存，累计 {projections} 次 token 投影、"
    "{products} 个点积。",
    en="Pass {n} is fed {fed} token and says “{word}”; with the cache that makes {projections} token "
    "projections and {products} dot products so far. ",
)
SAY_UNCACHED = text(
    zh="第 {n} 次前向送进从头开始的全部 token（{fed} 个），生成了「{word}」；"
    "累计 {projections} 次 token 投影、{products} 个点积。",
    en="Pass {n} is fed all the text from the start (tokens: {fed}) and says “{word}”: {projections} token "
    "projections and {products} dot products so far. ",
)
SAY_EQUAL = text(
    zh="两边 logits 的最大差：{gap}，是同一个函数。",
    en="Largest gap between the logits of training and inference: {gap}. It is the same function.",
)
SAY_LEAK = text(
    zh="去掉因果掩码，训练与推理的 logits 最大差是 {gap}：每个位置都偷看了后面的答案，"
    "算的不再是推理要用的函数。",
    en="Without the causal mask the logits of training and inference are up to {gap} apart: "
    "each position peeks at the answers, and what is trained is not what inference runs.",
)
