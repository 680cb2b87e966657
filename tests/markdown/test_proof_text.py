"""The rules of text: one word for one thing, and how Chinese is set. Only on pages that are proofread."""

from __future__ import annotations

from typing import Any

import pytest


def text_codes(render: Any, source: str, lang: str = "zh") -> list[tuple[int, str]]:
    """The problems of text, E240 to E259."""
    page = render(source + "\n", strict=True, lang=lang)
    return [(line, code) for line, code in page.codes if "E240" <= code < "E260"]


@pytest.mark.parametrize(
    "source",
    [
        "softmax 之前的权重有多大。",
        "注意力分数怎么来。",
        "attention 分数怎么来。",
        "它的分数更高。",
        "归一化后的得分。",
        "softmax 之后的得分。",
        "每行得分之和是 1。",
        "权重除以 $\\sqrt{d_k}$。",
        "再对权重做 softmax。",
        "每个标记有一个向量。",
        "用掩膜遮住它。",
        "头的数量不变。",
        "自注意机制。",
    ],
)
def test_a_wrong_word_is_told(render: Any, source: str) -> None:
    assert text_codes(render, "# 题\n\n" + source) == [(3, "E240")]


@pytest.mark.parametrize(
    "source",
    [
        "softmax 之前的得分、softmax 之后的权重。",
        "得分加起来是 1.5。",
        "常见错误答案：「分数更小更稳定。」",
        "`注意力分数`",
        "还剩百分数和部分数据。",
        "把权重乘上 value。",
        "自注意力、掩码、头数。",
    ],
)
def test_right_words_and_quoted_ones_pass(render: Any, source: str) -> None:
    assert text_codes(render, source) == []


def test_the_cure_names_the_place_and_the_right_word(render: Any) -> None:
    page = render("第一行。\n第二行用掩膜遮住。\n", strict=True)
    assert page.problems == ["2: E240 '掩膜' in '第二行用掩膜遮住。'; write '掩码'"]


def test_the_first_token_has_its_chinese_name(render: Any) -> None:
    assert text_codes(render, "读一个 token。\n\n再读一个 token。") == [(1, "E241")]
    assert text_codes(render, "读一个词元（token）。\n\n再读一个 token。") == []
    assert text_codes(render, ":::note 一个词元\n读词元（token）。\n:::") == [(1, "E241"), (2, "E242")]
    assert text_codes(render, "代码 `token`，再读词元（token），tokenizer 和 token_ids。") == []


def test_later_ones_have_not(render: Any) -> None:
    source = "一个词元（token）。\n\n两个词元。\n\n三个词元（token）。\n\n写作「词元」。"
    assert text_codes(render, source) == [(3, "E242"), (5, "E242")]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("先缩放,再归一化。", "E243"),
        ("先缩放, 再归一化。", "E243"),
        ("为什么? 因为方差。", "E243"),
        ("权重(每行)和为一。", "E243"),
        ("到此为止.", "E243"),
        ("“得分”和权重。", "E245"),
        ('叫做"得分"的数。', "E245"),
        ("还有很多...", "E246"),
        ("还有很多…别的。", "E246"),
        ("缩放—除以标准差。", "E247"),
        ("缩放--除以标准差。", "E247"),
        ("除以$d_k$。", "E248"),
        ("调用`softmax`。", "E248"),
        ("第3 行。", "E248"),
        ("占 50%的权重。", "E248"),
        ("**softmax**之后。", "E248"),
        ("[7.9](x.md)节。", "E248"),
        ("先缩放， 再归一化。", "E249"),
        ("除以 $d_k$ ，再归一化。", "E249"),
        ("先缩放 再归一化。", "E249"),
        ("除以  标准差。", "E250"),
        ("| a | b |\n| --- | --- |\n| 除以`x` | 二 |", "E248"),
        ("see the paper，then go on", "E244"),
        ("第 ３ 行", "E244"),
        ("叫做‘得分’的数。", "E245"),
        ("\u3000\u3000先缩放。", "E251"),
        ("先缩\u200b放。", "E251"),
        ("先缩\x07放。", "E251"),
    ],
)
def test_how_chinese_is_set(render: Any, source: str, code: str) -> None:
    found = text_codes(render, source)
    assert {code} <= {told for _, told in found}
    assert {told for _, told in found} <= {code, "E249"}
    assert all(line == 1 + source.count("\n") for line, _ in found)


@pytest.mark.parametrize(
    "source",
    [
        "**「误区。」** 它不对。",
        "- **注意：** 它不对。\n- 第 {{3 := 3}} 行，占 50% 的权重（$d_k$ 维）。",
        "| 做法 | 形状 |\n| --- | :--- |\n| `a`，$b$ | (B, S) |\n| （Dao et al., 2022；Shazeer, 2019） | x |",
        "等等……就是这样——除以标准差。",
        "输入「猫 追 狗」，$h_1$ → … → $h_n$。",
        "**masked** 自注意力，[7.9](x.md) 节。",
        "一行中文\nand English\n又是中文",
        "encoder、decoder；BERT（2019）。",
        "句子。  \n换行。",
        "除以&lt;标准差&gt;，甲&nbsp;乙，AT&amp;T，&copy; 甲。",
        "it’s “softmax”".replace("“", "").replace("”", ""),
        "[甲](a.md 'b,c')，[乙](a_(b).md)。",
        "```\n先缩放,再归一化\n```",
        ":::quiz\n选?\nA. 甲,乙\nB. 丙\n答案: A\n解析: 好。\n:::".replace("?", "？").replace(",", "，"),
        ":::related\n依赖 | 点积, 缩放\n:::",
    ],
)
def test_chinese_that_is_set_well(render: Any, source: str) -> None:
    assert text_codes(render, source) == []


def test_english_has_rules_of_its_own(render: Any) -> None:
    good = "The scores before softmax; the weights, 50%of them, sum to 1 (“here”)."
    assert text_codes(render, good, lang="en") == []
    bad = "Weights before softmax，and scores sum to 1.  Done."
    assert text_codes(render, bad, lang="en") == [(1, "E240"), (1, "E240"), (1, "E244"), (1, "E250")]


def test_a_page_that_is_not_proofread_keeps_its_words(render: Any) -> None:
    assert render("注意力分数,token\n").problems == []
