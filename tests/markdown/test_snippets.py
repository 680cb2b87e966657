"""Snippets of a proofread page: run, and held to the comments that show what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import markdown
import pytest

from course_markdown import makeExtension
from course_markdown.proof.shown import faults
from course_markdown.proof.snippets import imported, snippets
from course_markdown.scanner import Scanner
from course_markdown.site import Site

DOCS = Path(__file__).resolve().parents[2] / "docs"


def told(source: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.code.number) for fault in faults(source)]


@pytest.mark.parametrize(
    "source",
    [
        "print(1 + 1)  # 2",
        "print((3, 2))   # (3, 2)：形状",
        "print(2 / 3)  # 0.667  # two thirds",
        "print(-1 / 3)  # -0.33",
        "print(1e-9)  # 1.0e-9",
        "print('[0.1978 1.    ]')  # [0.198 1.00]",
        "print('-0.')  # 0.",
        "print('a\\nb')  # both lines:\n# a\n# b",
        "print('一，二')  # 一，二",
        "print(\n    1,\n    2,\n)  # 1 2",
        "print(1, 2, sep='-')  # 1-2",
        "for i in range(2):\n    print(i)\n# 0\n# 1",
        "for i in range(2):\n    print(5)  # 5",
        "for i in range(2):\n    if i:\n        print('b')\n    else:\n        print('a')\n# a\n# b",
        "def f():\n    print('in')  # in\n\n\nf()",
        "with open(__import__('os').devnull) as f:\n    print(1)\n    # 1\n    x = 2",
        "print(1)  # 1\n\n# 2：another subject",
        "print(*map(str, [1]))  # 1",
        "print(2); print(3)\n# 2\n# 3",
    ],
)
def test_shown_output(source: str) -> None:
    assert told(source) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1\nprint(x)  # 2", [(2, "E220")]),
        ("print(2 / 3)  # 0.66", [(1, "E220")]),
        ("print(2 / 3)  # 0.6666", [(1, "E220")]),
        ("print(3)  # 3.1", [(1, "E220")]),
        ("print('a 1')  # b 1", [(1, "E220")]),
        ("print([1, 2])  # [1]", [(1, "E220")]),
        ("print('a\\nb')\n# a\n# c", [(3, "E220")]),
        ("print('a\\nb')\n# a", [(2, "E220")]),
        ("print('a\\nb')  # a", [(1, "E220")]),
        ("for i in range(2):\n    print(i)\n# 0\n# 0", [(4, "E220")]),
        ("for i in range(2):\n    print(i)  # 0", [(2, "E220")]),
        ("def f():\n    print(1)  # 1", [(2, "E220")]),
        ("print(1)", [(1, "E222")]),
        ("def f():\n    print(1)\n# 1\n\n\nf()", [(2, "E222")]),
        ("print(2); print(3)\n# 2\n# 4", [(3, "E220")]),
        ("print(1)  # 2\n1 / 0\nprint(2)  # 3", [(1, "E220"), (2, "E221")]),
        ("def f():\n    return nope\n\n\nf()", [(2, "E221")]),
        ("x = (\n", [(1, "E221")]),
        ("raise SystemExit(2)", [(1, "E221")]),
        ("import warnings\nwarnings.warn('old', DeprecationWarning)", [(2, "E221")]),
    ],
)
def test_fault_with_its_line(source: str, found: list[tuple[int, str]]) -> None:
    assert told(source) == found


def test_modules_that_a_snippet_imports() -> None:
    assert imported("import a.b, c\nfrom d.e import f\n") == {"a", "c", "d"}
    assert imported("import (") == set()


def proofread(source: str, strict: bool = True, **options: Any) -> list[str]:
    site = Site(path="page.md", strict=strict)
    md = markdown.Markdown(
        extensions=["tables", "toc", "course_markdown"],
        extension_configs={"course_markdown": {"site": site, **options}},
    )
    md.convert(source)
    return [str(problem) for problem in site.page_problems() if problem.number.startswith("E22")]


PAGE = (
    "a\n\n:::fold t\n```python\nx = 1\nprint(x)  # 2\n```\n:::\n\n"
    "~~~py\nnope\n~~~\n\n```text\nprint(1)\n```\n"
)


def test_problem_is_told_at_its_line_of_the_page() -> None:
    first, second = proofread(PAGE)
    assert first.startswith("page.md:6: E220 the code prints '1', its comment says '2'")
    assert second.startswith("page.md:11: E221 the code fails: NameError: name 'nope' is not defined")


@pytest.mark.parametrize("language", ["Python", "PY", "{.Python}"])
def test_capitals_make_no_other_language(language: str) -> None:
    assert len(proofread(f"```{language}\nprint(1)  # 2\n```\n")) == 1


@pytest.mark.parametrize(
    ("opener", "name"), [("pyhton", "pyhton"), ("python3", "python3"), ("pycon", "pycon"), ("", "")]
)
def test_code_that_would_not_be_run_for_its_language_is_told(opener: str, name: str) -> None:
    assert proofread(f"a\n\n```{opener}\nprint(1)  # 2\n```\n") == [
        f"page.md:3: E223 code in '{name}' is not run; write 'python', or 'text' for what is not to be run"
    ]


@pytest.mark.parametrize("opener", ["text", "bash", "js", "{.toml}", 'yaml title="a.yml"'])
def test_other_languages_are_not_run(opener: str) -> None:
    assert proofread(f"```{opener}\nprint(1)  # 2\n```\n") == []


def test_only_proofread_pages_are_run() -> None:
    assert proofread(PAGE, strict=False) == []


def test_snippets_with_modules_of_elsewhere_are_left_out() -> None:
    page = "```python\nimport nowhere.at_all\n```\n"
    assert proofread(page, elsewhere=["nowhere"]) == []
    (problem,) = proofread(page)
    assert problem.startswith("page.md:2: E221 the code fails: ModuleNotFoundError")


CONFIG = """
site_name: test
theme: mkdocs
nav: [a.md]
plugins:
  - course: {{cache: {cache}, live: [], strict: true}}
markdown_extensions:
  - course_markdown: {{elsewhere: [torch]}}
"""


def test_build_ends_at_a_wrong_digit_in_a_page_of_the_nav(tmp_path: Path) -> None:
    page = "---\ntitle: 题\n---\n\n```python\nprint(1 / 3)  # 0.334\n```\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(CONFIG.format(cache=tmp_path / "cache"), encoding="utf-8")
    for name in ("a", "guest"):
        (tmp_path / "docs" / f"{name}.md").write_text(page, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = [line for line in done.stderr.splitlines() if " E" in line and ".md:" in line]
    assert done.returncode == 1
    assert len(told) == 1
    assert "docs/a.md:6: E220 the code prints '0.3333333333333333', its comment says '0.334'" in told[0]


PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "```python" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_wrong_digit_in_a_page_is_found(path: Path) -> None:
    """Each page's first shown digit, changed."""
    text = path.read_text(encoding="utf-8")
    page = makeExtension().page(Site())
    for fence in snippets(Scanner(page).scan(text.split("\n"))):
        for number, line in enumerate(fence.lines, fence.line + 1):
            shown = re.match(r"( *print\(.*\)  +# [^\d：，]*)(\d)", line)
            if shown and "torch" not in imported("\n".join(fence.lines)):
                wrong = f"{shown[1]}{(int(shown[2]) + 1) % 10}{line[shown.end() :]}"
                (fault,) = faults("\n".join(wrong if other == line else other for other in fence.lines))
                assert (fault.line, fault.code.number) == (number - fence.line, "E220")
                return
    pytest.fail("no snippet shows a number behind a print")
