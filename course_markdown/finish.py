"""The last look at a page's tree: tokens become HTML, labels of headings are set, problems are raised."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as etree
from html import escape

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from course_markdown.checked import checked_tex, number_html, number_text
from course_markdown.citations import citation_text
from course_markdown.cjk import join_lines
from course_markdown.errors import Code, CourseError
from course_markdown.formulas import DisplayFormula, FormulaError, characters, mathml, plain
from course_markdown.page import Page
from course_markdown.proof.check import proofread
from course_markdown.proof.spans import Span
from course_markdown.reading import insert
from course_markdown.tokens import BLOCK, BODY, OURS, TOKEN, Citation, Formula, Inline, Number

CODE = frozenset(("code", "pre", "script", "style", "textarea"))
NO_BUTTON = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "a", "summary", "button", "option", "label"))
HEADING = re.compile("h[1-6]")
HEADING_ATTRIBUTES = re.compile(r"\s*\{:?[^{}\n]*\}\s*$")
# A browser may break a line at either side of a formula or a button, where Chinese punctuation forbids it
KEPT = re.compile(
    rf"(?P<before>[（「『《]?){TOKEN.pattern.replace('(', '(?P<token>')}"
    r"(?P<after>[，。、；：！？）」』》％]*)"
)
RAW = re.compile(r"<(code|pre|script|style|textarea)\b.*?</\1>|<[^<>]*>|[^<]+|<", re.DOTALL | re.IGNORECASE)


class Finish(Treeprocessor):
    """Runs after inline patterns and before the table of contents."""

    page: Page

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.md: Markdown = md
        self.spans: list[Span] = []  # of a page that is proofread
        self.reading = ""  # the line below the title

    def run(self, root: etree.Element) -> None:
        join_lines(root)
        self._visit(root, code=False, button=True)
        self._raw_html()
        if self.reading:
            insert(root, self.reading)
        if self.page.site.strict:
            proofread(self.spans, self.page)
        if self.page.scripted:
            script = etree.SubElement(
                root, "script", {"type": "application/json", "class": "course-messages"}
            )
            words = json.dumps(self.page.labels.browser, ensure_ascii=False)
            script.text = AtomicString(words.replace("<", "\\u003c"))
        if self.page.raises and self.page.site.problems:
            raise CourseError(self.page.site.problems)

    def _visit(self, part: etree.Element, *, code: bool, button: bool) -> None:
        tag = part.tag
        code, button = code or tag in CODE, button and tag not in NO_BUTTON
        if HEADING.fullmatch(tag) and any(TOKEN.search(text) for text in part.itertext()):
            words = HEADING_ATTRIBUTES.sub("", "".join(part.itertext()))  # attr_list takes them away later
            part.attrib.setdefault("data-toc-label", self._plain(words))
        for name, value in part.items():
            if TOKEN.search(value):
                part.set(name, self._plain(value) if name != "href" else self.page.tokens.source(value))
        alone = tag == "p" and len(part) == 0
        part.text = self._text(part.text, code, button, alone)
        for child in part:
            self._visit(child, code=code, button=button)
            child.tail = self._text(child.tail, code, button, False)

    def _text(self, text: str | None, code: bool, button: bool, alone: bool) -> str | None:
        if text and BLOCK.search(text):
            text = AtomicString(BLOCK.sub(self._lost_block, text))
        if not text or not TOKEN.search(text):
            return text
        if code:
            return AtomicString(self.page.tokens.source(text))
        wrap = alone and TOKEN.fullmatch(text.strip())  # else a lone formula would lose its paragraph

        def replace(match: re.Match[str]) -> str:
            html = self._html(self.page.tokens.inline[int(match["token"])], button)
            if match["before"] or match["after"]:
                html = f'<span class="keep">{match["before"]}{html}{match["after"]}</span>'
            return str(self.md.htmlStash.store(f"<span>{html}</span>" if wrap else html))

        return KEPT.sub(replace, text)

    def _html(self, item: Inline, button: bool) -> str:
        if isinstance(item, Citation):  # in a link, a heading, raw HTML: elsewhere it is an element already
            return escape(citation_text(item, self.page))
        if isinstance(item, Number):
            return number_html(item, self.page, plain=not button)
        math = self._mathml(item)
        if math is None:
            return f'<code class="course-wrong">{escape(item.source)}</code>'
        self.page.site.characters |= characters(math)
        return math

    def _mathml(self, item: Formula) -> str | None:
        tex = checked_tex(item.tex, item.line, self.page)
        try:
            return mathml(tex, item.display)
        except FormulaError as error:
            shown = " ".join(tex.split())
            self.page.problem(Code.MATH, item.line + error.row, reason=error, tex=shown)
            return None

    def _plain(self, text: str) -> str:
        def replace(match: re.Match[str]) -> str:
            item = self.page.tokens.inline[int(match[1])]
            if isinstance(item, Number):
                found = number_text(item, self.page)
                return found[0] if found else item.printed
            if isinstance(item, Citation):
                return citation_text(item, self.page)
            math = self._mathml(item)
            return plain(math) if math else item.source

        return TOKEN.sub(replace, text)

    def _raw_html(self) -> None:
        """Formulas and numbers in raw HTML; inside of its tags and of code they are text."""
        blocks = self.md.htmlStash.rawHtmlBlocks
        for number, html in enumerate(blocks):
            if isinstance(html, str) and OURS.search(html):
                blocks[number] = RAW.sub(self._raw_part, html)

    def _raw_part(self, match: re.Match[str]) -> str:
        part = BLOCK.sub(self._lost_block, BODY.sub("", match[0]))
        if part.startswith("<"):
            return self.page.tokens.source(part)
        return TOKEN.sub(lambda token: self._html(self.page.tokens.inline[int(token[1])], button=True), part)

    def _lost_block(self, match: re.Match[str]) -> str:
        """A block in raw HTML or indented code: only a formula can be shown there."""
        node = self.page.tokens.blocks[int(match[1])]
        if isinstance(node, DisplayFormula):
            return f'<div class="math-block">{node.token}</div>'
        self.page.problem(Code.BLOCK_LOST, node.line, name=node.name)
        return ""
