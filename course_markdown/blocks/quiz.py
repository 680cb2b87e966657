"""`:::quiz`: a question, options `A.` to `H.` or none, `答案: …`, `解析: …`; readable without JavaScript too.

The form of the answer says what is asked: see quiz_answer.py. `解析 B: …` explains one answer, for those who
chose it.
"""

from __future__ import annotations

import xml.etree.ElementTree as etree
from dataclasses import dataclass

from course_markdown.blocks import quiz_inputs as inputs
from course_markdown.blocks.box import check_content
from course_markdown.blocks.quiz_answer import CELL, Answer, cell_value, key_value, read_answer
from course_markdown.blocks.quiz_source import Source, cut, words
from course_markdown.builder import Builder, element
from course_markdown.errors import Code
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page, short_hash
from course_markdown.tree import Block, is_blank

LETTERS = "ABCDEFGH"
KEYS = {
    "choice": "write the letter of an option: '解析 B: …'",
    "number": "write a wrong number, with '%' where the answer has it: '解析 0.61: …'",
    "cell": "write a cell: '解析 (1, 2): …'",
    "order": "the steps in order have one explanation for all: '解析: …'",
}


class Quiz:
    """The block kind."""

    def read(self, block: Block, page: Page) -> QuizNode:
        page.scripted = True
        check_content(block, page)
        source = cut(block, page)
        answer = read_answer(source, page)
        if block.items:
            _check(block, source, answer, page)
        if page.site.strict and answer.kind == "choice":
            _check_reasons(source, answer, page)
        texts = [words(source.question), *(words(option.items) for option in source.options)]
        ident = page.ident(short_hash(*texts))
        reasons = _reasons(source, answer, page)
        cells = {source.answer_line or block.line: answer.value}
        cells |= {
            reason.line: cell_value(named)
            for reason in source.reasons
            if (named := CELL.fullmatch(reason.key))
        }
        return QuizNode(
            block.line,
            "quiz",
            inline(block.title or page.labels.title["quiz"], block.line, page),
            ident,
            answer,
            cells,
            body(source.question, page),
            [(option.letter, body(option.items, page)) for option in source.options],
            body([*source.tail, *(source.why or [])], page),
            reasons,
        )


@dataclass
class QuizNode:
    """A quiz that was read; numbers are bodies of the page."""

    line: int
    name: str
    title: str
    ident: str
    answer: Answer
    cells: dict[int, str]  # that are named as answers, by line
    question: int
    options: list[tuple[str, int]]
    why: int
    reasons: list[tuple[str, str, int]]

    def build(self, parent: etree.Element, builder: Builder) -> None:
        browser = builder.page.labels.browser
        form = element(
            parent,
            "form",
            class_="quiz",
            id=f"quiz-{self.ident}",
            data_quiz=self.ident,
            data_kind=self.answer.kind,
            data_answer=self.answer.value,
        )
        if self.answer.kind == "number":
            form.set("data-tolerance", self.answer.tolerance)
            form.set("data-unit", self.answer.unit)
        element(form, "p", self.title, class_="box-title", data_search_exclude="true")
        fields = element(form, "fieldset")
        self._question(fields, builder)
        self._inputs(fields, builder)
        actions = element(form, "p", class_="quiz-actions", data_search_exclude="true")
        element(actions, "button", browser["quiz_check"], type="submit", class_="quiz-check")
        element(actions, "button", browser["quiz_reset"], type="reset", class_="quiz-reset")
        element(form, "p", class_="quiz-result", role="status")
        self._why(form, builder)

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

    def _inputs(self, fields: etree.Element, builder: Builder) -> None:
        labels, answer, name = builder.page.labels.label, self.answer, f"quiz-{self.ident}"
        several = answer.kind == "choice" and len(answer.value) > 1
        hint = labels["quiz_several"] if several else labels.get(f"quiz_hint_{answer.kind}", "")
        if answer.kind == "number" and answer.tolerance.strip("0."):
            hint = labels["quiz_tolerance"].format(tolerance=answer.tolerance + answer.unit)
        if hint:
            said = element(fields, "p", hint, class_="quiz-hint", data_search_exclude="true")
            if answer.kind == "cell":  # the table stands in the question already
                fields.remove(said)
                fields.insert(1, said)
        if answer.kind == "order":
            inputs.steps(fields, self.options, builder)
        elif answer.kind == "number":
            inputs.number(fields, name, answer, builder)
        elif answer.kind == "cell":
            inputs.cells(fields, name, self.cells, builder)
        else:
            inputs.options(fields, name, self.options, "checkbox" if several else "radio", builder)

    def _why(self, form: etree.Element, builder: Builder) -> None:
        labels = builder.page.labels
        why = element(form, "details", class_="quiz-why")
        element(why, "summary", labels.title["quiz_why"], data_search_exclude="true")
        answer = labels.label["quiz_answer"].format(letters=self.answer.shown)
        element(why, "p", answer, class_="quiz-answer", data_search_exclude="true")
        each = element(why, "dl", class_="quiz-each") if self.reasons else why
        for value, shown, number in self.reasons:
            row = element(each, "div", data_for=value)
            element(row, "dt", shown)
            builder.fill(element(row, "dd"), number)
        builder.parse(why, self.why)


def _reasons(source: Source, answer: Answer, page: Page) -> list[tuple[str, str, int]]:
    """The explanations of single answers, as (value of the answer, how it is shown, body)."""
    found: dict[str, tuple[str, str, int]] = {}
    for reason in source.reasons:
        value = key_value(reason.key, answer, source, reason.line, page)
        if value is None:
            page.problem(Code.QUIZ_REASON, reason.line, key=reason.key, cure=KEYS[answer.kind])
        elif value in found:
            page.problem(Code.QUIZ_REASONS, reason.line, key=reason.key)
        else:
            if is_blank(reason.items):
                page.problem(Code.QUIZ_WHY, reason.line)
            found[value] = (value, inline(reason.key, reason.line, page), body(reason.items, page))
    return list(found.values())


def _check(block: Block, source: Source, answer: Answer, page: Page) -> None:
    if is_blank(source.question):
        page.problem(Code.QUIZ_QUESTION, block.line)
    if len(source.options) < 2 and answer.kind in ("choice", "order"):
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
        text = words(option.items)
        if not text:
            page.problem(Code.QUIZ_EMPTY, option.line, letter=option.letter)
        elif option.letter in seen.values():
            page.problem(Code.QUIZ_SAME, option.line, letter=option.letter, other=option.letter)
        elif text in seen:
            page.problem(Code.QUIZ_SAME, option.line, letter=option.letter, other=seen[text])
        elif option.letter != expected:
            page.problem(Code.QUIZ_ORDER, option.line, letter=option.letter, expected=expected)
        seen.setdefault(text, option.letter)


def _check_reasons(source: Source, answer: Answer, page: Page) -> None:
    """On a proofread page each wrong option has an explanation of its own."""
    explained = {reason.key.upper() for reason in source.reasons}
    for option in source.options:
        if option.letter not in answer.value and option.letter not in explained:
            page.problem(Code.QUIZ_UNEXPLAINED, option.line, letter=option.letter)
