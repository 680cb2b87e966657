"""`:::quiz`: a question, options `A.` to `H.`, `答案: B`, `解析: …`; readable without JavaScript too."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from dataclasses import dataclass, field

from course_markdown.blocks.box import check_content
from course_markdown.builder import Builder, element
from course_markdown.errors import Code
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page, short_hash
from course_markdown.tree import Block, Fence, Item, Prose, is_blank

LETTERS = "ABCDEFGH"
OPTION = re.compile(r"(?P<letter>[A-H])\s*[.、)．）]\s*(?P<text>.*)")
ANSWER = re.compile(r"(?P<label>答案|answer)\s*[:：]\s*(?P<text>.*)", re.IGNORECASE)
WHY = re.compile(r"(?P<label>解析|explanation)\s*[:：]\s*(?P<text>.*)", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,，、;；/&+.。和与]|\band\b", re.IGNORECASE)


@dataclass
class Option:
    letter: str
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


class Quiz:
    """The block kind."""

    def read(self, block: Block, page: Page) -> QuizNode:
        page.scripted = True
        check_content(block, page)
        source = _cut(block, page)
        right = _right(source, page)
        if block.items:
            _check(block, source, right, page)
        words = [_words(source.question), *(_words(option.items) for option in source.options)]
        ident = page.ident(short_hash(*words))
        return QuizNode(
            block.line,
            "quiz",
            inline(block.title or page.labels.title["quiz"], block.line, page),
            ident,
            right,
            body(source.question, page),
            [(option.letter, body(option.items, page)) for option in source.options],
            body([*source.tail, *(source.why or [])], page),
        )


@dataclass
class QuizNode:
    """A quiz that was read; numbers are bodies of the page."""

    line: int
    name: str
    title: str
    ident: str
    right: str
    question: int
    options: list[tuple[str, int]]
    why: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        several = len(self.right) > 1
        words = builder.page.labels
        form = element(
            parent,
            "form",
            class_="quiz",
            id=f"quiz-{self.ident}",
            data_quiz=self.ident,
            data_answer=self.right,
        )
        element(form, "p", self.title, class_="box-title", data_search_exclude="true")
        fields = element(form, "fieldset")
        self._question(fields, builder)
        if several:
            element(fields, "p", words.label["quiz_several"], class_="quiz-hint", data_search_exclude="true")
        for letter, number in self.options:
            option = element(fields, "label", class_="quiz-option")
            option.tail = "\n"
            kind = "checkbox" if several else "radio"
            element(option, "input", type=kind, name=f"quiz-{self.ident}", value=letter)
            element(option, "span", letter, class_="quiz-letter").tail = " "
            text = element(option, "span", class_="quiz-text")
            if not builder.fill(text, number):
                text.tag = "div"
        actions = element(form, "p", class_="quiz-actions", data_search_exclude="true")
        element(actions, "button", words.browser["quiz_check"], type="submit", class_="quiz-check")
        element(actions, "button", words.browser["quiz_reset"], type="reset", class_="quiz-reset")
        element(form, "p", class_="quiz-result", role="status")
        why = element(form, "details", class_="quiz-why")
        element(why, "summary", words.title["quiz_why"], data_search_exclude="true")
        answer = words.label["quiz_answer"].format(letters=", ".join(self.right))
        element(why, "p", answer, class_="quiz-answer", data_search_exclude="true")
        builder.parse(why, self.why)

    def _question(self, fields: etree.Element, builder: Builder) -> None:
        """The first paragraph names the group of inputs; what else belongs to the question follows it."""
        holder = etree.Element("div")
        builder.parse(holder, self.question)
        legend = element(fields, "legend")
        if len(holder) and holder[0].tag == "p":
            legend.text = holder[0].text
            legend.extend(list(holder[0]))
            holder.remove(holder[0])
        fields.extend(list(holder))


def _cut(block: Block, page: Page) -> Source:
    source = Source()
    into = source.question
    for item in block.items:
        prose = item if isinstance(item, Prose) and not item.code and not item.lead.strip() else None
        option = OPTION.match(prose.content) if prose else None
        answer = ANSWER.match(prose.content) if prose else None
        why = WHY.match(prose.content) if prose else None
        if prose and option and source.answer is None and source.why is None:
            source.options.append(Option(option["letter"], item.line, [_rest(prose, option)]))
            into = source.options[-1].items
        elif prose and answer:
            if source.answer is not None:
                page.problem(Code.QUIZ_ANSWERS, item.line, label=answer["label"])
            source.answer, source.answer_line = answer["text"].strip(), item.line
            into = source.tail
        elif prose and why and source.why is None:
            into = source.why = [_rest(prose, why)]
        else:
            into.append(item)
    return source


def _rest(prose: Prose, match: re.Match[str]) -> Prose:
    """The line without its label."""
    return Prose(prose.line, prose.lead, match["text"], prose.prefix, prose.scope)


def _right(source: Source, page: Page) -> str:
    """The letters of the right options, in order."""
    if source.answer is None:
        return ""
    letters = BETWEEN.sub("", source.answer).upper()
    known = [option.letter for option in source.options]
    if not letters or any(letter not in known for letter in letters):
        shown = ", ".join(known) or "none"
        page.problem(Code.QUIZ_ANSWER, source.answer_line, answer=source.answer, options=shown)
    return "".join(letter for letter in known if letter in letters)


def _check(block: Block, source: Source, right: str, page: Page) -> None:
    if is_blank(source.question):
        page.problem(Code.QUIZ_QUESTION, block.line)
    if len(source.options) < 2:
        page.problem(Code.QUIZ_OPTIONS, block.line, count=len(source.options))
    if source.answer is None:
        page.problem(Code.QUIZ_NO_ANSWER, block.line)
    if not is_blank(source.tail):
        line = next(item.line for item in source.tail if not is_blank([item]))
        page.problem(Code.QUIZ_TAIL, line)
    if source.why is not None and is_blank(source.why):
        page.problem(Code.QUIZ_WHY, source.why[0].line)
    seen: dict[str, str] = {}
    for expected, option in zip(LETTERS, source.options, strict=False):
        words = _words(option.items)
        if not words:
            page.problem(Code.QUIZ_EMPTY, option.line, letter=option.letter)
        elif option.letter in seen.values():
            page.problem(Code.QUIZ_SAME, option.line, letter=option.letter, other=option.letter)
        elif words in seen:
            page.problem(Code.QUIZ_SAME, option.line, letter=option.letter, other=seen[words])
        elif option.letter != expected:
            page.problem(Code.QUIZ_ORDER, option.line, letter=option.letter, expected=expected)
        seen.setdefault(words, option.letter)


def _words(items: list[Item]) -> str:
    """The text of `items`, to tell whether two are the same."""
    found: list[str] = []
    for item in items:
        if isinstance(item, Prose):
            found.append(item.content)
        elif isinstance(item, Fence):
            found += item.lines
        else:
            found.append(_words(item.items))
    return " ".join(" ".join(found).split())
