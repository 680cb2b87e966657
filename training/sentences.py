"""Sentences in which "it" stands for one of two nouns, and the last adjective says for which.

    the animal did not cross the street because it was too tired     it = animal
    the animal did not cross the street because it was too wide      it = street

Every noun belongs to a kind, and every quality fits one kind only. The two nouns of a sentence are of
different kinds, so the quality decides. Pairs of nouns are split before any sentence is made: a pair that is
held out occurs in no training sentence, though each of its nouns does, beside others.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

NOUNS = {
    "animal": ["animal", "dog", "cat", "horse", "bird", "rabbit"],
    "way": ["street", "road", "river", "bridge", "field", "path"],
    "thing": ["trophy", "statue", "ball", "book", "guitar", "vase"],
    "container": ["suitcase", "box", "bag", "drawer", "basket", "bucket"],
    "food": ["apple", "soup", "cake", "bread", "cheese", "rice"],
}
QUALITIES = {
    "animal": ["tired", "scared", "sleepy", "lazy"],
    "way": ["wide", "long", "muddy", "steep"],
    "thing": ["big", "heavy", "large", "tall"],
    "container": ["small", "tiny", "narrow", "full"],
    "food": ["hot", "salty", "bitter", "sour"],
}
VERBS = {
    ("animal", "way"): ["cross", "leave"],
    ("animal", "thing"): ["carry", "lift", "push"],
    ("animal", "container"): ["open", "enter"],
    ("animal", "food"): ["eat", "taste"],
    ("thing", "container"): ["fit in"],
    ("way", "animal"): ["please"],
    ("thing", "animal"): ["please"],
    ("container", "animal"): ["please"],
    ("food", "animal"): ["please"],
}
FORMS = (
    "{one} did not {verb} {two} because it was too {quality}",
    "{one} could not {verb} {two} because it was so {quality}",
    "{one} did {verb} {two} although it was very {quality}",
    "because it was too {quality} {one} did not {verb} {two}",
)
MODIFIERS = ["old", "new", "red", "little"]
MODIFIED = 0.25  # how often a noun has a modifier
HELD_OUT = 0.2  # share of the pairs of nouns that no training sentence has
SHOWN = (("animal", "street"), ("trophy", "suitcase"))  # the pairs that the demo shows are held out too

PAD = "·"  # fills up the shorter sentences of a batch
FRAME_WORDS = sorted({word for form in FORMS for word in form.split() if "{" not in word} | {"the"})
WORDS = [
    PAD,
    *FRAME_WORDS,
    *MODIFIERS,
    *dict.fromkeys(word for verbs in VERBS.values() for verb in verbs for word in verb.split()),
    *(noun for nouns in NOUNS.values() for noun in nouns),
    *(quality for qualities in QUALITIES.values() for quality in qualities),
]
IDS = {word: number for number, word in enumerate(WORDS)}
LONGEST = 15


class Batch(NamedTuple):
    """Sentences as numbers, and where to look in them."""

    ids: np.ndarray  # (B, S)
    it: np.ndarray  # (B,) the place of "it"
    noun: np.ndarray  # (B,) the place of the noun that it stands for
    other: np.ndarray  # (B,) the place of the other noun


def pairs(held_out: bool, seed: int) -> list[tuple[str, str, str, str]]:
    """The pairs (kind, kind, noun, noun) of one side of the split, first noun first."""
    every = [
        (one, two, first, second) for one, two in VERBS for first, second in product(NOUNS[one], NOUNS[two])
    ]
    together = sorted({frozenset(pair[2:]) for pair in every}, key=sorted)
    draw = np.random.default_rng(seed).random(len(together))
    kept_back = {pair for pair, chance in zip(together, draw, strict=True) if chance < HELD_OUT}
    kept_back |= {frozenset(pair) for pair in SHOWN}
    return [pair for pair in every if (frozenset(pair[2:]) in kept_back) == held_out]


def sentence(rng: np.random.Generator, pair: tuple[str, str, str, str]) -> tuple[list[str], str, str]:
    """One sentence about a pair: its words, the noun that "it" stands for, the other noun."""
    one, two, first, second = pair
    decided = int(rng.integers(2))
    words = FORMS[rng.integers(len(FORMS))].format(
        one=_named(rng, first),
        two=_named(rng, second),
        verb=_any(rng, VERBS[one, two]),
        quality=_any(rng, QUALITIES[(one, two)[decided]]),
    )
    nouns = (first, second)
    return words.split(), nouns[decided], nouns[1 - decided]


def batch(rng: np.random.Generator, chosen: list[tuple[str, str, str, str]], size: int) -> Batch:
    """`size` sentences about pairs drawn from `chosen`, padded to the longest of all."""
    ids = np.full((size, LONGEST), IDS[PAD])
    places = np.empty((3, size), dtype=np.int64)
    for row in range(size):
        words, noun, other = sentence(rng, chosen[rng.integers(len(chosen))])
        ids[row, : len(words)] = [IDS[word] for word in words]
        places[:, row] = [words.index(word) for word in ("it", noun, other)]
    return Batch(ids, *places)


def _named(rng: np.random.Generator, noun: str) -> str:
    modifier = f"{_any(rng, MODIFIERS)} " if rng.random() < MODIFIED else ""
    return f"the {modifier}{noun}"


def _any(rng: np.random.Generator, words: list[str]) -> str:
    return words[rng.integers(len(words))]
