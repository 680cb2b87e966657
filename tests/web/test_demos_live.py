"""Demos used as a reader uses them; what the page then shows is compared with what CPython computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ElementHandle, Page

from demos import kit
from demos.kit.demo import load

DEMOS = kit.names()

# One page that holds the demo, by its name; found in the built site.
FIND = "course-demo[data-demo='{name}']"


def states(name: str) -> Iterator[dict[str, str]]:
    """The default, and every corner of every control with the others at their default."""
    yield {}
    for control_name, control in load(name).controls.items():
        for corner in control.corners():
            yield {control_name: control.show(corner)}


@pytest.fixture(scope="session")
def pages_of(site_folder: Path) -> dict[str, str]:
    """For each demo a page of the site that holds it."""
    found: dict[str, str] = {}
    for path in sorted(site_folder.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for name in DEMOS:
            if f'data-demo="{name}"' in text:
                found.setdefault(name, path.relative_to(site_folder).as_posix())
    return found


def test_every_demo_stands_on_a_page(pages_of: dict[str, str]) -> None:
    assert sorted(pages_of) == DEMOS


def test_frames_have_the_same_bytes_in_both_interpreters(page: Page, site: Any) -> None:
    """Every demo, at its default and at the corners of each control, in both languages."""
    page.goto(site.address)
    asked = [(name, state, lang) for name in DEMOS for state in states(name) for lang in kit.LANGUAGES]
    answers = page.evaluate(
        """async ([base, asked]) => {
          const { getRuntime } = await import(base + "assets/js/runtime.js")
          const answers = []
          for (const [demo, state, lang] of asked) {
            try {
              answers.push(await getRuntime().render({ key: "test", demo, state, lang }))
            } catch (error) { answers.push({ html: error.message }) }
          }
          return answers
        }""",
        [site.address, asked],
    )
    assert len(answers) == len(asked) > 2 * len(DEMOS)
    for (name, state, lang), answer in zip(asked, answers, strict=True):
        expected = kit.frame(name, state, lang)
        assert answer["html"] == expected.html, (name, state, lang)
        assert answer["say"] == expected.say, (name, state, lang)


class Shown:
    """A demo on the page, and what it shows."""

    def __init__(self, page: Page, name: str, base: str) -> None:
        self.page, self.name, self.base = page, name, base
        self.root = page.locator(FIND.format(name=name)).first
        self.root.scroll_into_view_if_needed()

    def state(self) -> dict[str, str]:
        return self.root.evaluate(
            """async (demo, base) => {
              const { readState } = await import(base + "assets/js/form.js")
              return readState(demo.querySelector("form"))
            }""",
            self.base,
        )

    def wait_for_state(self, state: dict[str, str]) -> None:
        """Wait until the form holds `state`."""
        for _ in range(300):
            if self.state() == state:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{self.name}: the form never came to {state}; it holds {self.state()}")

    def assert_computed(self) -> dict[str, str]:
        """Wait until the frame is the one that CPython computes for the form's state; returns the state."""
        state = self.state()
        expected = kit.frame(self.name, state)
        same = """([demo, html, say]) => {
          const wanted = document.createElement("template")
          wanted.innerHTML = html
          const shown = demo.querySelector("[data-part=frame]").cloneNode(true)
          for (const part of shown.querySelectorAll("details")) part.removeAttribute("open")
          for (const part of shown.querySelectorAll(".scroll")) part.removeAttribute("tabindex")
          for (const part of shown.querySelectorAll(".focus-visible")) {  // the theme marks the focus
            part.classList.remove("focus-visible")
            part.removeAttribute("data-focus-visible-added")
            if (part.className === "") part.removeAttribute("class")
          }
          const said = demo.querySelector("[data-part=say]").textContent
          return shown.innerHTML === wanted.innerHTML && said === say
        }"""
        try:
            self.page.wait_for_function(same, arg=[self.root.element_handle(), expected.html, expected.say])
        except Exception:
            said = self.root.locator("[data-part=say]").text_content()
            status = self.root.locator("[data-part=status]").text_content()
            raise AssertionError(
                f"{self.name} {state}: expected “{expected.say}”, shows “{said}” ({status})"
            ) from None
        return state


def by_mouse(page: Page, control: ElementHandle, kind: str) -> None:
    if kind == "range":
        box = control.bounding_box()
        at_end = control.evaluate("e => e.value === e.max")
        page.mouse.click(box["x"] + box["width"] * (0.25 if at_end else 0.9), box["y"] + box["height"] / 2)
    elif kind == "radio":
        control.evaluate_handle("e => e.closest('label')").as_element().click()
    elif kind == "checkbox":
        control.click()
    else:
        by_keyboard(page, control, kind)


def by_touch(page: Page, control: ElementHandle, kind: str) -> None:
    if kind == "range":
        box = control.bounding_box()
        at_end = control.evaluate("e => e.value === e.max")
        page.touchscreen.tap(
            box["x"] + box["width"] * (0.25 if at_end else 0.9), box["y"] + box["height"] / 2
        )
    elif kind == "radio":
        control.evaluate_handle("e => e.closest('label')").as_element().tap()
    elif kind == "checkbox":
        control.tap()
    elif kind == "select-one":  # the list that opens is the system's own
        control.select_option(index=control.evaluate("e => e.selectedIndex ? 0 : 1"))
    else:
        control.tap()
        by_keyboard(page, control, kind)


def by_keyboard(page: Page, control: ElementHandle, kind: str) -> None:
    control.focus()
    if kind in ("range", "radio"):
        at_end = control.evaluate("e => e.type === 'range' && e.value === e.max")
        page.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
    elif kind == "checkbox":
        page.keyboard.press("Space")
    elif kind == "select-one":
        at_end = control.evaluate("e => e.selectedIndex === e.options.length - 1")
        page.keyboard.press("ArrowUp" if at_end else "ArrowDown")
    else:
        typed = "0" if control.input_value() != "0" else "1"
        page.keyboard.press("Control+A")
        page.keyboard.type(control.input_value() if kind == "text" else typed)


HANDS = {"mouse": by_mouse, "touch": by_touch, "keyboard": by_keyboard}


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("name", DEMOS)
def test_every_control_changes_the_frame_to_what_the_core_computes(
    new_page: Callable[..., Page], site: Any, name: str, hand: str
) -> None:
    page = new_page(f"{site.address}embed/{name}/", has_touch=hand == "touch")
    demo = Shown(page, name, site.address)
    default = demo.assert_computed()
    inputs = demo.root.locator("form :is(input, select)")
    seen = {tuple(default.items())}
    for i in range(inputs.count()):
        control = inputs.nth(i).element_handle()
        applies = """e => {
          const place = e.type === "radio" ? e.closest("label") : e
          return place.checkVisibility() && !(e.type === "radio" && e.checked)
        }"""
        if not control.evaluate(applies):
            continue
        if hand == "keyboard" and control.evaluate("e => e.type === 'radio'"):
            control = demo.root.locator(
                f"input[name={control.get_attribute('name')}]:checked"
            ).element_handle()
        HANDS[hand](page, control, control.evaluate("e => e.type"))
        seen.add(tuple(demo.assert_computed().items()))
    assert len(seen) > 1
    pressed = demo.root.locator("[data-part=frame] [data-set]")
    if pressed.count():
        if hand == "keyboard":
            pressed.last.press("Enter")
        else:
            pressed.last.click()
        demo.assert_computed()
    reset = demo.root.locator("[data-act=reset]")
    if hand == "keyboard":
        reset.press("Enter")
    else:
        reset.click()
    assert demo.assert_computed() == default


@pytest.mark.parametrize("name", [name for name in DEMOS if load(name).stepper])
def test_steps_by_button_keyboard_and_play(
    new_page: Callable[..., Page], site: Any, pages_of: dict[str, str], name: str
) -> None:
    page = new_page(site.address + pages_of[name])
    demo = Shown(page, name, site.address)
    stepper = load(name).stepper
    last = len(load(name).controls[stepper].values()) - 1
    demo.root.locator("[data-step='1']").click()
    assert demo.assert_computed()[stepper] == "1"
    assert f"2 步，共 {last + 1} 步" in demo.root.locator(f"output[data-for={stepper}]").text_content()
    demo.root.locator("[data-step='-1']").press("Enter")
    assert demo.assert_computed()[stepper] == "0"
    demo.root.locator(f"input[name={stepper}]").press("End")
    assert demo.assert_computed()[stepper] == str(last)
    play = demo.root.locator("[data-play]")
    play.click()  # from the end, play starts over
    assert demo.assert_computed()[stepper] == "0"
    page.wait_for_function(
        "e => e.value === '1'", arg=demo.root.locator(f"input[name={stepper}]").element_handle()
    )
    play.click()
    paused = demo.assert_computed()
    page.wait_for_timeout(2000)
    assert demo.state() == paused


@pytest.mark.parametrize("name", DEMOS)
def test_link_opens_the_same_state_in_a_fresh_profile(
    new_page: Callable[..., Page], site: Any, pages_of: dict[str, str], name: str
) -> None:
    state = list(states(name))[-1]
    query = "&".join(f"{name}.{key}={value}" for key, value in state.items())
    page = new_page(f"{site.address}{pages_of[name]}?{query}#demo-{name}")
    demo = Shown(page, name, site.address)
    expected = kit.frame(name, state)
    demo.wait_for_state(expected.state)
    demo.assert_computed()
    href = demo.root.locator("[data-act=link]").get_attribute("href")
    again = Shown(new_page(href), name, site.address)
    again.wait_for_state(expected.state)
    again.assert_computed()


def test_unknown_state_in_the_address_shows_the_default_and_says_so(
    new_page: Callable[..., Page], site: Any, pages_of: dict[str, str]
) -> None:
    for query, part in (("d_k=7", "7"), ("nonsense=1", "nonsense"), ("seed=abc", "abc")):
        page = new_page(f"{site.address}{pages_of['scaling']}?scaling.{query}#demo-scaling")
        demo = Shown(page, "scaling", site.address)
        page.wait_for_function("e => e.hasAttribute('data-failed')", arg=demo.root.element_handle())
        assert part in demo.root.locator("[data-part=status]").text_content()
        assert demo.assert_computed() == kit.frame("scaling").state


@pytest.mark.parametrize("name", DEMOS)
def test_without_scripts_the_first_frame_and_all_steps_are_there(
    new_page: Callable[..., Page], site: Any, pages_of: dict[str, str], name: str
) -> None:
    page = new_page(site.address + pages_of[name], java_script_enabled=False)
    root = page.locator(FIND.format(name=name)).first
    first = kit.frame(name)
    assert root.locator("[data-part=say]").inner_text().strip() == first.say
    assert root.locator("[data-part=frame]").is_visible()
    assert root.locator("form").is_hidden()
    stepper = load(name).stepper
    if stepper:
        shown = root.locator(".demo-all-steps").inner_text()
        for value in load(name).controls[stepper].values():
            say = kit.frame(name, {stepper: str(value)}).say
            assert " ".join(say.split()) in " ".join(shown.split())


def test_when_python_cannot_be_had_the_frame_stays_and_retry_works(
    new_page: Callable[..., Page], broken_site: Any, pages_of: dict[str, str], watch: Any
) -> None:
    watch.expected += ["404", "Failed to load", "Failed to fetch"]
    broken_site.broken.add("generated/pyodide")
    page = new_page(broken_site.address + pages_of["scaling"])
    demo = Shown(page, "scaling", broken_site.address)
    before = demo.root.locator("[data-part=say]").text_content()
    demo.root.locator("input[type=range]").first.press("ArrowRight")
    retry = demo.root.locator("[data-act=retry]")
    retry.wait_for(timeout=30_000)
    assert demo.root.locator("[data-part=say]").text_content() == before
    broken_site.broken.clear()
    retry.click()
    demo.assert_computed()
