"""How long a chapter's page takes to read, and what there is to do on it: a quiet line below its title."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections import Counter

from course_markdown.builder import element
from course_markdown.labels import Labels
from course_markdown.proof.spans import Span
from course_markdown.tree import Block, Item

HAN = re.compile("[\u3400-\u9fff]+")
WORD = re.compile(r"[A-Za-z]+")
HAN_A_MINUTE, WORDS_A_MINUTE, QUIZZES_A_MINUTE = 300, 200, 1
WORTH_SAYING = 3  # minutes
COUNTED = {"demo": "reading_demos", "quiz": "reading_quizzes", "answer": "reading_questions"}


def minutes(spans: list[Span], quizzes: int) -> int:
    """The time for the text outside of code, where a formula or a number is a word, and for the quizzes."""
    text = " ".join(span.text for span in spans if span.kind in ("text", "title"))
    others = sum(span.kind in ("math", "number") for span in spans)
    words = len(WORD.findall(text)) + others
    time = (
        len("".join(HAN.findall(text))) / HAN_A_MINUTE + words / WORDS_A_MINUTE + quizzes / QUIZZES_A_MINUTE
    )
    return round(time) if time < 20 else 5 * round(time / 5)


def reading_line(spans: list[Span], items: list[Item], labels: Labels) -> str:
    """The line, or an empty one for a page that is short."""
    blocks = _blocks(items)
    time = minutes(spans, blocks["quiz"])
    if time < WORTH_SAYING:
        return ""
    counts = [(label, blocks[name]) for name, label in COUNTED.items() if blocks[name]]
    parts = [labels.label["reading_time"].format(count=time)]
    return " · ".join([*parts, *(labels.label[label].format(count=count) for label, count in counts)])


def insert(root: etree.Element, line: str) -> None:
    """Put the line below the title."""
    holder = etree.Element("div")
    made = element(holder, "p", line, class_="reading", data_search_exclude="true")
    titles = [at for at, part in enumerate(root) if part.tag == "h1"]
    root.insert(titles[0] + 1 if titles else 0, made)


def _blocks(items: list[Item]) -> Counter[str]:
    found: Counter[str] = Counter()
    for item in items:
        if isinstance(item, Block):
            found[item.name] += 1
            found += _blocks(item.items)
    return found
