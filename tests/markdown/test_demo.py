"""Demos: the finished first frame, the caption, and identities."""

from __future__ import annotations

from typing import Any


def test_demo(clean: Any) -> None:
    page = clean(":::demo attention 看 *谁*\n说明 **粗** $x$\n:::\n")
    demo = page.root[0]
    assert (demo.tag, demo.get("class"), demo.get("id")) == ("course-demo", "course-demo", "demo-attention")
    assert (demo.get("data-demo"), demo.get("data-lang")) == ("attention", "zh")
    assert demo.find("form").get("title") == "看 *谁*"
    assert demo.find("form/output").get("id") == "demo-attention-out"
    assert [part.tag for part in demo.find("div[@class='demo-caption']/p")] == ["strong", "math"]


def test_demo_is_no_paragraph(clean: Any) -> None:
    assert clean("a\n:::demo scaling\nb\n:::\nc\n").flat.startswith("<p>a</p><course-demo")


def test_second_use_of_a_demo(clean: Any) -> None:
    page = clean(":::demo scaling A\na\n:::\n:::demo scaling B\nb\n:::\n:::demo attention C\nc\n:::\n")
    assert [d.get("id") for d in page.all("course-demo")] == [
        "demo-scaling",
        "demo-scaling-2",
        "demo-attention",
    ]
    assert page.find("course-demo[2]/form/output").get("id") == "demo-scaling-2-out"


def test_language_of_the_page(clean: Any) -> None:
    page = clean(":::demo scaling\na\n:::\n", lang="en")
    assert page.find("course-demo").get("data-lang") == "en"
    assert page.find("course-demo/form").get("lang") == "en"


def test_caption_may_be_missing_and_may_be_long(clean: Any) -> None:
    assert len(clean(":::demo scaling\n:::\n").find(".//div[@class='demo-caption']")) == 0
    caption = clean(":::demo scaling\na\n\n- b\n\n:::note\nc\n:::\n:::\n").find(
        ".//div[@class='demo-caption']"
    )
    assert [part.tag for part in caption] == ["p", "ul", "aside"]


def test_page_tells_scripts_their_words(clean: Any) -> None:
    assert clean(":::demo scaling\na\n:::\n").root[-1].get("class") == "course-messages"


def test_missing_demo_keeps_its_caption_and_says_so(render: Any) -> None:
    page = render(":::demo nothing-yet\n说明\n:::\n")
    demo = page.find("course-demo")
    assert demo.find("p[@class='course-wrong']") is not None
    assert demo.find("div[@class='demo-caption']/p").text == "说明"
