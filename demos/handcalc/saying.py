"""What the hand calculation says in words: a step that is watched, and answers that are checked."""

from decimal import Decimal

from demos.handcalc.calculation import (
    INPUT,
    PROJECT,
    ROOT,
    SCALE,
    SCORE,
    TOKENS,
    WEIGH,
    Calculation,
)
from demos.handcalc.slips import TOLERANCE, Diagnosis
from demos.handcalc.written import name_of
from demos.kit import Text, entry, fmt, join, short, text


def say(step: int, calc: Calculation, of: str, i: int, j: int) -> Text:
    """What the chosen entry shows at this step."""
    value = float(calc.result(step, of)[i, j])
    name = name_of(step, of, i, j)
    row = [float(number) for number in calc.result(step, of)[i]]
    digits = fmt if step == WEIGH else short
    shown = "[" + ", ".join(digits(number, 4) for number in row) + "]"
    said = {"name": name, "i": i + 1, "j": j + 1, "value": short(value, 4), "row": shown, "of": of}
    if step == INPUT:
        return SAY_INPUT.format(**said, token=entry("x", i))
    if step == PROJECT:
        return SAY_PROJECT.format(**said)
    if step == SCORE:
        return SAY_SCORE.format(**said)
    if step == SCALE:
        before = short(float(calc.scores[i, j]), 4)
        return SAY_SCALE.format(**said, root=short(ROOT, 4), before=before)
    if step == WEIGH:
        strongest = max(range(TOKENS), key=lambda n: (round(row[n], 9), -n))
        seen = int(calc.visible[i].sum())
        said |= {"seen": seen, "strongest": strongest + 1, "largest": fmt(row[strongest], 4)}
        weights = (SAY_WEIGH if calc.visible.all() else SAY_WEIGH_CAUSAL).format(**said)
        whole = sum(Decimal(fmt(number, 4)) for number in row)
        return weights if whole == 1 else weights + SAY_ROUNDED.format(whole=str(whole))
    mixed = [f"{fmt(float(calc.weights[i, n]), 4)}·{entry('v', n)}" for n in range(TOKENS)]
    return SAY_MIX.format(**said, mixture=" + ".join(mixed))


def say_tried(step: int, of: str, found: Diagnosis) -> Text:
    """How the reader's answers stand, with the hint that explains most of them."""
    count = len(found.right) + len(found.wrong) + found.blank
    counts = {"count": count, "right": len(found.right), "wrong": len(found.wrong), "blank": found.blank}
    if found.blank == count:
        return SAY_EMPTY.format(count=count, tolerance=short(TOLERANCE))
    said = SAY_COUNT.format(**counts)
    if found.done:
        return join([said, GAP, SAY_DONE])
    if not found.wrong:
        return said
    hint, places = found.by_hint()[0]
    return join([said, GAP, names(step, of, places), COLON, hint])


def names(step: int, of: str, places: list[tuple[int, int]]) -> Text:
    """The names of entries, as a list."""
    named = [name_of(step, of, *place) for place in places]
    return Text("、".join(named), ", ".join(named))


GAP = text(zh="", en=" ")
COLON = text(zh="：", en=": ")
SAY_INPUT = text(
    zh="X 的每一行是一个 token 的向量：{token} 的第 {j} 维是 {value}，整行是 {row}。"
    "三个投影矩阵本该学出来，这里给定。",
    en="Each row of X is a token’s vector: entry {j} of {token} is {value}, the row is {row}. "
    "The three projection matrices are learned; here they are given.",
)
SAY_PROJECT = text(
    zh="X 的第 {i} 行乘 W_{of} 的第 {j} 列，得 {name}，是 {value}；这个 token 的整行是 {row}，"
    "与别的 token 无关。",
    en="Row {i} of X times column {j} of W_{of} gives {name} = {value}; this token’s row is {row}, "
    "and no other token had a part in it.",
)
SAY_SCORE = text(
    zh="第 {i} 个 token 的 query 与第 {j} 个 token 的 key 的点积是 {name} = {value}；"
    "它对三个 key 的得分是 {row}。",
    en="Query {i} times key {j} is {name} = {value}; this query’s scores for the three keys are {row}.",
)
SAY_SCALE = text(
    zh="每个得分除以 √2 ≈ {root}：{before} 变成 {name} = {value}。大小次序不变，差距变小。",
    en="Each score is divided by √2 ≈ {root}: {before} becomes {name} = {value}. "
    "The order stays, the gaps shrink.",
)
SAY_WEIGH = text(
    zh="第 {i} 行的权重是 {row}，加起来是 1；最大的一份 {largest} 给第 {strongest} 个 token。",
    en="The weights of row {i} are {row} and add up to 1; the largest, {largest}, is for token {strongest}.",
)
SAY_ROUNDED = text(
    zh="（舍入到四位小数后相加是 {whole}。）",
    en=" (Rounded to four decimals they add up to {whole}.)",
)
SAY_WEIGH_CAUSAL = text(
    zh="有因果掩码：第 {i} 个 token 只看得到前 {seen} 个，权重是 {row}，加起来仍是 1，最大的是 {largest}。",
    en="With the causal mask token {i} sees the first {seen} only; its weights {row} still add up to 1, "
    "and the largest is {largest}.",
)
SAY_MIX = text(
    zh="第 {i} 个 token 的输出是三个 value 的加权平均：{mixture}，得 {row}；选中的 {name} 是 {value}。",
    en="The output of token {i} is a weighted mean of the three values: {mixture}, which gives {row}; "
    "the chosen entry {name} is {value}.",
)
SAY_EMPTY = text(
    zh="{count} 个空等你来填；与准确值相差不超过 {tolerance} 就算对，算错的会得到提示。",
    en="{count} entries to fill in; within {tolerance} of the exact value counts as right, "
    "and a wrong one gets a hint.",
)
SAY_COUNT = text(
    zh="{count} 格里对了 {right} 格，错 {wrong} 格，还空 {blank} 格。",
    en="Of {count} entries {right} are right, {wrong} wrong, {blank} still blank.",
)
SAY_DONE = text(zh="这一步全部算对。", en="The whole step is right.")
