"""Checked numbers: `{{0.198 := weights[0, 0]}}` is compared with code, `{{:.3f := x}}` printed by it."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from course_markdown.errors import Code
from course_markdown.inline import NUMBER, OPEN_NUMBER
from course_markdown.page import Checked, Page
from course_markdown.printed import IncomparableError, Value, agrees
from course_markdown.tokens import Number

ALLOWED = (abs, all, any, bool, enumerate, float, int, len, max, min, range, round, sorted, sum, zip)
BUILTINS: dict[str, object] = {function.__name__: function for function in ALLOWED}
# numpy's methods import parts of numpy where they are first needed, with the builtins of whoever calls them
BUILTINS["__import__"] = builtins.__import__
LONGEST = 300  # characters of a value that is shown in full
MINUS = re.compile(r"(?<![\w)])-(?=[\d.∞])")  # typed as a hyphen
NEGATIVE_ZERO = re.compile(r"-(0(?:\.0*)?%?)")


def public_names(module: str) -> dict[str, Any]:
    """What expressions may use: the public names of `module`; ImportError if there is no such module."""
    if not module:
        return {}
    found = importlib.import_module(module)
    names = getattr(found, "__all__", [name for name in vars(found) if name[:1] != "_"])
    return {name: getattr(found, name) for name in names}


def evaluate(expression: str, names: Mapping[str, Any]) -> Value:
    """The value of a contributor's expression, arrays as lists; raises whatever the expression raises.

    NameError for a name that begins with an underscore, other than `_` itself: what is private stays so.
    """
    tree = ast.parse(expression.strip(), mode="eval")
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name.startswith("_") and name != "_":
            raise NameError(f"{name!r} begins with an underscore; use public names")
    return _simple(eval(compile(tree, "<expression>", "eval"), {"__builtins__": BUILTINS, **names}))


def number_text(number: Number, page: Page) -> tuple[str, str] | None:
    """What is printed for `number`, and its value in full; None after a problem was noted."""
    found = _number_text(number, page)
    if found:
        page.checked.append(Checked(number.line, number.expression, found[0]))
    return found


def _number_text(number: Number, page: Page) -> tuple[str, str] | None:
    fields: dict[str, object] = {"expression": number.expression}
    try:
        value = evaluate(number.expression, page.names)
    except Exception as error:  # whatever a contributor's expression may raise
        reason = said(error) if number.expression else "SyntaxError: nothing stands after ':='"
        page.problem(Code.EXPRESSION, number.line, reason=reason, **fields)
        return None
    fields["value"] = short = _short(value)
    if not number.printed or number.printed.startswith(":"):
        return _inserted(number, value, page, fields)
    try:
        if agrees(number.printed, value):
            return number.printed, short
    except IncomparableError as error:
        page.problem(Code.NUMBER_FORM, number.line, printed=number.printed, cure=error, **fields)
        return None
    page.problem(Code.NUMBER, number.line, printed=number.printed, **fields)
    return None


def said(error: BaseException) -> str:
    """What a contributor's code failed of, in one line; where, only the page's own line can tell."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return " ".join(f"{type(error).__name__}: {text}".split())


def number_html(number: Number, page: Page, *, plain: bool) -> str:
    """The number as a button that opens its expression; only the number where a button cannot stand."""
    found = number_text(number, page)
    printed = escape(MINUS.sub("\u2212", found[0] if found else number.printed))
    if plain or found is None:
        return printed
    page.numbers += 1
    ident = f"num-how-{page.numbers}"
    hint = escape(page.labels.label["number"])
    return (
        f'<button type="button" class="num" popovertarget="{ident}" title="{hint}">{printed}</button>'
        f'<span class="num-how" id="{ident}" popover="auto" data-search-exclude="true">'
        f"<code>{escape(number.expression)}</code> = <samp>{escape(found[1])}</samp></span>"
    )


def checked_tex(tex: str, line: int, page: Page) -> str:
    """A formula with each of its numbers checked and in its place."""

    def replace(match: re.Match[str]) -> str:
        row = line + tex.count("\n", 0, match.start())
        number = Number(match["printed"].strip(), match["expression"].strip(), row, match[0])
        found = number_text(number, page)
        inserted = number.printed.startswith(":") or not number.printed
        text = found[0] if found else number.printed
        return text if inserted else re.sub(r"(?<=\d),(?=\d{3})", "{,}", text).replace("%", "\\%")

    for match in OPEN_NUMBER.finditer(NUMBER.sub("", tex)):
        page.problem(Code.NUMBER_OPEN, line + tex.count("\n", 0, tex.find(match[0])))
    return NUMBER.sub(replace, tex)


def _inserted(number: Number, value: Value, page: Page, fields: dict[str, object]) -> tuple[str, str] | None:
    form = number.printed.removeprefix(":")
    cure = "give one that fits"
    try:
        if form:
            text = format(value, form)
            return text.removeprefix("-") if NEGATIVE_ZERO.fullmatch(text) else text, _short(value)
        if isinstance(value, str | int):
            return str(value), _short(value)
        cure = "write one, as in '{{:.3f := x}}'"
    except (TypeError, ValueError):
        pass
    page.problem(Code.NUMBER_FORMAT, number.line, format=form, cure=cure, **fields)
    return None


def _simple(value: Any) -> Value:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_simple(item) for item in value]
    if isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"the value is a {type(value).__name__}, not a number, text or list of them")


def _short(value: Value) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
