"""The thin MkDocs plugin: tells the Markdown extension which page it reads, and MkDocs what is wrong with it.

`mkdocs build` writes every page, prints all messages and ends with status 1; `mkdocs serve` goes on.
Both show a page's messages at its top.
"""

from __future__ import annotations

import json
import logging
from html import escape
from pathlib import Path
from typing import Literal

from mkdocs.config.base import Config
from mkdocs.config.config_options import Choice, ListOfItems, Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.meta import get_data
from mkdocs.utils.templates import TemplateContext
from mkdocs.utils.yaml import yaml_load

import demos
from course_markdown import makeExtension
from course_markdown.errors import Code, Problem
from course_markdown.labels import labels
from course_markdown.math_font import cached_font
from course_markdown.proof.links import anchors, dead_links, dead_terms
from course_markdown.proof.numbers import summary
from course_markdown.site import Site
from demos.kit import LANGUAGES, load, names

from .errors import PrepareError
from .prepare import prepare
from .readable import has_front_matter_left, wrong_encoding
from .searchable import searchable, without_search_attributes

EXTENSION = "course_markdown"
FONT = "assets/generated/fonts/math.woff2"

TEMPLATE = "embed.html"
EMBEDDED = """---
title: {quoted}
template: {template}
search: {{exclude: true}}
---

# {title}

:::demo {name}
:::
"""

log = logging.getLogger("mkdocs.plugins.course")


class CourseConfig(Config):
    """Options of the plugin in mkdocs.yml."""

    cache = Type(str, default=".cache")
    # Languages for which this site ships Python and frames; none where it uses those of another edition.
    live = ListOfItems(Choice(LANGUAGES), default=["zh"])
    # Pages of the nav are proofread: every number is checked, the text keeps the rules. Not inherited:
    # an edition says so itself, when it is ready for it.
    strict = Type(bool, default=False)


class CoursePlugin(BasePlugin[CourseConfig]):
    """Events in the order in which MkDocs sends them."""

    def __init__(self) -> None:
        self.site = Site()
        self.serving = False
        self.lang = "zh"
        self.proofread: set[str] = set()
        self.whole = ""  # of the page that the search reads

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """A new `Site` for each build, which reaches the extension as one of its options."""
        if EXTENSION not in config.markdown_extensions:
            raise PluginError(f"the plugin 'course' needs '{EXTENSION}' among markdown_extensions")
        self.site = Site()
        options = config.mdx_configs.setdefault(EXTENSION, {})
        options["site"] = self.site
        if options.get("sources"):
            options["sources"] = _sources(options["sources"], config)
        self.lang = options.get("lang", self.lang)
        if self.config.live:
            self._prepare(Path(config.docs_dir) / "assets" / "generated")
        return config

    def _prepare(self, out: Path) -> None:
        """The static files of live demos, before MkDocs collects files."""
        try:
            prepare(Path(demos.__file__).parents[1], out, langs=tuple(self.config.live), log=log.info)
        except PrepareError as error:
            raise PluginError(str(error)) from None

    @event_priority(-100)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Each demo gets a page of its own. A page that is no UTF-8 would end the build without its name."""
        pages = [
            (Path(file.abs_src_path), _shown(file))
            for file in files.documentation_pages()
            if file.abs_src_path
        ]
        if found := [problem for page in pages if (problem := wrong_encoding(*page))]:
            raise PluginError(_told(found))
        if any(Path(folder, TEMPLATE).is_file() for folder in config.theme.dirs):
            self._embed(files, config)
        return files

    def _embed(self, files: Files, config: MkDocsConfig) -> None:
        """A page for each demo alone, which others put into an iframe."""
        for name in names():
            title = load(name).title.in_language(self.lang)
            quoted = json.dumps(title, ensure_ascii=False)  # YAML too, whatever the title holds
            page = EMBEDDED.format(title=title, quoted=quoted, name=name, template=TEMPLATE)
            place = f"embed/{name}.md"
            files.append(File.generated(config, place, content=page, inclusion=InclusionLevel.NOT_IN_NAV))

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Which pages are proofread; then what pages show of each other is collected.

        A page that stands in no nav is then a guest: it may ask the bank's questions again.
        """
        in_nav = self.config.strict and config.nav and _says_strict(config)
        self.proofread = {page.file.src_uri for page in nav.pages} if in_nav else set()
        extension = makeExtension(**config.mdx_configs[EXTENSION])
        for file in files.documentation_pages():
            if self.proofread and file.src_uri not in self.proofread:
                continue
            markdown, _ = get_data(file.content_string)
            extension.collect(markdown, _shown(file), file.src_uri, _first_line(file, markdown))

    @event_priority(100)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Before any other plugin changes the text, so that lines can be counted from the file's first."""
        uri = page.file.src_uri
        first = _first_line(page.file, markdown)
        self.site.open(_shown(page.file), uri, first, strict=uri in self.proofread)
        if has_front_matter_left(markdown):
            code = Code.FRONT_MATTER
            self.site.problems.append(Problem(self.site.path, first, code.number, code.message))

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """The page's problems at its top. Which ids it has is noted for links from elsewhere."""
        self.site.anchors[page.file.src_uri] = anchors(html)
        found = self.site.page_problems()
        if not found:
            return html
        title = labels(self.lang).label["errors"].format(count=len(found))
        rows = "".join(f"<li><code>{escape(str(problem))}</code></li>" for problem in found)
        style = "border: 2px solid #c62828; padding: .5em 1em; overflow-x: auto"
        box = f'<div class="course-errors" role="alert" style="{style}"><p>{title}</p><ul>{rows}</ul></div>'
        return box + html

    @event_priority(50)
    def _for_search(self, context: TemplateContext, *, page: Page, **_: object) -> None:
        """Before the theme's search reads the page: give it the words alone."""
        self.whole = page.content or ""
        page.content = searchable(self.whole)

    @event_priority(-50)
    def _for_readers(self, context: TemplateContext, *, page: Page, **_: object) -> None:
        page.content = without_search_attributes(self.whole)

    on_page_context = CombinedEvent(_for_search, _for_readers)

    def on_env(self, env: object, *, config: MkDocsConfig, files: Files) -> None:
        """All pages are rendered: links are checked, the font for their formulas joins the files."""
        self.site.problems += dead_links(self.site)
        if self.proofread:
            self._check_terms(config)
        cache = Path(config.config_file_path).parent / self.config.cache
        font = cached_font(self.site.characters, cache)
        files.append(File.generated(config, FONT, content=font))

    def _check_terms(self, config: MkDocsConfig) -> None:
        file = Path(config.config_file_path)
        terms = config.mdx_configs[EXTENSION].get("terms", {})
        source = file.read_text(encoding="utf-8") if file.is_file() else ""
        self.site.problems += dead_terms(self.site, terms, file.name, source)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """What is checked on each page, every message of the site, and the end of a build that has any."""
        for path, counts in sorted(self.site.numbers.items()):
            log.info("%s: %s", path, summary(counts))
        end = _told(self.site.problems)
        if self.site.problems and not self.serving:
            raise PluginError(end)


def _told(problems: list[Problem]) -> str:
    """Print each message; the text with which a build ends."""
    for problem in sorted(problems):
        log.error(str(problem))
    return f"{len(problems)} problem(s) in the Markdown of the site"


def _says_strict(config: MkDocsConfig) -> bool:
    """Whether the configuration file itself sets the option `strict`, and not one that it inherits."""
    own = yaml_load(Path(config.config_file_path).read_text(encoding="utf-8"))  # of a text: without INHERIT
    plugins = own.get("plugins") or {}
    named = [plugins] if isinstance(plugins, dict) else [item for item in plugins if isinstance(item, dict)]
    return any("strict" in (plugin.get("course") or {}) for plugin in named)


def _shown(file: File) -> str:
    """How messages name a page."""
    path = Path(file.abs_src_path or file.src_uri)
    return (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix()


def _sources(given: str, config: MkDocsConfig) -> str:
    """The file of sources, beside mkdocs.yml; where an edition inherits its name, beside the demos."""
    folders = Path(config.config_file_path).resolve().parent, Path(demos.__file__).parents[1]
    found = [folder / given for folder in folders if (folder / given).is_file()]
    if not found:
        raise PluginError(f"course_markdown: sources: {given} is not in {' or '.join(map(str, folders))}")
    return str(found[0])


def _first_line(file: File, markdown: str) -> int:
    """The line of the file at which its Markdown begins, after the front matter."""
    return file.content_string.removesuffix(markdown).count("\n") + 1
