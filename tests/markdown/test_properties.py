"""Random nestings of blocks, lists, quotes and code: each block comes out once, and no fence stays text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

BOXES = ["note", "warning", "fold", "math", "key"]
WORDS = [
    "文字 **粗** $x_1$",
    "a `:::note` b",
    "价 $5",
    "{{2 := 1 + 1}}",
    "- 一\n- 二",
    "| a | b |\n| - | - |\n| $P(a|b)$ | c |",
]
CODE = ["```\n:::note\n```", "~~~py\n$$ `\n:::\n~~~", "````\n```\n:::\n````"]
QUIZ = ":::quiz\n问？\nA. 甲\nB. $乙$\n答案: B\n解析: 因为\n```\nA. x\n```\n:::"

Tree = tuple[str, list[Any]]


def wrapped(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    some = st.lists(children, min_size=1, max_size=3)
    kinds = [*BOXES, "demo", "interview", "quote", "item-2", "item-3", "item-4"]
    return st.tuples(st.sampled_from(kinds), some)


LEAVES = st.tuples(st.sampled_from([*WORDS, *CODE, QUIZ]), st.just([]))
TREES = st.lists(st.recursive(LEAVES, wrapped, max_leaves=12), min_size=1, max_size=3)


def source(tree: Tree, seen: Counter[str]) -> list[str]:
    """The lines of a tree; counts its blocks in `seen`."""
    kind, children = tree
    if not children:
        seen["quiz"] += kind == QUIZ
        seen["code"] += kind in CODE or kind == QUIZ
        return kind.split("\n")
    inner = [line for child in children for line in [*source(child, seen), ""]][:-1]
    if kind == "quote":
        return ["> " + line for line in inner]
    if kind.startswith("item"):
        indent = " " * int(kind[-1])
        marker = "1. item" if kind == "item-3" else "- item"
        return [marker, "", *(indent + line if line else "" for line in inner)]
    seen[kind] += 1
    if kind == "interview":
        seen["answer"] += 1
        return [":::interview T", "**Q1：问？**", ":::answer", *inner, ":::", ":::"]
    return [f":::{kind} {'scaling ' if kind == 'demo' else ''}T", *inner, ":::"]


def found(html: str) -> Counter[str]:
    names = Counter(re.findall(r'class="course-box (\w+)"', html))
    for name, pattern in (
        ("demo", "<course-demo"),
        ("interview", 'class="interview"'),
        ("answer", 'class="answer"'),
        ("quiz", 'class="quiz"'),
        ("code", 'class="highlight"'),
    ):
        names[name] = html.count(pattern)
    return names


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(trees=TREES)
def test_every_block_comes_out_once(render: Any, trees: list[Tree]) -> None:
    seen: Counter[str] = Counter()
    text = "\n".join(line for tree in trees for line in [*source(tree, seen), "", "末尾。", ""])
    page = render(text, dedent=False)
    assert page.problems == []
    assert +found(page.html) == +seen
    assert not re.search(r":::|///|\x02|\x03|\*\*", page.text)


NOISE = [
    *(
        ":::note",
        ":::",
        "：：：",
        "::::",
        ":::quiz",
        ":::answer",
        ":::interview",
        ":::demo scaling",
        "> :::note",
    ),
    *(
        "```",
        "~~~",
        "$$",
        "$x",
        "$",
        "`",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "<div>",
        "</div>",
        "<svg>",
        "</svg>",
    ),
    *("<b", ">", "> ", "- ", "  - x", "1. x", "   ", "    ", "# h", "|", "\\", "text", ",", ""),
    *("A. x", "B. y", "答案: A", "解析: z", "**Q1：", "**", "{{", "1 :=", "}}"),
    *("答案: B → A", "答案: 0.5 ± 0.1", "答案: (1, 1)", "| a |\n|---|\n| b |", "解析 A: z", "解析 (1, 1): z"),
    *(":::bank", "A | 1", "答案: {{1 := 2}} ± {{", ":::interview\n**Q1：x**\n:::answer\n**y**\n:::\n:::"),
]
NOISY = st.tuples(st.sampled_from(["\n", "", " "]), st.lists(st.sampled_from(NOISE), max_size=16))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noisy=NOISY)
def test_no_input_breaks_the_extension(render: Any, noisy: tuple[str, list[str]]) -> None:
    glue, parts = noisy
    page = render(glue.join(parts), dedent=False)
    assert "\x02" not in page.html
    lines = glue.join(parts).count("\n") + 1
    assert all(1 <= line <= lines for line, _ in page.codes)
    prose = re.sub(r"<(math|code|pre|svg)\b.*?</\1>|<[^>]*>", "", page.html, flags=re.DOTALL)
    assert page.problems or ":::" not in prose or "\\:::" in glue.join(parts)
