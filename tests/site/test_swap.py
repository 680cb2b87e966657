"""One frame in the place of another: the same document, what is alike untouched, focus and folds kept."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from demos import kit

pytestmark = pytest.mark.web

SET_UP = """async () => {
  const { swapFrame } = await import("/swap.js")
  const { reachScrollersSoon } = await import("/scrollers.js")
  const place = document.body.appendChild(document.createElement("div"))
  Object.assign(globalThis, { place, reachScrollersSoon, swap: (html) => swapFrame(place, html) })
}"""
GRID = "<svg><rect class='grid'></rect><text x='1'>{}</text></svg>"


def run(page: Page, body: str, *values: Any) -> Any:
    """Run the body of an async function of `values` in the page."""
    return page.evaluate(f"async (values) => {{ {body} }}", list(values))


def test_the_document_is_that_of_the_new_markup(page: Page) -> None:
    """From every demo's frame to every other's: nothing in them is alike."""
    frames = [kit.frame(name).html for name in kit.names()]
    frames += [
        "",
        "only text",
        "<p>a<b>c</b>d</p>",
        "<p>a<b>c</b></p>",
        "<p>a</p><p>b</p>",
        "<p class=x>a</p>",
    ]
    wrong = run(
        page,
        """const wrong = []
        for (const [i, from] of values.entries()) for (const [j, to] of values.entries()) {
          place.innerHTML = from
          swap(to)
          const wanted = document.createElement("div")
          wanted.innerHTML = to
          if (place.innerHTML !== wanted.innerHTML) wrong.push([i, j])
        }
        return wrong""",
        *frames,
    )
    assert wrong == []


def test_what_is_alike_stays_the_same_element(page: Page) -> None:
    kept = run(
        page,
        """swap(values[0])
        const [grid, label, picture] = ["rect", "text", "svg"].map((part) => place.querySelector(part))
        swap(values[1])
        return [grid.isConnected, label.isConnected && label.textContent, picture.isConnected]""",
        GRID.format("one"),
        GRID.format("two"),
    )
    assert kept == [True, "two", True]


@pytest.mark.parametrize("label", ["one", "two"])
def test_the_focus_stays_with_what_sets_the_same(page: Page, label: str) -> None:
    """Whether that is the same element or, with another label, a new one; and wherever it now stands."""
    button = "<button data-set='cell={}' aria-label='{}'></button>".format
    focused = run(
        page,
        """swap(values[0])
        place.querySelectorAll("button")[1].focus()
        swap(values[1])
        return document.activeElement.dataset.set""",
        button(0, "") + button(1, "one"),
        button(2, "") + button(0, "") + button(1, label),
    )
    assert focused == "cell=1"


def test_what_a_reader_opened_or_closed_stays_so(page: Page) -> None:
    part = "<details data-keep='{}'><summary>s</summary>{}</details>".format
    states = run(
        page,
        """swap(values[0])
        place.querySelector("details").open = true
        const states = []
        for (const next of values.slice(1)) {
          swap(next)
          states.push([...place.querySelectorAll("details")].map((part) => part.open))
        }
        place.querySelector("details").open = false
        swap(values[0])
        return [...states, [place.querySelector("details").open]]""",
        part("numbers", 1),
        part("numbers", 2),
        part("numbers", 3) + part("other", 3),
    )
    assert states == [[True], [True, False], [False]]


def test_wide_parts_can_be_reached_by_keyboard_after_the_next_paint(page: Page) -> None:
    wide, narrow = (f"<div class='scroll' style='width:50px;overflow:auto'>{'w' * n}</div>" for n in (99, 1))
    reached = run(
        page,
        """swap(values[0])
        reachScrollersSoon(place)
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
        return [...place.children].map((part) => part.getAttribute("tabindex"))""",
        wide + narrow,
    )
    assert reached == ["0", None]
