"""The options of the extension that name words, as mkdocs.yml gives them: wrong ones are told at once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from course_markdown.errors import nearest


def word_list(name: str, given: Any) -> list[str]:
    """The words of option `name`; ValueError for a single word, which would be a list of letters."""
    if not isinstance(given, list | tuple | set | frozenset):
        raise ValueError(f"course_markdown: option {name!r} must be a list: '{name}: [{given}]'")
    return [str(word) for word in given]


def term_targets(given: dict[object, object]) -> dict[str, str]:
    """Where each term leads, in lower case; ValueError for one that leads nowhere."""
    for term, page in given.items():
        if not page:
            raise ValueError(
                f"course_markdown: option 'terms': {term!r} leads nowhere; write '{term}: page.md#anchor'"
            )
    return {str(term).lower(): str(page) for term, page in given.items()}


def unlinked_terms(given: Any, terms: Collection[str]) -> set[str]:
    """The terms without links, in lower case; ValueError for a word that is no term."""
    words = {word.lower() for word in word_list("unlinked", given)}
    if unknown := sorted(words - set(terms)):
        raise ValueError(
            f"course_markdown: option 'unlinked': {unknown[0]!r} is no term; {nearest(unknown[0], terms)}"
        )
    return words
