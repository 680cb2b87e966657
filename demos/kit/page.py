"""A demo as it stands in a page: its form, its first frame, and all steps for print and no JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from .controls import Stepper
from .demo import Demo, Frame, View, frame, load
from .markup import Node, el, render
from .text import text

CAPTION = '<div class="demo-caption"></div>'


def demo_html(name: str, *, lang: str, ident: str, title: str) -> str:
    """The finished inside of a `<course-demo>`: title, room for a caption, controls, first frame, tools.

    The page's caption is put in the place of `CAPTION`: what is read first comes first, so that nothing moves
    while the page is still arriving. `title` replaces the demo's own where it is not empty.
    Raises DemoError for an unknown demo.
    """
    demo = load(name)
    first, steps = _frames(name, lang, demo.view)
    heading = f"{ident}-title"
    body: list[Node] = [
        el(
            "p",
            {"class": "demo-head", "id": heading},
            el("span", {"class": "demo-kind"}, KIND),
            " ",
            el("strong", {"class": "demo-title"}, title or demo.title),
        ),
        el("div", {"class": "demo-caption"}),
        el(
            "form",
            {"class": "demo-form", "autocomplete": "off", "aria-labelledby": heading},
            el(
                "fieldset",
                {"class": "demo-controls", "disabled": True},
                *(_control(demo, control_name, first.state) for control_name in demo.controls),
            ),
        ),
        el("noscript", {}, el("p", {"class": "demo-noscript"}, NO_SCRIPT)),
    ]
    tools = el(
        "div",
        {"class": "demo-tools"},
        el("button", {"type": "button", "class": "demo-reset", "data-act": "reset", "disabled": True}, RESET),
        el("a", {"class": "demo-link", "data-act": "link", "href": f"#{ident}"}, LINK),
        el(
            "details",
            {"class": "demo-menu"},
            el("summary", {}, MORE),
            *(el("button", {"type": "button", "data-act": act}, name) for act, name in MENU),
        ),
        el(
            "details",
            {"class": "demo-code", "data-part": "code"},
            el("summary", {}, CODE),
            el("div", {"data-part": "source"}),
        ),
        el("span", {"class": "demo-status", "data-part": "status", "role": "status"}),
    )
    return "".join(
        [
            render(body, lang),
            f'<div class="demo-frame" data-part="frame" data-search-exclude>{first.html}</div>',
            f'<p class="demo-say" data-part="say" aria-live="polite">{render(first.say, lang)}</p>',
            steps,
            render(tools, lang),
        ]
    )


@cache
def _frames(name: str, lang: str, view: Callable[..., View]) -> tuple[Frame, str]:
    """The first frame and all steps, made once for all pages (`view` tells demos of one name apart)."""
    return frame(name, None, lang), _all_steps(load(name), lang)


def _control(demo: Demo, name: str, state: Mapping[str, str]) -> Node:
    """A control, hidden from the start where it does not apply, so that nothing moves when scripts arrive."""
    control = demo.controls[name]
    if control.when is None:
        return control.node(name)
    applies = all(
        state[other] in values.split(",")
        for other, values in (part.split("=", 1) for part in control.when.split("&"))
    )
    return el(
        "div", {"class": "control-when", "data-when": control.when, "hidden": not applies}, control.node(name)
    )


def _all_steps(demo: Demo, lang: str) -> str:
    """Every step of a stepped demo, in order: seen where there is no JavaScript, and in print."""
    if demo.stepper is None:
        return ""
    control = demo.controls[demo.stepper]
    if not isinstance(control, Stepper):
        return ""
    steps = []
    for number, step in enumerate(control.names):
        made = frame(demo.name, {demo.stepper: control.show(number)}, lang)
        name = render([str(number), ". ", step], lang)
        steps.append(
            f'<section class="demo-step"><p class="demo-step-name">{name}</p>'
            f"{made.html}<p>{render(made.say, lang)}</p></section>"
        )
    return f'<div class="demo-all-steps" data-search-exclude>{"".join(steps)}</div>'


KIND = text(zh="交互演示", en="Interactive demo")
RESET = text(zh="重置", en="Reset")
LINK = text(zh="此状态的链接", en="Link to this state")
NO_SCRIPT = text(
    zh="这是演示的默认状态，由本站构建时算出。打开 JavaScript 后可以改动参数。",
    en="The demo in its default state, computed when the site was built. Turn on JavaScript to change it.",
)
CODE = text(zh="看代码", en="Show the code")
MORE = text(zh="导出与嵌入", en="Export and embed")
MENU = (
    ("svg", text(zh="图片（SVG）", en="Picture (SVG)")),
    ("png", text(zh="图片（PNG）", en="Picture (PNG)")),
    ("csv", text(zh="数据表（CSV）", en="Numbers (CSV)")),
    ("embed", text(zh="复制嵌入代码", en="Copy the embed code")),
    ("full", text(zh="全屏", en="Full screen")),
)
