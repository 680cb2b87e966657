"""The source of a function or class as a page lists it: of a docstring, its first line."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from typing import Any

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
QUOTES = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")


@dataclass(frozen=True)
class Listing:
    """The file that the source is from, the source, and whether a docstring was cut."""

    path: str
    text: str
    cut: bool


def listing(thing: Any) -> Listing | None:
    """The listing of a function or class that is written in Python; None for anything else."""
    thing = inspect.unwrap(thing) if callable(thing) else thing
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return None
    try:
        whole = inspect.getsource(thing).rstrip()
    except (OSError, TypeError):  # compiled, or made without a file
        return None
    text = short_docstrings(whole)
    return Listing(thing.__module__.replace(".", "/") + ".py", text, text != whole)


def short_docstrings(source: str) -> str:
    r"""Source with the first line of each docstring, and without the rest.

    >>> short_docstrings('def f():\n    \"\"\"One.\n\n    More.\n    \"\"\"\n    return 1')
    'def f():\n    \"\"\"One.\"\"\"\n    return 1'
    """
    lines = source.split("\n")
    for node in sorted(_docstrings(ast.parse(source)), key=lambda node: -node.lineno):
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        quotes = QUOTES.match(lines[first].lstrip())
        if last > first + 1 and quotes:
            lines[first:last] = [lines[first].rstrip() + quotes[1]]
    return "\n".join(lines)


def _docstrings(tree: ast.Module) -> list[ast.stmt]:
    """The statements that are docstrings of a function or class in `tree`."""
    defined = [node for node in ast.walk(tree) if isinstance(node, DEFINITION)]
    return [node.body[0] for node in defined if ast.get_docstring(node)]
