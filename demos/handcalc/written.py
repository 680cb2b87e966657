"""The arithmetic of one entry, first in letters and then in numbers."""

from demos.handcalc.calculation import (
    INPUT,
    MIX,
    PROJECT,
    ROOT,
    SCALE,
    SCORE,
    TOKENS,
    WEIGH,
    WIDTH,
    Calculation,
)
from demos.kit import Text, entry, equals, operand, products, short, text, total

DIGITS = 4
LETTERS = {INPUT: "X", SCORE: "S", SCALE: "Z", WEIGH: "A", MIX: "O"}


def name_of(step: int, of: str, *places: int) -> str:
    """The name of an entry of the step's result, such as `S₂₃`."""
    return entry(of if step == PROJECT else LETTERS[step], *places)


def in_letters(step: int, of: str, i: int, j: int) -> str:
    """What makes the entry: `Q₂₁×K₃₁ + Q₂₂×K₃₂`; nothing for the input."""
    if step == PROJECT:
        return _letters([(entry("X", i, t), entry("W", t, j)) for t in range(WIDTH)])
    if step == SCORE:
        return _letters([(entry("Q", i, t), entry("K", j, t)) for t in range(WIDTH)])
    if step == SCALE:
        return f"{entry('S', i, j)} ÷ √d_k"
    if step == WEIGH:
        return f"{entry('E', i, j)} ÷ ({' + '.join(entry('E', i, t) for t in range(TOKENS))})"
    if step == MIX:
        return _letters([(entry("A", i, t), entry("V", t, j)) for t in range(TOKENS)])
    return ""


def in_numbers(step: int, calc: Calculation, of: str, i: int, j: int) -> str:
    """The same with the numbers put in: `1×1 + 1×1`."""
    if step == PROJECT:
        return products(calc.x[i], calc.projections[of][:, j])
    if step == SCORE:
        return products(calc.projected["Q"][i], calc.projected["K"][j])
    if step == SCALE:
        return f"{operand(calc.scores[i, j])} ÷ {operand(ROOT)}"
    if step == WEIGH:
        return f"{operand(calc.exponentials[i, j])} ÷ {operand(calc.row_sums[i, 0])}"
    if step == MIX:
        return products(calc.weights[i], calc.projected["V"][:, j])
    return ""


def sentence(step: int, calc: Calculation, of: str, i: int, j: int) -> str:
    """The whole line: name, letters, numbers, value."""
    parts = [name_of(step, of, i, j), in_letters(step, of, i, j), worked_out(step, calc, of, i, j)]
    return " = ".join(filter(None, parts))


def worked_out(step: int, calc: Calculation, of: str, i: int, j: int) -> str:
    """The numbers and what they come to: `1×1 + 1×1 = 2`; for the input just its number."""
    value = float(calc.result(step, of)[i, j])
    numbers = in_numbers(step, calc, of, i, j)
    return f"{numbers} {equals(value)}" if numbers else short(value, DIGITS)


def lines(step: int, calc: Calculation, of: str, i: int, j: int) -> list[Text | str]:
    """The written-out sum of an entry; softmax has a line for exp and one for the row's sum."""
    if step != WEIGH:
        return [sentence(step, calc, of, i, j)]
    terms = [float(term) for term in calc.exponentials[i][calc.visible[i]]]
    whole = f"{total(terms)} {equals(float(calc.row_sums[i, 0]))}"
    return [exponential(calc, i, j), ROW_SUM.format(sum=whole), sentence(step, calc, of, i, j)]


def exponential(calc: Calculation, i: int, j: int) -> Text | str:
    """How the exponential of an entry comes about, a hidden one included."""
    if not calc.visible[i, j]:
        return HIDDEN.format(entry=entry("E", i, j), j=j + 1, i=i + 1)
    score = operand(calc.scaled[i, j])
    power = f"e^({score} − {operand(calc.row_max[i, 0])})" if calc.shifted else f"e^{score}"
    return f"{entry('E', i, j)} = {power} {equals(float(calc.exponentials[i, j]))}"


def _letters(pairs: list[tuple[str, str]]) -> str:
    return " + ".join(f"{left}×{right}" for left, right in pairs)


ROW_SUM = text(zh="行和 = {sum}", en="row sum = {sum}")
HIDDEN = text(
    zh="{entry} = e^−∞ = 0：第 {j} 个 token 在第 {i} 个之后，被遮住",
    en="{entry} = e^−∞ = 0: token {j} comes after token {i} and is hidden",
)
