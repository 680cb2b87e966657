"""The worked example's tokens in another order: what changes with positions, and what without."""

import numpy as np

from demos.kit import Text, View, beside, fmt, join, matrix_table, note, table, text
from demos.places.schemes import attend
from transformer_core import TOKENS

ORDERS = {
    "swap": text(zh="对调 x₁、x₃", en="x₁ and x₃ change places"),
    "turn": text(zh="轮换", en="all move on"),
    "same": text(zh="原样", en="unchanged"),
}
PLACES = {"swap": (2, 1, 0), "turn": (1, 2, 0), "same": (0, 1, 2)}


def shown(scheme: str, order: str, causal: bool) -> View:
    """The outputs in both orders, and by how much each token's own output has changed."""
    places = PLACES[order]
    before, after = attend(scheme, PLACES["same"], causal), attend(scheme, places, causal)
    moved = before[list(places)]
    apart = np.abs(after - moved).max(axis=1).round(9)
    tokens = [TOKENS[place] for place in places]
    kind = _kind(scheme, order, kept=not apart.any())
    picture = [
        beside(_outputs(BEFORE, TOKENS, before), _outputs(AFTER, tokens, after, places)),
        note({"kept": "warn", "mirror": "warn", "same": "plain"}.get(kind, "right"), NOTES[kind]),
    ]
    rows = [
        [f"{seat + 1}", token, _row(after[seat]), _row(moved[seat]), fmt(apart[seat])]
        for seat, token in enumerate(tokens)
    ]
    most = int(np.argmax(apart))
    said = {
        "token": tokens[most],
        "seat": most + 1,
        "before": _row(moved[most]),
        "after": _row(after[most]),
        "order": "[" + ", ".join(tokens) + "]",
    }
    numbers = table(NUMBERS, [SEAT, TOKEN, HERE, THERE, APART], rows)
    return View(picture, _say(kind, scheme, causal, said), ("X (3, 2)", "output (3, 2)"), numbers)


def _kind(scheme: str, order: str, *, kept: bool) -> str:
    if order == "same":
        return "same"
    if kept:
        return "kept" if scheme == "none" else "mirror"
    return "causal" if scheme == "none" else "changed"


def _outputs(name: Text, tokens, output: np.ndarray, places=(0, 1, 2)):
    """The outputs as a matrix; each row is tinted by its token, so that the eye can follow it."""
    tints = [[place / 2] * output.shape[1] for place in places]
    columns = [str(n + 1) for n in range(output.shape[1])]
    return matrix_table(output.tolist(), name=name, rows=tokens, columns=columns, shares=tints)


def _row(values: np.ndarray) -> str:
    return "[" + ", ".join(fmt(value) for value in values) + "]"


def _say(kind: str, scheme: str, causal: bool, said: dict) -> Text:
    if kind == "same":
        return SAY["same"]
    too = CAUSAL_TOO if causal and kind == "changed" else ""
    return join([SAY[kind].format(**said), too])


BEFORE = text(zh="原来的次序：输出", en="Original order: the output")
AFTER = text(zh="换了座位：输出", en="Other seats: the output")
NUMBERS = text(zh="每个 token 的输出变了没有", en="Whether each token’s output has changed")
SEAT = text(zh="座位", en="seat")
TOKEN = text(zh="token", en="token")
HERE = text(zh="现在的输出", en="its output now")
THERE = text(zh="原来的输出", en="its output before")
APART = text(zh="相差", en="apart")
NOTES = {
    "same": text(zh="次序没有变。选一种换法。", en="The order is unchanged. Choose another."),
    "kept": text(
        zh="每个 token 的输出一个数都没变，只是跟着换了行：它看不见次序。",
        en="No token’s output has changed by a digit, the rows only moved along: order is not seen.",
    ),
    "mirror": text(
        zh="整句倒过来，两两的距离都没变，偏置也就没变：只认距离、不认前后的偏置看不出倒序。ALiBi "
        "要配因果掩码。",
        en="Read backwards, every distance is the same, and so is the bias: one that knows distances and no "
        "direction does not see it. ALiBi goes with a causal mask.",
    ),
    "changed": text(
        zh="同一个 token，换了座位，输出就变了：次序看得见了。",
        en="The same tokens in other seats have other outputs: order is seen.",
    ),
    "causal": text(
        zh="没有位置编码，可是因果掩码让前面的看得少、后面的看得多：次序漏了进来。",
        en="There are no positions, but under the causal mask early seats see less than late ones: order "
        "leaks in.",
    ),
}
SAY = {
    "same": text(zh="这是原来的次序，两边一样。", en="This is the original order; both sides are the same."),
    "kept": text(
        zh="次序换成 {order}，没有位置编码：Attn(PX) = P·Attn(X)，{token} 的输出还是 {before}。",
        en="In the order {order} and without positions Attn(PX) = P·Attn(X): the output of {token} is still "
        "{before}.",
    ),
    "mirror": text(
        zh="次序换成 {order}，正好倒过来：{token} 的输出还是 {before}。换成轮换，或加上因果掩码再看。",
        en="The order {order} is the sentence backwards: the output of {token} is still {before}. Let all "
        "move "
        "on instead, or add the causal mask.",
    ),
    "changed": text(
        zh="次序换成 {order}：{token} 坐第 {seat} 个座位，输出从 {before} 变成 {after}。",
        en="In the order {order}, the output of {token}, in seat {seat}, goes from {before} to {after}.",
    ),
    "causal": text(
        zh="次序换成 {order}，不加位置编码：只因为有因果掩码，{token} 的输出就从 {before} 变成 {after}。",
        en="In the order {order}, without positions: by the causal mask alone the output of {token} goes "
        "from "
        "{before} to {after}.",
    ),
}
CAUSAL_TOO = text(zh="因果掩码也在起作用。", en=" The causal mask does its part too.")
