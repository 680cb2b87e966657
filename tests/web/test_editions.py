"""Other shapes of the same site: pages as plain files; an English edition from a folder and a config."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from demos import kit

ROOT = Path(__file__).resolve().parents[2]

ENGLISH_CONFIG = """
INHERIT: {root}/mkdocs.yml
site_name: A Transformer course that computes
docs_dir: docs
theme: {{language: en, custom_dir: "{root}/overrides"}}
plugins:
  search: {{lang: [en]}}
  course: {{live: []}}
markdown_extensions:
  course_markdown: {{lang: en, boxes: {{goal: {{title: Goal}}}}, terms: {{}}}}
extra_css: [../assets/css/course.css, ../assets/css/demo.css]
extra_javascript: [{{path: ../assets/js/course.js, type: module}}]
nav: [index.md]
"""

ENGLISH_PAGE = """# Scaled scores

:::unfold
Dividing keeps the variance at one.
:::

:::demo scaling
Move the slider.
:::

:::quiz
Which number divides the scores?

A. d_k
B. its root

Answer: B
Explanation: the standard deviation grows with the root.
:::
"""


@pytest.fixture
def english(
    site_folder: Path, build: Callable[..., Path], tmp_path: Path, serve: Callable[[Path], Any]
) -> Any:
    """The Chinese site as it was built, with an English edition below en/."""
    (tmp_path / "en" / "docs").mkdir(parents=True)
    (tmp_path / "en" / "docs" / "index.md").write_text(ENGLISH_PAGE, encoding="utf-8")
    config = tmp_path / "en" / "mkdocs.yml"
    config.write_text(ENGLISH_CONFIG.format(root=ROOT), encoding="utf-8")
    shutil.copytree(site_folder, tmp_path / "site")
    build(tmp_path / "site" / "en", config)
    return serve(tmp_path / "site")


def test_english_edition_is_data(new_page: Callable[..., Page], english: Any) -> None:
    page = new_page(english.address + "en/")
    assert page.locator("course-demo .demo-title").inner_text() == kit.load("scaling").title.en
    assert page.locator("[data-part=say]").inner_text() == kit.frame("scaling", lang="en").say
    page.locator("input[name=d_k]").press("ArrowRight")
    expected = kit.frame("scaling", {"d_k": "128"}, "en").say
    page.wait_for_function(
        "say => document.querySelector('[data-part=say]').textContent === say", arg=expected
    )
    page.locator("form.quiz input[value=B]").check()
    page.locator(".quiz-check").click()
    assert page.locator(".quiz-result").inner_text() == "Right."


def test_pages_as_plain_files(
    new_page: Callable[..., Page], build: Callable[..., Path], tmp_path: Path, serve: Callable[[Path], Any]
) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {ROOT}/mkdocs.yml\ndocs_dir: {ROOT}/docs\ntheme: {{custom_dir: {ROOT}/overrides}}\n"
        "use_directory_urls: false\n",
        encoding="utf-8",
    )
    site = serve(build(tmp_path / "site", config))
    page = new_page(site.address + "chapters/07-scores-to-output.html")
    page.locator("input[name=d_k]").press("ArrowRight")
    expected = kit.frame("scaling", {"d_k": "128"}).say
    shown = "say => document.querySelector('[data-demo=scaling] [data-part=say]').textContent === say"
    page.wait_for_function(shown, arg=expected)
    page.locator("a[href*='07-masks.html']").first.click()
    assert page.locator("h1").inner_text() != ""
