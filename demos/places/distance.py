"""What positions put into the score of a query and a key, against how far apart the two are."""

import math
from functools import lru_cache

from demos.kit import (
    Axis,
    Element,
    Line,
    Text,
    View,
    Words,
    beside,
    chart,
    entry,
    fmt,
    heat_map,
    join,
    note,
    panel,
    percent,
    plane,
    presets,
    setter,
    short,
    table,
    working,
)
from demos.places import wording as say
from demos.places.schemes import CONTENT, FAR, SPEEDS, D, S, bucket, placed, slope, weights_of
from transformer_core import sinusoidal_positions

PLACES = [str(place) for place in range(S)]


def shown(scheme: str, i: int, j: int, head: int) -> View:
    """The scheme's own picture, the map of all pairs, and the score against the offset."""
    scores = placed(scheme, head)
    score = float(scores[i, j])
    picture = [
        beside(_drawn(scheme, i, j, head), panel(say.BY_OFFSET, _curve(scheme, head, i, j))),
        working(*_sums(scheme, i, j, head)) if scheme != "none" else None,
        presets(_shifts(i, j)),
        note("plain" if scheme == "none" else "right", say.NOTES[scheme]),
    ]
    said = {"i": i, "j": j, "offset": _signed(j - i), "apart": abs(i - j), "score": fmt(score)}
    return View(picture, _say(scheme, i, j, head, said), _shapes(scheme), _tables(scheme, head, i, j))


def _drawn(scheme: str, i: int, j: int, head: int) -> Element:
    """What the scheme is made of."""
    if scheme == "rope":
        return _turned(i, j)
    return _vectors(i) if scheme == "sinusoidal" else panel(say.MAP, _map(scheme, head, i))


@lru_cache(maxsize=S)  # a slider that moves the other token costs nothing
def _vectors(i: int) -> Element:
    """The sinusoidal table, from fast columns to slow ones."""
    drawn = heat_map(
        ((sinusoidal_positions(S, D) + 1) / 2).tolist(),
        rows=PLACES,
        columns=[str(column) for column in range(D)],
        describe=say.DESCRIBE_TABLE.format(i=i),
        chosen=i,
        set_row=lambda place: setter(i=place),
        slanted=False,
        margin=26,
    )
    return panel(say.TABLE.format(d=D), drawn)


def _turned(i: int, j: int) -> Element:
    """Both pairs of query and key, each turned by its position; the slow pair is drawn faint."""
    arrows: list[tuple[float, float, str, Words]] = []
    for pair, speed in enumerate(SPEEDS.tolist()):
        faint = " faint" if pair else ""
        q, k = entry("q", pair), entry("k", pair)
        for place, kind, name in ((j, "key-vector", k), (i, "query", q if i != j else f"{q} = {k}")):
            shown = "" if i == j and kind == "key-vector" else name
            arrows.append((math.cos(place * speed), math.sin(place * speed), kind + faint, shown))
    speeds = [short(speed) for speed in SPEEDS.tolist()]
    described = say.DESCRIBE_TURNED.format(i=i, j=j)
    return panel(
        say.PAIRS.format(fast=speeds[0], slow=speeds[1]), plane(arrows, reach=1.4, describe=described)
    )


@lru_cache(maxsize=64)
def _map(scheme: str, head: int, i: int) -> Element:
    values = placed(scheme, head)[:S, :S]
    low, high = float(values.min()), float(values.max())
    shares = (values - low) / (high - low) if high > low else values
    return heat_map(
        shares.tolist(),
        rows=PLACES,
        columns=PLACES,
        describe=say.DESCRIBE_MAP.format(low=fmt(low), high=fmt(high)),
        chosen=i,
        set_row=lambda place: setter(i=place),
        slanted=False,
        margin=26,
    )


def _curve(scheme: str, head: int, i: int, j: int) -> Element:
    """The score at each offset from -(S - 1) to S - 1; queries and keys are taken where both exist."""
    scores = placed(scheme, head)
    points = [(n, float(scores[max(0, -n), max(0, n)])) for n in range(1 - S, S)]
    low, high = (
        bound(round(value, 9)) for bound, value in zip((math.floor, math.ceil), _reach(points), strict=True)
    )
    low, high = (low, high) if high > low else (-1, 1)
    ticks = [low, 0, high] if low < 0 < high else [low, high]
    room = (high - low) / 12  # so that the outermost numbers keep clear of the names of the axes
    return chart(
        Axis(1 - S, S - 1, [-15, -10, -5, 0, 5, 10, 15], say.OFFSET),
        Axis(low - room, high + room, ticks, say.SCORE),
        lines=[Line(points, "", "")],
        markers=[(j - i, float(scores[i, j]), "value")],
        describe=say.DESCRIBE_CURVE.format(offset=_signed(j - i), score=fmt(scores[i, j])),
    )


def _reach(points) -> tuple[float, float]:
    values = [value for _, value in points]
    return min(values), max(values)


def _sums(scheme: str, i: int, j: int, head: int) -> list[Words]:
    """The score of query i and key j, written out."""
    score = fmt(placed(scheme, head)[i, j])
    apart = abs(i - j)
    if scheme == "sinusoidal":
        speeds = [10_000 ** (-2 * n / D) for n in range(2)]
        terms = " + ".join(f"cos({short(speed)}×{apart})" for speed in speeds)
        return [f"PE({i}) · PE({j}) = {terms} + … = {score}"]
    if scheme == "rope":
        turns = [
            say.TURN.format(pair=n + 1, q=short(i * speed), k=short(j * speed), apart=short((i - j) * speed))
            for n, speed in enumerate(SPEEDS.tolist())
        ]
        terms = " + ".join(f"cos {short((i - j) * speed)}" for speed in SPEEDS.tolist())
        return [*turns, f"q · k = {terms} = {score}"]
    if scheme == "alibi":
        return [f"−{short(slope(head), 5)} × |{i} − {j}| = {score}"]
    if scheme == "t5":
        own, shared = bucket(j - i)
        return [
            say.BUCKET.format(offset=_signed(j - i), bucket=own, shared=_range(shared)),
            f"b[{own}] = {score}",
        ]
    return []


def _range(offsets: list[int]) -> str:
    return _signed(offsets[0]) if len(offsets) == 1 else f"{_signed(offsets[0])} … {_signed(offsets[-1])}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else short(number)


def _shifts(i: int, j: int) -> list:
    """Both one place on, both one back: the same distance elsewhere."""
    moves = [(say.BOTH_BACK, -1), (say.BOTH_ON, 1), (say.KEY_ON, 0)]
    found = []
    for name, by in moves:
        there = (i + by, j + by) if by else (i, j + 1)
        if all(0 <= place < S for place in there):
            found.append((name, setter(i=there[0], j=there[1])))
    return found


def _say(scheme: str, i: int, j: int, head: int, said: dict) -> Text:
    if scheme == "alibi":
        return say.SAY[scheme].format(**said, head=head + 1, slope=short(slope(head), 5))
    if scheme == "t5":
        own, shared = bucket(j - i)
        alone = say.ALONE if len(shared) == 1 else say.SHARED.format(shared=_range(shared))
        return join([say.SAY[scheme].format(**said, bucket=own), alone])
    return say.SAY[scheme].format(**said)


def _shapes(scheme: str) -> tuple[str, ...]:
    if scheme == "sinusoidal":
        return f"PE ({S}, {D})", f"PE @ PEᵀ ({S}, {S})"
    if scheme == "rope":
        return f"q ({len(CONTENT)},)", f"k ({len(CONTENT)},)"
    return (f"bias ({S}, {S})",)


def _tables(scheme: str, head: int, i: int, j: int) -> list[Element]:
    scores, weights = placed(scheme, head), weights_of(scheme, head, i)
    row: list[list[Words]] = [
        [str(key), _signed(key - i), fmt(scores[i, key]), percent(weights[key])] for key in range(S)
    ]
    pairs = [
        (i, j),
        *((place, place + j - i) for place in (max(0, i - j), min(S, S + i - j) - 1)),
        (i + FAR, j + FAR),
    ]
    same: list[list[Words]] = [
        [str(query), str(key), _signed(key - query), fmt(scores[query, key])] for query, key in pairs
    ]
    tables = [
        table(say.ROW.format(i=i), [say.KEY, say.OFFSET, say.SCORE, say.WEIGHT], row),
        table(say.SAME, [say.QUERY, say.KEY, say.OFFSET, say.SCORE], same),
    ]
    if scheme == "sinusoidal":
        vectors = sinusoidal_positions(S, D)
        entries: list[list[Words]] = [
            [str(column), fmt(vectors[i, column]), fmt(vectors[j, column])] for column in range(D)
        ]
        tables.append(
            table(say.VECTORS, [say.COLUMN, f"PE({i})", "PE(j)" if i == j else f"PE({j})"], entries)
        )
    return tables
