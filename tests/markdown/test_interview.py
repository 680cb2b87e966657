"""Interviews: questions with stable identities, each with a folded answer."""

from __future__ import annotations

from typing import Any

import pytest

SOURCE = """
:::interview 面试常问
**Q1：为什么除以 $\\sqrt{d_k}$？**

:::answer
因为方差。

:::unfold 细节
- 内
:::
:::

**Q2：第二问？**

:::answer
```py
x = 1
```
:::
:::
"""


def test_structure(clean: Any) -> None:
    section = clean(SOURCE).find("section[@class='interview']")
    assert section[0].text == "面试常问"
    questions = section.findall("div/p[@class='question']")
    assert ["".join(q.itertext()) for q in questions] == ["Q1：为什么除以 dk？", "Q2：第二问？"]
    assert {(q.get("role"), q.get("aria-level")) for q in questions} == {("heading", "4")}
    answers = section.findall("div/details[@class='answer']")
    assert [answer[0].text for answer in answers] == ["参考答案", "参考答案"]


def test_block_and_code_in_an_answer(clean: Any) -> None:
    page = clean(SOURCE)
    assert page.find(".//details[@class='answer']/details[@class='course-box unfold']/ul/li").text == "内"
    assert len(page.all(".//details[@class='answer']//code")) == 1


def test_title_of_its_own(clean: Any) -> None:
    source = SOURCE.replace(":::interview 面试常问", ":::interview")
    assert clean(source).find("section/p").text == "面试题"
    assert clean(source, lang="en").find("section/p").text == "Interview questions"


def test_identity_is_of_the_words_and_not_of_the_number(clean: Any) -> None:
    first = clean(SOURCE).find("section/div").get("id")
    renumbered = clean(SOURCE.replace("Q1", "Q17")).find("section/div").get("id")
    reworded = clean(SOURCE.replace("为什么除以", "为何除以")).find("section/div").get("id")
    assert first == renumbered != reworded
    assert first.startswith("q-")


def test_same_question_twice(clean: Any) -> None:
    first, second = (div.get("id") for div in clean(SOURCE + SOURCE).all("section/div")[::2])
    assert second == f"{first}-2"


@pytest.mark.parametrize(
    "question", ["**Q：a？**", "**Q3:a？**", "**Q 3：a？**", "**q1. a？**", "**Q1：a**？"]
)
def test_forms_of_a_question(clean: Any, question: str) -> None:
    page = clean(f":::interview\n{question}\n:::answer\nx\n:::\n:::\n")
    assert "a" in "".join(page.find(".//p[@class='question']").itertext())
    assert "**" not in page.html


def test_question_over_two_lines(clean: Any) -> None:
    page = clean(":::interview\n**Q1：前半\n后半？**\n:::answer\nx\n:::\n:::\n")
    assert page.find(".//p[@class='question']").text == "Q1：前半后半？"


def test_text_around_questions_is_kept(clean: Any) -> None:
    page = clean(":::interview\nbefore\n\n**Q1：a**\n\nhint\n\n:::answer\nx\n:::\n\nafter\n:::\n")
    assert [p.text for p in page.all("section/p")] == ["面试题", "before"]
    assert [p.text for p in page.all("section/div/p")] == ["Q1：a", "hint", "after"]


def test_question_in_code_is_text(clean: Any) -> None:
    page = clean(":::interview\n**Q1：a**\n```\n**Q2：b**\n```\n:::answer\nx\n:::\n:::\n")
    assert len(page.all(".//p[@class='question']")) == 1
