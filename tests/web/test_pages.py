"""Pages as a reader meets them: complete without scripts, themed, local, at home below any path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]


def pages(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*.html")) if path.name != "404.html"]


def test_no_block_grammar_is_left_in_any_page(site_folder: Path) -> None:
    for path in pages(site_folder):
        text = path.read_text(encoding="utf-8")
        prose = re.sub(r"<(script|pre|code|template)\b.*?</\1>", "", text, flags=re.S)
        prose = re.sub(r"<[^>]+>", "", prose)
        for leftover in (":::", "///////", "{{", "}}", "\\frac", "\\begin", "$$"):
            assert leftover not in prose, f"{path.relative_to(site_folder)}: {leftover!r} in the text"


def test_no_page_names_another_host_as_a_resource(site_folder: Path) -> None:
    for path in pages(site_folder):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=\"?(https?:)?//", text)
        assert loaded == [], path


def test_every_page_opens_without_a_complaint_or_a_foreign_request(
    new_page: Callable[..., Page], site: Any, site_folder: Path
) -> None:
    """The watch on each page (conftest) fails the test for console errors and other hosts."""
    for path in pages(site_folder):
        page = new_page(site.address + path.relative_to(site_folder).as_posix())
        page.wait_for_load_state("networkidle")
        page.close()


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_nothing_is_wider_than_the_screen(
    new_page: Callable[..., Page], site: Any, site_folder: Path, width: int
) -> None:
    for path in pages(site_folder):
        page = new_page(site.address + path.relative_to(site_folder).as_posix(), width=width)
        over = page.evaluate(
            """() => {
              for (const part of document.querySelectorAll("details")) part.open = true
              const width = document.documentElement.clientWidth
              return [document.documentElement.scrollWidth - width].filter((over) => over > 0)
            }"""
        )
        assert over == [], path.relative_to(site_folder)
        page.close()


def test_search_index_holds_text_of_folded_blocks(site_folder: Path) -> None:
    index = json.loads((site_folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    text = " ".join(entry["text"] for entry in index["docs"])
    assert "一句话回答" in text.replace("\u200b", "")


def test_search_finds_chinese_words_in_the_page(new_page: Callable[..., Page], site: Any) -> None:
    page = new_page(site.address)
    page.locator("label[for=__search]").first.click() if page.locator(
        "[data-md-component=search-query]"
    ).is_hidden() else None
    page.locator("[data-md-component=search-query]").fill("因果掩码")
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    assert "07-masks" in page.locator(".md-search-result__list").inner_html()


def test_math_is_mathml_and_its_font_is_there(
    new_page: Callable[..., Page], site: Any, site_folder: Path
) -> None:
    page = new_page(site.address + "chapters/07-scores-to-output/")
    assert page.locator("math").count() > 50
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Course Math\"'))")


def test_headings_inside_blocks_are_in_the_table_of_contents(site_folder: Path) -> None:
    for path in pages(site_folder):
        text = path.read_text(encoding="utf-8")
        linked = set(re.findall(r'href="#([^"]+)"', text))
        article = text[text.find("<article") : text.find("</article")]
        headings = re.findall(r'<h[23] id="([^"]+)"', article)
        assert set(headings) <= linked, path.relative_to(site_folder)
