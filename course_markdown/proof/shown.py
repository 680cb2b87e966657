"""Runs a snippet of Python and compares what it prints with the comments that show its output.

The output of a `print` stands behind it, `print(x.shape)   # (3, 2)`, or line by line in the comments right
below it. A loop's output stands below the loop. Numbers agree at the precision that the comment has.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from course_markdown.checked import said
from course_markdown.errors import Code
from course_markdown.proof.same_output import same_line

FILE = "<snippet>"


@dataclass(frozen=True)
class Fault:
    """What is wrong in a snippet, and on which of its lines, counted from 1."""

    line: int
    code: Code
    fields: dict[str, str]

    def __str__(self) -> str:
        return f"{self.code.number} {self.code.message.format(**self.fields)}"


@dataclass(frozen=True)
class Comment:
    """A comment without its `# `; `alone` on its line, or behind code."""

    column: int
    text: str
    alone: bool


@dataclass(frozen=True)
class Shown:
    """What the comments say that a print prints, from `line` on; no lines where they say nothing."""

    line: int
    lines: tuple[str, ...] = ()
    behind: bool = False


def faults(source: str) -> list[Fault]:
    """Run `source` and tell each print whose output its comment does not show, and what it fails of."""
    try:
        tree = ast.parse(source, FILE)
    except SyntaxError as error:
        return [_failed(error, error.lineno or 1)]
    printed: list[tuple[int, str]] = []
    failure = _run(tree, printed)
    prints = list(dict.fromkeys(_prints(tree.body, _comments(source))))  # statements of one line are one
    texts: dict[Shown, list[str]] = {shown: [] for _, _, shown in prints}
    for line, text in printed:
        for first, last, shown in prints:
            if first <= line <= last:
                texts[shown].append(text)
    found = [
        fault for shown in texts if texts[shown] or not failure for fault in _compare(shown, texts[shown])
    ]
    return found + ([failure] if failure else [])


def imported(source: str) -> set[str]:
    """The top-level names of the modules that `source` imports; none if it cannot be read."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return set()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def _run(tree: ast.Module, printed: list[tuple[int, str]]) -> Fault | None:
    """Run a snippet in a namespace of its own and keep what it prints, and on which line."""

    def record(*values: object, **options: Any) -> None:
        if options.get("file") is not None:
            print(*values, **options)
            return
        out = io.StringIO()
        print(*values, **{**options, "file": out})
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename != FILE:
            frame = frame.f_back
        printed.append((frame.f_lineno, out.getvalue()))

    names = {"__name__": "__main__", "print": record}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a reader who copies the snippet would see the warning
            exec(compile(tree, FILE, "exec"), names)
    except (Exception, SystemExit) as error:  # whatever a contributor's code may raise
        at, line = error.__traceback__, 1
        while at:
            line = at.tb_lineno if at.tb_frame.f_code.co_filename == FILE else line
            at = at.tb_next
        return _failed(error, line)
    return None


def _failed(error: BaseException, line: int) -> Fault:
    return Fault(line, Code.SNIPPET_FAILED, {"reason": said(error)})


def _comments(source: str) -> dict[int, Comment]:
    found: dict[int, Comment] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            text = token.string.removeprefix("#").removeprefix(" ").rstrip()
            row, column = token.start
            found[row] = Comment(column, text, not token.line[:column].strip())
    return found


def _prints(
    body: list[ast.stmt], comments: dict[int, Comment], around: tuple[ast.stmt, ...] = ()
) -> Iterator[tuple[int, int, Shown]]:
    """First and last line of each statement that prints, and what the comments show for it."""
    for before, statement in zip([None, *body], body, strict=False):
        if before and before.end_lineno == statement.lineno:  # behind a `;`
            statement.col_offset = before.col_offset
        bodies = [part for part in _parts(statement) if part]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _prints(statement.body, comments)
        elif bodies:
            for part in bodies:
                yield from _prints(part, comments, (*around, statement))
        elif any(_is_print(node) for node in ast.walk(statement)):
            last = statement.end_lineno or statement.lineno
            yield statement.lineno, last, _shown(statement, comments, around)


def _parts(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for handler in getattr(statement, "handlers", []):
        yield handler.body
    for case in getattr(statement, "cases", []):
        yield case.body


def _is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _shown(statement: ast.stmt, comments: dict[int, Comment], around: tuple[ast.stmt, ...]) -> Shown:
    """The comments right below win over the one behind; else those below what is around the statement."""
    end = statement.end_lineno or statement.lineno
    behind = comments.get(end)
    for outer in (statement, *reversed(around)):
        if found := _below(outer, comments):
            return found
        if outer is statement and behind and not behind.alone:
            return Shown(end, (behind.text,), behind=True)
    return Shown(statement.lineno)


def _below(statement: ast.stmt, comments: dict[int, Comment]) -> Shown | None:
    first = line = (statement.end_lineno or statement.lineno) + 1
    lines: list[str] = []
    while (comment := comments.get(line)) and comment.alone and comment.column == statement.col_offset:
        lines.append(comment.text)
        line += 1
    return Shown(first, tuple(lines)) if lines else None


def _compare(shown: Shown, texts: list[str]) -> Iterator[Fault]:
    if shown.behind and len(texts) > 1 and len(set(texts)) == 1:
        texts = texts[:1]  # a loop that prints the same each time
    printed = "".join(texts).removesuffix("\n").split("\n") if texts else []
    fields = {"printed": " ⏎ ".join(printed) if printed else "nothing", "shown": " ⏎ ".join(shown.lines)}
    if not shown.lines:
        if texts:
            yield Fault(shown.line, Code.SNIPPET_SILENT, fields)
    elif len(printed) != len(shown.lines):
        yield Fault(shown.line, Code.SNIPPET_OUTPUT, fields)
    else:
        for number, (line, comment) in enumerate(zip(printed, shown.lines, strict=True)):
            if not same_line(line, comment):
                one = {"printed": line, "shown": comment}
                yield Fault(shown.line + number, Code.SNIPPET_OUTPUT, one)
