"""The pages' PyTorch snippets: each runs as it stands, and prints what its comments say."""

from pathlib import Path

import pytest

from course_markdown import makeExtension
from course_markdown.proof.shown import faults, imported
from course_markdown.proof.snippets import snippets
from course_markdown.scanner import Scanner
from course_markdown.site import Site

ROOT = Path(__file__).resolve().parents[2]


def torch_snippets():
    """(page, line of the fence, source) of each snippet that imports torch."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        page = makeExtension().page(Site())
        for fence in snippets(Scanner(page).scan(path.read_text(encoding="utf-8").split("\n"))):
            source = "\n".join(fence.lines)
            if "torch" in imported(source):
                yield path.relative_to(ROOT), fence.line, source


SNIPPETS = [pytest.param(*found, id=f"{found[0].stem}:{found[1]}") for found in torch_snippets()]


@pytest.fixture(autouse=True)
def float32(float64):
    """What a reader who copies a snippet has, in place of the float64 of the other tests here."""
    import torch

    torch.set_default_dtype(torch.float32)


def told(path, line, source):
    return [f"{path}:{line + fault.line}: {fault}" for fault in faults(source)]


@pytest.mark.parametrize(("path", "line", "source"), SNIPPETS)
def test_prints_what_its_comments_say(path, line, source):
    assert told(path, line, source) == []


def test_wrong_digit_is_told_with_file_and_line():
    source = "import torch\n\nprint(torch.ones(2, 3).shape)  # torch.Size([2, 4])\n"
    (problem,) = told(Path("docs/page.md"), 7, source)
    assert problem.startswith("docs/page.md:10: E220 the code prints 'torch.Size([2, 3])'")


def test_most_sections_have_one():
    assert len(SNIPPETS) > 15
