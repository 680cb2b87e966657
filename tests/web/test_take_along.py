"""Exports, and a demo alone in somebody else's page."""

from __future__ import annotations

import csv
import io
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from demos import kit


@pytest.fixture
def scaling(new_page: Callable[..., Page], site: Any) -> Locator:
    page = new_page(site.address + "gallery/")
    demo = page.locator("course-demo[data-demo=scaling]")
    demo.locator(".demo-menu > summary").click()
    return demo


def taken(demo: Locator, act: str) -> bytes:
    with demo.page.expect_download() as waiting:
        demo.locator(f"[data-act={act}]").click()
    assert waiting.value.suggested_filename == f"scaling.{act}"
    return Path(waiting.value.path()).read_bytes()


def test_csv_holds_the_numbers_of_the_tables(scaling: Locator) -> None:
    rows = list(csv.reader(io.StringIO(taken(scaling, "csv").decode("utf-8-sig"))))
    cells = {cell for row in rows for cell in row}
    shown = scaling.locator("[data-part=frame] td").evaluate_all(
        "cells => cells.map((cell) => cell.textContent)"
    )
    assert len(shown) > 10
    for number in shown:
        assert number.replace("\u2212", "-").strip() in cells


def test_svg_is_a_document_with_the_text_of_the_picture(scaling: Locator) -> None:
    root = ElementTree.fromstring(taken(scaling, "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = "".join(root.itertext())
    for number in scaling.locator(".frame-picture .bar-number").all_text_contents():
        assert number in text


def test_png_has_twice_the_pixels_of_the_picture_and_is_not_blank(scaling: Locator) -> None:
    png = taken(scaling, "png")
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    box = scaling.locator(".frame-picture").bounding_box()
    assert abs(width - 2 * box["width"]) <= 4
    assert abs(height - 2 * box["height"]) <= 4
    assert len(png) > 10_000


def test_embedded_demo_works_and_sizes_its_frame(
    new_page: Callable[..., Page], copied_site: Any, watch: Any
) -> None:
    page = new_page(
        copied_site.address + "gallery/?scaling.d_k=128#demo-scaling",
        permissions=["clipboard-read", "clipboard-write"],
    )
    demo = page.locator("course-demo[data-demo=scaling]")
    expected = kit.frame("scaling", {"d_k": "128"})
    page.wait_for_function(
        "say => document.querySelector('[data-demo=scaling] [data-part=say]').textContent === say",
        arg=expected.say,
    )
    demo.locator(".demo-menu > summary").click()
    demo.locator("[data-act=embed]").click()
    page.wait_for_function(
        "document.querySelector('[data-demo=scaling] [data-part=status]').textContent !== ''"
    )
    code = page.evaluate("navigator.clipboard.readText()")
    assert "<iframe" in code
    (copied_site.folder / "host.html").write_text(
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>A course</title>{code}',
        encoding="utf-8",
    )
    host = new_page(copied_site.address + "host.html")
    inner = host.frame_locator("iframe")
    inner.locator("course-demo[data-demo=scaling]").wait_for()
    host.wait_for_function(
        """say => {
          const inner = document.querySelector("iframe").contentDocument
          return inner.querySelector("[data-part=say]").textContent === say
        }""",
        arg=expected.say,
    )
    assert inner.locator(".md-header").is_hidden()
    assert inner.locator(".embed-source a").count() == 1
    needed = "document.querySelector('iframe').contentDocument.querySelector('[data-embed]').scrollHeight"
    host.wait_for_function(f"Math.abs(document.querySelector('iframe').clientHeight - {needed}) < 3")


def test_full_screen(scaling: Locator) -> None:
    scaling.locator("[data-act=full]").click()
    scaling.page.wait_for_function("document.fullscreenElement?.dataset.demo === 'scaling'")
