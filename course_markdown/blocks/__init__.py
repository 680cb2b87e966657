"""The block kinds, by the name that a contributor writes after the colons."""

from __future__ import annotations

from collections.abc import Mapping

from course_markdown.blocks.bank import Bank
from course_markdown.blocks.bibliography import Bibliography
from course_markdown.blocks.box import BOXES, FOLDS, Box
from course_markdown.blocks.demo import Demo
from course_markdown.blocks.interview import Answer, Interview
from course_markdown.blocks.quiz import Quiz
from course_markdown.blocks.related import Related
from course_markdown.blocks.shapeflow import Shapeflow
from course_markdown.blocks.source import Source
from course_markdown.page import Kind

KINDS: Mapping[str, Kind] = {
    **{name: Box(name) for name in BOXES},
    **{name: Box(name, open=False) for name in FOLDS},
    "bank": Bank(),
    "bibliography": Bibliography(),
    "demo": Demo(),
    "quiz": Quiz(),
    "interview": Interview(),
    "answer": Answer(),
    "shapeflow": Shapeflow(),
    "related": Related(),
    "source": Source(),
}
