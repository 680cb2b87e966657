"""A reader changes the code of a demo and runs it in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Route

from course_site.editor import fetch_editor, pinned_editor
from course_site.errors import FetchError
from course_site.pyodide_assets import cache_folder
from demos import kit
from demos.kit.edited import run_edited
from demos.kit.source import parts

ROOT = Path(__file__).resolve().parents[2]
SOFTMAX = "section[data-function='transformer_core.activations.softmax']"
SOURCE = next(part.source for part in parts("softmax") if part.call.startswith("softmax("))
MODULES = "**/generated/editor/**"


@pytest.fixture(scope="session")
def modules() -> None:
    """A machine that knows neither a CDN nor npm builds the site without CodeMirror."""
    try:
        fetch_editor(pinned_editor(), cache_folder(ROOT))
    except FetchError as failed:
        pytest.skip(str(failed))


def open_editor(page: Page) -> Locator:
    """The section of `softmax` in its demo, whose editor has just been asked for."""
    demo = page.locator("course-demo[data-demo=softmax]")
    demo.locator("[data-part=code] > summary").click()
    found = demo.locator(SOFTMAX)
    found.locator("[data-code=edit]").click(timeout=60_000)
    found.locator("textarea").wait_for(state="attached")
    assert found.locator(".highlight").is_hidden()
    return found


@pytest.fixture
def section(new_page: Callable[..., Page], site: Any, modules: None) -> Locator:
    """The same, once CodeMirror is there."""
    found = open_editor(new_page(site.address + "gallery/"))
    found.locator(".cm-content").wait_for()
    assert text_of(found) == SOURCE
    assert found.locator("textarea").is_hidden()
    return found


def text_of(section: Locator) -> str:
    return section.locator("textarea").input_value()


def write(section: Locator, source: str) -> None:
    """Type over all that is there; the editor indents what follows a colon."""
    section.locator(".cm-content").press("ControlOrMeta+a")
    section.page.keyboard.type(source)


def run(section: Locator, source: str) -> None:
    write(section, source)
    section.locator("[data-code=run]").click()


def wait_for_status(section: Locator, part: str) -> None:
    section.page.wait_for_function(
        "([e, part]) => e.textContent.includes(part)",
        arg=[section.locator("[role=status]").element_handle(), part],
    )


def wrong_lines(section: Locator) -> list[str]:
    return section.locator(".cm-line.code-wrong-line").all_text_contents()


def test_the_frame_is_computed_with_the_change_and_the_output_is_there(section: Locator) -> None:
    write(section, "def softmax(x, axis=-1):\nprint('scores', x.tolist())\nreturn x * 0 + 0.25\n")
    changed = text_of(section)
    assert changed.startswith("def softmax(x, axis=-1):\n    print('scores', x.tolist())\n    return x")
    expected = run_edited("softmax", None, "zh", {"transformer_core.activations.softmax": changed})
    assert expected.say != kit.frame("softmax").say
    section.locator("[data-code=run]").click()
    wait_for_status(section, expected.say)
    assert (
        section.locator("[data-part=output]").text_content() == expected.output == "scores [2.0, 1.0, 0.0]\n"
    )
    demo = section.page.locator("course-demo[data-demo=softmax]")
    # the demo above stays as it was
    assert demo.locator("[data-part=say]").text_content() == kit.frame("softmax").say


def test_an_error_marks_its_line_and_the_message_leads_there(section: Locator) -> None:
    page = section.page
    run(section, "def softmax(x, axis=-1):\nshares = x\nreturn shares / nothing\n")
    wait_for_status(section, "softmax 第 3 行：NameError: name 'nothing' is not defined")
    assert wrong_lines(section) == ["    return shares / nothing"]
    assert section.locator(".cm-gutterElement.code-wrong-line").all_text_contents() == ["3"]
    # two lines more above it: the mark has gone along, and so does the way there
    section.locator(".cm-content").press("ControlOrMeta+Home")
    page.keyboard.type("# one\n# two\n")
    assert wrong_lines(section) == ["    return shares / nothing"]
    section.locator("[role=status] button").click()
    assert page.evaluate("getSelection().toString()") == "    return shares / nothing"
    page.keyboard.type("    return x\n")
    section.locator("[data-code=run]").click()
    wait_for_status(section, "0")
    assert wrong_lines(section) == []
    run(section, "def softmax(x, axis=-1)\nreturn x\n")
    wait_for_status(section, "softmax 第 1 行：SyntaxError: expected ':'")
    assert wrong_lines(section) == ["def softmax(x, axis=-1)"]


def test_an_endless_loop_is_stopped_and_python_works_again(section: Locator) -> None:
    stop = section.locator("[data-code=stop]")
    assert stop.is_disabled()
    run(section, "def softmax(x, axis=-1):\nwhile True:\npass\n")
    wait_for_status(section, "正在运行")
    section.page.wait_for_timeout(7000)  # longer than any frame may take
    assert section.locator("[data-code=run]").is_disabled()
    stop.click()
    wait_for_status(section, "已停止")
    section.locator(".cm-content").fill(SOURCE)
    section.locator("[data-code=run]").click()
    section.page.wait_for_function(
        "([e, say]) => e.textContent === say",
        arg=[section.locator("[role=status]").element_handle(), kit.frame("softmax").say],
        timeout=60_000,
    )


def test_changes_stay_when_the_state_changes_and_go_by_the_button(section: Locator) -> None:
    page = section.page
    demo = page.locator("course-demo[data-demo=softmax]")
    write(section, "# mine")
    demo.locator("input[name=z1]").press("ArrowRight")
    expected = kit.frame("softmax", {"z1": "2.1"}).say
    page.wait_for_function(
        "say => document.querySelector('[data-demo=softmax] [data-part=say]').textContent === say",
        arg=expected,
    )
    assert text_of(section) == "# mine"
    section.locator("[data-code=reset]").click()
    # the listing is back, now for the state that is shown
    page.wait_for_function(
        "() => document.querySelector('[data-demo=softmax] .code-call code').textContent.includes('z1=2.1')"
    )
    assert demo.locator(":is(textarea, .cm-editor)").count() == 0
    assert section.locator("pre").text_content() == SOURCE


def test_by_keyboard_tab_indents_and_escape_leaves(section: Locator) -> None:
    page = section.page
    active = "document.activeElement.className + document.activeElement.dataset.code"
    assert "cm-content" in page.evaluate(active)
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.press("Tab")
    assert text_of(section) == "    " + SOURCE
    page.keyboard.press("Shift+Tab")
    assert text_of(section) == SOURCE
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate(active).endswith("run")
    page.keyboard.press("Enter")
    wait_for_status(section, kit.frame("softmax").say)


def test_control_enter_runs_and_control_z_undoes(section: Locator) -> None:
    page = section.page
    write(section, "# gone")
    page.keyboard.press("Control+Enter")
    wait_for_status(section, "TypeError: def softmax")
    assert text_of(section) == "# gone"
    while text_of(section) != SOURCE:
        before = text_of(section)
        page.keyboard.press("ControlOrMeta+z")
        assert text_of(section) != before, "nothing more to undo"


def test_what_a_screen_reader_says_of_the_field(section: Locator) -> None:
    field = section.get_by_role("textbox", name="改动 transformer_core.activations.softmax 的代码")
    hint = field.get_attribute("aria-describedby")
    assert "Esc" in section.page.locator(f"#{hint}").inner_text()
    field.press("ControlOrMeta+a")
    field.press("Delete")
    assert section.locator(".cm-announced").text_content() == "选中的内容已删除"


def test_the_modules_are_asked_for_when_an_editor_opens(
    new_page: Callable[..., Page], site: Any, modules: None
) -> None:
    page = new_page(site.address + "gallery/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    demo = page.locator("course-demo[data-demo=softmax]")
    demo.locator("[data-part=code] > summary").click()
    edit = demo.locator(SOFTMAX).locator("[data-code=edit]")
    edit.wait_for(timeout=60_000)
    assert [url for url in asked if "/editor/" in url or "codemirror" in url] == []
    edit.click()
    demo.locator(".cm-content").wait_for()
    assert len({url for url in asked if "/generated/editor/" in url}) == len(pinned_editor().packages)


def test_what_is_typed_before_the_modules_are_there_stays(
    new_page: Callable[..., Page], site: Any, modules: None
) -> None:
    page = new_page(site.address + "gallery/")
    held: list[Route] = []
    waiting = True
    page.route(MODULES, lambda route: held.append(route) if waiting else route.continue_())
    section = open_editor(page)
    area = section.locator("textarea")
    assert area.evaluate("e => e === document.activeElement")
    page.keyboard.type("# early ")
    assert text_of(section) == "# early " + SOURCE
    waiting = False
    for route in held:
        route.continue_()
    section.locator(".cm-content").wait_for()
    page.keyboard.type("and late\n")
    assert text_of(section) == "# early and late\n" + SOURCE


def test_without_the_modules_the_text_field_goes_on(
    new_page: Callable[..., Page], broken_site: Any, watch: Any
) -> None:
    watch.expected.append("404")
    broken_site.broken.add("generated/editor")
    page = new_page(broken_site.address + "gallery/")
    with page.expect_response(lambda answer: "/generated/editor/" in answer.url and answer.status == 404):
        section = open_editor(page)
    area = section.locator("textarea")
    area.fill("def softmax(x, axis=-1):\n    shares = x\n    return shares / nothing\n")
    area.press("Control+Enter")
    wait_for_status(section, "softmax 第 3 行：NameError: name 'nothing' is not defined")
    chosen = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
    assert area.evaluate(chosen) == "    return shares / nothing"
    area.press("Home")
    section.locator("[role=status] button").click()
    assert area.evaluate(chosen) == "    return shares / nothing"
    assert "Tab" not in section.locator(".code-hint").inner_text()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.code") == "run"
    area.fill(SOURCE)
    section.locator("[data-code=run]").click()
    wait_for_status(section, kit.frame("softmax").say)
    assert section.locator(".cm-editor").count() == 0


def test_in_an_embedded_demo(new_page: Callable[..., Page], site: Any, modules: None) -> None:
    section = open_editor(new_page(site.address + "embed/softmax/"))
    section.locator(".cm-content").wait_for()
    run(section, "def softmax(x, axis=-1):\nreturn nothing\n")
    wait_for_status(section, "softmax 第 2 行")
    assert wrong_lines(section) == ["    return nothing"]


def test_an_editor_ends_with_its_demo(section: Locator) -> None:
    kept = section.element_handle()
    section.page.evaluate("document.querySelector('course-demo[data-demo=softmax]').remove()")
    assert kept.evaluate("e => e.isConnected || e.querySelector('.cm-editor') !== null") is False


def test_on_a_narrow_phone_long_lines_scroll_inside(
    new_page: Callable[..., Page], site: Any, modules: None
) -> None:
    page = new_page(site.address + "embed/softmax/", width=320, has_touch=True, is_mobile=True)
    section = open_editor(page)
    # a phone zooms into a field of less than 16 px
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    assert section.locator("textarea").evaluate(size) >= 16
    section.locator(".cm-content").wait_for()
    write(section, "# " + "long " * 40)
    assert section.locator(".cm-content").evaluate(size) >= 16
    inside = section.locator(".cm-scroller").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inside[0] > inside[1]
    assert page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_code_and_the_editor(section: Locator, scheme: str) -> None:
    section.page.emulate_media(color_scheme=scheme)
    everything = "# a comment\n@np.errstate()\nclass Kind(int):\npass\n\n"
    run(section, everything + "def softmax(x, axis=-1):\nprint('a', 1.5, None, x)\nreturn x / nothing\n")
    wait_for_status(section, "Error")
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
    found = Axe().run(section.page, context="[data-demo=softmax]", options=rules).response["violations"]
    assert [(fault["id"], [node["html"][:200] for node in fault["nodes"][:3]]) for fault in found] == []
