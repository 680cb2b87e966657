"""The chapter keeps its promises: quizzes in each section, and answers of one shape that prove themselves."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

SECTION = re.compile(r"^## (?P<number>7\.\d+) ", re.MULTILINE)
QUESTION = re.compile(
    r"^\*\*Q(?P<number>\d+)：.*?\*\*$\n+:::answer\n(?P<answer>.*?)\n:::$", re.MULTILINE | re.DOTALL
)
PROOF = re.compile(r"\]\([^()?#\s]*\?[^()#\s]+#demo-[a-z-]+\)")
NO_QUIZ = {"7.24"}  # the bank, whose questions stand in the other sections


def chapters(root: Path) -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8") for path in sorted((root / "docs/chapters").glob("*.md"))
    }


def sections(root: Path) -> dict[str, str]:
    """The text of each section by its number."""
    found = {}
    for text in chapters(root).values():
        starts = list(SECTION.finditer(text))
        ends = [match.start() for match in starts[1:]] + [len(text)]
        found |= {start["number"]: text[start.start() : end] for start, end in zip(starts, ends, strict=True)}
    return found


def answers(root: Path) -> dict[int, str]:
    found = [match for text in chapters(root).values() for match in QUESTION.finditer(text)]
    return {int(match["number"]): match["answer"] for match in found}


def test_all_sections_and_questions_are_there(root: Path) -> None:
    assert set(sections(root)) == {f"7.{number}" for number in range(1, 26)}
    assert sorted(answers(root)) == list(range(1, 41))


def test_each_section_has_two_quizzes(root: Path) -> None:
    counts = {number: text.count("\n:::quiz") for number, text in sections(root).items()}
    assert {number for number, count in counts.items() if count < 2} == NO_QUIZ


def test_quizzes_are_of_several_kinds(root: Path) -> None:
    text = "".join(sections(root).values())
    kinds = {
        "one": r"答案[:：] ?[A-H]$",
        "several": r"答案[:：] ?[A-H]{2,}$",
        "number": r"答案[:：] ?(\{\{.*?\}\}|[\d.]+)",
        "order": r"答案[:：] ?[A-H] →",
        "cell": r"答案[:：] ?\(\d",
    }
    found = {name: len(re.findall(pattern, text, re.MULTILINE)) for name, pattern in kinds.items()}
    assert min(found.values()) >= 3, found


@pytest.mark.parametrize("number", range(1, 41))
def test_answer_says_it_short_gives_the_reason_proves_it_and_refutes_the_common_mistake(
    root: Path, number: int
) -> None:
    answer = answers(root)[number]
    assert answer.startswith("**一句话回答：")
    assert "\n为什么：" in answer
    assert PROOF.search(answer), "a link into a demo, in the state that shows it"
    mistake = re.search(r"^常见错误答案：.*", answer, re.MULTILINE)
    assert mistake, "the common wrong answer"
    assert ":=" in mistake[0], "the number that refutes it"


def test_each_quoted_figure_is_used(root: Path) -> None:
    sources = tomllib.loads((root / "docs/reference/sources.toml").read_text(encoding="utf-8"))
    pages = "".join(path.read_text(encoding="utf-8") for path in (root / "docs").rglob("*.md"))
    figures = [f"quoted.{key}.{name}" for key, entry in sources.items() for name in entry.get("quoted", ())]
    assert len(figures) > 20
    assert [figure for figure in figures if figure not in pages] == []
