"""The Python-Markdown extension `course_markdown`.

Options in mkdocs.yml (`markdown_extensions: - course_markdown: {lang: zh, …}`):

lang       language of the labels that blocks print: zh or en
boxes      box kinds of the site: a list of {name, title, icon, colour, open}, or a mapping by name
terms      where the words of `:::related`, and the first use of each on a proofread page, lead:
           word -> page below the docs folder, with #anchor
unlinked   those of the terms that are everyday words too: only `:::related` makes links of them
heads      where heads of tables lead, the first of each on a proofread page: {符号: notation.md}
numbers    dotted name of the module whose public names the expressions of checked numbers may use;
           `:::source` shows the source of its functions and classes
elsewhere  modules that the build lacks: snippets that import one are run elsewhere, by tests
sources    the TOML file with the sources that pages cite by `[@key]`; without it, that is text
site       a `course_markdown.site.Site`, from whoever renders many pages; then problems are kept there,
         else they are raised as one CourseError at the end of a page. `collect` each page before the first
         is rendered: `:::bank` shows the questions of all of them, `:::bibliography` the sections that cite
"""

from __future__ import annotations

import xml.etree.ElementTree as etree
from typing import Any

from markdown import Extension, Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions.tables import TableExtension
from markdown.preprocessors import NormalizeWhitespace, Preprocessor
from pymdownx.superfences import SuperFencesBlockPreprocessor  # type: ignore[import-untyped]

from course_markdown.blocks import KINDS
from course_markdown.blocks.box import Box, configured
from course_markdown.builder import Builder
from course_markdown.checked import public_names
from course_markdown.citations import CitationLinks
from course_markdown.citing import bibliography, citing
from course_markdown.collect import questions
from course_markdown.finish import Finish
from course_markdown.glossary import entries
from course_markdown.labels import labels
from course_markdown.lower import lines as lower
from course_markdown.options import term_targets, unlinked_terms, word_list
from course_markdown.page import Page
from course_markdown.proof.headings import check_headings
from course_markdown.proof.sections import sections
from course_markdown.proof.snippets import check_snippets
from course_markdown.proof.spans import spans
from course_markdown.proof.tables import check_tables
from course_markdown.reading import reading_line
from course_markdown.scanner import Scanner
from course_markdown.site import Site
from course_markdown.sources import Sources, read_sources
from course_markdown.term_links import TermLinks
from course_markdown.tokens import BLOCK, BODY, body_mark
from course_markdown.tree import Item


class CourseExtension(Extension):
    """Wires the parts together; see the module's text for the options."""

    def __init__(self, **options: Any) -> None:
        self.config = {
            "lang": ["zh", "language of labels"],
            "boxes": [[], "box kinds of the site"],
            "terms": [{}, "where the words of related lead"],
            "unlinked": [[], "terms whose first use is no link"],
            "heads": [{}, "where heads of tables lead"],
            "numbers": ["", "module with the names of expressions"],
            "elsewhere": [[], "modules whose snippets the build does not run"],
            "sources": ["", "file with the sources of citations"],
            "site": ["", "the build that this page belongs to"],
        }
        super().__init__(**options)
        site = self.getConfig("site")
        self.site: Site | None = site if isinstance(site, Site) else None
        self.labels = labels(self.getConfig("lang"))
        boxes = configured(self.getConfig("boxes"))
        if clash := sorted(name for name in boxes if name in KINDS and not hasattr(KINDS[name], "open")):
            raise ValueError(f"course_markdown: box '{clash[0]}' has the name of another kind of block")
        self.kinds = {**KINDS, **boxes}
        self.terms = term_targets(self.getConfig("terms"))
        plain = unlinked_terms(self.getConfig("unlinked"), self.terms)
        self.linked = {term: target for term, target in self.terms.items() if term not in plain}
        self.names = public_names(self.getConfig("numbers"))
        self.elsewhere = frozenset(word_list("elsewhere", self.getConfig("elsewhere")))

    @property
    def sources(self) -> Sources | None:
        """What pages may cite, read with a page: options are checked before their paths are settled."""
        path = str(self.getConfig("sources"))
        return read_sources(path) if path else None

    def extendMarkdown(self, md: Markdown) -> None:  # Python-Markdown's name
        """Register what reads and builds blocks, and fences and tables where the site has not."""
        md.registerExtension(self)
        if not isinstance(_registered(md.preprocessors, "fenced_code_block"), SuperFencesBlockPreprocessor):
            md.registerExtensions(["pymdownx.superfences"], {})
        if not _registered(md.parser.blockprocessors, "table"):
            TableExtension().extendMarkdown(md)
        md.block_level_elements.append("course-demo")
        finish = Finish(md)
        cited = CitationLinks(md)
        blocks = BlockTokens(md.parser)
        terms = TermLinks(md, self.linked, self.getConfig("heads"))
        scan = Scan(md, self, blocks, finish, cited, terms)
        md.preprocessors.register(scan, "course_scan", 26)  # before code fences, 25
        md.preprocessors.register(Split(md, finish), "course_split", 15)  # after raw HTML, 20
        md.parser.blockprocessors.register(blocks, "course_blocks", 89)  # after the indentation of lists, 90
        md.inlinePatterns.register(cited, "course_citations", 125)  # after links, 150 to 170
        md.treeprocessors.register(finish, "course_finish", 18)  # after inline patterns, 20
        md.treeprocessors.register(terms, "course_terms", 7)  # after the ids of headings, 8

    def collect(self, text: str, path: str = "", uri: str = "", first_line: int = 1) -> None:
        """Note what other pages show of the page `text`: its numbered questions, what it cites."""
        if self.site:
            page = self.page(Site(path, uri, first_line))
            source = NormalizeWhitespace(Markdown()).run(text.removeprefix("\ufeff").split("\n"))
            self.note(Scanner(page).scan(source), page, self.site)

    def note(self, items: list[Item], page: Page, site: Site) -> None:
        """Add what other pages show of `items` to `site`; `page` is one that nobody else uses."""
        site.asked += questions(items, page)
        site.entries.update(entries(items, page))
        site.sections.update(sections(items, page))
        if page.sources:
            site.citing += citing(items, page)
        site.bibliography = site.bibliography or bibliography(items, page)

    def page(self, site: Site) -> Page:
        """A new page with this site's kinds and words."""
        fallback = Box("course-wrong", self.labels.label["error_here"])
        sources = self.sources
        names = {**self.names, "quoted": sources.figures()} if sources else self.names
        return Page(
            site,
            self.getConfig("lang"),
            self.labels,
            self.kinds,
            fallback,
            self.terms,
            names,
            sources,
            not self.site,
        )


class Scan(Preprocessor):
    """Lines to lines with tokens; all bodies of blocks follow the page's own text, each behind its mark."""

    def __init__(
        self,
        md: Markdown,
        extension: CourseExtension,
        blocks: BlockTokens,
        finish: Finish,
        cited: CitationLinks,
        terms: TermLinks,
    ) -> None:
        super().__init__(md)
        self.md: Markdown = md
        self.extension = extension
        self.blocks = blocks
        self.finish = finish
        self.cited = cited
        self.terms = terms

    def run(self, lines: list[str]) -> list[str]:
        page = self.extension.page(self.extension.site or Site())
        self.finish.page = self.cited.page = self.terms.page = page
        self.blocks.builder = Builder(self.md, page)
        if lines:
            lines[0] = lines[0].removeprefix("\ufeff")
        items = Scanner(page).scan(lines)
        page.tell(page.sources.problems if page.sources else [])
        if not self.extension.site:  # a page by itself is all there is to collect
            self.extension.note(items, self.extension.page(Site(page.site.path)), page.site)
        if page.site.strict:
            self.finish.spans = list(spans(items, self.extension.page(Site())))
            if list(sections(items, page, told=True)):  # a chapter's page
                self.finish.reading = reading_line(self.finish.spans, items, page.labels)
            check_headings(items, page)
            check_tables(items, page)
            check_snippets(items, page, self.extension.elsewhere)
        out = lower(items, page)
        for number, text in enumerate(page.bodies):
            out += ["", body_mark(number), "", *text.split("\n")]
        return [*out, "", body_mark(len(page.bodies)), ""]


class Split(Preprocessor):
    """Takes the bodies out again, after code fences and raw HTML were taken out of the whole text."""

    def __init__(self, md: Markdown, finish: Finish) -> None:
        super().__init__(md)
        self.finish = finish

    def run(self, lines: list[str]) -> list[str]:
        page = self.finish.page
        page.bad_fences({line.lstrip(" >").rstrip() for line in lines if "```" in line or "~~~" in line})
        parts = BODY.split("\n".join(lines))
        texts = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
        if len(texts) <= len(page.bodies):
            page.open_html(self.md.is_block_level)
        page.bodies = [texts.get(number, "").strip("\n") for number in range(len(page.bodies))]
        return parts[0].split("\n")


class BlockTokens(BlockProcessor):
    """A token that stands for a block becomes the block's element."""

    builder: Builder

    def test(self, parent: etree.Element, block: str) -> bool:
        return BLOCK.fullmatch(block.strip("\n")) is not None

    def run(self, parent: etree.Element, blocks: list[str]) -> None:
        match = BLOCK.fullmatch(blocks.pop(0).strip("\n"))
        if match:
            self.builder.page.tokens.blocks[int(match[1])].build(parent, self.builder)


def _registered(registry: Any, name: str) -> Any:
    return registry[name] if name in registry else None  # noqa: SIM401  # a Registry has no get


def makeExtension(**options: Any) -> CourseExtension:  # Python-Markdown's name
    """Python-Markdown's way in."""
    return CourseExtension(**options)
