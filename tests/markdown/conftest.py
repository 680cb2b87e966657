"""Turns Markdown into HTML and problems; demos are stand-ins, so that no real demo is rendered here."""

from __future__ import annotations

import re
import textwrap
import xml.etree.ElementTree as etree
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import markdown
import pytest

import demos.kit
from course_markdown.site import Site


@dataclass(frozen=True)
class Rendered:
    """A page: its HTML, its problems as `LINE: CODE text`, its table of contents, and the site it is from."""

    html: str
    problems: list[str]
    toc: list[dict[str, Any]]
    site: Site

    @property
    def root(self) -> etree.Element:
        return etree.fromstring(f"<root>{self.html}</root>")

    @property
    def flat(self) -> str:
        """The HTML without line breaks between tags."""
        return re.sub(r">\s*\n\s*<", "><", self.html.strip())

    @property
    def text(self) -> str:
        """What a reader sees outside of code."""
        without_code = re.sub(r"<(code|pre|script)\b.*?</\1>", "", self.html, flags=re.DOTALL)
        return re.sub(r"<[^>]*>", "", without_code)

    def find(self, path: str) -> etree.Element:
        found = self.root.find(path)
        assert found is not None, f"no {path} in {self.html}"
        return found

    def all(self, path: str) -> list[etree.Element]:
        return self.root.findall(path)

    @property
    def codes(self) -> list[tuple[int, str]]:
        """(line, code) of each problem."""
        return [(int(line), rest.split()[0]) for line, rest in (p.split(": ", 1) for p in self.problems)]


@pytest.fixture(autouse=True)
def kit(monkeypatch: pytest.MonkeyPatch) -> None:
    def demo_html(name: str, *, lang: str, ident: str, title: str) -> str:
        if name == "broken":
            raise ValueError("no such step")
        return f'<form title="{title}" lang="{lang}"><output id="{ident}-out">{name}</output></form>'

    monkeypatch.setattr(demos.kit, "names", lambda: ["attention", "broken", "causal-mask", "scaling"])
    monkeypatch.setattr(demos.kit, "demo_html", demo_html)


@pytest.fixture
def render() -> Callable[..., Rendered]:
    """`render(source, extensions=[…], **options)`: dedents the source and keeps the problems.

    `strict=True` proofreads the page.
    """

    def run(
        source: str,
        extensions: tuple[str, ...] = ("toc",),
        dedent: bool = True,
        strict: bool = False,
        **options: Any,
    ) -> Rendered:
        site = Site(path="page.md", strict=strict)
        md = markdown.Markdown(
            extensions=[*extensions, "course_markdown"],
            extension_configs={"course_markdown": {"site": site, **options}},
        )
        html = md.convert(textwrap.dedent(source).removeprefix("\n") if dedent else source)
        problems = [str(problem).removeprefix("page.md:") for problem in site.page_problems()]
        return Rendered(html, problems, getattr(md, "toc_tokens", []), site)

    return run


@pytest.fixture
def clean(render: Callable[..., Rendered]) -> Callable[..., Rendered]:
    """`render` for a source that has no problems."""

    def run(source: str, **options: Any) -> Rendered:
        page = render(source, **options)
        assert page.problems == []
        return page

    return run
