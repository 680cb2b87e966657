"""`:::demo name title`: a demo's first frame, finished at build, with the contributor's caption above it."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from dataclasses import dataclass

import demos.kit as kit
from course_markdown.builder import Builder, element
from course_markdown.errors import Code, nearest
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.tree import Block


class Demo:
    """The block kind."""

    def read(self, block: Block, page: Page) -> DemoNode:
        name, _, title = block.title.partition(" ")
        html = ""
        ident = page.ident(f"demo-{name}")
        page.scripted = True
        if not name:
            page.problem(Code.DEMO_NAME, block.line)
        elif name not in kit.names():
            page.problem(Code.UNKNOWN_DEMO, block.line, name=name, cure=nearest(name, kit.names()))
        else:
            html = _html(name, ident, title.strip(), block.line, page)
        return DemoNode(block.line, "demo", name, ident, html, page.lang, body(block.items, page))


def _html(name: str, ident: str, title: str, line: int, page: Page) -> str:
    try:
        return kit.demo_html(name, lang=page.lang, ident=ident, title=title)
    except Exception as error:  # whatever a demo may raise
        page.problem(Code.DEMO_FAILED, line, name=name, reason=f"{type(error).__name__}: {error}")
        return ""


@dataclass
class DemoNode:
    """A demo that was read; `html` is empty where it could not be rendered."""

    line: int
    name: str
    demo: str
    ident: str
    html: str
    lang: str
    body: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        demo = element(
            parent,
            "course-demo",
            class_="course-demo",
            data_demo=self.demo,
            data_lang=self.lang,
            id=self.ident,
        )
        before, _, after = self.html.partition(kit.CAPTION)
        if self.html:
            demo.text = builder.html(before)
        else:
            element(demo, "p", builder.page.labels.label["error_here"], class_="course-wrong")
        caption = element(demo, "div", class_="demo-caption")
        builder.parse(caption, self.body)
        caption.tail = builder.html(after) if after else None
