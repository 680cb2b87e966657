"""Links into a demo, `page.md?scaling.d_k=64#demo-scaling`: the demo, its control and the value exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

import demos.kit as kit
from course_markdown.errors import Code, nearest
from course_markdown.page import Page
from course_markdown.proof.spans import Span

STATE = re.compile(r"\?(?P<query>[^#\s()\"']+)#demo-(?P<demo>[a-z][a-z-]*[a-z])(?:-\d+)?\b")
SECOND = re.compile(r"-\d+$")  # the same demo once more on one page


def check_demo_states(spans: Iterable[Span], page: Page) -> None:
    """Note each link whose state the demo would refuse."""
    for span in spans:
        if span.kind not in ("text", "title", "html"):
            continue
        for link in STATE.finditer(span.text):
            line = span.line + span.text.count("\n", 0, link.start())
            pairs = parse_qsl(link["query"].replace("&amp;", "&"), keep_blank_values=True)
            _check(link["demo"], pairs, link[0], line, page)


def _check(name: str, pairs: list[tuple[str, str]], written: str, line: int, page: Page) -> None:
    if name not in kit.names():
        page.problem(Code.UNKNOWN_DEMO, line, name=name, cure=nearest(name, kit.names()))
        return
    state = {}
    for key, value in pairs:
        demo, _, control = key.rpartition(".")
        if SECOND.sub("", demo) != name:
            reason = f"'{key}' sets nothing in '{name}'; write '{name}.{control}'"
            page.problem(Code.DEMO_STATE, line, written=written, reason=reason)
        else:
            state[control] = value
    try:
        kit.load(name).complete(state)
    except kit.StateError as error:
        page.problem(Code.DEMO_STATE, line, written=written, reason=error)
