"""The words that blocks print, one table a language in messages/*.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

LANGUAGES = ("zh", "en")


@dataclass(frozen=True)
class Labels:
    """`title`: a block kind's own title; `label`: other words of blocks; `browser`: what JavaScript says."""

    title: dict[str, str]
    label: dict[str, str]
    browser: dict[str, str]


@cache
def labels(lang: str) -> Labels:
    """The table of `lang`; raises ValueError for a language that has none."""
    if lang not in LANGUAGES:
        raise ValueError(
            f"course_markdown: option 'lang' must be one of {', '.join(LANGUAGES)}, got {lang!r}"
        )
    file = resources.files("course_markdown") / "messages" / f"{lang}.toml"
    return Labels(**tomllib.loads(file.read_text(encoding="utf-8")))
