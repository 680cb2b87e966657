"""Attention by hand, on three tokens of two dimensions: watch it, change it, or work it out yourself."""

from demos.handcalc.calculation import (
    INPUT,
    MIX,
    PROJECT,
    PROJECTIONS,
    SCALE,
    SCORE,
    STEPS,
    TOKENS,
    WEIGH,
    WIDTH,
    Calculation,
    calculate,
)
from demos.handcalc.pictures import operands, result, shaped
from demos.handcalc.saying import COLON, names, say, say_tried
from demos.handcalc.slips import Diagnosis, diagnose
from demos.handcalc.written import in_letters, lines, name_of, worked_out
from demos.kit import (
    Element,
    Text,
    View,
    answers,
    beside,
    entry,
    matrix,
    matrix_table,
    note,
    panel,
    pick,
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

TITLE = text(zh="三个 token 的注意力，亲手算一遍", en="Attention by hand, on three tokens")
MODES = {
    "watch": text(zh="看着算", en="Watch"),
    "edit": text(zh="改数字", en="Change the numbers"),
    "try": text(zh="我来算", en="Let me try"),
}
EDITED = {"low": -5, "high": 5, "step": 1, "when": "mode=edit"}


def _answers(columns: int, name: str, when: str):
    label = text(zh=f"你算的 {name}", en=f"Your {name}")
    return answers(TOKENS, columns, label=label, when=f"mode=try&{when}")


CONTROLS = {
    "step": stepper(STEPS, label=text(zh="步骤", en="Step")),
    "mode": pick(list(MODES.items()), value="watch", label=text(zh="做法", en="Mode")),
    "of": pick(
        [(name, name) for name in PROJECTIONS],
        value="Q",
        label=text(zh="哪个投影", en="Which projection"),
        when="step=1",
    ),
    "causal": toggle(False, label=text(zh="因果掩码", en="Causal mask"), when="step=4,5"),
    "cell": spot(TOKENS, TOKENS, value=(1, 2), label=text(zh="选中的格", en="Chosen entry")),
    "x": matrix(X.tolist(), label=text(zh="输入 X", en="Input X"), **EDITED),
    "w_q": matrix(W_Q.tolist(), label=text(zh="参数 W_Q", en="Parameters W_Q"), **EDITED),
    "w_k": matrix(W_K.tolist(), label=text(zh="参数 W_K", en="Parameters W_K"), **EDITED),
    "w_v": matrix(W_V.tolist(), label=text(zh="参数 W_V", en="Parameters W_V"), **EDITED),
    "try_q": _answers(WIDTH, "Q", "step=1&of=Q"),
    "try_k": _answers(WIDTH, "K", "step=1&of=K"),
    "try_v": _answers(WIDTH, "V", "step=1&of=V"),
    "try_scores": _answers(TOKENS, "S", "step=2"),
    "try_scaled": _answers(TOKENS, "Z", "step=3"),
    "try_weights": _answers(TOKENS, "A", "step=4"),
    "try_output": _answers(WIDTH, "O", "step=5"),
}


def view(
    *,
    step,
    mode,
    of,
    causal,
    cell,
    x,
    w_q,
    w_k,
    w_v,
    try_q,
    try_k,
    try_v,
    try_scores,
    try_scaled,
    try_weights,
    try_output,
) -> View:
    calc = calculate(x, w_q, w_k, w_v, causal)
    typed = {
        PROJECT: {"Q": try_q, "K": try_k, "V": try_v}[of],
        SCORE: try_scores,
        SCALE: try_scaled,
        WEIGH: try_weights,
        MIX: try_output,
    }
    i, j = cell[0], min(cell[1], calc.result(step, of).shape[1] - 1)
    if mode == "try" and step != INPUT:
        return _tried(step, calc, of, i, j, typed[step])
    return _watched(step, calc, of, i, j, note("plain", NOTHING_TO_TRY) if mode == "try" else None)


def _watched(step: int, calc: Calculation, of: str, i: int, j: int, remark: Element | None) -> View:
    made = result(step, calc, of, i, j, _choose)
    shown = (
        [made, *operands(step, calc, of, i, j)] if step == INPUT else [*operands(step, calc, of, i, j), made]
    )
    picture = panel(STEPS[step], beside(*shown), working(*lines(step, calc, of, i, j)), remark)
    return View(picture, say(step, calc, of, i, j), _shapes(step, calc, of), _every_entry(step, calc, of))


def _tried(step: int, calc: Calculation, of: str, i: int, j: int, typed) -> View:
    found = diagnose(step, calc, of, typed)
    known = (i, j) in found.right
    hints = [note("wrong", names(step, of, places), COLON, hint) for hint, places in found.by_hint()]
    done = note("right", ALL_RIGHT) if found.done else None
    given = operands(step, calc, of, i, j)
    # the exponentials and their sums belong to the answer
    given = given[:1] if step == WEIGH else given
    letters = f"{name_of(step, of, i, j)} = {in_letters(step, of, i, j)}"
    recipe = [EXP_FIRST, letters] if step == WEIGH else [letters]
    shown = lines(step, calc, of, i, j) if known else recipe
    grids = beside(*given, _checked(step, calc, of, i, j, typed, found))
    picture = panel(STEPS[step], grids, working(*shown), *hints, done)
    numbers = _every_entry(step, calc, of) if found.done else None
    return View(picture, say_tried(step, of, found), _shapes(step, calc, of), numbers)


def _checked(step: int, calc: Calculation, of: str, i: int, j: int, typed, found: Diagnosis):
    """What the reader typed, each entry with its verdict."""

    def verdict(row: int, column: int) -> str | None:
        if (row, column) in found.right:
            return "right"
        return "wrong" if (row, column) in found.wrong else None

    def shown(place: tuple[int, int]) -> str:
        value = typed[place[0]][place[1]]
        sign = {"right": " ✓", "wrong": " ✗", None: ""}[verdict(*place)]
        return "?" if value is None else short(value, 6) + sign

    answer = calc.result(step, of)
    square = answer.shape[1] == TOKENS
    rows = "q" if square else {PROJECT: of.lower(), MIX: "o"}[step]
    return matrix_table(
        [[(row, column) for column in range(answer.shape[1])] for row in range(TOKENS)],
        name=shaped(YOURS, answer),
        rows=[entry(rows, n) for n in range(TOKENS)],
        columns=[entry("k", n) if square else n + 1 for n in range(answer.shape[1])],
        show=shown,
        selected=(i, j),
        set_cell=_choose,
        mark=verdict,
    )


def _choose(i: int, j: int):
    return setter(cell=f"{i},{j}")


def _every_entry(step: int, calc: Calculation, of: str):
    """The arithmetic of all entries of the step."""
    if step == INPUT:
        rows = [
            [f"W_{name}", *(short(value, 4) for value in values.ravel().tolist())]
            for name, values in calc.projections.items()
        ]
        heads = [f"({i + 1}, {j + 1})" for i in range(WIDTH) for j in range(WIDTH)]
        return table(PARAMETERS, [MATRIX, *heads], rows)
    answer = calc.result(step, of)
    places = [(i, j) for i in range(answer.shape[0]) for j in range(answer.shape[1])]
    rows = [[name_of(step, of, i, j), worked_out(step, calc, of, i, j)] for i, j in places]
    return table(EVERY, [ENTRY, ARITHMETIC], rows)


def _shapes(step: int, calc: Calculation, of: str) -> tuple[Text, ...]:
    """The shapes of the step, from left to right."""
    used = {
        INPUT: [("X", calc.x), *((f"W_{name}", values) for name, values in calc.projections.items())],
        PROJECT: [("X", calc.x), (f"W_{of}", calc.projections[of]), (of, calc.projected[of])],
        SCORE: [("Q", calc.projected["Q"]), ("Kᵀ", calc.projected["K"].T), ("S", calc.scores)],
        SCALE: [("S", calc.scores), ("Z", calc.scaled)],
        WEIGH: [("Z", calc.masked), ("E", calc.exponentials), ("A", calc.weights)],
        MIX: [("A", calc.weights), ("V", calc.projected["V"]), ("O", calc.output)],
    }
    return tuple(shaped(name, values) for name, values in used[step])


YOURS = text(zh="你的答案", en="your answers")
ENTRY = text(zh="格", en="entry")
ARITHMETIC = text(zh="算式", en="arithmetic")
EVERY = text(zh="这一步每一格的算式", en="The arithmetic of every entry of this step")
MATRIX = text(zh="矩阵", en="matrix")
PARAMETERS = text(zh="三个投影矩阵", en="The three projection matrices")
ALL_RIGHT = text(zh="这一步全部算对，可以走下一步了。", en="All of this step is right; go on to the next.")
NOTHING_TO_TRY = text(
    zh="第 0 步只看输入，没有要算的；点「下一步」开始。",
    en="Step 0 is the input, with nothing to work out; press “Next” to begin.",
)
EXP_FIRST = text(
    zh="先算 E = e^Z（被遮住的为 0），再除以这一行的和：",
    en="First E = e^Z (0 where hidden), then divide by the row’s sum:",
)
