"""`:::shapeflow` and `:::related`."""

from __future__ import annotations

from typing import Any


def test_flow(clean: Any) -> None:
    page = clean(":::shapeflow\nX [B, S, d_model] × W_Q [d_model, d_k] → Q [B, S]\n:::\n")
    assert page.flat == (
        '<ol aria-label="形状变化" class="shapeflow"><li>'
        '<span class="flow-step"><span class="flow-text">X</span> <span class="shape">[B, S, d_model]</span> '
        '<span class="flow-times">×</span> <span class="flow-text">W_Q</span> '
        '<span class="shape">[d_model, d_k]</span></span> <span class="flow-arrow">→</span> '
        '<span class="flow-step"><span class="flow-text">Q</span> <span class="shape">[B, S]</span></span>'
        "</li></ol>"
    )


def test_flow_reads_as_it_was_written(clean: Any) -> None:
    line = "输入 [B] → Embedding ×√d_model + 位置（Add&Norm → FFN）→ headᵢ [B, d_v]（d_v = d_model/h）"
    text = "".join(clean(f":::shapeflow\n{line}\n:::\n").find(".//li").itertext())
    assert text == line.replace("）→ h", "） → h")


def test_one_item_a_line_and_a_line_may_begin_with_an_arrow(clean: Any) -> None:
    items = clean(":::shapeflow\nX [B] → Y\n\n→ Z [B]\n× W -> [C]\n:::\n").all(".//li")
    assert [item[0].get("class") for item in items] == ["flow-step", "flow-arrow", "flow-step"]
    assert "".join(items[2].itertext()) == "× W → [C]"


def test_shapes_are_no_links_and_no_emphasis(clean: Any) -> None:
    page = clean(":::shapeflow\n[B, *S*, S*d*](x) → [a][1]\n:::\n\n[1]: x.md\n")
    assert [shape.text for shape in page.all(".//span[@class='shape']")][:2] == ["[B, *S*, S*d*]", "[a]"]
    assert page.all(".//a") == []


def test_formula_code_and_emphasis_in_a_flow(clean: Any) -> None:
    page = clean(":::shapeflow 题\n$W_Q$ [d] × `x` → **y**\n:::\n")
    assert page.find("p[@class='box-title']").text == "题"
    assert [part[0].tag for part in page.all(".//span[@class='flow-text']")] == ["math", "code", "strong"]


def test_related(clean: Any) -> None:
    terms = {"Softmax": "chapters/07.md#softmax", "GPT": "https://example.org/"}
    page = clean(":::related\n依赖 | Embedding, softmax、残差 $x$\n用于 | GPT；BERT\n:::\n", terms=terms)
    rows = page.all("section[@class='related']/dl/div")
    assert [row[0].text for row in rows] == ["依赖", "用于"]
    assert ["".join(dd.itertext()) for dd in rows[0].findall("dd")] == ["Embedding", "softmax", "残差 x"]
    assert [a.get("href") for a in page.all(".//a")] == ["chapters/07.md#softmax", "https://example.org/"]


def test_links_are_relative_to_the_page() -> None:
    from course_markdown.site import Site

    site = Site()
    site.open("docs/reference/glossary.md", "reference/glossary.md", 1)
    assert site.link("chapters/07.md#x") == "../chapters/07.md#x"
    assert site.link("reference/glossary.md#y") == "glossary.md#y"
    assert site.link("#here") == "#here"
    site.open("docs/index.md", "index.md", 1)
    assert site.link("chapters/07.md") == "chapters/07.md"


def test_full_width_bar(clean: Any) -> None:
    assert len(clean(":::related\n依赖｜a，b\n:::\n").all(".//dd")) == 2
