"""Quizzes that ask for a number, an order or a cell; explanations of what was chosen; by keyboard too."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

ROOT = Path(__file__).resolve().parents[2]

CONFIG = """
INHERIT: {root}/mkdocs.yml
theme: {{custom_dir: {root}/overrides}}
docs_dir: docs
plugins: {{search: {{}}, course: {{live: []}}}}
nav: [index.md]
"""

PAGE = """# 小测验

:::quiz 选择
除以几？

A. 甲
B. 乙
C. 丙

答案: B
解析 A: 甲的错处。
解析 B: 乙对在哪里。
解析: 总的。
:::

:::quiz 多选
哪些对？

A. 一
B. 二
C. 三

答案: A B
解析 B: 二为什么对。
解析 C: 三的错处。
:::

:::quiz 数
三分之一是多少？

答案: {{0.333 := 1 / 3}} ± 0.001
解析 {{0.500 := 1 / 2}}: 那是一半。
解析: 一除以三。
:::

:::quiz 百分数
三分之一是百分之几？

答案: 33.3% ± 0.1%
:::

:::quiz 排序
先后顺序？

A. 归一
B. 打分
C. 加权
D. 缩放

答案: B → D → A → C
解析: 从打分开始。
:::

:::quiz 找错
哪一格错了？

| | 甲 | 乙 |
|---|---|---|
| 行一 | 1 | 0 |
| 行二 | 0.5 | 0.4 |

答案: (2, 2)
解析 (1, 1): 这一格是对的。
解析: 行和是 1。
:::
"""


@pytest.fixture(scope="module")
def quizzes(
    build: Callable[..., Path], serve: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The address of a page with a quiz of each kind."""
    root = tmp_path_factory.mktemp("quizzes")
    for part in ("css", "js"):
        shutil.copytree(ROOT / "docs" / "assets" / part, root / "docs" / "assets" / part)
    (root / "docs" / "index.md").write_text(PAGE, encoding="utf-8")
    (root / "mkdocs.yml").write_text(CONFIG.format(root=ROOT), encoding="utf-8")
    address: str = serve(build(root / "site", root / "mkdocs.yml")).address
    return address


@pytest.fixture
def page(new_page: Callable[..., Page], quizzes: str) -> Page:
    return new_page(quizzes)


def quiz(page: Page, title: str) -> Locator:
    return page.locator("form.quiz", has=page.locator(f".box-title:text-is('{title}')"))


def check(form: Locator) -> str:
    form.locator(".quiz-check").click()
    return form.locator(".quiz-result").inner_text()


def shown(form: Locator) -> list[str]:
    return [row.inner_text() for row in form.locator("[data-for]").all() if row.is_visible()]


def is_right(form: Locator) -> bool:
    return "is-right" in (form.locator(".quiz-result").get_attribute("class") or "")


def test_explanation_is_that_of_the_option_chosen(page: Page) -> None:
    form = quiz(page, "选择")
    form.locator("input[value=A]").check()
    check(form)
    assert ["甲的错处。" in text for text in shown(form)] == [True]
    form.locator("input[value=C]").check()
    assert shown(form) == []
    check(form)
    assert shown(form) == []
    assert form.locator(".quiz-why").get_by_text("总的。").is_visible()
    form.locator("input[value=B]").check()
    check(form)
    assert ["乙对在哪里。" in text for text in shown(form)] == [True]


def test_explanations_of_what_was_chosen_and_what_was_missed(page: Page) -> None:
    form = quiz(page, "多选")
    form.locator("input[value=A]").check()
    form.locator("input[value=C]").check()
    check(form)
    assert [text.split()[0] for text in shown(form)] == ["B", "C"]


@pytest.mark.parametrize(
    ("title", "typed", "right"),
    [
        ("数", "0.333", True),
        ("数", " ０．３３３ ", True),
        ("数", "1/3", True),
        ("数", "33.3%", True),
        ("数", "0.3342", False),
        ("数", "0.332", True),
        ("数", "-0.333", False),
        ("数", "−1/3", False),
        ("百分数", "33.3", True),
        ("百分数", "33.4%", True),
        ("百分数", "0.333", True),
        ("百分数", "33.5", False),
        ("百分数", "0.333%", False),
    ],
)
def test_number_within_its_tolerance(page: Page, title: str, typed: str, right: bool) -> None:
    form = quiz(page, title)
    form.locator(".quiz-field").fill(typed)
    check(form)
    assert is_right(form) is right
    assert form.locator(".quiz-field.is-wrong").count() == (0 if right else 1)


@pytest.mark.parametrize("typed", ["", "  ", "三", "0.3.3", "1/0", "1,2", "e5"])
def test_what_is_no_number_is_not_judged(page: Page, typed: str) -> None:
    form = quiz(page, "数")
    form.locator(".quiz-field").fill(typed)
    assert check(form) != ""
    assert form.locator(".quiz-result.plain").is_visible()
    assert form.locator(".quiz-why").is_hidden()


def test_number_by_keyboard_with_its_own_explanation(page: Page) -> None:
    form = quiz(page, "数")
    form.locator(".quiz-field").focus()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    assert not is_right(form)
    assert ["那是一半。" in text for text in shown(form)] == [True]


def letters(form: Locator) -> str:
    values = form.locator(".quiz-step").evaluate_all("steps => steps.map((step) => step.dataset.value)")
    return "".join(values)


def test_order_by_keyboard(page: Page) -> None:
    form = quiz(page, "排序")
    assert check(form) != ""
    assert form.locator(".quiz-why").is_hidden()
    form.get_by_role("button", name="上移 B").focus()
    page.keyboard.press("Enter")
    assert letters(form) == "BACD"
    assert form.locator(".quiz-result").inner_text() == "B 现在是第 1 步，共 4 步。"
    assert page.evaluate("document.activeElement.ariaLabel") == "上移 B"
    page.keyboard.press("Enter")
    assert letters(form) == "BACD"
    form.get_by_role("button", name="下移 A").press("Space")
    assert page.evaluate("document.activeElement.ariaLabel") == "下移 A"
    assert letters(form) == "BCAD"
    assert check(form) == "还有 2 步不在它的位置上。"
    form.get_by_role("button", name="上移 D").click()
    form.get_by_role("button", name="上移 D").click()
    assert letters(form) == "BDCA"
    check(form)
    assert form.locator(".quiz-step.is-wrong").evaluate_all("s => s.map((p) => p.dataset.value)") == [
        "C",
        "A",
    ]
    form.get_by_role("button", name="上移 A").click()
    assert form.locator(".quiz-step.is-wrong").count() == 0
    check(form)
    assert is_right(form)
    assert form.locator(".quiz-step.is-right").count() == 4


def test_wrong_cell_by_keyboard(page: Page) -> None:
    form = quiz(page, "找错")
    form.get_by_role("radio", name="第 1 行第 1 列：").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert form.locator(".quiz-cell.is-wrong").inner_text().endswith("1")
    assert ["这一格是对的。" in text for text in shown(form)] == [True]
    form.locator("td", has_text="0.4").click()
    check(form)
    assert is_right(form)
    assert form.locator(".quiz-cell.is-right").inner_text().endswith("0.4")
    assert shown(form) == []


def test_answers_outlive_a_reload_and_end_with_reset(page: Page) -> None:
    number, order, cell = (quiz(page, title) for title in ("数", "排序", "找错"))
    number.locator(".quiz-field").fill("1/3")
    order.get_by_role("button", name="下移 A").click()
    cell.locator("input[value='2,2']").check()
    for form in (number, order, cell):
        check(form)
    page.reload()
    assert number.locator(".quiz-field").input_value() == "1/3"
    assert letters(order) == "BACD"
    assert order.locator(".quiz-step.is-wrong").count() == 3
    assert is_right(number) and is_right(cell) and not is_right(order)
    for form in (number, order, cell):
        form.locator(".quiz-reset").click()
    assert letters(order) == "ABCD"
    page.reload()
    assert number.locator(".quiz-field").input_value() == ""
    assert letters(order) == "ABCD"
    assert page.locator("form.quiz :checked").count() == 0
    assert page.locator("form.quiz.is-checked").count() == 0


def test_without_scripts_answers_are_readable_and_nothing_dead_is_offered(
    new_page: Callable[..., Page], quizzes: str
) -> None:
    page = new_page(quizzes, java_script_enabled=False)
    for title, answer in (("数", "0.333"), ("排序", "B → D → A → C"), ("找错", "(2, 2)")):
        form = quiz(page, title)
        form.locator("summary").click()
        assert answer in form.locator(".quiz-answer").inner_text()
        assert form.locator(".quiz-check").is_hidden()
    assert quiz(page, "排序").locator(".quiz-move").first.is_hidden()
    quiz(page, "选择").locator("summary").click()
    assert len(shown(quiz(page, "选择"))) == 2


@pytest.mark.parametrize("width", [320, 1280])
def test_no_barrier_that_axe_knows(new_page: Callable[..., Page], quizzes: str, width: int) -> None:
    page = new_page(quizzes, width=width)
    for title, value in (("选择", "A"), ("找错", "'1,1'")):
        quiz(page, title).locator(f"input[value={value}]").check()
        check(quiz(page, title))
    found = Axe().run(page, context="article")
    assert found.violations_count == 0, found.generate_report()
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0
