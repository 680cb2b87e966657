"""The entries of a glossary: what is said of a term in a line, and which sections explain it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from course_markdown.formulas import FormulaError, mathml, plain
from course_markdown.page import Page
from course_markdown.site import from_docs
from course_markdown.tree import Block, Item, Prose

ENTRY = re.compile(r"(?:[-*+] +)?\*\*.+?\*\*\{#(?P<ident>[\w-]+)\}[^：:]*[：:]\s*(?P<text>.*)", re.DOTALL)
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")
SEE = re.compile(r"\s*→.*", re.DOTALL)  # the links at an entry's end
MARKS = re.compile(r"\*+|`")
FORMULA = re.compile(r"\$([^$\n]+)\$")


@dataclass(frozen=True)
class Entry:
    """`source` is the entry's explanation as it was written; `sections` are the places that it leads to."""

    source: str
    sections: frozenset[str]

    @cached_property
    def words(self) -> str:
        """The explanation as plain text."""
        text = MARKS.sub("", LINK.sub(r"\1", SEE.sub("", self.source)))
        return " ".join(FORMULA.sub(_formula, text).split())


def entries(items: list[Item], page: Page) -> Iterator[tuple[str, Entry]]:
    """The entries on a page that terms lead to, each with where it stands: `page.md#anchor`."""
    uri = page.site.uri
    if uri not in {target.partition("#")[0] for target in page.terms.values()}:
        return
    for scope, group in groupby(items, key=lambda item: item.scope if isinstance(item, Prose) else 0):
        text = "\n".join(item.content for item in group if isinstance(item, Prose)) if scope else ""
        for line in re.split(r"\n(?=[-*+] )", text):
            if found := ENTRY.match(line):
                targets = (target for _, target in LINK.findall(found["text"]))
                sections = frozenset(from_docs(target, uri) for target in targets)
                yield f"{uri}#{found['ident']}", Entry(found["text"], sections)
    for item in items:
        if isinstance(item, Block):
            yield from entries(item.items, page)


def _formula(found: re.Match[str]) -> str:
    try:
        return plain(mathml(found[1], False))
    except FormulaError:  # told where the entry stands
        return found[1]
