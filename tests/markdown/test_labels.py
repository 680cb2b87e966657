"""The message tables: both languages say the same things."""

from __future__ import annotations

import re

import pytest

from course_markdown.labels import LANGUAGES, labels

PLACE = re.compile(r"\{(\w*)\}")


@pytest.mark.parametrize("table", ["title", "label", "browser"])
def test_languages_have_the_same_keys_and_places(table: str) -> None:
    first, *others = (getattr(labels(lang), table) for lang in LANGUAGES)
    assert first
    for other in others:
        assert sorted(other) == sorted(first)
        for key, words in first.items():
            assert sorted(PLACE.findall(other[key])) == sorted(PLACE.findall(words)), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_label_is_empty(lang: str) -> None:
    found = labels(lang)
    for table in (found.title, found.label, found.browser):
        assert all(words.strip() for words in table.values())
