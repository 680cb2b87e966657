"""The time that a chapter's page takes, below its title."""

from __future__ import annotations

from typing import Any

QUIZ = ":::quiz\n选？\nA. 甲\nB. 乙\n答案：A\n解析：好。\n:::\n"
CHAPTER = "# 题\n\n## 7.1 节 {#s7-1}\n\n"


def line(render: Any, source: str, **options: Any) -> list[str]:
    page = render(source, extensions=("toc", "attr_list"), strict=True, **options)
    return ["".join(part.itertext()) for part in page.all(".//p[@class='reading']")]


def test_characters_words_and_formulas_take_time_and_code_none(render: Any) -> None:
    assert line(render, CHAPTER + "字" * 1200 + "\n") == ["约 4 分钟"]
    assert line(render, CHAPTER + "word " * 800 + "\n", lang="en") == ["About 4 minutes"]
    assert line(render, CHAPTER + "$x$ " * 800 + "\n", lang="en") == ["About 4 minutes"]
    assert line(render, CHAPTER + "`code` " * 2000 + "\n\n```\n" + "字" * 3000 + "\n```\n") == []


def test_what_there_is_to_do_is_counted(render: Any) -> None:
    asked = ":::interview\n**Q：问？**\n:::answer\n答。\n:::\n**Q：问二？**\n:::answer\n答。\n:::\n:::\n"
    source = CHAPTER + QUIZ * 3 + ":::fold 更多\n" + QUIZ + ":::\n" + ":::demo scaling\n图。\n:::\n" + asked
    assert line(render, source) == ["约 4 分钟 · 1 个演示 · 4 道小测验 · 2 道面试题"]


def test_long_times_are_said_roughly(render: Any) -> None:
    assert line(render, CHAPTER + "字" * 300 * 33 + "\n") == ["约 35 分钟"]


def test_it_stands_below_the_title(render: Any) -> None:
    page = render(CHAPTER + "字" * 1200 + "\n", extensions=("toc", "attr_list"), strict=True)
    assert [part.tag for part in page.root][:3] == ["h1", "p", "h2"]


def test_other_pages_and_guests_have_none(render: Any) -> None:
    assert line(render, "# 题\n\n" + "字" * 1200 + "\n") == []
    guest = render(CHAPTER + "字" * 1200 + "\n", extensions=("toc", "attr_list"))
    assert guest.all(".//p[@class='reading']") == []
