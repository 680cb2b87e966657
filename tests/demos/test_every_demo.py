"""What holds for every demo that there is: one frame a state, both languages whole, no hole left open."""

import hashlib
import os
import re
import string
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

import demos
from demos import kit
from demos.kit import Text

FOLDER = Path(demos.__path__[0])
CORNERS_OF = """
import hashlib, sys
from demos import kit
seen = hashlib.sha256()
for name in kit.names():
    demo = kit.load(name)
    states = [{}] + [{n: c.show(v)} for n, c in demo.controls.items() for v in c.corners()]
    for state in states:
        for lang in kit.LANGUAGES:
            made = kit.frame(name, state, lang)
            seen.update((made.html + made.say).encode())
print(seen.hexdigest(), len(kit.names()))
"""


def corners(name: str) -> list[dict[str, str]]:
    """The default, and each control at its corners."""
    controls = kit.load(name).controls
    return [{}] + [{n: c.show(value)} for n, c in controls.items() for value in c.corners()]


@pytest.mark.parametrize("name", kit.names())
def test_a_frame_is_the_same_twice_and_says_something(name: str) -> None:
    for state in corners(name):
        for lang in kit.LANGUAGES:
            first, again = (kit.frame(name, state, lang) for _ in range(2))
            assert first == again
            assert first.say.strip()
            assert not re.search(r"\{\w*\}", first.html + first.say), "a hole was not filled"


def test_frames_hang_on_no_order_of_hashes_and_no_earlier_frame() -> None:
    """Two new interpreters, told to order their hashes differently, agree on every byte."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", CORNERS_OF],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    digest, count = printed.pop().split()
    assert (len(digest), int(count)) == (hashlib.sha256().digest_size * 2, len(kit.names()))


def texts(value: object) -> Iterator[Text]:
    """All texts inside a value."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for part in vars(value).values():
            yield from texts(part)


def modules() -> list[str]:
    """Every module below demos."""
    paths = (path.relative_to(FOLDER).with_suffix("") for path in FOLDER.rglob("*.py"))
    return sorted(".".join(["demos", *path.parts]).removesuffix(".__init__") for path in paths)


def holes(words: str) -> set[str]:
    return {hole for _, hole, _, _ in string.Formatter().parse(words) if hole is not None}


@pytest.mark.parametrize("module", modules())
def test_every_text_is_whole_in_both_languages(module: str) -> None:
    for name, value in vars(import_module(module)).items():
        for words in texts(value):
            where = f"{name}: {words}"
            assert bool(words.zh.strip()) == bool(words.en.strip()), where
            assert not re.search("[\u4e00-\u9fff，。；：！？（）「」]", words.en), where
            if name.isupper():
                assert holes(words.zh) == holes(words.en), where


def test_the_search_for_texts_goes_into_controls_and_their_options() -> None:
    found = {words.en for words in texts(import_module("demos.causal_mask").CONTROLS)}
    assert {"Mask", "causal", "Scaled scores", "−1e9 (float16)"} <= found
