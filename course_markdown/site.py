"""What outlives one page: which page is read now, what is wrong so far, what characters formulas use."""

from __future__ import annotations

import posixpath
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from course_markdown.errors import Problem

if TYPE_CHECKING:
    from course_markdown.glossary import Entry
    from course_markdown.proof.links import Link
    from course_markdown.proof.sections import Section


@dataclass(frozen=True)
class Asked:
    """A numbered interview question, where it stands, and its short answer (empty if it has none).

    text   the question as it was written, with its number
    short  the first paragraph of the answer, which is bold
    """

    number: int
    text: str
    short: str
    ident: str
    path: str
    uri: str
    line: int


@dataclass(frozen=True)
class Citing:
    """A section that cites the source `key`: its title as it was written, its id (or none) and page."""

    key: str
    title: str
    ident: str
    uri: str


@dataclass(frozen=True)
class Home:
    """Where the site lists its sources."""

    path: str
    uri: str
    line: int


@dataclass
class Site:
    """One build of a site. Whoever renders the pages keeps it, tells it each page, and reads the problems.

    path        how messages name the page
    uri         the page below the docs folder, which links to other pages start from
    first_line  the number of the first line that the extension gets (front matter is cut off before)
    strict      whether the page is proofread: its numbers are checked and its text keeps the rules
    numbers     how many numbers of each proofread page are covered by what, by the page's path
    asked       the numbered interview questions of all pages, collected before the first is rendered
    entries     what the glossary says of each term, collected likewise, by page and anchor
    sections    the numbered sections of all pages, collected likewise
    links       the links of proofread pages to an anchor; `anchors` are those of each rendered page
    citing      the sections that cite a source, collected likewise; `bibliography` is where they lead
    """

    path: str = "<markdown>"
    uri: str = ""
    first_line: int = 1
    strict: bool = False
    problems: list[Problem] = field(default_factory=list)
    characters: set[str] = field(default_factory=set)
    numbers: dict[str, Counter[str]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    sections: set[Section] = field(default_factory=set)
    links: list[Link] = field(default_factory=list)
    anchors: dict[str, set[str]] = field(default_factory=dict)
    citing: list[Citing] = field(default_factory=list)
    bibliography: Home | None = None

    def open(self, path: str, uri: str, first_line: int, *, strict: bool = False) -> None:
        """From now on `uri` is rendered."""
        self.path, self.uri, self.first_line, self.strict = path, uri, first_line, strict

    def page_problems(self) -> list[Problem]:
        """The problems of the page that is rendered now, in the order of its lines."""
        return sorted(problem for problem in self.problems if problem.path == self.path)

    def link(self, target: str) -> str:
        """`target`, given from the docs folder, as a link from this page."""
        page, hash_, anchor = target.partition("#")
        if "://" in page or page.startswith("/") or not page:
            return target
        return posixpath.relpath(page, posixpath.dirname(self.uri) or ".") + hash_ + anchor


def from_docs(link: str, uri: str) -> str:
    """A link on the page `uri`, as it is from the docs folder."""
    page, hash_, anchor = link.partition("#")
    place = posixpath.normpath(posixpath.join(posixpath.dirname(uri), page)) if page else uri
    return place + hash_ + anchor
