"""Every message that a contributor can get, with its stable code and its cure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Code(Enum):
    """`CODE = (number, message)`. A message ends with its cure; `{fields}` are filled where it is raised."""

    ENCODING = ("E100", "the file is not UTF-8; save it in that encoding")
    UNKNOWN_BLOCK = ("E101", "unknown block ':::{name}'; {cure}")
    CLOSES_NOTHING = ("E102", "':::' closes nothing; remove it, or open a block before it")
    BLOCK_OPEN = ("E103", "':::{name}' is never closed; close it with ':::'")
    UNKNOWN_DEMO = ("E104", "demo '{name}' does not exist; {cure}")
    EMPTY_BLOCK = ("E105", "':::{name}' is empty; write its content or remove it")
    FULL_WIDTH = ("E106", "full-width colons '{colons}'; write '{cure}'")
    COLON_COUNT = (
        "E107",
        "{count} colons; a block opens and closes with exactly three, nested ones too: '{cure}'",
    )
    NOT_ALONE = (
        "E108",
        "':::' inside a line; blocks open and close on their own lines, in prose write it between backticks",
    )
    NO_TITLE = ("E109", "':::{name}' has no title; write one after the name: ':::{name} title'")
    DEMO_NAME = ("E110", "':::demo' names no demo; write ':::demo name title'")
    DEMO_FAILED = ("E111", "demo '{name}' cannot be rendered: {reason}; correct the demo")
    FENCE_OPEN = ("E112", "code fence '{fence}' is never closed; close it with '{fence}'")
    FENCE_HEADER = (
        "E113",
        "code fence '{fence}' has a header that cannot be read; write a language, then name=\"value\"",
    )
    CODE_OPEN = ("E114", "inline code '{ticks}' is never closed in its paragraph; close it, or write '\\`'")
    COMMENT_OPEN = ("E115", "HTML comment '<!--' is never closed; close it with '-->'")
    HTML_OPEN = (
        "E116",
        "HTML element '<{name}>' is never closed and hides what follows; close it with '</{name}>'",
    )
    HTML_UNKNOWN = (
        "E117",
        "'{tag}' would be read as HTML and show nothing; put it between backticks, or write '&lt;'",
    )
    BLOCK_LOST = (
        "E118",
        "':::{name}' stands where blocks are not read, inside HTML or indented code; "
        'give that HTML element the attribute markdown="1", or move the block',
    )
    MATH_OPEN = (
        "E120",
        "'$$' is never closed; close it with '$$' (a formula has no empty line inside)",
    )
    DOLLAR = (
        "E121",
        "'$' opens no formula: a formula is '$x$', closed in its paragraph and without spaces at its ends; "
        "for a dollar sign write '\\$'",
    )
    MATH = ("E122", "formula cannot be read: {reason}; in '{tex}'")
    FRONT_MATTER = (
        "E123",
        "the lines between '---' cannot be read as YAML; write 'title: …', and a value with ': ' in quotes",
    )
    ANSWER_OUTSIDE = (
        "E130",
        "':::answer' outside of an interview; put it inside ':::interview', after its question",
    )
    NO_QUESTION = ("E131", "':::interview' has no question; write '**Q1：…**', then ':::answer'")
    NO_ANSWER = ("E132", "question '{question}' has no answer; write ':::answer' after it")
    ANSWER_FIRST = ("E133", "':::answer' follows no question of its own; write '**Q1：…**' before it")
    QUESTION_OPEN = ("E134", "question '{question}' is not closed; end it with '**'")
    QUIZ_QUESTION = ("E140", "quiz without a question; write it before option 'A.'")
    QUIZ_OPTIONS = (
        "E141",
        "quiz with {count} option(s); it needs at least two, 'A. …' and 'B. …', "
        "or an answer that is a number or the cell of a table",
    )
    QUIZ_SAME = ("E142", "quiz option {letter} repeats {other}; each option differs from the others")
    QUIZ_ORDER = (
        "E143",
        "quiz option {letter} where {expected} is next; letter the options in order from A to H",
    )
    QUIZ_EMPTY = ("E144", "quiz option {letter} is empty; write its text")
    QUIZ_NO_ANSWER = ("E145", "quiz without an answer; write '答案: B' or 'Answer: B' after the options")
    QUIZ_ANSWER = ("E146", "quiz answer '{answer}' is no option; the options are {options}")
    QUIZ_ANSWERS = (
        "E147",
        "quiz with a second '{label}' line; put all right letters into one, or open a new quiz",
    )
    QUIZ_TAIL = (
        "E148",
        "text after the answer of a quiz; begin the explanation with '解析:' or 'Explanation:'",
    )
    QUIZ_WHY = ("E149", "explanation of a quiz is empty; write it, or remove its label")
    RELATED = ("E150", "line of ':::related' without label and terms; write 'label | term, term'")
    QUIZ_NUMBER = ("E151", "quiz answer '{answer}' is no number with a tolerance; {cure}")
    QUIZ_STEPS = (
        "E152",
        "order '{answer}' of a quiz must have each of {options} once; write '答案: C → A → B'",
    )
    QUIZ_SORTED = ("E153", "the steps of a quiz stand in the right order already; give them other letters")
    QUIZ_TABLE = ("E154", "quiz asks for a cell of {count} tables; write one table into its question")
    QUIZ_CELL = (
        "E155",
        "cell ({cell}) is outside of the quiz's table, which has {rows} row(s) and {columns} column(s); "
        "count from 1, without headers",
    )
    QUIZ_MIXED = (
        "E156",
        "quiz with options and the answer '{answer}'; answer with letters, or remove the options",
    )
    QUIZ_REASON = ("E157", "explanation of '{key}', which is no answer to this quiz; {cure}")
    QUIZ_REASONS = ("E158", "second explanation of '{key}'; make one of the two")
    QUIZ_UNEXPLAINED = (
        "E159",
        "nothing explains why option {letter} is wrong; write '解析 {letter}: …' after the answer",
    )
    BANK_ROW = (
        "E160",
        "line of ':::bank' without a title and numbers; write 'A 组：基础 | 1–10, 12'",
    )
    BANK_AGAIN = ("E161", "Q{number} stands in a group already; remove one of the two")
    BANK_GAP = ("E162", "the groups leave out Q{number}; add it to one of them")
    BANK_UNASKED = (
        "E163",
        "no page asks Q{number}; write '**Q{number}：…**' in an interview, or take it out of the bank",
    )
    BANK_TWICE = ("E164", "Q{number} is asked at {path}:{line} already; give one of the two another number")
    BANK_STRAY = ("E165", "Q{number} is in no group of the bank; add it to one in {path}:{line}")
    BANK_SHORT = (
        "E166",
        "the answer to Q{number} begins with no short answer for the bank; write a first paragraph '**…**'",
    )
    CITATION = ("E170", "no source has the key '{key}'; {cure}")
    CITATION_FORM = ("E171", "citation '{source}' cannot be read; write '[@key]' or '[@key, 3.2 节; @other]'")
    SOURCE_FILE = ("E172", "the sources cannot be read: {reason}; correct the TOML")
    SOURCE = ("E173", "source '{key}' {wrong}; {cure}")
    UNCITED = ("E174", "no page cites the source '{key}'; write '[@{key}]' where it is used, or remove it")
    BIBLIOGRAPHY = (
        "E175",
        "':::bibliography' without sources; give the extension the option 'sources', the TOML file with them",
    )
    BIBLIOGRAPHY_TWICE = ("E176", "the sources are listed at {place} already; remove one of the two")
    NUMBER = (
        "E201",
        "printed {printed}, computed {value} from '{expression}'; correct the one that is wrong",
    )
    EXPRESSION = ("E202", "'{expression}' fails: {reason}; correct it")
    NUMBER_FORM = ("E203", "'{printed}' cannot be compared with {value} from '{expression}'; {cure}")
    NUMBER_OPEN = ("E204", "'{{{{' with ':=' is never closed; close it with '}}}}'")
    LOOSE_NUMBER = (
        "E210",
        "nothing checks {printed}; write '{{{{{printed} := expression}}}}' "
        "(CONTRIBUTING.md lists the numbers that need none)",
    )
    TALLY = ("E211", "{printed} questions, but the pages ask {count}; write {count}")
    NUMBER_FORMAT = ("E205", "format '{format}' does not fit {value} from '{expression}'; {cure}")
    SNIPPET_OUTPUT = (
        "E220",
        "the code prints '{printed}', its comment says '{shown}'; correct the one that is wrong",
    )
    SNIPPET_FAILED = ("E221", "the code fails: {reason}; correct it")
    SNIPPET_SILENT = (
        "E222",
        "nothing shows that the code prints '{printed}'; "
        "write it as a comment behind the print, or below it line by line",
    )
    SNIPPET_LANGUAGE = (
        "E223",
        "code in '{language}' is not run; write 'python', or 'text' for what is not to be run",
    )
    SOURCE_NAME = ("E230", "':::source' names nothing; write ':::source function, function title'")
    UNKNOWN_SOURCE = ("E231", "'{name}' is no function or class whose source can be shown; {cure}")
    WORD = ("E240", "'{found}' in '{near}'; write {right}")
    TOKEN_FIRST = ("E241", "first use of the word on this page, in '{near}'; write '词元（token）'")
    TOKEN_AGAIN = ("E242", "'{found}' again, in '{near}'; after the first use write 'token'")
    HALF_WIDTH = ("E243", "half-width punctuation beside Chinese in '{near}'; write '{cure}'")
    FULL_IN_LATIN = ("E244", "full-width '{found}' in '{near}'; write '{cure}'")
    QUOTES = ("E245", "{found} as quotation mark in '{near}'; write 「…」")
    DOTS = ("E246", "'{found}' in '{near}'; an ellipsis in Chinese is '……'")
    DASH = ("E247", "'{found}' in '{near}'; a dash in Chinese is '——'")
    NO_SPACE = ("E248", "no space between Chinese and Latin, code or formula in '{near}'; write '{cure}'")
    SPACE = ("E249", "a space in '{near}' where Chinese has none; write '{cure}'")
    DOUBLE_SPACE = ("E250", "two spaces in '{near}'; write one")
    STRANGE = ("E251", "{found} in '{near}'; remove it, or write a space")
    RELATED_TERM = (
        "E260",
        "'{term}' is no term of this site; {cure} Terms stand in mkdocs.yml, their entries in the glossary",
    )

    TERM_ANCHOR = ("E261", "term '{written}' leads to '#{anchor}', which {uri} does not have; {cure}")
    ANCHOR = ("E262", "link to '{written}', but {uri} has no '#{anchor}'; {cure}")
    SECTION_LINK = ("E263", "link named {section} leads to '{target}'; lead it to '#{ident}' or below")
    SECTION_ID = ("E264", "heading {section} has another id than its number; end it with '{{#{ident}}}'")
    SECTION = ("E265", "there is no section {section}; name one of {first} to {last}")

    DEMO_STATE = ("E266", "link '{written}' names a state that the demo cannot show: {reason}")
    NO_WORDS = ("E267", "a heading without words; write them, or remove '{marks}'")
    HEADING_ID = (
        "E268",
        "the id of this heading cannot be read; end the line with a space and '{{#id}}'",
    )
    SAME_ID = (
        "E269",
        "the heading at line {first} has the id '{ident}' already; give one of the two another",
    )
    LEFT = ("E270", "'{found}' would be shown as it stands; {cure}")
    NO_TABLE = (
        "E272",
        "a row that is in no table; put an empty line before the table, and below its first row "
        "'| --- | --- |' with as many cells",
    )
    CELLS = (
        "E271",
        "row of {count} cells in a table of {columns} columns, which drops the rest; "
        "remove cells, or write '\\|' for a bar inside one",
    )

    def __init__(self, number: str, message: str) -> None:
        self.number = number
        self.message = message


LISTED = 40  # names that a message lists at most
ELSEWHERE = -1_000_000  # the line of text from another page, whose problems are told where it stands


@dataclass(frozen=True, order=True)
class Problem:
    """One message at one place."""

    path: str
    line: int
    number: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.number} {self.text}"


class CourseError(Exception):
    """All problems of one page, one a line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))


def nearest(name: str, known: Iterable[str], shape: str = "'{}'") -> str:
    """The cure for a wrong name: the known name most like it, else all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {shape.format(close[0])}?"
    listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
    return f"known are {listed}" if names else "none is known"
