"""Boxes and folds: the built-in kinds, titles, and kinds that a site adds in mkdocs.yml."""

from __future__ import annotations

from typing import Any

import markdown
import pytest


@pytest.mark.parametrize("name", ["note", "warning", "key", "intuition", "engineering", "example"])
def test_box_is_an_aside(clean: Any, name: str) -> None:
    page = clean(f":::{name} 标题\n**正文**\n:::\n")
    assert page.flat == (
        f'<aside class="course-box {name}"><p class="box-title icon-{name}">标题</p>'
        "<p><strong>正文</strong></p></aside>"
    )


@pytest.mark.parametrize("name", ["unfold", "fold", "math"])
def test_fold_is_closed_details(clean: Any, name: str) -> None:
    page = clean(f":::{name} 标题\n正文\n:::\n")
    assert page.flat == (
        f'<details class="course-box {name}"><summary class="box-title icon-{name}">标题</summary>'
        "<p>正文</p></details>"
    )


def test_own_title_where_none_is_written(clean: Any) -> None:
    assert clean(":::warning\nx\n:::").find(".//aside/p").text == "注意"
    assert clean(":::warning\nx\n:::", lang="en").find(".//aside/p").text == "Watch out"


@pytest.mark.parametrize("opener", [":::note 标题", "::: note 标题", ":::NOTE 标题", "  :::note   标题  "])
def test_openers_that_mean_the_same(clean: Any, opener: str) -> None:
    page = clean(f"{opener}\nx\n  :::\n", dedent=False)
    assert page.find(".//aside[@class='course-box note']/p").text == "标题"


def test_title_with_bar_emphasis_code_and_formula(clean: Any) -> None:
    title = clean(":::fold A | *B* `c|d` $x_1$\nx\n:::").find(".//summary")
    assert [part.tag for part in title] == ["em", "code", "math"]
    assert "".join(title.itertext()) == "A | B c|d x1"


def test_headings_inside_have_ids_and_are_in_the_contents(clean: Any) -> None:
    page = clean(
        """
        ## Outside
        :::fold T
        ### Inside
        :::note
        ### Deeper
        :::
        :::
        """
    )
    assert page.find(".//details/h3").get("id") == "inside"
    assert [child["name"] for child in page.toc[0]["children"]] == ["Inside", "Deeper"]


def test_kinds_from_a_list(clean: Any) -> None:
    boxes = [{"name": "goal", "title": "目标", "icon": "target", "colour": "#2f6f4f"}]
    page = clean(":::goal\nx\n:::", boxes=boxes)
    assert page.flat == (
        '<aside class="course-box goal" style="--box-colour: #2f6f4f">'
        '<p class="box-title icon-target">目标</p><p>x</p></aside>'
    )


def test_kinds_from_a_mapping_that_fold(clean: Any) -> None:
    boxes = {"why": {"title": "Why", "open": True}, "run-it": {"title": "Run", "open": False}}
    page = clean(":::why\nx\n:::\n:::run-it Title\ny\n:::", boxes=boxes)
    opened, closed = page.all("details")
    assert (opened.get("class"), opened.get("open")) == ("course-box why", "open")
    assert (closed.get("class"), closed.get("open")) == ("course-box run-it", None)
    assert closed[0].text == "Title"


def test_site_restyles_a_built_in_box(clean: Any) -> None:
    page = clean(":::note\nx\n:::", boxes={"note": {"title": "记", "colour": "teal"}})
    assert page.find("aside").get("style") == "--box-colour: teal"
    assert page.find("aside/p").text == "记"


def test_kind_without_any_title(render: Any) -> None:
    page = render("\n:::goal\nx\n:::", boxes={"goal": {}}, dedent=False)
    assert page.problems == ["2: E109 ':::goal' has no title; write one after the name: ':::goal title'"]


@pytest.mark.parametrize(
    ("boxes", "words"),
    [
        ("goal", "must be a list or a mapping, got 'goal'"),
        ([{"title": "T"}], "needs a name of small letters and hyphens, got {'title': 'T'}"),
        ({"Goal!": {}}, "needs a name of small letters and hyphens"),
        (
            {"goal": {"color": "red"}},
            "box 'goal': unknown key 'color'; known are colour, icon, name, open, title",
        ),
        ({"goal": {"colour": "red;background:url(x)"}}, "box 'goal': colour must be a CSS colour"),
        ({"goal": {"icon": "a b"}}, "box 'goal': icon must be a name"),
        ({"goal": {"open": "no"}}, "box 'goal': open must be true or false, got 'no'"),
        ({"quiz": {}}, "box 'quiz' has the name of another kind of block"),
    ],
)
def test_wrong_kinds_are_refused(boxes: object, words: str) -> None:
    with pytest.raises(ValueError, match="course_markdown") as raised:
        markdown.Markdown(
            extensions=["course_markdown"], extension_configs={"course_markdown": {"boxes": boxes}}
        )
    assert words in str(raised.value)


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="'lang' must be one of zh, en, got 'fr'"):
        markdown.Markdown(
            extensions=["course_markdown"], extension_configs={"course_markdown": {"lang": "fr"}}
        )
