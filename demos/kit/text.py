"""Words in every language of the site, chosen when a frame is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

LANGUAGES = ("zh", "en")


@dataclass(frozen=True)
class Text:
    """The same words in each language; `text(zh=..., en=...)` makes one."""

    zh: str
    en: str

    def format(self, **values: Words) -> Text:
        """Fill the `{name}` places, each language with its own words."""
        return Text(*(getattr(self, lang).format(**_in(lang, values)) for lang in LANGUAGES))

    def in_language(self, lang: str) -> str:
        """The words in `lang`; raises ValueError for a language that the site does not have."""
        if lang not in LANGUAGES:
            raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {lang!r}")
        return str(getattr(self, lang))

    def __add__(self, other: Words) -> Text:
        return join([self, other])


Words: TypeAlias = "str | int | Text"


def text(*, zh: str, en: str) -> Text:
    """Words that a reader sees: Chinese first, English beside it."""
    return Text(zh, en)


def words(value: Words, lang: str) -> str:
    """The reader's form of `value` in `lang`."""
    return value.in_language(lang) if isinstance(value, Text) else str(value)


def join(parts: list[Words]) -> Text:
    """The parts one after the other, in each language."""
    return Text(*("".join(words(part, lang) for part in parts) for lang in LANGUAGES))


def _in(lang: str, values: dict[str, Words]) -> dict[str, str]:
    return {name: words(value, lang) for name, value in values.items()}
