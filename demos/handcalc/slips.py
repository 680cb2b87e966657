"""Which slip explains a wrong number: each slip is really computed, and compared with what was typed."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from demos.handcalc import hints as say
from demos.handcalc.calculation import MIX, PROJECT, ROOT, SCALE, SCORE, TOKENS, WEIGH, WIDTH, Calculation
from demos.handcalc.written import in_letters
from demos.kit import Text, short
from transformer_core import softmax

TOLERANCE = 0.005  # two decimals are enough
NEAR = 0.02  # an error of this size is taken for rounding, unless one slip explains several entries
COARSE = 0.05  # and up to here where no slip explains it

Typed = Sequence[Sequence[float | None]]


class Slip(NamedTuple):
    """A way to go wrong: its name, and the matrix that somebody gets who goes that way."""

    words: Text
    matrix: np.ndarray


class Diagnosis(NamedTuple):
    """What is right, what is wrong and why, in a grid of answers."""

    right: set[tuple[int, int]]
    wrong: dict[tuple[int, int], Text]
    blank: int

    @property
    def done(self) -> bool:
        return not self.wrong and not self.blank

    def by_hint(self) -> list[tuple[Text, list[tuple[int, int]]]]:
        """Each hint once with the entries that it explains, the one for most entries first."""
        grouped: dict[Text, list[tuple[int, int]]] = {}
        for place, hint in self.wrong.items():
            grouped.setdefault(hint, []).append(place)
        return sorted(grouped.items(), key=lambda item: -len(item[1]))


def diagnose(step: int, calc: Calculation, of: str, typed: Typed) -> Diagnosis:
    """Check each typed entry at TOLERANCE, and find the likeliest slip behind each wrong one."""
    right = calc.result(step, of)
    filled = {(i, j): cell for i, row in enumerate(typed) for j, cell in enumerate(row) if cell is not None}
    good = {place for place, cell in filled.items() if _same(cell, right[place])}
    bad = {place: cell for place, cell in filled.items() if place not in good}
    possible = slips(step, calc, of)
    agrees = [
        {place for place, cell in filled.items() if _same(cell, slip.matrix[place])} for slip in possible
    ]
    explains = [places & bad.keys() for places in agrees]
    wrong = {}
    for place, cell in bad.items():
        # the slip that explains most wrong entries, then the one that fits the right ones too (a mask that
        # came too late leaves its zeros behind), then the likelier one, which comes first
        best = max(
            range(len(possible)), key=lambda n: (place in explains[n], len(explains[n]), len(agrees[n]), -n)
        )
        found = possible[best] if place in explains[best] else None
        several = found is not None and len(explains[best]) > 1
        wrong[place] = _hint(step, of, place, cell, float(right[place]), found, several)
    return Diagnosis(good, wrong, right.size - len(filled))


def slips(step: int, calc: Calculation, of: str) -> list[Slip]:
    """The slips of a step, the likelier ones first."""
    return {PROJECT: _projecting, SCORE: _scoring, SCALE: _scaling, WEIGH: _weighing, MIX: _mixing}[step](
        calc, of
    )


def _projecting(calc: Calculation, of: str) -> list[Slip]:
    others = [other for other in calc.projections if other != of]
    return [
        Slip(say.ROWS_OF_W.format(of=of), calc.x @ calc.projections[of].T),
        *(Slip(say.OTHER_W.format(other=other, of=of), calc.projected[other]) for other in others),
        Slip(say.NOT_PROJECTED.format(of=of), calc.x),
    ]


def _scoring(calc: Calculation, of: str) -> list[Slip]:
    query, key, value = (calc.projected[name] for name in "QKV")
    return [
        Slip(say.KEY_NOT_TRANSPOSED, _untransposed(calc)),
        Slip(say.SCALED_EARLY.format(root=_root()), calc.scaled),
        Slip(say.SWAPPED, calc.scores.T),
        Slip(say.VALUE_FOR_KEY, query @ value.T),
        Slip(say.SCORES_OF_X, calc.x @ calc.x.T),
        Slip(say.SAME_TWICE.format(name="Q"), query @ query.T),
        Slip(say.SAME_TWICE.format(name="K"), key @ key.T),
    ]


def _scaling(calc: Calculation, of: str) -> list[Slip]:
    return [
        Slip(say.NOT_SCALED.format(root=_root()), calc.scores),
        Slip(say.DIVIDED_BY_WIDTH.format(root=_root(), d_k=WIDTH), calc.scores / WIDTH),
        Slip(say.MULTIPLIED.format(root=_root()), calc.scores * ROOT),
        Slip(say.ROOT_OF_TOKENS.format(tokens=TOKENS, d_k=WIDTH), calc.scores / math.sqrt(TOKENS)),
        Slip(say.SOFTMAX_EARLY, softmax(calc.scaled)),
        Slip(say.KEY_NOT_TRANSPOSED, _untransposed(calc) / ROOT),
        Slip(say.SWAPPED, calc.scaled.T),
    ]


def _weighing(calc: Calculation, of: str) -> list[Slip]:
    return [
        *_wrong_weights(calc),
        Slip(say.NOT_NORMALISED, calc.exponentials),
        Slip(say.NO_EXP, _shares(calc)),
        Slip(say.WHOLE_MATRIX, softmax(calc.masked.ravel()).reshape(TOKENS, TOKENS)),
        Slip(say.SWAPPED, calc.weights.T),
    ]


def _mixing(calc: Calculation, of: str) -> list[Slip]:
    value = calc.projected["V"]
    return [
        Slip(say.KEY_FOR_VALUE, calc.weights @ calc.projected["K"]),
        Slip(say.X_FOR_VALUE, calc.weights @ calc.x),
        *(Slip(slip.words, slip.matrix @ value) for slip in _wrong_weights(calc)),
        Slip(say.NOT_NORMALISED, calc.exponentials @ value),
        Slip(say.COLUMNS_OF_A, calc.weights.T @ value),
        Slip(say.NO_SOFTMAX, np.where(calc.visible, calc.scaled, 0) @ value),
        Slip(say.ROUNDED_EARLY, np.round(calc.weights, 1) @ value),
    ]


def _wrong_weights(calc: Calculation) -> list[Slip]:
    """Weights that follow from a slip in step 3 or 4."""

    def masked(scores: np.ndarray) -> np.ndarray:
        return np.where(calc.visible, scores, -np.inf)

    late = [
        Slip(say.MASK_FORGOTTEN, softmax(calc.scaled)),
        Slip(say.MASK_LATE, softmax(calc.scaled) * calc.visible),
        Slip(say.MASK_OF_ZERO, softmax(np.where(calc.visible, calc.scaled, 0))),
    ]
    return [
        Slip(say.NOT_SCALED.format(root=_root()), softmax(masked(calc.scores))),
        Slip(say.SOFTMAX_OF_COLUMNS, softmax(calc.masked, axis=0)),
        Slip(say.DIVIDED_BY_WIDTH.format(root=_root(), d_k=WIDTH), softmax(masked(calc.scores / WIDTH))),
        *([] if calc.visible.all() else late),
        Slip(say.KEY_NOT_TRANSPOSED, softmax(masked(_untransposed(calc) / ROOT))),
    ]


def _untransposed(calc: Calculation) -> np.ndarray:
    """Q K with K's numbers poured into (d_k, 3) row by row: the shapes fit, the numbers do not."""
    return calc.projected["Q"] @ calc.projected["K"].reshape(WIDTH, TOKENS)


def _shares(calc: Calculation) -> np.ndarray:
    """Scores divided by their row's sum, without exp; NaN, which matches nothing, where that sum is 0."""
    seen = np.where(calc.visible, calc.scaled, 0)
    sums = np.broadcast_to(seen.sum(axis=-1, keepdims=True), seen.shape)
    return np.divide(seen, sums, out=np.full_like(seen, np.nan), where=np.abs(sums) > 1e-9)


def _hint(
    step: int, of: str, place: tuple[int, int], typed: float, right: float, slip: Slip | None, several: bool
) -> Text:
    error = round(abs(typed - right), 9)
    if error <= NEAR and not several:
        return say.NEARLY
    if slip is not None:
        return slip.words
    if error <= COARSE:
        return say.NEARLY
    if _same(typed, -right):
        return say.WRONG_SIGN
    return say.ONCE_MORE.format(letters=in_letters(step, of, *place))


def _same(typed: float, computed: float) -> bool:
    return round(abs(typed - float(computed)), 9) <= TOLERANCE


def _root() -> str:
    return short(ROOT, 4)
