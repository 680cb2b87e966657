"""The code behind a frame, shown in a real browser: what is there is what CPython lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from demos import kit
from demos.kit.source import parts

SECTION = "[data-part=code] section"
NAMES = ["scaling", "attention", "attn-handcalc", "softmax"]  # a matrix, a text and numbers among the states


def open_code(demo: Locator) -> None:
    demo.locator("[data-part=code] > summary").click()
    demo.locator(SECTION).first.wait_for(timeout=60_000)


def sources(demo: Locator) -> list[str]:
    return demo.locator(f"{SECTION} pre").evaluate_all("parts => parts.map((part) => part.textContent)")


def calls(demo: Locator) -> list[str]:
    return demo.locator(f"{SECTION} .code-call code").all_text_contents()


@pytest.fixture
def gallery(new_page: Callable[..., Page], site: Any) -> Page:
    return new_page(site.address + "gallery/", permissions=["clipboard-read", "clipboard-write"])


def test_the_code_is_what_ran(gallery: Page) -> None:
    for name in NAMES:
        demo = gallery.locator(f"course-demo[data-demo={name}]")
        assert demo.locator(SECTION).count() == 0
        open_code(demo)
        expected = parts(name)
        assert sources(demo) == [part.source for part in expected]
        # numpy's own integers are shorter in the browser
        assert [call.replace("int32(", "int64(") for call in calls(demo)] == [part.call for part in expected]


def test_it_follows_the_state_while_it_is_open(gallery: Page) -> None:
    demo = gallery.locator("course-demo[data-demo=scaling]")
    open_code(demo)
    demo.locator("input[type=range]").first.press("ArrowRight")
    expected = parts("scaling", {"d_k": "128"})[0].call
    assert "d_k=128" in expected
    gallery.wait_for_function(
        "call => document.querySelector('[data-demo=scaling] .code-call code').textContent === call",
        arg=expected,
    )


def test_a_part_is_copied_whole(gallery: Page) -> None:
    demo = gallery.locator("course-demo[data-demo=softmax]")
    open_code(demo)
    demo.locator("[data-code=copy]").last.click()
    status = demo.locator("[data-part=status]")
    gallery.wait_for_function("e => e.textContent === '代码已复制。'", arg=status.element_handle())
    assert gallery.evaluate("navigator.clipboard.readText()") == parts("softmax")[-1].source


def test_by_keyboard_and_on_a_narrow_screen(new_page: Callable[..., Page], site: Any) -> None:
    page = new_page(site.address + "gallery/", width=320)
    demo = page.locator("course-demo[data-demo=scaling]")
    summary = demo.locator("[data-part=code] > summary")
    summary.focus()
    page.keyboard.press("Enter")
    demo.locator(SECTION).first.wait_for(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.code") == "copy"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.code") == "edit"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "PRE"


def test_without_the_sources_a_sentence_says_so_and_opening_again_helps(
    new_page: Callable[..., Page], broken_site: Any, watch: Any
) -> None:
    watch.expected += ["404", "Failed to load"]
    broken_site.broken.add("pyodide/sources")
    page = new_page(broken_site.address + "gallery/")
    demo = page.locator("course-demo[data-demo=scaling]")
    demo.locator("[data-part=code] > summary").click()
    place = demo.locator("[data-part=source]")
    page.wait_for_function(
        "e => e.textContent.startsWith('没能取到代码')", arg=place.element_handle(), timeout=60_000
    )
    broken_site.broken.clear()
    demo.locator("[data-part=code] > summary").click()
    open_code(demo)
    assert sources(demo) == [part.source for part in parts("scaling")]


def test_code_and_frame_of_one_demo_do_not_push_each_other_aside(gallery: Page, site: Any) -> None:
    answers = gallery.evaluate(
        """async (base) => {
          const { getRuntime } = await import(base + "assets/js/runtime.js")
          const wish = { key: "test", demo: "softmax", state: {}, lang: "en" }
          return Promise.all([getRuntime().render(wish), getRuntime().code(wish)])
        }""",
        site.address,
    )
    assert answers[0]["html"] == kit.frame("softmax", lang="en").html
    assert "def view(" in answers[1].replace(
        '<span class="k">def</span> <span class="nf">view</span>', "def view"
    )
