"""The first use of a term on a page leads to the glossary."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import markdown
import pytest

from course_markdown import makeExtension
from course_markdown.site import Site

TERMS = {
    "得分": "ref/g.md#scores",
    "Softmax": "ref/g.md#softmax",
    "注意力": "ref/g.md#attention",
    "自注意力": "ref/g.md#self-attention",
    "Self-attention": "ref/g.md#self-attention",
    "Key": "ref/g.md#key",
    "头": "ref/g.md#head",
}
HEADS = {"符号": "ref/n.md#sizes"}
GLOSSARY = """\
# 术语

- **得分**{#scores}（scores）：softmax **之前**的数，$s_{ij}$ 或 `s`。→ [7.7](../c/a.md#s7-7)
- **Softmax**{#softmax}：把一行[得分](#scores)变成权重。
"""
LINK = re.compile(r'<a class="term" href="([^"]*)"(?: title="([^"]*)")?>([^<]*)</a>')
Links = Callable[..., list[str]]


def convert(source: str, strict: bool = True, uri: str = "c/a.md", lang: str = "zh") -> str:
    site = Site()
    options = {"site": site, "terms": TERMS, "unlinked": ["头"], "lang": lang, "heads": HEADS}
    makeExtension(**options).collect(GLOSSARY, "g.md", "ref/g.md")
    site.open("a.md", uri, 1, strict=strict)
    names = ["toc", "attr_list", "course_markdown"]
    return markdown.Markdown(extensions=names, extension_configs={"course_markdown": options}).convert(source)


@pytest.fixture
def linked() -> Links:
    """The words that are links, in their order."""

    def run(source: str, **options: object) -> list[str]:
        return [word for _, _, word in LINK.findall(convert(source, **options))]  # type: ignore[arg-type]

    return run


def test_only_the_first_use_is_a_link(linked: Links) -> None:
    assert linked("先有得分，再有得分。\n\n还有得分。\n") == ["得分"]
    assert "先有<a" in convert("先有得分，再有得分。\n")
    assert "</a>，再有得分。" in convert("先有得分，再有得分。\n")


def test_it_leads_to_the_entry_and_says_what_that_says() -> None:
    assert LINK.findall(convert("先有得分。\n")) == [
        ("../ref/g.md#scores", "softmax 之前的数，s_ij 或 s。", "得分")
    ]
    assert LINK.findall(convert("再做 softmax。\n")) == [
        ("../ref/g.md#softmax", "把一行得分变成权重。", "softmax")
    ]
    assert LINK.findall(convert("先有 key。\n")) == [("../ref/g.md#key", "", "key")]


def test_two_names_of_one_thing_are_one_term(linked: Links) -> None:
    assert linked("叫自注意力，又叫 self-attention。\n") == ["自注意力"]


def test_the_longest_term_wins(linked: Links) -> None:
    assert linked("自注意力是一种注意力。\n") == ["自注意力", "注意力"]


def test_latin_terms_are_whole_words_in_any_case(linked: Links) -> None:
    assert linked("monkey，keyboard，key-value，KEYS。\n") == ["KEYS"]
    assert linked("the monkey has keys\n", lang="en") == ["keys"]


def test_several_terms_of_one_text_keep_their_order() -> None:
    html = convert("先 softmax，**再得分**，后 key，再注意力。\n")
    assert re.sub("<[^>]*>", "", html) == "先 softmax，再得分，后 key，再注意力。"
    assert [word for _, _, word in LINK.findall(html)] == ["softmax", "得分", "key", "注意力"]


@pytest.mark.parametrize(
    "source",
    [
        "## 得分\n",
        "[得分](x)\n",
        "`得分`\n",
        "```\n得分\n```\n",
        "$\\text{得分}$\n",
        ":::note 得分\n甲。\n:::\n",
        ":::quiz\n得分？\nA. 得分\nB. 乙\n答案：A\n:::\n",
        ":::demo scaling 得分\n得分在这里。\n:::\n",
        ":::interview\n**Q：得分？**\n:::answer\n**一句话：得分。**\n:::\n:::\n",
        ":::shapeflow\n得分 [S, S] → x [S]\n:::\n",
        "多头、两个头。\n",
    ],
)
def test_where_no_links_are_made(linked: Links, source: str) -> None:
    assert linked(source) == []


def test_the_rest_of_an_answer_may_have_links(linked: Links) -> None:
    source = ":::interview\n**Q：问？**\n:::answer\n**一句话：得分。**\n\n**得分**在这里。\n:::\n:::\n"
    assert linked(source) == ["得分"]


def test_what_is_folded_gives_way_to_what_is_seen(linked: Links) -> None:
    html = convert(":::fold 更多\n得分和 key。\n:::\n\n看得见的得分。\n")
    assert "看得见的<a" in html
    assert [word for _, _, word in LINK.findall(html)] == ["key", "得分"]


def test_the_section_that_explains_a_term_does_not_send_away(linked: Links) -> None:
    source = "## 甲 {#s7-7}\n\n得分一。\n\n### 子 {#s7-7-x}\n\n得分二。\n\n## 乙 {#s7-9}\n\n得分三。\n"
    assert linked(source) == ["得分"]
    assert "<a" not in convert(source).partition("乙")[0]


def test_the_glossary_itself_and_guests_have_none(linked: Links) -> None:
    assert linked("得分\n", uri="ref/g.md") == []
    assert linked("得分\n", strict=False) == []


def test_a_related_term_that_nobody_knows_is_told(render: Callable[..., Any]) -> None:
    source = ":::related\n依赖 | 得分, Softmx, KEY\n:::\n"
    page = render(source, strict=True, terms=TERMS)
    assert page.codes == [(2, "E260")]
    assert "'Softmx' is no term of this site; did you mean 'softmax'?" in page.problems[0]
    assert render(source, terms=TERMS).problems == []


TABLE = "| 符号 | 含义 |\n|---|---|\n| a | 符号 |\n"


def test_first_table_of_symbols_leads_to_the_notation() -> None:
    html = convert(f"{TABLE}\n\n字\n\n{TABLE}")
    assert html.count('<th><a class="term" href="../ref/n.md#sizes">符号</a></th>') == 1
    assert html.count("<th>符号</th>") == 1
    assert "ref/n.md" not in convert(TABLE, strict=False)
    assert "n.md" not in convert(TABLE, uri="ref/n.md")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"terms": {"PAD": None}}, "'terms': 'PAD' leads nowhere; write 'PAD: page.md#anchor'"),
        ({"terms": {"PAD": ""}}, "'PAD' leads nowhere"),
        ({"terms": {"Key": "a.md"}, "unlinked": ["kye"]}, "'unlinked': 'kye' is no term; did you mean 'key'"),
        ({"terms": {"Key": "a.md"}, "unlinked": "Key"}, "'unlinked' must be a list: 'unlinked: \\[Key\\]'"),
        ({"elsewhere": "torch"}, "'elsewhere' must be a list: 'elsewhere: \\[torch\\]'"),
    ],
)
def test_options_that_would_say_nothing_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        makeExtension(**options)
