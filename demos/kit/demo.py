"""The demo contract: a module with TITLE, CONTROLS and a pure `view`, and the frame that it gives."""

from __future__ import annotations

import json
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from itertools import product
from typing import Any, NamedTuple

import demos

from .controls import Control, StateError, Stepper
from .markup import Node, el, render
from .text import Text, Words, text


class DemoError(Exception):
    """A demo that does not exist, or a demo file that does not keep the contract."""


class View(NamedTuple):
    """What `view` returns: the picture, the sentence that says what is seen, shapes, numbers as a table."""

    picture: Node
    say: Text
    shapes: tuple[Words, ...] = ()
    table: Node = None


class Demo(NamedTuple):
    """A demo file, checked."""

    name: str
    title: Text
    controls: Mapping[str, Control]
    view: Callable[..., View]

    @property
    def stepper(self) -> str | None:
        """The name of the control that steps, if it has one."""
        return next((name for name, control in self.controls.items() if isinstance(control, Stepper)), None)

    def complete(self, state: Mapping[str, str] | None) -> dict[str, str]:
        """`state` with the defaults filled in, every value in its one spelling.

        Raises StateError for a name that is no control, and for a value that its control refuses.
        """
        given = state or {}
        for name in given:
            if name not in self.controls:
                raise StateError(NO_CONTROL.format(name=name, listed=", ".join(self.controls)))
        return {
            name: control.show(
                control.parse(given[name]) if name in given else control.parse(control.show(control.default))
            )
            for name, control in self.controls.items()
        }

    def show(self, state: Mapping[str, str]) -> View:
        """The view of a complete state."""
        return self.view(**{name: control.parse(state[name]) for name, control in self.controls.items()})

    def states(self) -> Iterator[dict[str, str]] | None:
        """Every state of a discrete demo, or None where a control is continuous."""
        listed = {name: control.values() for name, control in self.controls.items()}
        if any(values is None for values in listed.values()):
            return None
        texts = [
            [self.controls[name].show(value) for value in values or ()] for name, values in listed.items()
        ]
        return (dict(zip(self.controls, chosen, strict=True)) for chosen in product(*texts))


class Frame(NamedTuple):
    """One state as a reader sees it: its markup, its sentence, and the complete state."""

    html: str
    say: str
    state: dict[str, str]


def names() -> list[str]:
    """The names of all demos, in alphabetical order."""
    folders = (os.stat(folder).st_mtime_ns for folder in demos.__path__)  # noqa: PTH116  # no pathlib at boot
    return list(_names(tuple(folders)))


@cache
def _names(changed: tuple[int, ...]) -> list[str]:
    """`names`, looked up again when a file comes or goes: pages ask hundreds of times."""
    return sorted(
        module.name.replace("_", "-") for module in pkgutil.iter_modules(demos.__path__) if not module.ispkg
    )


@cache
def load(name: str) -> Demo:
    """The demo called `name`; raises DemoError where there is none or its file breaks the contract."""
    if name not in names():
        raise DemoError(f"there is no demo {name!r}; there are {', '.join(names())}")
    module = import_module(f"demos.{name.replace('-', '_')}")
    title, controls, view = (getattr(module, part, None) for part in ("TITLE", "CONTROLS", "view"))
    if not isinstance(title, Text) or not isinstance(controls, dict) or not callable(view):
        raise DemoError(
            f"demo {name}: its file needs TITLE = text(...), CONTROLS = dict(...) and a function view; "
            f"got {title!r}, {controls!r}, {view!r}"
        )
    parameters = signature(view).parameters
    if list(controls) != list(parameters) or any(
        parameter.kind is not Parameter.KEYWORD_ONLY for parameter in parameters.values()
    ):
        raise DemoError(
            f"demo {name}: view must take the controls by keyword and in their order, "
            f"(*, {', '.join(controls)}); it takes ({', '.join(parameters)})"
        )
    _check_conditions(name, controls)
    return Demo(name, title, controls, view)


def _check_conditions(name: str, controls: Mapping[str, Control]) -> None:
    """DemoError where a control's `when` names no control, or a value that the control cannot have."""
    for shown, control in controls.items():
        for part in control.when.split("&") if control.when is not None else []:
            other, _, values = part.partition("=")
            try:
                fits = all(controls[other].show(controls[other].parse(v)) == v for v in values.split(","))
            except (KeyError, StateError):
                fits = False
            if not fits:
                raise DemoError(
                    f"demo {name}: {shown} is for when={control.when!r}, but {part!r} is never true; "
                    f"write control=value with one of {', '.join(controls)}"
                )


def frame(name: str, state: Mapping[str, str] | None = None, lang: str = "zh") -> Frame:
    """The frame of demo `name` in `state` (the defaults where it is silent), in `lang`.

    The same state gives the same bytes in every interpreter.
    Raises DemoError for an unknown demo, StateError for a state that it cannot show.
    """
    demo = load(name)
    complete = demo.complete(state)
    shown = demo.show(complete)
    return Frame(render(_layout(shown), lang), shown.say.in_language(lang), complete)


def frame_json(name: str, state: str, lang: str) -> str:
    """`frame` for the browser's worker: JSON in, JSON out, and a refusal as data."""

    def make() -> dict[str, Any]:
        made = frame(name, json.loads(state), lang)
        return {"html": made.html, "say": made.say, "state": made.state}

    return answer_json(lang, make)


def answer_json(lang: str, make: Callable[[], dict[str, Any]]) -> str:
    """What `make` gives as JSON; where it refuses a state or knows no such demo, that as an error."""
    try:
        made = make()
    except StateError as refused:
        return _error("state", refused.words.in_language(lang))
    except DemoError as unknown:
        return _error("demo", str(unknown))
    return json.dumps(made, ensure_ascii=False)


def key(state: Mapping[str, str]) -> str:
    """The one spelling of a complete state."""
    return "&".join(f"{name}={value}" for name, value in state.items())


def _layout(view: View) -> Node:
    shapes = [el("code", {}, shape) for shape in view.shapes]
    return [
        el("div", {"class": "frame-picture"}, view.picture),
        el("p", {"class": "frame-shapes"}, el("span", {}, SHAPES), *shapes) if shapes else None,
        el(
            "details",
            {"class": "frame-numbers", "data-keep": "numbers"},
            el("summary", {}, NUMBERS),
            view.table,
        )
        if view.table
        else None,
    ]


def _error(code: str, message: str) -> str:
    return json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)


NO_CONTROL = text(
    zh="没有叫「{name}」的控件，可用的是 {listed}",
    en="there is no control “{name}”; there are {listed}",
)
SHAPES = text(zh="形状", en="Shapes")
NUMBERS = text(zh="图中的数字", en="The numbers in the picture")
