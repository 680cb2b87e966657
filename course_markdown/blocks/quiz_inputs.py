"""What a reader answers a quiz with: options to choose, steps to move, a number to type, cells of a table."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from collections.abc import Sequence

from course_markdown.blocks.quiz_answer import Answer
from course_markdown.builder import Builder, element
from course_markdown.errors import Code


def options(
    fields: etree.Element, name: str, shown: Sequence[tuple[str, int]], kind: str, builder: Builder
) -> None:
    """Radio buttons or checkboxes, each with its letter and text."""
    for letter, number in shown:
        option = element(fields, "label", class_="quiz-option")
        option.tail = "\n"
        element(option, "input", type=kind, name=name, value=letter)
        _text(option, letter, number, builder)


def steps(fields: etree.Element, shown: Sequence[tuple[str, int]], builder: Builder) -> None:
    """The options as a list that two buttons an item bring into another order."""
    words = builder.page.labels.label
    rows = element(fields, "ol", class_="quiz-steps")
    for letter, number in shown:
        row = element(rows, "li", class_="quiz-option quiz-step", data_value=letter)
        row.tail = "\n"
        _text(row, letter, number, builder)
        moves = element(row, "span", class_="quiz-moves", data_search_exclude="true")
        for by, arrow, label in (("-1", "↑", "quiz_up"), ("1", "↓", "quiz_down")):
            name = words[label].format(letter=letter)
            element(moves, "button", arrow, type="button", class_="quiz-move", data_move=by, aria_label=name)


def number(fields: etree.Element, name: str, answer: Answer, builder: Builder) -> None:
    """A field for a number, with its unit behind it."""
    row = element(fields, "p", class_="quiz-number")
    label = element(row, "label")
    words = builder.page.labels.label["quiz_number"]
    element(label, "span", words, class_="quiz-number-label", data_search_exclude="true").tail = " "
    element(
        label, "input", type="text", name=name, class_="quiz-field", autocomplete="off", spellcheck="false"
    )
    if answer.unit:
        element(row, "span", answer.unit, class_="quiz-unit")


def cells(fields: etree.Element, name: str, named: dict[int, str], builder: Builder) -> None:
    """The cells of the question's only table become radio buttons; headers are not counted.

    Each cell that is `named`, by line, must be there; the first is the answer.
    """
    tables = list(fields.iter("table"))
    if len(tables) != 1:
        builder.page.problem(Code.QUIZ_TABLE, next(iter(named)), count=len(tables))
        return
    heads = tables[0].findall("thead/tr/th")
    headed = bool(heads) and not (heads[0].text or "").strip() and not len(heads[0])
    if headed:
        heads[0].tag = "td"  # the corner is the head of nothing
    rows = tables[0].findall("tbody/tr")
    values = set()
    for at, row in enumerate(rows, 1):
        for column, cell in enumerate(row, 0 if headed else 1):
            if column == 0:
                cell.tag = "th"
                cell.set("scope", "row")
            else:
                values.add(f"{at},{column}")
                _cell(cell, name, at, column, builder)
    columns = len(heads) - headed
    for line, cell_named in named.items():
        if cell_named not in values:
            builder.page.problem(Code.QUIZ_CELL, line, cell=cell_named, rows=len(rows), columns=columns)


def _cell(cell: etree.Element, name: str, row: int, column: int, builder: Builder) -> None:
    text, cell.text = cell.text, None
    cell.set("class", "quiz-cell")
    label = element(cell, "label")
    element(label, "input", type="radio", name=name, value=f"{row},{column}")
    place = builder.page.labels.label["quiz_cell"].format(row=row, column=column)
    element(label, "span", place, class_="quiz-place", data_search_exclude="true").tail = " "
    element(label, "span").text = text


def _text(parent: etree.Element, letter: str, body: int, builder: Builder) -> None:
    element(parent, "span", letter, class_="quiz-letter").tail = " "
    text = element(parent, "span", class_="quiz-text")
    if not builder.fill(text, body):
        text.tag = "div"
