"""A reader changes the code of a demo and runs it in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

from demos import kit
from demos.kit.source import parts

SOFTMAX = "section[data-function='transformer_core.activations.softmax']"
SOURCE = next(part.source for part in parts("softmax") if part.call.startswith("softmax("))


@pytest.fixture
def section(new_page: Callable[..., Page], site: Any) -> Locator:
    """The section of `softmax` in its demo, with an open editor."""
    page = new_page(site.address + "gallery/")
    demo = page.locator("course-demo[data-demo=softmax]")
    demo.locator("[data-part=code] > summary").click()
    found = demo.locator(SOFTMAX)
    found.locator("[data-code=edit]").click(timeout=60_000)
    assert found.locator("textarea").input_value() == SOURCE
    assert found.locator(".highlight").is_hidden()
    return found


def run(section: Locator, source: str) -> None:
    section.locator("textarea").fill(source)
    section.locator("[data-code=run]").click()


def wait_for_status(section: Locator, part: str) -> None:
    section.page.wait_for_function(
        "([e, part]) => e.textContent.includes(part)",
        arg=[section.locator("[role=status]").element_handle(), part],
    )


def test_the_frame_is_computed_with_the_change_and_the_output_is_there(section: Locator) -> None:
    changed = "def softmax(x, axis=-1):\n    print('scores', x.tolist())\n    return x * 0 + 0.25\n"
    expected = kit.run_edited("softmax", None, "zh", {"transformer_core.activations.softmax": changed})
    assert expected.say != kit.frame("softmax").say
    run(section, changed)
    wait_for_status(section, expected.say)
    assert (
        section.locator("[data-part=output]").text_content() == expected.output == "scores [2.0, 1.0, 0.0]\n"
    )
    demo = section.page.locator("course-demo[data-demo=softmax]")
    # the demo above stays as it was
    assert demo.locator("[data-part=say]").text_content() == kit.frame("softmax").say


def test_an_error_names_its_line_and_selects_it(section: Locator) -> None:
    run(section, "def softmax(x, axis=-1):\n    shares = x\n    return shares / nothing\n")
    wait_for_status(section, "softmax 第 3 行：NameError: name 'nothing' is not defined")
    selected = section.locator("textarea").evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)")
    assert selected == "    return shares / nothing"
    run(section, "def softmax(x, axis=-1)\n    return x\n")
    wait_for_status(section, "softmax 第 1 行：SyntaxError: expected ':'")


def test_an_endless_loop_is_stopped_and_python_works_again(section: Locator) -> None:
    stop = section.locator("[data-code=stop]")
    assert stop.is_disabled()
    run(section, "def softmax(x, axis=-1):\n    while True:\n        pass\n")
    wait_for_status(section, "正在运行")
    section.page.wait_for_timeout(7000)  # longer than any frame may take
    assert section.locator("[data-code=run]").is_disabled()
    stop.click()
    wait_for_status(section, "已停止")
    run(section, SOURCE)
    section.page.wait_for_function(
        "([e, say]) => e.textContent === say",
        arg=[section.locator("[role=status]").element_handle(), kit.frame("softmax").say],
        timeout=60_000,
    )


def test_changes_stay_when_the_state_changes_and_go_by_the_button(section: Locator) -> None:
    page = section.page
    demo = page.locator("course-demo[data-demo=softmax]")
    section.locator("textarea").fill("# mine\n")
    demo.locator("input[name=z1]").press("ArrowRight")
    expected = kit.frame("softmax", {"z1": "2.1"}).say
    page.wait_for_function(
        "say => document.querySelector('[data-demo=softmax] [data-part=say]').textContent === say",
        arg=expected,
    )
    assert section.locator("textarea").input_value() == "# mine\n"
    section.locator("[data-code=reset]").click()
    # the listing is back, now for the state that is shown
    page.wait_for_function(
        "() => document.querySelector('[data-demo=softmax] .code-call code').textContent.includes('z1=2.1')"
    )
    assert demo.locator("textarea").count() == 0
    assert section.locator("pre").text_content() == SOURCE


def test_by_keyboard(section: Locator) -> None:
    page = section.page
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_status(section, kit.frame("softmax").say)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_code_and_the_editor(section: Locator, scheme: str) -> None:
    section.page.emulate_media(color_scheme=scheme)
    run(section, "def softmax(x, axis=-1):\n    print(x)\n    return x / nothing\n")
    wait_for_status(section, "NameError")
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
    found = Axe().run(section.page, context="[data-demo=softmax]", options=rules).response["violations"]
    assert [(fault["id"], [node["html"][:200] for node in fault["nodes"][:3]]) for fault in found] == []
