"""What a mask does to scores and weights: whom it hides, with what, and whether it comes in time."""

import numpy as np

from demos.kit import (
    Element,
    Text,
    View,
    Words,
    fmt,
    join,
    matrix_table,
    note,
    panel,
    percent,
    pick,
    scientific,
    stepper,
    table,
    text,
    toggle,
)
from demos.masking import wording as say
from demos.masking.cases import (
    FILLS,
    MASKED,
    MASKS,
    SCORES,
    WEIGHTS,
    Sequence,
    judge,
    sequence,
    stages,
    visible,
)
from transformer_core import TOKENS, softmax

TITLE = text(zh="掩码：遮谁，填什么，什么时候遮", en="Masks: whom they hide, with what, and when")
CONTROLS = {
    "stage": stepper(
        [
            text(zh="缩放后的得分", en="Scaled scores"),
            text(zh="中间一步", en="In between"),
            text(zh="最后的权重", en="Final weights"),
        ],
        label=text(zh="阶段", en="Stage"),
    ),
    "data": pick(
        [
            ("we", text(zh="统一算例", en="worked example")),
            ("right", text(zh="右边填充", en="padded right")),
            ("left", text(zh="左边填充", en="padded left")),
        ],
        value="we",
        label=text(zh="序列", en="Sequence"),
    ),
    "mask": pick(list(MASKS.items()), value="causal", label=text(zh="掩码", en="Mask")),
    "fill": pick(
        [(key, name) for key, (name, _, _) in FILLS.items()], value="inf", label=text(zh="填入", en="Fill in")
    ),
    "late": toggle(False, label=text(zh="softmax 之后才遮", en="Mask after the softmax")),
}


def view(*, stage: int, data: str, mask: str, fill: str, late: bool) -> View:
    shown, made, seen = sequence(data), stages(data, mask, fill, late), visible(data, mask)
    picture = panel(
        _caption(stage, late),
        _matrix(shown, made[stage], seen, stage, late),
        *(_verdict(data, mask, fill, late) if stage == WEIGHTS else []),
    )
    size, count = (len(shown.tokens), shown.d_k), len(shown.tokens)
    shapes = f"query {size}", f"key {size}", f"scores, attn_mask, weights ({count}, {count})"
    return View(picture, _say(stage, data, mask, fill, late), shapes, _all_ways(data, mask))


def _verdict(data: str, mask: str, fill: str, late: bool) -> list[Element]:
    found = judge(data, mask, fill, late)
    verdict = say.VERDICTS[found.kind]
    if not found.empty:
        return [note("right" if found.kind == "right" else "wrong", verdict)]
    apart = join([verdict, say.APART.format(count=found.empty)])
    return [note("warn" if found.kind == "right" else "wrong", apart), _empty_row(data)]


def _matrix(shown: Sequence, values: np.ndarray, seen: np.ndarray, stage: int, late: bool) -> Element:
    weights = stage == WEIGHTS or (stage == MASKED and late)
    digits = 3 if len(shown.tokens) == len(TOKENS) else 2
    numbers = values.astype(np.float64)

    def mark(i: int, j: int) -> str | None:
        if seen[i, j]:
            return None
        return "wrong" if stage == WEIGHTS and numbers[i, j] != 0 else "hidden"

    sums = [_number(total, digits) for total in numbers.sum(axis=-1).tolist()]
    return matrix_table(
        numbers.tolist(),
        name=say.ROWS_COLUMNS,
        rows=shown.tokens,
        columns=shown.tokens,
        show=lambda value: _number(value, digits),
        shares=numbers.tolist() if weights else None,
        mark=mark,
        totals=(say.SUM, sums) if weights else None,
    )


def _number(value: float, digits: int = 3) -> str:
    if value == 0:
        return "0"  # a true zero, not a rounded one
    return scientific(value, 0) if 1e6 <= abs(value) < np.inf else fmt(value, digits)


def _empty_row(data: str) -> Element:
    """What becomes of a row that sees no key: computed here, and measured in two libraries."""
    row = np.full(len(sequence(data).tokens), -np.inf, dtype=np.float32)
    with np.errstate(invalid="ignore"):  # 0/0: what the bare formula gives
        raised = np.exp(row)
        bare = raised / raised.sum()

    def number(values: np.ndarray) -> str:
        return _number(float(values[0]))  # all the same

    return table(
        say.EMPTY,
        [say.WAY, say.RESULT],
        [
            [say.OURS, number(softmax(row))],
            [say.BARE, number(bare)],
            [say.FINITE, number(softmax(np.full_like(row, -1e9)))],
            ["PyTorch 2.13 SDPA", say.ZERO_OUTPUT],
            ["PyTorch 2.13 softmax", "NaN"],
            ["PyTorch 2.13 MultiheadAttention", "NaN"],
            ["JAX 0.10 dot_product_attention", say.EQUAL_SHARES],
            ["JAX 0.10 softmax", "NaN"],
        ],
    )


def _all_ways(data: str, mask: str) -> Element:
    """Every fill, before and after the softmax, under the present mask."""
    rows: list[list[Words]] = []
    for late in (False, True):
        for fill, (name, _, _) in FILLS.items():
            found = judge(data, mask, fill, late)
            way = (say.AFTER if late else say.BEFORE).format(fill=name)
            sums = [_number(found.lowest), _number(found.highest)]
            rows.append([way, *sums, percent(found.leak), say.MARKS[found.kind]])
    return table(
        say.WAYS.format(mask=MASKS[mask]), [say.WAY, say.LOWEST, say.HIGHEST, say.LEAK, say.VERDICT], rows
    )


def _caption(stage: int, late: bool) -> Text:
    if stage == MASKED:
        return say.UNMASKED_WEIGHTS if late else say.MASKED_SCORES
    return say.SCALED if stage == SCORES else say.LATE_WEIGHTS if late else say.FINAL_WEIGHTS


def _say(stage: int, data: str, mask: str, fill: str, late: bool) -> Text:
    shown, made, seen = sequence(data), stages(data, mask, fill, late), visible(data, mask)
    at = 1 if data == "we" else shown.tokens.index("my")
    row = made[stage][at].astype(np.float64).tolist()
    said: dict[str, Words] = {
        "token": shown.tokens[at],
        "row": "[" + ", ".join(_number(value) for value in row) + "]",
        "hidden": int((~seen).sum()),
        "mask": MASKS[mask],
        "fill": FILLS[fill][0],
    }
    if seen.all() and (stage == WEIGHTS or (stage == MASKED and late)):
        kept = say.NOTHING_HIDDEN_WEIGHTS["future" if data == "we" else "padding"]
        return kept.format(**said, lost=_lost(data))
    if seen.all():
        return say.NOTHING_HIDDEN.format(**said)
    if stage == SCORES:
        return say.SAY_SCORES.format(**said)
    if stage == MASKED:
        if late:
            plain = np.where(seen, 0, made.between.astype(np.float64)).sum(axis=-1)
            return say.SAY_TOO_LATE.format(**said, share=percent(float(plain.max())))
        return join([say.SAY_MASKED.format(**said), say.HALF if fill == "half" else ""])
    found = judge(data, mask, fill, late)
    said |= {"lowest": _number(found.lowest), "leak": percent(found.leak)}
    reasons = say.SAY_BREAKS if found.kind == "breaks" else say.SAY_SUMS
    reason = ("zero" if fill == "zero" else "big") if found.kind == "breaks" else found.kind
    empty = say.SAY_EMPTY[_fate(fill, late)].format(count=found.empty, fill=FILLS[fill][0])
    return join([reasons[reason].format(**said), empty if found.empty else ""])


def _fate(fill: str, late: bool) -> str:
    """What a row that sees no key comes out as."""
    if late:
        return "filled"
    return "zeros" if fill in ("inf", "half") else "equal"


def _lost(data: str) -> str:
    """The share that a row gives to what a mask would have hidden: the future of q₁, or the padding."""
    shown = sequence(data)
    at, hidden = (0, "causal") if data == "we" else (shown.tokens.index("my"), "padding")
    weights = softmax(shown.scaled)[at]
    return percent(float(weights[~visible(data, hidden)[at]].sum()))
