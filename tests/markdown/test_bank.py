"""The bank: numbered questions of all pages in groups, with links and short answers; what is told of gaps."""

from __future__ import annotations

import re
from typing import Any

import markdown
import pytest

from course_markdown import makeExtension
from course_markdown.site import Site

ASK = """\
:::interview
**{question}**

:::answer
{answer}
:::
:::
"""


def ask(question: str, answer: str = "**一句话。**\n\n更多。") -> str:
    return ASK.format(question=question, answer=answer)


@pytest.fixture
def bank(render: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`bank(block, pages)`: the bank's page, of a site whose other pages are given by their names."""

    def run(block: str, pages: dict[str, str], uri: str = "chapters/bank.md") -> tuple[Any, list[str]]:
        site = Site()
        for name, text in pages.items():
            makeExtension(site=site).collect(text, f"docs/{name}", name, 4)
        site.open(f"docs/{uri}", uri, 1)
        md = markdown.Markdown(
            extensions=["toc", "course_markdown"], extension_configs={"course_markdown": {"site": site}}
        )
        html = md.convert(f":::bank\n{block}\n:::\n")
        page = type(render("x"))(html, [str(p) for p in sorted(site.problems)], md.toc_tokens, site)
        return page, page.problems

    return run


def test_groups_link_to_the_questions_of_other_pages(bank: Any) -> None:
    pages = {
        "chapters/a.md": ask("Q2：为什么是 $\\sqrt{d_k}$？") + ask("Q1：`x` 是什么？"),
        "b.md": ask("Q10：十？"),
    }
    page, problems = bank("A 组：基础 | 1-2\nB 组：其他 | Q10，3–9", pages)
    assert [line.split()[1:3] for line in problems] == [["E163", "no"]] * 7
    assert [h.text for h in page.all("h3")] == ["A 组：基础", "B 组：其他"]
    assert [h.get("id") for h in page.all("h3")] == ["bank-1", "bank-2"]
    rows = page.all("ol[@class='bank']/li")
    assert [(row.get("value"), row.get("id")) for row in rows] == [
        ("1", "bank-q1"),
        ("2", "bank-q2"),
        ("10", "bank-q10"),
    ]
    links = [row.find("p[@class='question']/a") for row in rows]
    texts = ["".join(link.itertext()) for link in links]
    assert texts == ["Q1：x 是什么？", "Q2：为什么是 dk？", "Q10：十？"]
    assert [link.get("href").partition("#q-")[0] for link in links] == ["a.md", "a.md", "../b.md"]


def test_link_meets_the_id_of_the_question(bank: Any, clean: Any) -> None:
    text = ask("Q1：一？") + ask("Q2：二？").replace("Q2：二？", "Q2：一？")
    page, _ = bank("A | 1, 2", {"chapters/a.md": text})
    targets = [link.get("href").partition("#")[2] for link in page.all(".//li/p/a")]
    assert targets == [item.get("id") for item in clean(text).all(".//div[@class='interview-item']")]


def test_short_answer_is_the_first_bold_paragraph(bank: Any) -> None:
    answer = "\n**短句 $x$，\n又一行 {{0.5 := 1 / 2}}。**\n\n更多。"
    page, problems = bank("A | 1", {"a.md": ask("Q1：一？", answer)})
    assert problems == []
    details = page.find(".//details[@class='answer']")
    assert details.get("open") is None
    assert [part.tag for part in details] == ["summary", "p"]
    shown = "".join(details.find("p").itertext())
    assert shown.startswith("短句 x，又一行 0.5")
    assert "更多" not in page.text


def test_links_in_a_short_answer_lead_to_the_same_places(bank: Any) -> None:
    answer = "**见 [甲](?demo.x=1#d)、[乙](#e)、[丙](../f.md)、[丁](g.md#h)、[戊](https://example.org/)。**"
    page, _ = bank("A | 1", {"chapters/a.md": ask("Q1：一？", answer)}, uri="bank.md")
    assert [link.get("href") for link in page.all(".//details//a")] == [
        "chapters/a.md?demo.x=1#d",
        "chapters/a.md#e",
        "f.md",
        "chapters/g.md#h",
        "https://example.org/",
    ]


def test_groups_are_in_the_contents(bank: Any) -> None:
    page, _ = bank("A 组 | 1", {"a.md": ask("Q1：一？")})
    assert [(entry["name"], entry["id"]) for entry in page.toc] == [("A 组", "bank-1")]


def test_page_by_itself_has_its_own_questions() -> None:
    html = markdown.markdown(":::bank\nA | 1\n:::\n\n" + ask("Q1：一？"), extensions=["course_markdown"])
    ident = re.search(r'class="interview-item" id="(q-\w+)"', html)
    assert ident and f'href="#{ident[1]}">Q1：一？</a>' in html


def test_questions_without_a_number_are_not_in_the_bank(bank: Any) -> None:
    page, problems = bank("A | 1", {"a.md": ask("Q：无号？") + ask("Q1：一？", "**短。**")})
    assert problems == []
    assert len(page.all(".//li")) == 1


def test_questions_in_code_comments_and_other_blocks(bank: Any) -> None:
    hidden = "```\n" + ask("Q2：码？") + "```\n\n<!--\n" + ask("Q3：注？") + "-->\n\n"
    page, problems = bank("A | 1", {"a.md": hidden + ":::fold T\n" + ask("Q1：一？") + ":::\n"})
    assert problems == []
    assert len(page.all(".//li")) == 1


def test_wrong_number_in_a_short_answer_is_told_at_its_place_alone(bank: Any) -> None:
    _, problems = bank("A | 1", {"a.md": ask("Q1：一？", "**得 {{0.6 := 1 / 2}} 和 $\\foo$。**")})
    assert problems == []  # the page a.md tells it when it is rendered


@pytest.mark.parametrize(
    ("block", "pages", "told"),
    [
        ("A", {}, "docs/chapters/bank.md:2: E160 line of ':::bank' without a title and numbers"),
        ("A | x", {}, "docs/chapters/bank.md:2: E160"),
        ("A | 3-1", {}, "docs/chapters/bank.md:2: E160"),
        (
            "A | 1\nB | 1",
            {"a.md": ask("Q1：一？")},
            "docs/chapters/bank.md:3: E161 Q1 stands in a group already",
        ),
        ("A | 2", {"a.md": ask("Q2：二？")}, "docs/chapters/bank.md:1: E162 the groups leave out Q1"),
        ("A | 1-2", {"a.md": ask("Q1：一？")}, "docs/chapters/bank.md:2: E163 no page asks Q2"),
        (
            "A | 1",
            {"a.md": ask("Q1：一？"), "b.md": "# B\n\n" + ask("Q1：又？")},
            "docs/b.md:7: E164 Q1 is asked at docs/a.md:5 already",
        ),
        (
            "A | 1",
            {"a.md": ask("Q1：一？") + ask("Q2：二？")},
            "docs/a.md:14: E165 Q2 is in no group of the bank; add it to one in docs/chapters/bank.md:1",
        ),
        (
            "A | 1",
            {"a.md": ask("Q1：一？", "不粗。")},
            "docs/a.md:5: E166 the answer to Q1 begins with no short",
        ),
        ("A | 1", {"a.md": ask("Q1：一？", "- **表**")}, "docs/a.md:5: E166"),
        ("A | 1", {"a.md": ask("Q1：一？", "```\n**x**\n```")}, "docs/a.md:5: E166"),
    ],
)
def test_problem(bank: Any, block: str, pages: dict[str, str], told: str) -> None:
    _, problems = bank(block, pages)
    assert len(problems) == 1, problems
    assert problems[0].startswith(told)


def test_site_without_a_bank_numbers_as_it_likes(clean: Any) -> None:
    clean(ask("Q1：一？", "不粗。") + ask("Q1：又？") + ask("Q7：七？"))
