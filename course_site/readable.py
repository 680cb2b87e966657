"""Pages that cannot be read as they are: no UTF-8, or front matter that is no YAML."""

from __future__ import annotations

import re
from pathlib import Path

from course_markdown.errors import Code, Problem

FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(?:.*\S.*\n)+?---[ \t]*(?:\n|$)")


def wrong_encoding(path: Path, shown: str) -> Problem | None:
    """The first line of a file that is no UTF-8."""
    content = path.read_bytes()
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Problem(shown, line, Code.ENCODING.number, Code.ENCODING.message)
    return None


def has_front_matter_left(markdown: str) -> bool:
    """Whether a page still begins with front matter where MkDocs has taken off all that it can read."""
    return FRONT_MATTER.match(markdown.replace("\r\n", "\n")) is not None
