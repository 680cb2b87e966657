"""Quizzes that ask for a number, an order or a cell, and explanations of single answers."""

from __future__ import annotations

from typing import Any

import pytest

TABLE = """
:::quiz
哪一格错了？

| | 甲 | 乙 $x$ |
|---|---|---|
| 行一 | 1 | 0 |
| 行二 | {{0.5 := 1 / 2}} | 0.4 |

答案: (2, 2)
解析 (2, 1): 这一格是对的。
解析: 行和是 1。
:::
"""


@pytest.mark.parametrize(
    ("answer", "value", "tolerance", "unit"),
    [
        ("0.576 ± 0.001", "0.576", "0.001", ""),
        ("0.576 +/- 0.001。", "0.576", "0.001", ""),
        ("0.576", "0.576", "0.0005", ""),
        ("64", "64", "0", ""),
        ("64 ± 2", "64", "2", ""),
        ("-1.50", "-1.5", "0.005", ""),
        ("−3", "-3", "0", ""),
        ("8,030,261,248", "8030261248", "0", ""),
        ("41.9% ± 0.1%", "41.9", "0.1", "%"),
        ("1.5e-3 ± 0.0001", "0.0015", "0.0001", ""),
        ("{{0.33 := 1 / 3}} ± 0.01", "0.33", "0.01", ""),
        ("{{:.3f := 1 / 3}}", "0.333", "0.0005", ""),
        ("{{0.33 := 1 / 3}} ± {{0.01 := 0.01}}", "0.33", "0.01", ""),
    ],
)
def test_number(clean: Any, answer: str, value: str, tolerance: str, unit: str) -> None:
    form = clean(f":::quiz\n多少？\n\n答案: {answer}\n解析: 因为。\n:::\n").find("form")
    assert form.get("data-kind") == "number"
    found = [form.get(f"data-{name}") for name in ("answer", "tolerance", "unit")]
    assert found == [value, tolerance, unit]
    field = form.find("fieldset/p/label/input")
    assert (field.get("type"), field.get("name")) == ("text", form.get("id"))
    assert form.find("fieldset/p/label/span").text == "你的答案"
    units = [span.text for span in form.findall("fieldset/p/span")]
    assert units == ([unit] if unit else [])


def test_tolerance_is_told_where_there_is_one(clean: Any) -> None:
    def hints(answer: str) -> list[str]:
        return [p.text for p in clean(f":::quiz\nq\n答案: {answer}\n:::\n").all(".//p[@class='quiz-hint']")]

    assert hints("41.9% ± 0.1%") == ["与答案相差不超过 0.1% 都算对。"]
    assert hints("100 ± 10") == ["与答案相差不超过 10 都算对。"]
    assert hints("64") == []


def test_checked_answer_can_be_opened_only_with_the_explanation(clean: Any) -> None:
    page = clean(":::quiz\nq\n答案: {{0.33 := 1 / 3}} ± 0.01\n:::\n")
    assert page.find(".//details/p[@class='quiz-answer']/button[@class='num']").text == "0.33"
    assert len(page.all(".//button[@class='num']")) == 1


@pytest.mark.parametrize("answer", ["C → A → B", "C->A->B", "c > a > b", "C ＞ A ＞ B", "C ⟶ A → B。"])
def test_order(clean: Any, answer: str) -> None:
    form = clean(f":::quiz\n排序\n\nA. 甲 $x$\nB. 乙\nC. 丙\n\n答案：{answer}\n解析: 因为。\n:::\n").find(
        "form"
    )
    assert (form.get("data-kind"), form.get("data-answer")) == ("order", "CAB")
    steps = form.findall("fieldset/ol[@class='quiz-steps']/li")
    assert [step.get("data-value") for step in steps] == ["A", "B", "C"]
    buttons = [(b.get("type"), b.get("data-move"), b.get("aria-label")) for b in steps[1].iter("button")]
    assert buttons == [("button", "-1", "上移 B"), ("button", "1", "下移 B")]
    assert form.findall(".//input") == []
    assert form.find("details/p").text == "答案：C → A → B"


def test_letters_without_arrows_are_several_right_answers_as_ever(clean: Any) -> None:
    form = clean(":::quiz\nq\nA. a\nB. b\nC. c\n答案: C A B\n:::\n").find("form")
    assert (form.get("data-kind"), form.get("data-answer")) == ("choice", "ABC")


@pytest.mark.parametrize("answer", ["(2, 2)", "（2，2）", "第 2 行第 2 列", "第2行 第2列", "row 2, column 2"])
def test_cells(clean: Any, answer: str) -> None:
    form = clean(TABLE.replace("答案: (2, 2)", f"答案: {answer}")).find("form")
    assert (form.get("data-kind"), form.get("data-answer")) == ("cell", "2,2")
    assert [part.get("class") for part in form.find("fieldset")] == [None, "quiz-hint", None]
    inputs = form.findall(".//td/label/input")
    assert [(i.get("type"), i.get("value"), i.get("name")) for i in inputs] == [
        ("radio", f"{row},{column}", form.get("id")) for row in (1, 2) for column in (1, 2)
    ]
    heads = form.findall(".//tbody/tr/th")
    assert [(th.text, th.get("scope")) for th in heads] == [("行一", "row"), ("行二", "row")]
    assert [part.tag for part in form.find(".//thead/tr")] == ["td", "th", "th"]
    labels = ["".join(label.itertext()).strip() for label in form.findall(".//td/label")]
    assert labels[2:] == ["第 2 行第 1 列： 0.5", "第 2 行第 2 列： 0.4"]
    assert form.findall(".//td//button") == []


def test_table_whose_first_head_has_words_has_no_row_heads(clean: Any) -> None:
    page = clean(":::quiz\nq\n\n| a | b |\n|---|---|\n| c | d |\n\n答案: (1, 2)\n:::\n")
    assert [i.get("value") for i in page.all(".//input")] == ["1,1", "1,2"]
    assert page.all(".//tbody//th") == []


def each(page: Any) -> list[tuple[str | None, str]]:
    rows = page.all(".//details/dl[@class='quiz-each']/div")
    return [(row.get("data-for"), " ".join("".join(part.itertext()) for part in row)) for row in rows]


@pytest.mark.parametrize("label", ["解析 {}: {}", "解析{}：{}", "Explanation {}: {}"])
def test_explanations_of_options(clean: Any, label: str) -> None:
    lines = f"{label.format('B', '乙错 $x$。')}\n\n- 又一行\n{label.format('a', '甲对。')}\n解析: 总的。\n"
    page = clean(f":::quiz\nq\nA. 甲\nB. 乙\n答案: A\n{lines}:::\n", dedent=False)
    assert [value for value, _ in each(page)] == ["B", "A"]
    assert each(page)[1][1].endswith("甲对。")
    assert page.find(".//details/dl/div/dd/ul/li").text == "又一行"
    assert page.all(".//details/p")[-1].text == "总的。"


def test_explanations_before_the_answer(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. 甲\nB. 乙\n解析 B: 错。\n答案: A\n:::\n")
    assert page.find("form").get("data-answer") == "A"
    assert each(page) == [("B", "B 错。")]


def test_explanations_of_numbers_and_cells(clean: Any) -> None:
    page = clean(":::quiz\nq\n答案: 0.33\n解析 0.50: 忘了一个。\n解析 {{0.25 := 1 / 4}}: 多了一个。\n:::\n")
    assert [value for value, _ in each(page)] == ["0.5", "0.25"]
    assert each(clean(TABLE)) == [("2,1", "(2, 1) 这一格是对的。")]


def test_words_like_labels_in_an_explanation_are_text(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. a\nB. b\n答案: A\n解析: 顺序：B → A。\n解析几何：x\n解析见 7.9：y\n:::\n")
    assert "解析几何：x" in page.text
    assert "解析见 7.9：y" in page.text


def test_kinds_in_english(clean: Any) -> None:
    page = clean(":::quiz\nq\nA. a\nB. b\nAnswer: B -> A\n:::\n\n" + TABLE, lang="en")
    assert page.find(".//button[@data-move='1']").get("aria-label") == "Move A down"
    hints = [p.text for p in page.all(".//p[@class='quiz-hint']")]
    assert hints == [
        "Bring the steps into the right order with the arrow buttons.",
        "Choose the cell that is wrong.",
    ]
    assert page.find(".//span[@class='quiz-place']").text == "Row 1, column 1:"
