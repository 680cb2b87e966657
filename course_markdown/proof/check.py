"""Runs the rules over a page that is proofread, when all of it has been read."""

from __future__ import annotations

from course_markdown.page import Page
from course_markdown.proof.demo_states import check_demo_states
from course_markdown.proof.leftovers import check_leftovers
from course_markdown.proof.links import links
from course_markdown.proof.numbers import check_numbers
from course_markdown.proof.paragraphs import paragraphs
from course_markdown.proof.sections import check_sections
from course_markdown.proof.spans import Span
from course_markdown.proof.typography import check_typography
from course_markdown.proof.words import check_words


def proofread(found: list[Span], page: Page) -> None:
    """Note each place of the page where a rule is broken."""
    texts = list(paragraphs(found))
    check_numbers(found, page)
    check_demo_states(found, page)
    check_leftovers(texts, page)
    check_words(texts, page)
    check_typography(texts, page)
    check_sections(found, texts, page)
    page.site.links += links(found, page)
