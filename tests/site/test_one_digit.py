"""No digit of a page can change unseen: the build fails, and names the file and the line."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.config import load_config
from mkdocs.utils.meta import get_data

import course_markdown.finish
from course_markdown import makeExtension
from course_markdown.checked import evaluate
from course_markdown.page import Page
from course_markdown.printed import IncomparableError, Value, agrees
from course_markdown.proof.spans import Span
from course_markdown.site import Site

pytestmark = pytest.mark.filterwarnings("ignore:pkg_resources is deprecated")  # jieba, of MkDocs' search

PRINTED = re.compile(r"\{\{(?P<printed>[^{}:]*\d[^{}:]*):=")
CONFIG = """
INHERIT: {root}/mkdocs.yml
docs_dir: docs
theme: {{custom_dir: "{root}/overrides"}}
plugins:
  course: {{live: [], cache: "{root}/.cache"}}
"""


@dataclass(frozen=True)
class Proofread:
    """A page of the nav, as the rules of proof saw it."""

    name: str
    spans: list[Span]
    page: Page


def nav_pages(root: Path) -> list[str]:
    """The pages that mkdocs.yml names in its nav, in order."""
    nav = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    return re.findall(r"(\S+\.md)", nav)


@pytest.fixture(scope="module")
def proofread(root: Path) -> list[Proofread]:
    """Every page of the nav, rendered with the site's own extensions."""
    config = load_config(str(root / "mkdocs.yml"))
    site = Site(strict=True)
    config.mdx_configs["course_markdown"]["site"] = site
    seen: list[tuple[list[Span], Page]] = []
    texts = {
        name: get_data((root / "docs" / name).read_text(encoding="utf-8"))[0] for name in nav_pages(root)
    }
    extension = makeExtension(**config.mdx_configs["course_markdown"])
    for name, text in texts.items():
        extension.collect(text, name, name, 1)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            course_markdown.finish, "proofread", lambda spans, page: seen.append((list(spans), page))
        )
        for name, text in texts.items():
            site.open(name, name, 1, strict=True)
            Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs).convert(
                text
            )
            found.append(Proofread(name, *seen.pop()))
    return found


def changed(text: str, at: int) -> str:
    """`text` with another digit at `at`."""
    return text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]


def digits(text: str) -> list[int]:
    return [at for at, char in enumerate(text) if char.isascii() and char.isdigit()]


def test_build_fails_at_each_changed_digit(root: Path, tmp_path: Path) -> None:
    """Three printed numbers of each page get a wrong digit: the first, the middle one and the last."""
    expected = []
    for source in sorted((root / "docs").rglob("*.md")):
        name = source.relative_to(root / "docs").as_posix()
        text = source.read_text(encoding="utf-8")
        numbers = list(PRINTED.finditer(text))
        for number in dict.fromkeys(numbers[:1] + numbers[len(numbers) // 2 :][:1] + numbers[-1:]):
            at = number.start("printed") + digits(number["printed"])[-1]
            text = changed(text, at)
            expected.append((f"docs/{name}", text.count("\n", 0, at) + 1))
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    for other in (root / "docs").rglob("*.toml"):
        (tmp_path / other.relative_to(root)).write_bytes(other.read_bytes())
    (tmp_path / "mkdocs.yml").write_text(CONFIG.format(root=root), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = re.findall(r"(docs/\S+?):(\d+): (E\d+)", built.stderr)
    assert built.returncode != 0
    assert len({page for page, _ in expected}) >= 8  # each chapter, at least
    assert {(page, int(line)) for page, line, code in told if code in ("E201", "E203")} == set(expected)


def stays(printed: str, value: Value) -> bool:
    """Whether the build takes `printed` for `value`."""
    try:
        return agrees(printed, value)
    except IncomparableError:
        return False


def test_no_printed_number_may_lose_a_digit(proofread: list[Proofread]) -> None:
    """Each digit of each printed number is changed: the expression never agrees with what comes out."""
    unseen = []
    for item in proofread:
        for expression, printed in {(checked.expression, checked.printed) for checked in item.page.checked}:
            value = evaluate(expression, item.page.names)
            if isinstance(value, str):  # printed by the code itself
                continue
            wrong = (changed(printed, at) for at in digits(printed))
            unseen += [f"{item.name}: {text} := {expression}" for text in wrong if stays(text, value)]
    assert unseen == []
