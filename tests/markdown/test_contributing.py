"""The examples in CONTRIBUTING.md are what they say: they render without a problem, numbers included."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from course_markdown.proof.shown import faults

ROOT = Path(__file__).resolve().parents[2]


def fenced(language: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.S | re.M)
    return [part for header, part in found if header == language]


def examples() -> list[str]:
    return [part for part in fenced("") if ":::" in part]


def test_examples_of_pages_and_quizzes(render: Any) -> None:
    shown = [part for part in examples() if ":::bank" not in part]
    kinds: set[str | None] = set()
    for part in shown:
        page = render(part, dedent=False, numbers="course_site.page_numbers")
        assert page.problems == []
        kinds |= {form.get("data-kind") for form in page.all(".//form[@class='quiz']")}
    assert kinds >= {"choice", "number", "cell"}


def test_example_of_a_bank_lacks_only_its_questions(render: Any) -> None:
    (part,) = (part for part in examples() if ":::bank" in part)
    assert {code for _, code in render(part, dedent=False).codes} == {"E162", "E163"}


def test_example_of_a_snippet_prints_what_it_shows() -> None:
    (snippet,) = (part for part in fenced("python") if "print(" in part)
    assert faults(snippet) == []
