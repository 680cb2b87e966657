"""Words: scores and weights are not mixed up, and a thing has one name. The list is words.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.proof.paragraphs import Paragraph

TOKEN = re.compile(r"词元（token）|词元|(?<![A-Za-z0-9_])tokens?(?![A-Za-z0-9_])", re.IGNORECASE)
FIRST = "词元（token）"


def check_words(paragraphs: Iterable[Paragraph], page: Page) -> None:
    """Note the words that words.toml tells to replace, and 词元 where token must stand, or the other way."""
    wrong, cures = _wrong(page.lang)
    tokens = 0
    for paragraph in paragraphs:
        text = paragraph.unquoted
        for found in wrong.finditer(text):
            _tell(Code.WORD, paragraph, found, page, right=cures[(found.lastindex or 1) - 1])
        for found in TOKEN.finditer(text) if page.lang == "zh" else ():
            tokens += 1
            if tokens == 1 and found[0] != FIRST:
                _tell(Code.TOKEN_FIRST, paragraph, found, page)
            elif tokens > 1 and found[0].startswith("词元"):
                _tell(Code.TOKEN_AGAIN, paragraph, found, page)


@cache
def _wrong(lang: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """All wrong words of a language as one expression, whose groups are numbered as the cures are."""
    file = resources.files("course_markdown") / "proof" / "words.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8")).get(lang, [])
    parts = "|".join(f"({row['wrong']})" for row in rows)
    return re.compile(parts, re.IGNORECASE), tuple(row["right"] for row in rows)


def _tell(code: Code, paragraph: Paragraph, found: re.Match[str], page: Page, **fields: str) -> None:
    near = paragraph.near(found.start(), found.end())
    page.problem(code, paragraph.line_at(found.start()), found=found[0], near=near, **fields)
