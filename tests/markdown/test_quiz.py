"""Quizzes: a form with a group of inputs, its answer, and an explanation that opens without JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest

PLAIN = """
:::quiz
问题 $x$？

A. 一
B. 二
C. 三

答案: B
解析: 因为。
:::
"""


def test_form(clean: Any) -> None:
    form = clean(PLAIN).find("form")
    ident = form.get("data-quiz")
    assert (form.get("class"), form.get("id"), form.get("data-answer")) == ("quiz", f"quiz-{ident}", "B")
    assert "".join(form.find("fieldset/legend").itertext()) == "问题 x？"
    inputs = form.findall("fieldset/label/input")
    assert [(i.get("type"), i.get("value"), i.get("name")) for i in inputs] == [
        ("radio", letter, f"quiz-{ident}") for letter in "ABC"
    ]
    assert [span.text for span in form.findall(".//span[@class='quiz-text']")] == ["一", "二", "三"]


def test_buttons_and_a_place_for_the_result(clean: Any) -> None:
    form = clean(PLAIN).find("form")
    assert [(b.get("type"), b.text) for b in form.findall(".//button")] == [
        ("submit", "检查"),
        ("reset", "重做"),
    ]
    assert form.find("p[@class='quiz-result']").get("role") == "status"


def test_explanation_opens_without_javascript(clean: Any) -> None:
    why = clean(PLAIN).find("form/details[@class='quiz-why']")
    assert [part.text for part in why] == ["答案与解析", "答案：B", "因为。"]


def test_words_in_english(clean: Any) -> None:
    source = ":::quiz\nWhich?\n\nA. a\nB. b\n\nAnswer: A\nExplanation: so.\n:::\n"
    form = clean(source, lang="en").find("form")
    assert form.get("data-answer") == "A"
    assert [part.text for part in form.find("details")] == ["Answer and explanation", "Answer: A", "so."]


@pytest.mark.parametrize("mark", ["A. {}", "A、{}", "A) {}", "A．{}", "A）{}", "A.{}", "  A. {}"])
def test_marks_of_options(clean: Any, mark: str) -> None:
    lines = [mark.replace("A", letter).format(text) for letter, text in (("A", "x"), ("B", "y"))]
    page = clean(":::quiz\nq\n" + "\n".join(lines) + "\n答案：A\n:::\n", dedent=False)
    assert [span.text for span in page.all(".//span[@class='quiz-text']")] == ["x", "y"]


@pytest.mark.parametrize("answer", ["A, C", "AC", "C、A", "A，C", "a 和 c", "A and C", "A/C。"])
def test_several_right_answers(clean: Any, answer: str) -> None:
    page = clean(f":::quiz\nq\nA. x\nB. y\nC. z\n答案：{answer}\n:::\n")
    assert page.find("form").get("data-answer") == "AC"
    assert {i.get("type") for i in page.all(".//input")} == {"checkbox"}
    assert "全部" in page.find(".//p[@class='quiz-hint']").text


def test_eight_options(clean: Any) -> None:
    lines = "\n".join(f"{letter}. {letter * 2}" for letter in "ABCDEFGH")
    assert len(clean(f":::quiz\nq\n{lines}\n答案: H\n:::\n").all(".//label")) == 8


def test_formula_code_and_bar_in_an_option(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. $P(a|b)$ 与 `x|y`\nB. **粗**\n答案: A\n:::\n")
    first, second = page.all(".//span[@class='quiz-text']")
    assert [part.tag for part in first] == ["math", "code"]
    assert second[0].tag == "strong"


def test_code_block_in_an_option(clean: Any) -> None:
    page = clean(":::quiz\nq\n\nA. see\n\n   ```py\n   B. x = 1\n   ```\nB. y\n\n答案: B\n:::\n")
    text = page.find(".//div[@class='quiz-text']")
    assert "".join(text.find(".//code").itertext()) == "B. x = 1\n"
    assert len(page.all(".//label")) == 2


def test_question_with_code_and_a_second_paragraph(clean: Any) -> None:
    page = clean(":::quiz\nfirst\n\n```\nA. no option\n```\n\nsecond\n\nA. a\nB. b\n答案: A\n:::\n")
    fieldset = page.find(".//fieldset")
    assert fieldset.find("legend").text == "first"
    assert [part.tag for part in fieldset][:3] == ["legend", "div", "p"]


def test_explanation_over_several_lines(clean: Any) -> None:
    page = clean(
        """
        :::quiz
        q
        A. a
        B. b
        答案: A
        解析: one $x$:

        ```py
        答案: B
        ```

        $$
        y
        $$

        :::fold more
        - z
        :::
        :::
        """
    )
    why = page.find(".//details[@class='quiz-why']")
    assert [part.tag for part in why] == ["summary", "p", "p", "div", "div", "details"]
    assert why.find("details/ul/li").text == "z"


def test_explanation_before_the_answer(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. a\nB. b\n解析: so\n答案: A\n:::\n")
    assert page.find("form").get("data-answer") == "A"
    assert [p.text for p in page.all(".//details/p")] == ["答案：A", "so"]


def test_explanation_may_be_missing(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. a\nB. b\n答案: A\n:::\n")
    assert [part.tag for part in page.find(".//details")] == ["summary", "p"]


def test_identity_outlives_edits_elsewhere(clean: Any) -> None:
    ident = clean(PLAIN).find("form").get("data-quiz")
    moved = clean("# Title\n\ntext\n" + PLAIN.replace("因为。", "因为如此。")).find("form")
    other = clean(PLAIN.replace("三", "四")).find("form")
    assert moved.get("data-quiz") == ident
    assert other.get("data-quiz") != ident


def test_equal_quizzes_differ_in_identity(clean: Any) -> None:
    first, second = clean(PLAIN + PLAIN).all("form")
    assert second.get("data-quiz") == first.get("data-quiz") + "-2"


def test_messages_for_scripts_stand_once_at_the_end(clean: Any) -> None:
    page = clean(PLAIN + PLAIN, lang="en")
    assert len(page.all(".//script")) == 1
    last = page.root[-1]
    assert (last.get("type"), last.get("class")) == ("application/json", "course-messages")
    assert json.loads(last.text)["quiz_right"] == "Right."


def test_page_without_quiz_or_demo_has_no_messages(clean: Any) -> None:
    assert "script" not in clean("text\n").html


def test_messages_cannot_end_the_script(clean: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from course_markdown.labels import labels

    monkeypatch.setitem(labels("zh").browser, "quiz_right", "</script><b>")
    html = clean(PLAIN).html
    assert html.count("</script>") == 1
    assert "\\u003c/script>" in html


def test_quiz_in_a_list(clean: Any) -> None:
    page = clean("- a\n  :::quiz\n  q\n  A. x\n  B. y\n  答案: A\n  :::\n")
    assert len(page.all("ul/li/form//label")) == 2


CHOICE = ":::quiz\n问？\n\nA. 甲\nB. 乙\nC. 丙\n\n答案: B\n解析: 因为乙。\n解析 A: 那是丁。\n{more}:::\n"


def test_each_wrong_option_of_a_proofread_page_is_explained(render: Any) -> None:
    assert render(CHOICE.format(more=""), strict=True).codes == [(6, "E159")]
    assert render(CHOICE.format(more="解析 c：那是戊。\n"), strict=True).codes == []
    assert render(CHOICE.format(more="")).codes == []
