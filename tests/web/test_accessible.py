"""axe-core on every page, in light and in dark; reduced motion; by touch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from demos import kit

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(new_page: Callable[..., Page], site: Any, site_folder: Path, scheme: str) -> None:
    axe = Axe()
    found = []
    # The pages of single demos hold what the gallery holds: one of them stands for all.
    pages = [path for path in sorted(site_folder.rglob("index.html")) if path.parent.parent.name != "embed"]
    for path in [*pages, site_folder / "embed" / "softmax" / "index.html"]:
        name = path.relative_to(site_folder).as_posix()
        page = new_page(site.address + name, color_scheme=scheme)
        page.evaluate(
            "for (const e of document.querySelectorAll('article details:not(.demo-code)')) e.open = true"
        )
        page.wait_for_timeout(300)
        for violation in axe.run(page, options=RULES).response["violations"]:
            nodes = [
                node["html"][:160] + " | " + node["failureSummary"][:300] for node in violation["nodes"][:3]
            ]
            found.append(f"{name}: {violation['id']} ({len(violation['nodes'])}): {nodes}")
        page.close()
    assert found == []


def test_reduced_motion_stops_motion(new_page: Callable[..., Page], site: Any) -> None:
    page = new_page(site.address + "gallery/", reduced_motion="reduce")
    durations = page.evaluate(
        "[...document.querySelectorAll('*')].map((e) => parseFloat(getComputedStyle(e).transitionDuration))"
    )
    assert len(durations) > 1000
    assert max(durations) < 0.001


def test_a_demo_by_touch(new_page: Callable[..., Page], site: Any) -> None:
    page = new_page(
        site.address + "chapters/07-masks/", width=390, height=800, has_touch=True, is_mobile=True
    )
    demo = page.locator("course-demo[data-demo=causal-mask]")
    demo.locator("[data-step='1']").tap()
    stage = demo.locator("input[name=stage]").input_value()
    expected = kit.frame("causal-mask", {"stage": stage}).say
    page.wait_for_function(
        "say => document.querySelector('[data-demo=causal-mask] [data-part=say]').textContent === say",
        arg=expected,
    )
