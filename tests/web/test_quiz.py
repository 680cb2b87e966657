"""Quizzes: choose, check, read why, come back, reset; with the mouse and with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page


@pytest.fixture
def quiz(new_page: Callable[..., Page], site: Any) -> Locator:
    page = new_page(site.address + "chapters/07-scores-to-output/")
    return page.locator("form.quiz").first


def letters(quiz: Locator) -> tuple[str, list[str]]:
    """The right answer, and the wrong ones."""
    answer = quiz.get_attribute("data-answer")
    values = quiz.locator("input").evaluate_all("inputs => inputs.map((input) => input.value)")
    return answer, [value for value in values if value not in answer]


def test_right_answer_by_mouse(quiz: Locator) -> None:
    answer, _ = letters(quiz)
    assert quiz.locator(".quiz-why").is_hidden()
    quiz.locator(f"input[value={answer}]").check()
    quiz.locator(".quiz-check").click()
    assert quiz.locator(".quiz-result.is-right").is_visible()
    assert quiz.locator(".quiz-option.is-right").count() == 1
    assert quiz.locator(".quiz-option.is-wrong").count() == 0
    assert quiz.locator(".quiz-why").is_visible()


def test_wrong_answer_is_marked_and_another_try_clears_the_marks(quiz: Locator) -> None:
    answer, wrong = letters(quiz)
    quiz.locator(f"input[value={wrong[0]}]").check()
    quiz.locator(".quiz-check").click()
    assert quiz.locator(".quiz-result.is-wrong").is_visible()
    assert quiz.locator(".quiz-option.is-wrong").count() == 1
    quiz.locator(f"input[value={answer}]").check()
    assert quiz.locator(".quiz-option.is-wrong").count() == 0
    quiz.locator(".quiz-check").click()
    assert quiz.locator(".quiz-result.is-right").is_visible()


def test_by_keyboard_alone(quiz: Locator) -> None:
    page = quiz.page
    quiz.locator("input").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className").startswith("quiz-check") or page.evaluate(
        "document.activeElement.className"
    ).endswith("quiz-check")
    page.keyboard.press("Enter")
    assert quiz.locator(".quiz-result").text_content() != ""
    assert quiz.locator(".quiz-result").get_attribute("role") == "status"


def test_check_without_a_choice_says_what_to_do(quiz: Locator) -> None:
    quiz.locator(".quiz-check").click()
    assert quiz.locator(".quiz-result").text_content() != ""
    assert quiz.locator(".quiz-why").is_hidden()


def test_answer_outlives_a_reload_and_ends_with_reset(quiz: Locator) -> None:
    answer, _ = letters(quiz)
    quiz.locator(f"input[value={answer}]").check()
    quiz.locator(".quiz-check").click()
    quiz.page.reload()
    assert quiz.locator(f"input[value={answer}]").is_checked()
    assert quiz.locator(".quiz-result.is-right").is_visible()
    quiz.locator(".quiz-reset").click()
    assert quiz.locator("input:checked").count() == 0
    quiz.page.reload()
    assert quiz.locator("input:checked").count() == 0
    assert quiz.locator(".quiz-result").text_content() == ""


def test_unreadable_saved_state_is_kept_aside(quiz: Locator) -> None:
    key = quiz.get_attribute("data-quiz")
    quiz.page.evaluate("key => localStorage.setItem('course.v1.quiz.' + key, '{broken')", key)
    quiz.page.reload()
    quiz.locator("input").first.check()
    assert (
        quiz.page.evaluate("key => localStorage.getItem('course.v1.unreadable.quiz.' + key)", key)
        == "{broken"
    )


def test_without_scripts_the_answer_can_be_opened(new_page: Callable[..., Page], site: Any) -> None:
    page = new_page(site.address + "chapters/07-scores-to-output/", java_script_enabled=False)
    why = page.locator("form.quiz .quiz-why").first
    assert why.is_visible()
    why.locator("summary").click()
    assert len(why.inner_text()) > 20
