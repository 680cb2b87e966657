"""The frames of a discrete demo that lie beside the page, where they answer without Python."""

from __future__ import annotations

import re
import zlib
from typing import Any

from .demo import frame, key, load

# Compressed, as they travel. On a phone's 1.6 Mbit/s they are there a quarter of a second after the finger
# touches the demo. What would take longer is left to Python, which is a hundred times as much, but once.
SHIPPED_BYTES = 50_000

BEFORE_A_TAG = re.compile(r"(?!^)(?=<[a-z])")


def shipped_frames(name: str, lang: str = "zh") -> dict[str, Any] | None:
    """All frames of a discrete demo; None where a control is continuous, or where they take too many bytes.

    `states` maps a state's key (`a=1&b=2`, in the order of the controls) to its place in `frames`, where
    equal ones stand once. The `html` of a frame is places in `parts`, to be joined: a demo's frames share
    most of their elements, but further apart than compression looks back.
    """
    every = load(name).states()
    if every is None:
        return None
    states: dict[str, int] = {}
    places: dict[tuple[tuple[int, ...], str], int] = {}
    parts: dict[str, int] = {}
    pack, size = zlib.compressobj(), 0
    for state in every:
        made = frame(name, state, lang)
        known = len(parts), len(places)
        html = tuple(parts.setdefault(part, len(parts)) for part in BEFORE_A_TAG.split(made.html))
        states[key(state)] = places.setdefault((html, made.say), len(places))
        new = key(state), list(parts)[known[0] :], (html, made.say) if len(places) > known[1] else ()
        size += len(pack.compress(repr(new).encode()))
        if size > SHIPPED_BYTES:
            return None
    if size + len(pack.flush()) > SHIPPED_BYTES:
        return None
    return {
        "states": states,
        "parts": list(parts),
        "frames": [{"html": html, "say": say} for html, say in places],
    }


def unpacked(shipped: dict[str, Any], state: str) -> tuple[str, str]:
    """The markup and the sentence of the state with this key, as the page puts them together."""
    found = shipped["frames"][shipped["states"][state]]
    return "".join(shipped["parts"][place] for place in found["html"]), found["say"]
