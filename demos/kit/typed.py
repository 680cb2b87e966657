"""A line of text that the reader types: bounded in length, its spaces in order, no control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from .controls import StateError
from .markup import Node, el
from .text import Text, text


@dataclass(frozen=True, eq=False, repr=False)
class Typed:
    """One line of text; what its words must be is for the demo to say."""

    default: str
    longest: int
    label: Text
    when: str | None

    def parse(self, given: str) -> str:
        line = " ".join(given.split())
        if len(line) > self.longest:
            raise StateError(TOO_LONG.format(label=self.label, longest=self.longest, length=len(line)))
        for letter in line:
            if unicodedata.category(letter).startswith("C"):
                raise StateError(NOT_A_LETTER.format(label=self.label, code=f"U+{ord(letter):04X}"))
        return line

    def show(self, value: str) -> str:
        return str(value)

    def values(self) -> None:
        return None

    def corners(self) -> Sequence[str]:
        return ("", self.default)

    def node(self, name: str) -> Node:
        line = el(
            "input",
            {
                "type": "text",
                "name": name,
                "value": self.default,
                "maxlength": self.longest,
                "lang": "en",
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocorrect": "off",
            },
        )
        label = el("span", {"class": "control-label"}, self.label)
        return el("div", {"class": "control typed", "data-when": self.when}, el("label", {}, label, line))


def typed(value: str, *, label: Text, longest: int = 100, when: str | None = None) -> Typed:
    """A line of at most `longest` characters, English words in the demos that there are.

    Raises ValueError where the default is longer than that, or not spelt as `parse` would spell it.
    """
    control = Typed(value, longest, label, when)
    if len(value) > longest or control.parse(value) != value:
        raise ValueError(
            f"typed: the default must be one line of at most {longest} characters with single spaces, "
            f"got {value!r}"
        )
    return control


TOO_LONG = text(
    zh="「{label}」最多 {longest} 个字符，收到 {length} 个",
    en="“{label}” takes at most {longest} characters, got {length}",
)
NOT_A_LETTER = text(
    zh="「{label}」里有一个看不见的控制字符 {code}，请删掉",
    en="“{label}” holds an invisible control character, {code}; delete it",
)
