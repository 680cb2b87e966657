"""Stretches of lines that are text whatever they hold: code, formulas, comments, raw HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass

from course_markdown.containers import TAB, Stand, without_indent
from course_markdown.tree import Fence

FENCE = re.compile(r"(?P<mark>`{3,}(?!.*`)|~{3,})")
RAW = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)
CODE_SPAN = r"\\.|(`+)(?!`).*?(?<!`)\1(?!`)"
COMMENT = re.compile(CODE_SPAN + r"|<!--.*?-->|(?P<open><!--)")
DISPLAY = re.compile(CODE_SPAN + r"|(?P<display>\$\$)")


@dataclass
class Region:
    """What it is, the index of its first line, the number of items before it, and where it stands."""

    kind: str  # "code", "math", "comment" or the name of an HTML element
    start: int
    items: int
    at: Stand
    fence: Fence | None = None

    def code(self, text: str) -> str:
        """A line of fenced code without the indentation of its fence."""
        return without_indent(text, self.at.inner if self.at.marks else self.at.outer)

    def closes_code(self, text: str) -> bool:
        """Whether a line of fenced code ends it: the same character, at least as often."""
        run, mark = text.strip(), self.fence.mark if self.fence else ""
        return run.startswith(mark) and not run.strip(mark[:1]) and not text.startswith(" " * TAB)

    def cut(self, text: str) -> tuple[str, str, str]:
        """A line of raw HTML before, at and after the end of its element."""
        parts = re.split(f"(</{self.kind}>)", text, maxsplit=1, flags=re.IGNORECASE)
        return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (text, "", "")


def comment_start(content: str) -> int | None:
    """Where a comment begins that does not end on this line; None without one."""
    return next((match.start() for match in COMMENT.finditer(content) if match["open"]), None)


def display_marks(content: str) -> int:
    """How many `$$` a line has outside of code spans: an odd number begins or ends one of several lines."""
    return sum(1 for match in DISPLAY.finditer(content) if match["display"])
