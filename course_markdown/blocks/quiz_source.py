"""The lines of a quiz, cut into question, options, answer and explanations by the labels that begin them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.tree import Block, Fence, Item, Prose

OPTION = re.compile(r"(?P<letter>[A-H])\s*[.、)．）]\s*(?P<text>.*)")
ANSWER = re.compile(r"(?P<label>答案|answer)\s*[:：]\s*(?P<text>.*)", re.IGNORECASE)
WHY = re.compile(r"(?P<label>解析|explanation)\s*[:：]\s*(?P<text>.*)", re.IGNORECASE)
# of one answer: a letter, a number (checked or not), or a cell
REASON = re.compile(
    r"(?:解析|explanation)\s*(?P<key>[A-Ha-h]|\{\{.*?\}\}|[-−+.\d（(第][^:：]*?|row\b[^:：]*?)\s*[:：]\s*(?P<text>.*)",
    re.IGNORECASE,
)
# names what is no answer, which is told
OTHER_REASON = re.compile(
    r"(?:解析|explanation)\s+(?P<key>[^:：]{1,20}?)\s*[:：]\s*(?P<text>.*)", re.IGNORECASE
)


@dataclass
class Option:
    letter: str
    line: int
    items: list[Item] = field(default_factory=list)


@dataclass
class Reason:
    """The explanation of one answer, right or wrong; `key` is how the contributor names that answer."""

    key: str
    line: int
    items: list[Item] = field(default_factory=list)


@dataclass
class Source:
    """A quiz cut into its parts."""

    question: list[Item] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    answer: str | None = None
    answer_line: int = 0
    tail: list[Item] = field(default_factory=list)
    why: list[Item] | None = None
    reasons: list[Reason] = field(default_factory=list)

    @property
    def letters(self) -> list[str]:
        """The letters of the options, as they stand."""
        return [option.letter for option in self.options]


def cut(block: Block, page: Page) -> Source:
    """The parts of a quiz. Lines that begin with no label go on with the part before."""
    source = Source()
    into = source.question
    for item in block.items:
        prose = item if isinstance(item, Prose) and not item.code and not item.lead.strip() else None
        option = OPTION.match(prose.content) if prose else None
        answer = ANSWER.match(prose.content) if prose else None
        why = WHY.match(prose.content) if prose else None
        reason = REASON.match(prose.content) or OTHER_REASON.match(prose.content) if prose else None
        asked = source.answer is not None or source.why is not None or source.reasons
        if prose and option and not asked:
            source.options.append(Option(option["letter"], item.line, [_rest(prose, option)]))
            into = source.options[-1].items
        elif prose and answer:
            if source.answer is not None:
                page.problem(Code.QUIZ_ANSWERS, item.line, label=answer["label"])
            source.answer, source.answer_line = answer["text"].strip(), item.line
            into = source.tail
        elif prose and why and source.why is None:
            into = source.why = [_rest(prose, why)]
        elif prose and reason and (asked or source.options):
            source.reasons.append(Reason(reason["key"].strip(), item.line, [_rest(prose, reason)]))
            into = source.reasons[-1].items
        else:
            if prose and asked and why:
                page.problem(Code.QUIZ_REASONS, item.line, key="all answers")
            into.append(item)
    return source


def words(items: list[Item]) -> str:
    """The text of `items`, to tell whether two are the same."""
    found: list[str] = []
    for item in items:
        if isinstance(item, Prose):
            found.append(item.content)
        elif isinstance(item, Fence):
            found += item.lines
        else:
            found.append(words(item.items))
    return " ".join(" ".join(found).split())


def _rest(prose: Prose, match: re.Match[str]) -> Prose:
    """The line without its label."""
    return Prose(prose.line, prose.lead, match["text"], prose.prefix, prose.scope)
