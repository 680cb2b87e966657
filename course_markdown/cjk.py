"""Line breaks between Chinese characters, which a browser would show as a space that nobody wrote."""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as etree
from collections.abc import Iterator

BREAK = re.compile(r" *\n *")
HOLDS_TEXT = re.compile("p|li|t[dh]|d[td]|h[1-6]|summary|legend|figcaption|label|div")
KEEP = frozenset(("pre", "code", "script", "style", "textarea"))


def join_lines(root: etree.Element) -> None:
    """Remove the line breaks of `root` between two wide characters, also across emphasis and links."""
    for part in root.iter():
        if HOLDS_TEXT.fullmatch(part.tag):
            _join(list(_slots(part)))


def _slots(part: etree.Element) -> Iterator[tuple[etree.Element, str]]:
    """The texts of a paragraph in reading order, as (element, attribute)."""
    yield part, "text"
    for child in part:
        if not HOLDS_TEXT.fullmatch(child.tag):
            yield from _slots(child)
        yield child, "tail"


def _join(slots: list[tuple[etree.Element, str]]) -> None:
    texts = [getattr(part, name) or "" for part, name in slots]
    if not any("\n" in text for text in texts):
        return
    whole = "".join(texts)
    start = 0
    for (part, name), text in zip(slots, texts, strict=True):
        if "\n" in text and (name == "tail" or part.tag not in KEEP):
            setattr(part, name, type(text)(_joined(text, whole, start)))
        start += len(text)


def _joined(text: str, whole: str, start: int) -> str:
    return BREAK.sub(lambda found: "" if _between(whole, start, found) else found[0], text)


def _between(whole: str, at: int, found: re.Match[str]) -> bool:
    before, after = whole[: at + found.start()], whole[at + found.end() :]
    return bool(before and after) and _is_wide(before[-1]) and _is_wide(after[0])


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"
