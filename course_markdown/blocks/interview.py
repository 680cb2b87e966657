"""`:::interview`: questions `**Q3：…**`, each followed by an `:::answer` that is folded."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass, field

from course_markdown.blocks.box import Box, BoxNode, check_content
from course_markdown.builder import Builder, element
from course_markdown.errors import Code
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page, short_hash
from course_markdown.tree import Block, Item, Prose

OPENS = re.compile(r"\*\*\s*(Q\s*(?P<number>\d*))\s*[：:.、]\s*", re.IGNORECASE)


@dataclass
class Part:
    """A question and what follows it up to its answer; before the first question, text alone."""

    line: int
    question: str = ""
    items: list[Item] = field(default_factory=list)
    answer: Block | None = None


class Interview:
    """The block kind."""

    def read(self, block: Block, page: Page) -> InterviewNode:
        check_content(block, page)
        parts = cut(block, page)
        if block.closed and block.items and not any(part.question for part in parts):
            page.problem(Code.NO_QUESTION, block.line)
        title = inline(block.title or page.labels.title["interview"], block.line, page)
        return InterviewNode(block.line, "interview", title, [_read_part(part, page) for part in parts])


class Answer:
    """Reached only where an answer does not stand directly in an interview."""

    def read(self, block: Block, page: Page) -> BoxNode:
        if all(outer.closed for outer in block.inside):  # else the block left open is the cause
            page.problem(Code.ANSWER_OUTSIDE, block.line)
        return Box("answer", open=False).read(block, page)


@dataclass
class Question:
    """A part that was read; numbers are bodies of the page."""

    question: str
    ident: str
    text: int
    answer: int | None


@dataclass
class InterviewNode:
    """An interview that was read."""

    line: int
    name: str
    title: str
    questions: list[Question]

    def build(self, parent: etree.Element, builder: Builder) -> None:
        section = element(parent, "section", class_="interview")
        element(section, "p", self.title, class_="box-title")
        for part in self.questions:
            holder = section
            if part.question:
                holder = element(section, "div", class_="interview-item", id=part.ident)
                element(holder, "p", part.question, class_="question", role="heading", aria_level="4")
            builder.parse(holder, part.text)
            if part.answer is not None:
                answer = element(holder, "details", class_="answer")
                label = builder.page.labels.title["answer"]
                element(answer, "summary", label, data_search_exclude="true")
                builder.parse(answer, part.answer)


def cut(block: Block, page: Page) -> list[Part]:
    """The parts of an interview; what is wrong with them goes to the page."""
    parts = [Part(block.line)]
    items = list(block.items)
    while items:
        item = items.pop(0)
        if isinstance(item, Prose) and not item.code and OPENS.match(item.content):
            parts.append(Part(item.line, _question(item, items, page)))
        elif not isinstance(item, Block) or item.name != "answer":
            parts[-1].items.append(item)
        elif parts[-1].question and not parts[-1].answer:
            parts[-1].answer = item
        else:
            page.problem(Code.ANSWER_FIRST, item.line)
            parts.append(Part(item.line, answer=item))
    for part in parts:
        if part.question and not part.answer:
            page.problem(Code.NO_ANSWER, part.line, question=part.question)
    return parts


def _question(first: Prose, items: list[Item], page: Page) -> str:
    """The question that `first` opens; more lines of its paragraph are taken from `items`."""
    text = first.content[2:].strip()
    while "**" not in text and items and isinstance(items[0], Prose) and items[0].scope == first.scope:
        line = items.pop(0)
        text += "\n" + line.content if isinstance(line, Prose) else ""
    if "**" not in text:
        page.problem(Code.QUESTION_OPEN, first.line, question=text.split("\n")[0])
    return text.replace("**", "", 1).strip()


def _read_part(part: Part, page: Page) -> Question:
    answer = None
    if part.answer:
        check_content(part.answer, page)
        answer = body(part.answer.items, page)
    ident = question_ident(part, page) if part.question else ""
    return Question(inline(part.question, part.line, page), ident, body(part.items, page), answer)


def question_ident(part: Part, page: Page) -> str:
    """The id of a question, of its words alone; to be called once for each, in the order of the page."""
    return page.ident("q-" + short_hash(OPENS.sub("", "**" + part.question)))
