"""Boxes with a title, and folded ones; a site adds its own kinds in mkdocs.yml."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course_markdown.builder import Builder, element
from course_markdown.errors import Code
from course_markdown.inline import inline
from course_markdown.lower import body
from course_markdown.page import Page
from course_markdown.tree import Block, is_blank

BOXES = ("note", "warning", "key", "intuition", "engineering", "example")
FOLDS = ("unfold", "fold", "math")
NAME = re.compile(r"[a-z]+(?:-[a-z]+)*")
ICON = re.compile(r"[A-Za-z0-9_-]+")
COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]+|(?:rgb|hsl|oklch|oklab|var|light-dark)\([\w\s.,%/()#-]*\)")


@dataclass(frozen=True)
class Box:
    """A box kind. `open` is None for a box that does not fold, else whether it is unfolded at first."""

    name: str
    title: str | None = None
    icon: str = ""
    colour: str = ""
    open: bool | None = None

    def read(self, block: Block, page: Page) -> BoxNode:
        own = page.labels.title.get(self.name, "") if self.title is None else self.title
        if not (block.title or own):
            page.problem(Code.NO_TITLE, block.line, name=self.name)
        check_content(block, page)
        title = inline(block.title or own, block.line, page)
        return BoxNode(block.line, self.name, self, title, body(block.items, page))


@dataclass
class BoxNode:
    """A box that was read."""

    line: int
    name: str
    kind: Box
    title: str
    body: int

    def build(self, parent: etree.Element, builder: Builder) -> None:
        kind = self.kind
        fold = kind.open is not None
        box = element(parent, "details" if fold else "aside", class_=f"course-box {kind.name}")
        if kind.open:
            box.set("open", "open")
        if kind.colour:
            box.set("style", f"--box-colour: {kind.colour}")
        title_class = f"box-title icon-{kind.icon or kind.name}"
        element(box, "summary" if fold else "p", self.title, class_=title_class)
        builder.parse(box, self.body)


def check_content(block: Block, page: Page) -> None:
    """A block with nothing in it is a slip."""
    if is_blank(block.items) and block.closed:
        page.problem(Code.EMPTY_BLOCK, block.line, name=block.name)


def configured(boxes: object) -> dict[str, Box]:
    """The box kinds of the option `boxes`: a list of mappings with a name, or a mapping by name.

    Raises ValueError that names the kind and the key.
    """
    if isinstance(boxes, Mapping):
        entries = [{"name": name, **(options or {})} for name, options in boxes.items()]
    elif isinstance(boxes, list):
        entries = boxes
    else:
        raise ValueError(f"course_markdown: option 'boxes' must be a list or a mapping, got {boxes!r}")
    made = [_box(entry) for entry in entries]
    return {box.name: box for box in made}


def _box(entry: Any) -> Box:
    if not isinstance(entry, Mapping) or not NAME.fullmatch(str(entry.get("name", ""))):
        raise ValueError(f"course_markdown: a box needs a name of small letters and hyphens, got {entry!r}")
    where = f"course_markdown: box '{entry['name']}'"
    known = {"name", "title", "icon", "colour", "open"}
    if unknown := sorted(set(entry) - known):
        raise ValueError(f"{where}: unknown key {unknown[0]!r}; known are {', '.join(sorted(known))}")
    icon, colour, fold = str(entry.get("icon", "")), str(entry.get("colour", "")), entry.get("open")
    if icon and not ICON.fullmatch(icon):
        raise ValueError(f"{where}: icon must be a name of letters, digits and hyphens, got {icon!r}")
    if colour and not COLOUR.fullmatch(colour):
        raise ValueError(f"{where}: colour must be a CSS colour, got {colour!r}")
    if fold is not None and not isinstance(fold, bool):
        raise ValueError(f"{where}: open must be true or false, got {fold!r}")
    title = entry.get("title")
    return Box(entry["name"], None if title is None else str(title), icon, colour, fold)
