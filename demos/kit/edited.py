"""A frame by changed code: the reader's functions stand in for ours while one frame is computed."""

from __future__ import annotations

import inspect
import json
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from types import FunctionType
from typing import Any

from .controls import StateError
from .demo import DemoError, answer_json, frame
from .source import forget
from .text import Text, text

PRINTED_AT_MOST = 20_000  # characters


@dataclass(frozen=True)
class Ran:
    """The frame (empty where something failed), what was printed, and what failed, where.

    `function` and `line` (from 1) are the place in the reader's code; "" and 0 where it failed elsewhere.
    """

    html: str
    say: str
    output: str
    error: str = ""
    function: str = ""
    line: int = 0


def run_edited(name: str, state: Mapping[str, str] | None, lang: str, edits: Mapping[str, str]) -> Ran:
    """The frame of demo `name` with other sources for some functions, named `module.function`.

    Everything is as before afterwards. Raises DemoError for an unknown demo or function, StateError for a
    state that the demo cannot show.
    """
    printed = StringIO()
    try:
        with ExitStack() as undo, redirect_stdout(printed):
            undo.callback(forget, everything=True)
            for function, source in edits.items():
                undo.enter_context(_replaced(function, source))
            forget(everything=True)
            made = frame(name, state, lang)
    except (StateError, DemoError):
        raise
    except (Exception, SystemExit) as failed:
        return _failure(failed, edits, lang, _cut(printed))
    return Ran(made.html, made.say, _cut(printed))


def run_json(name: str, state: str, lang: str, edits: str) -> str:
    """`run_edited` for the browser's worker: JSON in, JSON out, and a refusal as data."""
    return answer_json(lang, lambda: vars(run_edited(name, json.loads(state), lang, json.loads(edits))))


@contextmanager
def _replaced(function: str, source: str) -> Iterator[None]:
    """`function` runs `source`. Its code is exchanged, so that whoever imported it runs the new one too."""
    ours = _ours(function)
    module, name = sys.modules[ours.__module__], ours.__name__
    namespace = dict(vars(module))
    exec(compile(source, _file(function), "exec", dont_inherit=True), namespace)
    theirs = inspect.unwrap(namespace[name])
    if not isinstance(theirs, FunctionType) or theirs.__code__.co_filename != _file(function):
        raise TypeError(f"def {name}(…)?")
    before = ours.__code__, ours.__defaults__, ours.__kwdefaults__
    kept = dict(vars(module))
    # what stands beside the function, a helper say, is there while it runs
    vars(module).update({key: value for key, value in namespace.items() if key != name})
    ours.__code__, ours.__defaults__, ours.__kwdefaults__ = (
        theirs.__code__,
        theirs.__defaults__,
        theirs.__kwdefaults__,
    )
    try:
        yield
    finally:
        ours.__code__, ours.__defaults__, ours.__kwdefaults__ = before
        vars(module).clear()
        vars(module).update(kept)


def _ours(function: str) -> FunctionType:
    """The function itself, without what decorates it; raises DemoError where there is none."""
    module, _, name = function.rpartition(".")
    found: Any = getattr(sys.modules.get(module), name, None)
    plain = inspect.unwrap(found) if callable(found) else None
    if not module.startswith(("demos.", "transformer_core.")) or not isinstance(plain, FunctionType):
        raise DemoError(f"there is no function {function!r} to change")
    return plain


def _file(function: str) -> str:
    return f"<{function}>"


def _failure(failed: BaseException, edits: Mapping[str, str], lang: str, output: str) -> Ran:
    """What failed, with the last line of the reader's own code that led there."""
    said = f"{type(failed).__name__}: {failed.msg if isinstance(failed, SyntaxError) else failed}"
    places = [(step.filename, step.lineno or 0) for step in traceback.extract_tb(failed.__traceback__)]
    if isinstance(failed, SyntaxError):
        places.append((failed.filename or "", failed.lineno or 0))
    for file, line in reversed(places):
        for function in edits:
            if file == _file(function):
                told = AT_LINE.format(function=function.rpartition(".")[2], line=line, said=said)
                return Ran("", "", output, told.in_language(lang), function, line)
    return Ran("", "", output, said)


def _cut(printed: StringIO) -> str:
    whole = printed.getvalue()
    return whole if len(whole) <= PRINTED_AT_MOST else f"{whole[:PRINTED_AT_MOST]}\n…"


AT_LINE: Text = text(zh="{function} 第 {line} 行：{said}", en="{function}, line {line}: {said}")
