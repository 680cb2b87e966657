"""The extension in MkDocs: messages of the whole site, status, lines of the file, search, the font."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from course_markdown.math_font import subset_font

CONFIG = """
site_name: test
theme: {theme}
plugins:
{search}  - course: {{cache: {cache}, live: []}}
markdown_extensions:
  - attr_list
  - toc: {{permalink: true}}
  - course_markdown:
      terms: {{Softmax: chapters/b.md#softmax}}
"""

Project = Callable[..., Path]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    def make(pages: dict[str, bytes], theme: str = "mkdocs", search: str = "") -> Path:
        root = tmp_path_factory.mktemp("site")
        cache = tmp_path_factory.getbasetemp() / "cache"
        config = CONFIG.format(theme=theme, search=search, cache=cache)
        (root / "mkdocs.yml").write_text(config, encoding="utf-8")
        for name, text in pages.items():
            path = root / "docs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        return root

    return make


def build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "-q", *options]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def bad(project: Project) -> tuple[Path, subprocess.CompletedProcess[str]]:
    root = project(
        {
            "index.md": b"# Home\n",
            "front.md": "---\ntitle: 题\n---\n\n# A\n\n:::noet\nx\n:::\n".encode(),
            "windows.md": "\ufeff---\r\ntitle: 题\r\n---\r\n# A\r\n\r\n$x\r\n".encode(),
            "chapters/c.md": b"# C\n\n:::note\nx\n\n`y\n",
        }
    )
    return root, build(root)


@pytest.fixture(scope="module")
def good(project: Project) -> Path:
    chapter = """\
    # 标题

    ## 折叠

    :::fold 更多
    藏在折叠里的句子。

    ### 块内标题

    得 {{0.5 := 1 / 2}} 和 $\\mathbf W$。
    :::

    :::related
    依赖 | Softmax
    :::

    :::quiz
    选哪个？
    A. 甲项
    B. 乙项
    答案: A
    解析: 解析的句子。
    :::
    """.replace("    ", "")
    search = "  - search: {lang: [zh, en]}\n"
    root = project(
        {"index.md": b"# Home\n", "chapters/a.md": chapter.encode(), "chapters/b.md": b"# B\n\n## Softmax\n"},
        theme="{name: material, font: false}",
        search=search,
    )
    done = build(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root / "site"


def test_all_messages_of_the_site_and_status_1(bad: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = bad
    assert done.returncode == 1
    told = [line.removeprefix("ERROR   -  ") for line in done.stderr.splitlines() if "docs/" in line]
    assert [line.split(" ")[:2] for line in told] == [
        ["docs/chapters/c.md:3:", "E103"],
        ["docs/chapters/c.md:6:", "E114"],
        ["docs/front.md:7:", "E101"],
        ["docs/windows.md:6:", "E121"],
    ]
    assert told[0] == "docs/chapters/c.md:3: E103 ':::note' is never closed; close it with ':::'"


def test_messages_are_in_the_page_too(bad: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    root, _ = bad
    html = (root / "site/chapters/c/index.html").read_text(encoding="utf-8")
    assert html.count("<li><code>docs/chapters/c.md:") == 2
    assert 'class="course-errors" role="alert"' in html
    assert "course-errors" not in (root / "site/index.html").read_text(encoding="utf-8")


def test_serving_goes_on(
    bad: tuple[Path, subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    from course_site.mkdocs_plugin import CoursePlugin

    monkeypatch.chdir(bad[0])
    for command, fails in (("serve", False), ("build", True)):
        config = load_config("mkdocs.yml", site_dir="served")
        plugin = config.plugins["course"]
        assert isinstance(plugin, CoursePlugin)
        plugin.on_startup(command=command, dirty=False)  # type: ignore[arg-type]
        if fails:
            with pytest.raises(Abort):
                mkdocs_build(config)
        else:
            mkdocs_build(config)
        assert len(plugin.site.problems) == 4
    assert "course-errors" in Path("served/front/index.html").read_text(encoding="utf-8")


def test_search_finds_folded_text_and_not_labels(good: Path) -> None:
    docs = json.loads((good / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    text = " ".join(doc["text"] + doc["title"] for doc in docs).replace("\u200b", "")
    for words in ("藏在折叠里的句子", "块内标题", "解析的句子", "甲项", "选哪个", "0.5"):
        assert words in text
    for words in ("1 / 2", "答案与解析", "小测验", "quiz_right"):
        assert words not in text


def test_headings_inside_blocks_are_in_the_contents(good: Path) -> None:
    html = (good / "chapters/a/index.html").read_text(encoding="utf-8")
    contents = html[html.index('data-md-component="toc"') :]
    assert "块内标题" in contents[: contents.index("</nav>")]


def test_related_term_links_to_the_page(good: Path) -> None:
    assert 'href="../b/#softmax"' in (good / "chapters/a/index.html").read_text(encoding="utf-8")


def test_font_has_the_characters_of_the_pages(good: Path) -> None:
    font = (good / "assets/generated/fonts/math.woff2").read_bytes()
    assert font == subset_font("𝐖")


def test_plugin_without_the_extension_is_refused(project: Project) -> None:
    root = project({"index.md": b"# Home\n"})
    (root / "mkdocs.yml").write_text("site_name: x\ntheme: mkdocs\nplugins: [course]\n", encoding="utf-8")
    done = build(root)
    assert done.returncode == 1
    assert "the plugin 'course' needs 'course_markdown' among markdown_extensions" in done.stderr


SOURCES = """
[{key}]
authors = ["Ba, Jimmy"]
year = 2016
title = "Layer Normalization"
venue = "arXiv"
arxiv = "1607.06450"
"""


def test_citations_lead_to_the_bibliography_and_back(project: Project) -> None:
    root = project(
        {
            "index.md": b"# Home\n\nx[@ba2016] [@ba2017]\n",
            "chapters/a.md": "# A\n\n## 7.1 甲 {#s7-1}\n\nx[@ba2016]\n".encode(),
            "list.md": b"# L\n\n:::bibliography\n:::\n",
            "sources.toml": (SOURCES.format(key="ba2016") + SOURCES.format(key="bb2016")).encode(),
        }
    )
    with (root / "mkdocs.yml").open("a", encoding="utf-8") as config:
        config.write("      sources: docs/sources.toml\n")
    done = build(root)
    told = [line.removeprefix("ERROR   -  ") for line in done.stderr.splitlines() if "docs/" in line]
    assert [line.split(" ")[:2] for line in told] == [
        ["docs/index.md:3:", "E170"],
        ["docs/sources.toml:9:", "E174"],
    ]
    page = (root / "site/chapters/a/index.html").read_text(encoding="utf-8")
    assert '<a href="../../list/#ba2016">Ba, 2016</a>' in page
    entry = (root / "site/list/index.html").read_text(encoding="utf-8")
    assert '<li id="ba2016">' in entry
    assert '<a href="../chapters/a/#s7-1">7.1 甲</a>' in entry


def test_edition_elsewhere_finds_the_sources_of_this_one(project: Project) -> None:
    root = project({"index.md": b"# Home\n\nx[@vaswani2017]\n"})
    with (root / "mkdocs.yml").open("a", encoding="utf-8") as config:
        config.write("      sources: docs/reference/sources.toml\n")
    done = build(root)
    assert done.returncode == 0, done.stderr
    assert "x（Vaswani et al., 2017）" in (root / "site/index.html").read_text(encoding="utf-8")


def test_sources_that_are_not_there(project: Project) -> None:
    root = project({"index.md": b"# Home\n"})
    with (root / "mkdocs.yml").open("a", encoding="utf-8") as config:
        config.write("      sources: docs/none.toml\n")
    done = build(root)
    assert done.returncode == 1
    assert "sources: docs/none.toml is not in " in done.stderr


def test_bank_knows_the_questions_of_pages_that_come_after_it(project: Project) -> None:
    ask = ":::interview\n**Q{0}：问 {0}？**\n:::answer\n**短 {0}。**\n:::\n:::\n"
    root = project(
        {
            "index.md": b"# Home\n",
            "a-bank.md": "---\ntitle: 题\n---\n:::bank\nA 组 | 1–3\n:::\n".encode(),
            "chapters/b.md": ("---\ntitle: 章\n---\n# B\n\n" + ask.format(1) + ask.format(2)).encode(),
            "c.md": ("# C\n\n" + ask.format(2)).encode(),
        }
    )
    done = build(root)
    told = [line.removeprefix("ERROR   -  ") for line in done.stderr.splitlines() if "docs/" in line]
    assert [line.split(" ")[:2] for line in told] == [
        ["docs/a-bank.md:5:", "E163"],
        ["docs/chapters/b.md:13:", "E164"],
    ]
    assert "docs/c.md:4 already" in told[1]
    html = (root / "site/a-bank/index.html").read_text(encoding="utf-8")
    link = re.search(r'href="\.\./chapters/b/#(q-\w+)">Q1：问 1？', html)
    assert link
    assert f'id="{link[1]}"' in (root / "site/chapters/b/index.html").read_text(encoding="utf-8")


def test_pages_that_are_not_utf_8_are_told_with_their_line(project: Project) -> None:
    root = project(
        {
            "index.md": b"# Home\n",
            "old.md": "# A\n\n\u9898\n".encode("gbk"),
            "wide.md": "# A\n".encode("utf-16"),
        }
    )
    done = build(root)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    told = [line.removeprefix("ERROR   -  ") for line in done.stderr.splitlines() if "docs/" in line]
    assert told == [
        "docs/old.md:3: E100 the file is not UTF-8; save it in that encoding",
        "docs/wide.md:1: E100 the file is not UTF-8; save it in that encoding",
    ]


def test_front_matter_that_cannot_be_read_is_told(project: Project) -> None:
    root = project(
        {
            "index.md": b"# Home\n",
            "colon.md": b"---\ntitle: a: b\n---\n\n# A\n",
            "none.md": b"---\r\ntitle a\r\n---\r\n\r\n# A\r\n",
            "good.md": b"---\ntitle: 'a: b'\n---\n\n---\n\n# A\n\n---\n",
            "rule.md": b"---\n\n# A\n\n---\n",
        }
    )
    told = [line.split()[2:4] for line in build(root).stderr.splitlines() if "docs/" in line]
    assert told == [["docs/colon.md:1:", "E123"], ["docs/none.md:1:", "E123"]]
