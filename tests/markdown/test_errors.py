"""Every code with the line it is told for. A source starts in line 1; the cure is part of the message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import markdown
import pytest

from course_markdown.errors import Code, CourseError

CASES: list[tuple[str, list[tuple[int, str]], str]] = [
    ("a\n\n:::noet T\nx\n:::\n", [(3, "E101")], "unknown block ':::noet'; did you mean ':::note'?"),
    (":::quiz-option\nx\n:::\n", [(1, "E101")], "unknown block ':::quiz-option'"),
    (":::note：T\nx\n:::\n", [(1, "E101")], "did you mean ':::note'?"),
    (":::笔记\nx\n:::\n", [(1, "E101")], "unknown block ':::笔记'; known are answer, bank, bibliography,"),
    (":::note\nx\n:::\n:::\n", [(4, "E102")], "':::' closes nothing"),
    ("> :::note\n> x\n> :::\n> :::\n", [(4, "E102")], "':::' closes nothing"),
    ("a\n:::note\nx\n", [(2, "E103")], "':::note' is never closed; close it with ':::'"),
    (":::fold A\n:::note\nx\n:::\n\n## B\n", [(1, "E103")], "':::fold' is never closed"),
    ("> :::note\n> x\n\nout\n\n:::key\nk\n:::\n", [(1, "E103")], "':::note' is never closed"),
    (
        ":::demo atention T\nx\n:::\n",
        [(1, "E104")],
        "demo 'atention' does not exist; did you mean 'attention'?",
    ),
    (":::note\n\n:::\n", [(1, "E105")], "':::note' is empty"),
    (":::quiz\n:::\n", [(1, "E105")], "':::quiz' is empty"),
    (":::interview\n:::\n", [(1, "E105")], "':::interview' is empty"),
    ("：：：note 题\nx\n:::\n", [(1, "E106")], "full-width colons '：：：'; write ':::note 题'"),
    (":::note\nx\n：：：\n", [(3, "E106")], "write ':::'"),
    ("::::note\nx\n:::\n", [(1, "E107")], "4 colons"),
    ("::note\nx\n:::\n", [(1, "E107")], "2 colons"),
    ("a ::: b\n", [(1, "E108")], "':::' inside a line"),
    ("- :::note\n  x\n", [(1, "E108")], "own lines"),
    (":::demo\nx\n:::\n", [(1, "E110")], "':::demo' names no demo; write ':::demo name title'"),
    (
        ":::demo broken T\nx\n:::\n",
        [(1, "E111")],
        "demo 'broken' cannot be rendered: ValueError: no such step",
    ),
    ("a\n\n```py\nx\n", [(3, "E112")], "code fence '```' is never closed"),
    (":::note\n```\nx\n:::\n\n:::key\nk\n:::\n", [(2, "E112")], "code fence '```' is never closed"),
    ("> ~~~\n> x\n\nafter\n", [(1, "E112")], "code fence '~~~' is never closed"),
    ("```py title=x y=!\nx\n```\n", [(1, "E113")], "code fence '```py title=x y=!' has a header"),
    ("a\nb `c\nd\n\n`e`\n", [(2, "E114")], "inline code '`' is never closed in its paragraph"),
    ("| a | b |\n|---|---|\n| `x | y |\n| `z` | y |\n", [(3, "E114")], "inline code"),
    ("a\n\nb <!-- c\n\n:::note\nx\n:::\n", [(3, "E115")], "HTML comment '<!--' is never closed"),
    ("a\n\n<pre>\nx\n", [(3, "E116")], "HTML element '<pre>' is never closed"),
    (":::note\nx\n\n<div>\ny\n:::\n\nz\n", [(4, "E116")], "HTML element '<div>' is never closed"),
    ("a\n\n<section>\n\nb\n", [(3, "E116")], "HTML element '<section>' is never closed"),
    ("a\nthe <BOS> token\n", [(2, "E117")], "'<BOS>' would be read as HTML and show nothing"),
    ("当 a<b 且 c>d 时\n", [(1, "E117")], "'<b 且 c>' would be read as HTML"),
    ("<div>\n\n:::note\nx\n:::\n\n</div>\n", [(3, "E118")], "':::note' stands where blocks are not read"),
    ("a\n\n$$\nx\n\nb\n", [(3, "E120")], "'$$' is never closed"),
    (":::note\n$$\nx\n:::\n", [(2, "E120")], "'$$' is never closed"),
    ("$$\nx\n", [(1, "E120")], "'$$' is never closed"),
    ("a\n$x is\n", [(2, "E121")], "'$' opens no formula"),
    ("a $ x $ b\n", [(1, "E121")], "without spaces at its ends"),
    ("5$ 一个\n", [(1, "E121")], "write '\\$'"),
    ("a\n$\\foo$\n", [(2, "E122")], "formula cannot be read: Unknown command \"\\foo\"; in '\\foo'"),
    ("$$\na\n\\frac{1}\n+ \\foo\n$$\n", [(4, "E122")], "formula cannot be read"),
    ("$$ $$\n", [(1, "E122")], "it is empty"),
    (":::note\n:::answer\nx\n:::\n:::\n", [(2, "E130")], "':::answer' outside of an interview"),
    (":::answer\nx\n:::\n", [(1, "E130")], "put it inside ':::interview'"),
    (":::interview\ntext\n:::\n", [(1, "E131")], "':::interview' has no question"),
    (
        ":::interview\n**Q1：a？**\n\n**Q2：b？**\n:::answer\nx\n:::\n:::\n",
        [(2, "E132")],
        "question 'Q1：a？'",
    ),
    (
        ":::interview\n**Q1：a**\n:::answer\nx\n:::\n:::answer\ny\n:::\n:::\n",
        [(6, "E133")],
        "follows no question",
    ),
    (
        ":::interview\n**Q1：a\n\n:::answer\nx\n:::\n:::\n",
        [(2, "E134")],
        "question 'Q1：a' is not closed; end it with '**'",
    ),
    (":::quiz\nA. a\nB. b\n答案: A\n:::\n", [(1, "E140")], "quiz without a question"),
    (":::quiz\nq\nA. a\n答案: A\n:::\n", [(1, "E141")], "quiz with 1 option(s)"),
    (":::quiz\nq\nA. a\nB. a\n答案: A\n:::\n", [(4, "E142")], "quiz option B repeats A"),
    (":::quiz\nq\nA. a\nA. b\n答案: A\n:::\n", [(4, "E142")], "quiz option A repeats A"),
    (":::quiz\nq\nA. a\nC. b\n答案: A\n:::\n", [(4, "E143")], "quiz option C where B is next"),
    (":::quiz\nq\nA. a\nB.\n答案: A\n:::\n", [(4, "E144")], "quiz option B is empty"),
    (":::quiz\nq\nA. a\nB. b\n:::\n", [(1, "E145")], "quiz without an answer"),
    (
        ":::quiz\nq\nA. a\nB. b\n答案: C\n:::\n",
        [(5, "E146")],
        "quiz answer 'C' is no option; the options are A, B",
    ),
    (":::quiz\nq\nA. a\nB. b\n答案:\n:::\n", [(5, "E146")], "quiz answer '' is no option"),
    (":::quiz\nq\nA. a\nB. b\n答案: 都对\n:::\n", [(5, "E146")], "quiz answer '都对' is no option"),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n答案: B\n:::\n", [(6, "E147")], "second '答案' line"),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n\nbecause\n:::\n", [(7, "E148")], "text after the answer"),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n解析:\n:::\n", [(6, "E149")], "explanation of a quiz is empty"),
    (":::quiz\nq\n答案: 都对\n:::\n", [(1, "E141"), (3, "E146")], "or an answer that is a number"),
    (":::quiz\nq\n\n答案: 0.5 左右\n:::\n", [(4, "E151")], "'0.5 左右' is no number with a tolerance; write"),
    (":::quiz\nq\n答案: 0.5 ± x\n:::\n", [(3, "E151")], "write '答案: 0.576 ± 0.001'"),
    (":::quiz\nq\n答案: ∞\n:::\n", [(3, "E151")], "is no number with a tolerance"),
    (":::quiz\nq\n答案: 5 ± -1\n:::\n", [(3, "E151")], "a tolerance of at least 0.5"),
    (
        ":::quiz\nq\n答案: 0.58 ± 0.001\n:::\n",
        [(3, "E151")],
        "with more digits, or a tolerance of at least 0.005",
    ),
    (":::quiz\nq\n答案: 41.9% ± 0.1\n:::\n", [(3, "E151")], "give both a '%', or neither"),
    (":::quiz\nq\n答案: {{0.5 := 1 / 3}} ± 0.1\n:::\n", [(3, "E201")], "printed 0.5"),
    (":::quiz\nq\n答案: {{[1, 2] := [1, 2]}}\n:::\n", [(3, "E151")], "is no number with a tolerance"),
    (
        ":::quiz\nq\nA. a\nB. b\nC. c\n答案: C → A\n:::\n",
        [(6, "E152")],
        "order 'C → A' of a quiz must have each of A, B, C once",
    ),
    (":::quiz\nq\nA. a\nB. b\n答案: B > A > B\n:::\n", [(5, "E152")], "each of A, B once"),
    (":::quiz\nq\nA. a\nB. b\n答案: A -> B\n:::\n", [(5, "E153")], "stand in the right order already"),
    (":::quiz\nq\n答案: (1, 1)\n:::\n", [(3, "E154")], "asks for a cell of 0 tables"),
    (
        ":::quiz\nq\n\n| a |\n|---|\n| b |\n\nand\n\n| a |\n|---|\n| b |\n\n答案: (1, 1)\n:::\n",
        [(14, "E154")],
        "asks for a cell of 2 tables",
    ),
    (
        ":::quiz\nq\n\n| a | b |\n|---|---|\n| c | d |\n\n答案: (2, 1)\n:::\n",
        [(8, "E155")],
        "cell (2,1) is outside of the quiz's table, which has 1 row(s) and 2 column(s)",
    ),
    (
        ":::quiz\nq\n\n|  | b |\n|---|---|\n| c | d |\n\n答案: 第 1 行第 2 列\n:::\n",
        [(8, "E155")],
        "1 column(s); count from 1, without headers",
    ),
    (
        ":::quiz\nq\n\n| a |\n|---|\n| b |\n\nA. a\nB. b\n答案: (1, 1)\n:::\n",
        [(10, "E156")],
        "quiz with options and the answer '(1, 1)'",
    ),
    (
        ":::quiz\nq\nA. a\nB. b\n答案: A\n解析 C: x\n:::\n",
        [(6, "E157")],
        "'C', which is no answer to this quiz",
    ),
    (
        ":::quiz\nq\nA. a\nB. b\n答案: A\n解析 (1, 2): x\n:::\n",
        [(6, "E157")],
        "write the letter of an option",
    ),
    (":::quiz\nq\n答案: 5\n解析 A: x\n:::\n", [(4, "E157")], "write a wrong number"),
    (
        ":::quiz\nq\nA. a\nB. b\nC. c\n答案: A\n解析 B, C: x\n:::\n",
        [(7, "E157")],
        "explanation of 'B, C', which is no answer to this quiz; write the letter of an option",
    ),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n解析 Ｂ：x\n:::\n", [(6, "E157")], "'Ｂ'"),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n解析: x\n解析: y\n:::\n", [(7, "E158")], "of 'all answers'"),
    (
        ":::quiz\nq\n\n| a |\n|---|\n| b |\n\n答案: (1, 1)\n解析 (0, 1): x\n:::\n",
        [(9, "E155")],
        "cell (0,1) is outside of the quiz's table",
    ),
    (
        ":::quiz\nq\n\n| a |\n|---|\n| b |\n\n答案: (1, 1)\n解析 (1, 2): x\n:::\n",
        [(9, "E155")],
        "1 row(s) and 1 column(s)",
    ),
    (":::quiz\nq\n答案: 5%\n解析 6: x\n:::\n", [(4, "E157")], "with '%' where the answer has it"),
    (":::quiz\nq\nA. a\nB. b\n答案: B → A\n解析 A: x\n:::\n", [(6, "E157")], "one explanation for all"),
    (
        ":::quiz\nq\n\n| a |\n|---|\n| b |\n\n答案: (1, 1)\n解析 5: x\n:::\n",
        [(9, "E157")],
        "write a cell: '解析 (1, 2): …'",
    ),
    (
        ":::quiz\nq\nA. a\nB. b\n答案: A\n解析 B: x\n解析 b: y\n:::\n",
        [(7, "E158")],
        "second explanation of 'b'",
    ),
    (":::quiz\nq\nA. a\nB. b\n答案: A\n解析 B:\n:::\n", [(6, "E149")], "explanation of a quiz is empty"),
    (":::related\n依赖 | a\nSoftmax\n:::\n", [(3, "E150")], "write 'label | term, term'"),
    (":::related\n- 依赖 | a\n:::\n", [(2, "E150")], "write 'label | term, term'"),
    (":::related\n依赖 | ，\n:::\n", [(2, "E150")], "without label and terms"),
    ("a\n\n{{0.5 := 1 / 3}}\n", [(3, "E201")], "printed 0.5, computed 0.3333333333333333 from '1 / 3'"),
    ("$$\nx =\n{{0.5 := 1 / 3}}\n$$\n", [(3, "E201")], "printed 0.5"),
    ("{{0.5 := 1 / 0}}\n", [(1, "E202")], "'1 / 0' fails: ZeroDivisionError: division by zero"),
    ("{{0.5 := nope}}\n", [(1, "E202")], "NameError: name 'nope' is not defined"),
    ("{{0.5 := 1 +}}\n", [(1, "E202")], "'1 +' fails: SyntaxError: invalid syntax; correct it"),
    ("{{0.5 :=}}\n", [(1, "E202")], "'' fails: SyntaxError: nothing stands after ':='"),
    ("{{:= }}\n", [(1, "E202")], "'' fails: SyntaxError: nothing stands after ':='"),
    ("{{０.５ := 0.5}}\n", [(1, "E203")], "write '0.5'"),
    ("{{0.5 := open('x')}}\n", [(1, "E202")], "name 'open' is not defined"),
    ("{{half := 0.5}}\n", [(1, "E203")], "'half' cannot be compared with 0.5"),
    ("{{0.5 := [0.5]}}\n", [(1, "E203")], "print a list in brackets"),
    ("a {{0.5 := 1\n", [(1, "E204")], "'{{' with ':=' is never closed; close it with '}}'"),
    ("{{:= 0.5}}\n", [(1, "E205")], "write one, as in '{{:.3f := x}}'"),
    ("{{:d := 0.5}}\n", [(1, "E205")], "format 'd' does not fit 0.5"),
    ("a\n\n:::source\n:::\n", [(3, "E230")], "write ':::source function, function title'"),
    ("a\n\n:::source softmax T\n:::\n", [(3, "E231")], "'softmax' is no function or class"),
]


@pytest.mark.parametrize(
    ("source", "codes", "words"), CASES, ids=[f"{c[1][0][1]}-{n}" for n, c in enumerate(CASES)]
)
def test_message(render: Any, source: str, codes: list[tuple[int, str]], words: str) -> None:
    page = render(source, dedent=False)
    assert page.codes == codes, page.problems
    assert words in page.problems[0]


def test_every_code_has_a_test() -> None:
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {code for text in texts for code in re.findall(r"E\d{3}", text)}
    assert {code.number for code in Code} - named == set()


def test_codes_are_unique() -> None:
    numbers = [code.number for code in Code]
    assert len(numbers) == len(set(numbers))


def test_all_problems_of_a_page_at_once_in_the_order_of_lines() -> None:
    source = ":::noet\nx\n:::\n\n$x\n\n:::note\n`y\n"
    with pytest.raises(CourseError) as raised:
        markdown.markdown(source, extensions=["course_markdown"])
    told = [(problem.line, problem.number) for problem in raised.value.problems]
    assert told == [(1, "E101"), (5, "E121"), (7, "E103"), (8, "E114")]
    assert str(raised.value).splitlines()[0].startswith("<markdown>:1: E101 unknown block ':::noet'")


def test_lines_of_front_matter_are_counted(render: Any) -> None:
    from course_markdown.site import Site

    site = Site()
    site.open("docs/a.md", "a.md", 8)
    md = markdown.Markdown(
        extensions=["course_markdown"], extension_configs={"course_markdown": {"site": site}}
    )
    md.convert("a\n\n:::noet\nx\n:::\n")
    assert str(site.problems[0]).startswith("docs/a.md:10: E101 ")


def test_lines_of_windows_files_are_counted(render: Any) -> None:
    assert render("a\r\n\r\n:::noet\r\nx\r\n:::\r\n", dedent=False).codes == [(3, "E101")]


def test_a_quiz_left_open_is_no_wrong_quiz(render: Any) -> None:
    assert render(":::quiz\nq\nA. a\n\n## Next\n\n:::note\nx\n:::\n").codes == [(1, "E103")]


def test_an_answer_left_open_is_no_answer_outside(render: Any) -> None:
    source = ":::interview\n**Q1：a**\n:::answer\nx\n\n**Q2：b**\n:::answer\ny\n:::\n:::\n"
    assert render(source).codes == [(1, "E103")]


def test_what_follows_an_open_code_fence_is_still_read(render: Any) -> None:
    page = render(":::note\n```\nx $y\n:::\n\n:::noet\nz\n:::\n")
    assert page.codes == [(2, "E112"), (6, "E101")]
