"""The glossary: each term of a `:::related` block has an entry, and each entry can be reached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ENTRY = re.compile(r"^- \*\*(?P<name>.+?)\*\*\{#(?P<ident>[\w-]+)\}", re.MULTILINE)
RELATED = re.compile(r"^:::related.*?\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
TERM = re.compile(r"^      (?P<name>\S.*?): (?P<target>\S+#\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def terms(root: Path) -> dict[str, str]:
    """What mkdocs.yml says, lower-case name to page and anchor."""
    found = TERM.findall((root / "mkdocs.yml").read_text(encoding="utf-8"))
    return {name.lower(): target for name, target in found}


@pytest.fixture(scope="module")
def entries(root: Path) -> dict[str, str]:
    """The glossary's entries, lower-case name to anchor."""
    text = (root / "docs/reference/glossary.md").read_text(encoding="utf-8")
    found = ENTRY.findall(text)
    assert len(found) == len(re.findall(r"^- ", text, re.MULTILINE)), "an entry without a name and an anchor"
    return {name.lower(): ident for name, ident in found}


def test_each_related_term_has_a_place(root: Path, terms: dict[str, str]) -> None:
    unknown = {
        f"{page.name}: {term}"
        for page in sorted((root / "docs").rglob("*.md"))
        for block in RELATED.findall(page.read_text(encoding="utf-8"))
        for line in block.splitlines()
        for term in re.split(r"\s*[,，、;；]\s*", re.split(r"[|｜]", line, maxsplit=1)[-1].strip())
        if term and term.lower() not in terms
    }
    assert unknown == set()


def test_terms_and_entries_are_the_same(terms: dict[str, str], entries: dict[str, str]) -> None:
    targets = {f"reference/glossary.md#{ident}" for ident in entries.values()}
    assert set(terms.values()) == targets
    assert {name: terms.get(name) for name in entries} == {
        name: f"reference/glossary.md#{ident}" for name, ident in entries.items()
    }


def test_no_two_entries_share_an_anchor(entries: dict[str, str]) -> None:
    assert len(set(entries.values())) == len(entries)
