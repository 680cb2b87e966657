"""Citations `[@key]`, the bibliography with links back, quoted figures, and what is told of wrong sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import markdown
import pytest

from course_markdown import makeExtension
from course_markdown.site import Site

SOURCES = """\
[vaswani2017]
authors = ["Vaswani, Ashish", "Shazeer, Noam", "others"]
year = 2017
title = "Attention <Is> All *You* Need"
venue = "NeurIPS"
arxiv = "1706.03762"

[vaswani2017.quoted]
bleu_1_head = {value = 24.9, where = "Table 3"}

[zhang2019]
authors = ["Zhang, Biao", "Sennrich, Rico"]
year = 2019
title = "RMSNorm"
venue = "NeurIPS"
url = "https://example.org/rms"

[openai2025]
authors = ["OpenAI"]
year = 2025
title = "Card"
venue = "Report"
arxiv = "2508.10925"
"""
ALL = "[@vaswani2017; @zhang2019; @openai2025]\n"

Pages = dict[str, str]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("sources.toml").write_text(SOURCES, encoding="utf-8")
    return str(tmp_path / "sources.toml")


@pytest.fixture
def site(render: Any, sources: str) -> Callable[..., Any]:
    """`site(text, pages)`: the page at `uri`, of a site whose other pages are given by their names."""

    def run(
        text: str,
        pages: Pages,
        uri: str = "reference/bibliography.md",
        strict: bool = False,
        **options: Any,
    ) -> Any:
        made = Site()
        for name, other in {**pages, uri: text}.items():
            makeExtension(site=made, sources=sources).collect(other, f"docs/{name}", name, 1)
        made.open(f"docs/{uri}", uri, 1, strict=strict)
        config = {"course_markdown": {"site": made, "sources": sources, **options}}
        md = markdown.Markdown(
            extensions=["toc", "attr_list", "tables", "course_markdown"], extension_configs=config
        )
        return type(render("x"))(md.convert(text), [str(p) for p in sorted(made.problems)], [], made)

    return run


HOME = {"reference/bibliography.md": ":::bibliography\n:::\n\n" + ALL}


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("[@vaswani2017]", "（Vaswani et al., 2017）"),
        ("[@vaswani2017, 3.2.1 节]", "（Vaswani et al., 2017，3.2.1 节）"),
        ("[@zhang2019，表 1；@openai2025]", "（Zhang & Sennrich, 2019，表 1；OpenAI, 2025）"),
        ("[@@vaswani2017]", "Vaswani et al.（2017）"),
        ("[@@zhang2019,\n式 3]", "Zhang & Sennrich（2019，式 3）"),
    ],
)
def test_citation_links_to_its_source(site: Any, source: str, shown: str) -> None:
    page = site(f"这里{source}说。\n", HOME, uri="chapters/a.md")
    assert page.problems == []
    assert page.find("p").text == "这里"
    assert "".join(page.find("p/span[@class='cite']").itertext()) == shown
    first = page.all(".//a")[0]
    assert first.get("href").startswith("../reference/bibliography.md#")
    assert first.get("href").partition("#")[2] in source


def test_english_punctuation(site: Any) -> None:
    page = site("As [@zhang2019, eq. 4] and [@@zhang2019] say.\n", HOME, uri="a.md", lang="en")
    assert page.text.strip() == (
        "As (Zhang &amp; Sennrich, 2019, eq. 4) and Zhang &amp; Sennrich (2019) say."
    )


@pytest.mark.parametrize(
    "source",
    [
        "## 题 [@openai2025]\n",
        "[见 [@openai2025] 等](a.md)\n",
        ":::fold 题 [@openai2025]\nx\n:::\n",
        '<div title="[@openai2025]">（OpenAI, 2025）[@openai2025]</div>\n',
        ":::quiz\n问？\nA. 甲 [@openai2025]\nB. 乙\n答案: A\n:::\n",
    ],
)
def test_plain_where_a_link_cannot_stand(site: Any, source: str) -> None:
    page = site(source, HOME, uri="a.md")
    assert page.problems == []
    assert page.all(".//span[@class='cite']") == []
    assert "（OpenAI, 2025）" in page.text


def test_in_tables_lists_blocks_and_emphasis(site: Any) -> None:
    text = "| a |\n|---|\n| x [@openai2025] |\n\n- **甲 [@openai2025]**\n\n:::note\n[@openai2025]\n:::\n"
    page = site(text, HOME, uri="a.md")
    assert [len(page.all(f".//{tag}//a")) for tag in ("td", "li", "aside")] == [1, 1, 1]


@pytest.mark.parametrize("source", ["`[@x]`", "[@x](https://example.org/)", "\\[@x]", "[@x", "a[@]x@y"])
def test_what_is_no_citation(site: Any, source: str) -> None:
    page = site(f"{source}\n", HOME, uri="a.md")
    assert page.all(".//span") == []
    assert page.problems == [] or source == "a[@]x@y"


def test_text_where_a_site_has_no_sources(clean: Any) -> None:
    assert clean("见 [@vaswani2017, 3 节]。\n").text.strip() == "见 [@vaswani2017, 3 节]。"


def test_no_link_where_a_site_has_no_bibliography(site: Any) -> None:
    page = site("见[@openai2025]。\n", {}, uri="a.md")
    assert (page.text.strip(), page.all(".//a")) == ("见（OpenAI, 2025）。", [])


def test_bibliography(site: Any) -> None:
    page = site(":::bibliography\n:::\n", {"a.md": "# 甲\n\n" + ALL})
    assert page.problems == []
    rows = page.all("ul[@class='bibliography']/li")
    assert [row.get("id") for row in rows] == ["openai2025", "vaswani2017", "zhang2019"]
    texts = ["".join(row.itertext()).strip() for row in rows]
    assert (
        "Ashish Vaswani, Noam Shazeer 等 (2017). Attention <Is> All *You* Need. NeurIPS. arXiv:" in texts[1]
    )
    assert "bleu_1_head = 24.9 (Table 3)" in texts[1]
    assert texts[2].startswith("Biao Zhang, Rico Sennrich (2019). RMSNorm. NeurIPS. https://example.org/rms")
    assert [row.find("p/a").get("href") for row in rows] == [
        "https://arxiv.org/abs/2508.10925",
        "https://arxiv.org/abs/1706.03762",
        "https://example.org/rms",
    ]


def test_venue_that_the_link_names_is_not_said_twice(site: Any, sources: str) -> None:
    Path(sources).write_text(SOURCES.replace('"Report"', '"arXiv"'), encoding="utf-8")
    page = site(":::bibliography\n:::\n", {"a.md": ALL})
    assert "(2025). Card. arXiv:2508.10925" in "".join(page.find(".//li[@id='openai2025']").itertext())


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("原论文[@vaswani2017, 3.2.1 节]说，[@@zhang2019]也说。\n", []),
        ("原论文 [@vaswani2017]说\n", ["E249"]),
        ("出自[@@zhang2019]\n", ["E248"]),
    ],
)
def test_proofread_as_its_reader_sees_it(site: Any, text: str, codes: list[str]) -> None:
    page = site(text, HOME, uri="a.md", strict=True)
    assert [problem.split()[1] for problem in page.problems] == codes


def test_links_back_to_sections_in_the_order_of_their_numbers(site: Any) -> None:
    pages = {
        "chapters/b.md": "# 乙\n\n## 7.19 残差 $x$ {#s7-19}\n\n[@openai2025]\n\n### 细 {#f}\n\n"
        "- [@openai2025]\n",
        "chapters/c.md": "# 丙\n\n" + ALL + "\n## 7.2 全貌 {#s7-2}\n\n:::fold T [@openai2025]\nx\n:::\n",
        "d.md": "# 丁\n\n## 无号\n\n`[@openai2025]` <!-- [@openai2025] -->\n\n```\n[@openai2025]\n```\n",
    }
    page = site(":::bibliography\n:::\n", pages)
    links = page.all(".//li[@id='openai2025']/p[@class='cited']/a")
    assert ["".join(link.itertext()) for link in links] == ["7.2 全貌", "7.19 残差 x", "丙"]
    assert [link.get("href") for link in links] == [
        "../chapters/c.md#s7-2",
        "../chapters/b.md#s7-19",
        "../chapters/c.md",
    ]


def test_page_by_itself(sources: str) -> None:
    html = markdown.markdown(
        "# 题\n\n" + ALL + "\n:::bibliography\n:::\n",
        extensions=["course_markdown"],
        extension_configs={"course_markdown": {"sources": sources}},
    )
    assert 'href="#openai2025"' in html.replace('href=".#', 'href="#')
    assert '<li id="openai2025">' in html


def test_quoted_figures_are_checked(site: Any) -> None:
    text = "{{24.9 := quoted.vaswani2017.bleu_1_head}} {{25.1 := quoted.vaswani2017.bleu_1_head}}\n\n"
    page = site(
        text + "{{1 := quoted.vaswani2017.bleu_2_head}} {{1 := quoted.zhang2019.x}}\n", HOME, uri="a.md"
    )
    told = [problem.partition(" ")[2] for problem in page.problems]
    assert [line[:4] for line in told] == ["E201", "E202", "E202"]
    assert "did you mean 'bleu_1_head'?" in told[1]
    assert "nothing is quoted as 'zhang2019'; " in told[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "x\n\n[@vaswani2018]\n",
            "docs/a.md:3: E170 no source has the key 'vaswani2018'; did you mean '@vaswani2017'?",
        ),
        ("[@zhang2019; @zzz]\n", "docs/a.md:1: E170 no source has the key 'zzz'"),
        ("[@]\n", "docs/a.md:1: E171 citation '[@]' cannot be read"),
        ("[@zhang2019 表 1]\n", "docs/a.md:1: E171"),
        ("[@zhang2019, $x$ 的表]\n", "docs/a.md:1: E171"),
        ("[@@zhang2019; @openai2025]\n", "docs/a.md:1: E171"),
        (
            ":::bibliography\n:::\n",
            "docs/a.md:1: E176 the sources are listed at docs/reference/bibliography.md:1",
        ),
    ],
)
def test_problem_of_a_page(site: Any, text: str, told: str) -> None:
    page = site(text, HOME, uri="a.md")
    assert len(page.problems) == 1, page.problems
    assert page.problems[0].startswith(told)


def test_source_that_nobody_cites(site: Any) -> None:
    page = site(":::bibliography\n:::\n", {"a.md": "[@vaswani2017]\n\n`[@zhang2019]`\n"})
    assert [problem[:60] for problem in page.problems] == [
        "sources.toml:11: E174 no page cites the source 'zhang2019'; ",
        "sources.toml:18: E174 no page cites the source 'openai2025';",
    ]


def test_bibliography_of_a_site_without_sources(render: Any) -> None:
    assert render(":::bibliography\n:::\n").codes == [(1, "E175")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("year = 2019", "year = ", "sources.toml:13: E172 the sources cannot be read"),
        (
            "year = 2019",
            'year = "2019"',
            "sources.toml:13: E173 source 'zhang2019' has no year; write year = 2017",
        ),
        ("year = 2019", "", "sources.toml:11: E173 source 'zhang2019' has no year"),
        ('title = "RMSNorm"', 'titel = "RMSNorm"', "sources.toml:11: E173 source 'zhang2019' has no title"),
        (
            'venue = "NeurIPS"\nurl',
            'venue = ""\nurl',
            "sources.toml:15: E173 source 'zhang2019' has no venue",
        ),
        ('["OpenAI"]', '"OpenAI"', "sources.toml:19: E173 source 'openai2025' has no authors"),
        ('"Zhang,', '"Zhang，', "sources.toml:12: E173 source 'zhang2019' has a full-width comma in"),
        ("1706.03762", "arXiv:1706", "sources.toml:6: E173 source 'vaswani2017' has the arXiv number"),
        ("https://example", "http://example", "sources.toml:16: E173 source 'zhang2019' has the address"),
        ('url = "https://example.org/rms"\n', "", "sources.toml:11: E173 source 'zhang2019' cannot be found"),
        ("[zhang2019]", "[Zhang-2019]", "sources.toml:11: E173 source 'Zhang-2019' has a key that cannot"),
        (
            'where = "Table 3"',
            'were = "Table 3"',
            "sources.toml:9: E173 source 'vaswani2017' has a quoted figure",
        ),
        ("[vaswani2017]\n", "lone = 1\n[vaswani2017]\n", "sources.toml:1: E173 source 'lone' is no table"),
    ],
)
def test_problem_of_the_file(site: Any, sources: str, old: str, new: str, told: str) -> None:
    Path(sources).write_text(SOURCES.replace(old, new, 1), encoding="utf-8")
    page = site("见 [@openai2025]\n", HOME, uri="a.md")
    assert page.problems[0].startswith(told), page.problems


def test_file_that_is_no_utf_8(site: Any, sources: str) -> None:
    content = Path(sources).read_text(encoding="utf-8").replace("RMSNorm", "归一")
    Path(sources).write_bytes(content.encode("gbk"))
    (told, *_) = site("题\n", HOME, uri="a.md").site.problems
    assert (
        str(told) == "sources.toml:14: E172 the sources cannot be read: they are no UTF-8; correct the TOML"
    )


def test_mark_at_the_begin_of_a_file_of_windows(site: Any, sources: str) -> None:
    content = Path(sources).read_bytes()
    Path(sources).write_bytes(b"\xef\xbb\xbf" + content)
    assert site("见[@openai2025]。\n", HOME, uri="a.md").text.strip() == "见（OpenAI, 2025）。"


def test_file_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"option 'sources': none\.toml cannot be read: No such file"):
        markdown.markdown(
            "x",
            extensions=["course_markdown"],
            extension_configs={"course_markdown": {"sources": "none.toml"}},
        )
