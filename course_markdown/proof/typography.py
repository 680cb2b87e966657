"""How Chinese is set: full-width punctuation, one space beside Latin and code, 「」, …… and ——."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from course_markdown.errors import Code
from course_markdown.page import Page
from course_markdown.proof.paragraphs import CODE, MATH, NUMBER, SHOWN, Paragraph

HAN = "\u3400-\u9fff"
WIDE = "，。：；！？、（）「」『』《》"
LATIN = rf"A-Za-z0-9Α-ωϕ√∞{CODE}{MATH}{NUMBER}"
FULL = {",": "，", ":": "：", ";": "；", "!": "！", "?": "？", "(": "（", ")": "）", ".": "。"}

# What is wrong in Chinese: each group has the name of its code.
CHINESE = re.compile(
    rf"(?P<HALF_WIDTH>[{HAN}](?:[,:;!?()]|\.(?=[\s|{HAN}]|$))|(?:[,:;!?] ?|[()])[{HAN}])"
    rf"|(?P<NO_SPACE>[{HAN}][{LATIN}]|[{LATIN}%][{HAN}])"
    rf"|(?P<SPACE>(?<=[{HAN}{LATIN}{WIDE}%]) +(?=[{WIDE}])|(?<=[{WIDE}]) +(?=[{HAN}{LATIN}{WIDE}]))"
    rf"|(?P<BETWEEN>(?<=[{HAN}]) +(?=[{HAN}]))"
    rf"|(?P<QUOTES>[“”]|[{HAN}{WIDE}][‘’]|[‘’][{HAN}{WIDE}]|[{HAN}{WIDE}]\"|\"[{HAN}{WIDE}])"
    rf"|(?P<DOTS>\.{{3,}}|[{HAN}]…(?!…))"
    rf"|(?P<DASH>[{HAN}](?:—(?!—)|--+)|(?<!—)—[{HAN}]|--[{HAN}])"
)
DOUBLE_SPACE = re.compile(r"(?<=[^\s|])  +(?=[^\s|])")
# A cell or line without Chinese: full-width signs belong to it only in names that a Chinese list joins.
LATIN_LINE = re.compile(rf"(?:^|(?<=[|\n]))(?=[^\n|]*[A-Za-z]{{2,}} +[A-Za-z]{{2,}})[^{HAN}|\n]+(?=[|\n]|$)")
WIDE_END = re.compile("[，。；！？](?![^（]*）)")  # （Ainslie et al., 2023；Shazeer, 2019） is Chinese
WIDE_ANY = re.compile(f"[{WIDE}]|……|——")
# The space of a full width, and characters that nobody sees.
STRANGE = re.compile("[\u3000\u200b\u2060\ufeff\u00ad\u202a-\u202e\u0000-\u0008\u000b-\u001f\u007f]")
WIDE_LETTER = re.compile("[Ａ-Ｚａ-ｚ０-９]+")


def check_typography(paragraphs: Iterable[Paragraph], page: Page) -> None:
    """Note what is set in another way than the pages of this language set it."""
    for paragraph in paragraphs:
        text = paragraph.text
        for found in CHINESE.finditer(text) if page.lang == "zh" else ():
            if found.lastgroup != "BETWEEN":
                _tell(Code[str(found.lastgroup)], paragraph, found.span(), page)
            elif paragraph.unquoted[found.start() - 1] != " ":  # the words of 「猫 追 狗」 are apart
                _tell(Code.SPACE, paragraph, found.span(), page)
        for found in DOUBLE_SPACE.finditer(text):
            _tell(Code.DOUBLE_SPACE, paragraph, found.span(), page)
        for found in STRANGE.finditer(text):
            near = paragraph.near(*found.span()).translate(dict.fromkeys(map(ord, found[0])))
            name = f"U+{ord(found[0]):04X} {unicodedata.name(found[0], 'control character')}"
            page.problem(Code.STRANGE, paragraph.line_at(found.start()), found=name, near=near)
        if not text.isascii():
            for span in _wide_in_latin(text, page.lang):
                _tell(Code.FULL_IN_LATIN, paragraph, span, page)


def _wide_in_latin(text: str, lang: str) -> Iterator[tuple[int, int]]:
    wide = WIDE_END if lang == "zh" else WIDE_ANY
    yield from (found.span() for found in WIDE_LETTER.finditer(text))
    for line in LATIN_LINE.finditer(text):
        yield from (found.span() for found in wide.finditer(text, line.start(), line.end()))


def _tell(code: Code, paragraph: Paragraph, span: tuple[int, int], page: Page) -> None:
    start, end = span
    found = paragraph.text[start:end]
    cure = paragraph.text[start - 1] + paragraph.text[end] if code is Code.SPACE else _cure(code, found)
    near, cure = paragraph.near(start, end), cure.translate(SHOWN)
    page.problem(code, paragraph.line_at(start), found=found, near=near, cure=cure)


def _cure(code: Code, found: str) -> str:
    if code is Code.HALF_WIDTH:
        return "".join(FULL.get(char, char) for char in found if char != " ").strip()
    if code is Code.FULL_IN_LATIN:
        return unicodedata.normalize("NFKC", found).replace("。", ".").replace("、", ",").strip()
    if code is Code.NO_SPACE:
        return f"{found[0]} {found[1]}"
    return found.strip()
