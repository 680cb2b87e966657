"""The code behind a frame: a demo's `view`, and what it really called in `transformer_core`."""

from __future__ import annotations

import inspect
import json
import keyword
import sys
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .demo import Demo, answer_json, load
from .markup import Node, el, render
from .numbers import short
from .text import text

CORE = "transformer_core"
FEW = 6  # numbers of an array, or items of a tuple, that are written out
LONG = 40  # characters of a value that are written out


@dataclass
class Part:
    """One function as the reader sees it: its place, its source, its first call, and how many there were."""

    module: str
    source: str
    call: str
    calls: int = 1

    @property
    def path(self) -> str:
        return self.module.replace(".", "/") + ".py"


def code(
    name: str, state: Mapping[str, str] | None = None, lang: str = "zh", root: Path | None = None
) -> Node:
    """The code of demo `name` in `state`: `view`, and what it called, in the order of the calls.

    `root` is the folder that holds the sources, where they do not lie beside the modules.
    Raises DemoError for an unknown demo, StateError for a state that it cannot show.
    """
    return [_section(part, lang) for part in parts(name, state, root)]


def code_json(name: str, state: str, lang: str, root: str) -> str:
    """`code` for the browser's worker: JSON in, JSON out, and a refusal as data."""
    return answer_json(lang, lambda: {"html": render(code(name, json.loads(state), lang, Path(root)), lang)})


def parts(name: str, state: Mapping[str, str] | None = None, root: Path | None = None) -> list[Part]:
    """`view`, the public functions of the core that it called, and the demo's that led there first."""
    demo = load(name)
    complete = demo.complete(state)
    return list(_Recorder(demo, root).run(complete).values())


@dataclass
class _Recorder:
    """Listens to the calls while a view runs."""

    demo: Demo
    root: Path | None
    found: dict[CodeType, Part] = field(default_factory=dict)

    def run(self, state: Mapping[str, str]) -> dict[CodeType, Part]:
        self.demo.show(state)  # so that what is loaded once, whatever the state, is there
        forget()
        before = sys.getprofile()
        sys.setprofile(self._heard)
        try:
            self.demo.show(state)
        finally:
            sys.setprofile(before)
        return self.found

    def _heard(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        if frame.f_code is self.demo.view.__code__:
            self._add(frame)
        elif _is_public(frame):
            for between in reversed(list(_callers(frame))) if frame.f_code not in self.found else []:
                if _is_of_demos(between) and between.f_code not in self.found:
                    self._add(between)
            self._add(frame)

    def _add(self, frame: FrameType) -> None:
        known = self.found.get(frame.f_code)
        if known:
            # a generator is "called" each time that it goes on
            known.calls += not frame.f_code.co_flags & inspect.CO_GENERATOR
            return
        module = frame.f_globals["__name__"]
        self.found[frame.f_code] = Part(module, _source(frame, self.root), _call(frame))


def forget(*, everything: bool = False) -> None:
    """Empty the caches of what the state decides: what is remembered is not called, and not heard.

    With `everything`, also those of what is loaded or trained once.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith((f"{CORE}.", "demos.")) and not name.startswith("demos.kit"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear") and (everything or inspect.signature(value).parameters):
                    value.cache_clear()


def _callers(frame: FrameType) -> Iterator[FrameType]:
    caller = frame.f_back
    while caller is not None:
        yield caller
        caller = caller.f_back


def _is_public(frame: FrameType) -> bool:
    """Whether a function runs that `transformer_core` offers by name."""
    name = frame.f_code.co_qualname
    return str(frame.f_globals.get("__name__")).startswith(f"{CORE}.") and name in sys.modules[CORE].__all__


def _is_of_demos(frame: FrameType) -> bool:
    """Whether a plain function of a demo runs: no part of the kit, and nothing inside another function."""
    module = str(frame.f_globals.get("__name__"))
    plain = frame.f_code.co_qualname.isidentifier()
    return plain and module.startswith("demos.") and not module.startswith("demos.kit")


def _source(frame: FrameType, root: Path | None) -> str:
    """The source of the function that runs, read from its file."""
    module = frame.f_globals["__name__"]
    beside = sys.modules[module].__file__
    path = root / (module.replace(".", "/") + ".py") if root else Path(str(beside))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(inspect.getblock(lines[frame.f_code.co_firstlineno - 1 :]))


def _call(frame: FrameType) -> str:
    """The call as one would write it, each argument abbreviated."""
    names, more, named, values = inspect.getargvalues(frame)
    shown = [f"{name}={brief(values[name])}" for name in names]
    shown += [f"*{brief(values[more])}"] if more and values[more] else []
    shown += [f"**{brief(values[named])}"] if named and values[named] else []
    return f"{frame.f_code.co_name}({', '.join(shown)})"


def brief(value: Any) -> str:
    """A value in a few characters: an array by its shape, a record by its name, a long text by its start."""
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        if len(value.shape) == 1 and 0 < len(value) <= FEW and value.dtype.kind in "fiub":
            return f"[{', '.join(brief(item) for item in value.tolist())}]"
        return f"{value.dtype}{tuple(value.shape)}"
    if isinstance(value, float):
        return short(value, 4) if 1e-4 <= abs(value) < 1e6 or value == 0 else f"{value:.3g}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{type(value).__name__}(…)"
    if isinstance(value, tuple | list):
        inside = ", ".join(brief(item) for item in value[:FEW]) + (", …" if len(value) > FEW else "")
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if value is None or isinstance(value, bool | int | str):
        shown = repr(value)
        return shown if len(shown) <= LONG else f"{shown[: LONG - 2]}…{shown[-1]}"
    return str(getattr(value, "__name__", f"{type(value).__name__}(…)"))


def _section(part: Part, lang: str) -> Node:
    counted = TIMES.format(n=part.calls) if part.calls > 1 else None
    return el(
        "section",
        {"class": "code-part", "data-function": f"{part.module}.{part.call.partition('(')[0]}"},
        el(
            "p",
            {"class": "code-call"},
            el("span", {"class": "code-path"}, part.path),
            el("code", {}, part.call),
            el("span", {}, counted) if counted else None,
            el("button", {"type": "button", "data-code": "copy"}, COPY),
            el("button", {"type": "button", "data-code": "edit"}, EDIT),
        ),
        el(
            "div",
            {"class": "highlight"},
            el(
                "pre",
                {"tabindex": "0", "role": "region", "aria-label": part.path},
                el("code", {}, coloured(part.source)),
            ),
        ),
    )


def coloured(source: str) -> Node:
    """Python source as spans, by the class names that the theme colours; its text is `source` unchanged."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made: list[Node] = []
    done = 0
    for start, end, kind in _tokens(source):
        first, last = starts[start[0] - 1] + start[1], starts[end[0] - 1] + end[1]
        made += [source[done:first], el("span", {"class": kind}, source[first:last])]
        done = last
    return [*made, source[done:]]


_Place = tuple[int, int]


def _tokens(source: str) -> Iterator[tuple[_Place, _Place, str]]:
    """Start, end and class of each token that has a colour.

    From Python 3.12 on an f-string comes in pieces; here it is one token, as before.
    """
    begun: list[_Place] = []
    after = ""
    for token in tokenize.generate_tokens(StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            begun.append(token.start)
        elif name == "FSTRING_END":
            start = begun.pop()
            if not begun:
                yield start, token.end, "s"
        elif not begun:
            kind = _class(name, token.string, after)
            if kind:
                yield token.start, token.end, kind
        after = token.string


def _class(name: str, token: str, after: str) -> str | None:
    if name == "NAME":
        if keyword.iskeyword(token):
            return "kc" if token in ("None", "True", "False") else "k"
        return {"def": "nf", "class": "nc", "@": "nd"}.get(after)
    return {"STRING": "s", "COMMENT": "c1", "NUMBER": "m"}.get(name)


EDIT = text(zh="改一改", en="Change it")
COPY = text(zh="复制", en="Copy")
TIMES = text(zh="共调用 {n} 次，这是第一次", en="called {n} times; this is the first")
