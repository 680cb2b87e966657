"""The sources that pages cite: one TOML file, a table a source, with the figures that are quoted from it.

[vaswani2017]
authors = ["Vaswani, Ashish", "Shazeer, Noam", "others"]
year = 2017
title = "Attention Is All You Need"
venue = "NeurIPS"
arxiv = "1706.03762"

[vaswani2017.quoted]
bleu_8_heads = {value = 25.8, where = "Table 3"}
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from course_markdown.errors import Code, Problem, nearest

KEY = re.compile(r"[a-z][a-z0-9_]*")
FIELDS = ("authors", "year", "title", "venue", "arxiv", "url", "quoted")
ARXIV = re.compile(r"\d{4}\.\d{4,5}")
OTHERS = "others"  # ends a list of authors that goes on
DECODE_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True)
class Quoted:
    """A figure that a source states and nobody here can compute, and where it states it."""

    value: float
    where: str


@dataclass(frozen=True)
class Source:
    """One entry. Authors are written `Family, Given`, or a name without a comma, as of an organization."""

    key: str
    line: int
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    arxiv: str = ""
    url: str = ""
    quoted: dict[str, Quoted] = field(default_factory=dict)

    @property
    def cited_as(self) -> str:
        """The authors as a citation names them: one, two, or the first with `et al.`"""
        families = [author.partition(",")[0] for author in self.authors]
        return (
            " & ".join(families) if len(families) < 3 and OTHERS not in families else f"{families[0]} et al."
        )

    @property
    def full_authors(self) -> list[str]:
        """The authors as `Given Family`, without `others`."""
        names = [author.partition(",") for author in self.authors if author != OTHERS]
        return [f"{given.strip()} {family}".strip() for family, _, given in names]

    @property
    def link(self) -> tuple[str, str]:
        """The address, and what is shown for it."""
        return (
            (f"https://arxiv.org/abs/{self.arxiv}", f"arXiv:{self.arxiv}") if self.arxiv else (self.url,) * 2
        )


class Named(SimpleNamespace):
    """Figures by name, for expressions; a wrong name is answered with the one most like it."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"nothing is quoted as '{name}'; {nearest(name, vars(self))}")


@dataclass
class Sources:
    """All that one file holds, and what is wrong with it."""

    path: str
    entries: dict[str, Source] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, code: Code, line: int, **fields: object) -> Problem:
        """A problem in the file."""
        return Problem(self.path, line, code.number, code.message.format(**fields))

    def figures(self) -> Named:
        """`quoted.KEY.NAME` of the expressions in pages."""
        tables = {
            key: Named(**{name: figure.value for name, figure in source.quoted.items()})
            for key, source in self.entries.items()
            if source.quoted
        }
        return Named(**tables)


def read_sources(path: str) -> Sources:
    """The sources in the file at `path`; ValueError if there is none."""
    try:
        stamp = Path(path).stat()
    except OSError as error:
        raise ValueError(
            f"course_markdown: option 'sources': {path} cannot be read: {error.strerror}"
        ) from None
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@cache
def _read(path: str, *stamp: int) -> Sources:
    content, place = Path(path).read_bytes(), Path(path)
    shown = place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place
    sources = Sources(shown.as_posix())
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        sources.problems.append(sources.problem(Code.SOURCE_FILE, line, reason="they are no UTF-8"))
        return sources
    except tomllib.TOMLDecodeError as error:
        found = DECODE_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        sources.problems.append(sources.problem(Code.SOURCE_FILE, line, reason=error))
        return sources
    for key, table in tables.items():
        lines = _Lines(text.splitlines(), key)
        wrong = list(_wrong(key, table))
        for at, what, cure in wrong:
            found_ = sources.problem(Code.SOURCE, lines.of(at), key=key, wrong=what, cure=cure)
            sources.problems.append(found_)
        if not wrong:
            sources.entries[key] = _source(key, lines.of(""), table)
    return sources


def _source(key: str, line: int, table: dict[str, Any]) -> Source:
    quoted = {name: Quoted(**figure) for name, figure in table.get("quoted", {}).items()}
    given = {name: value for name, value in table.items() if name not in ("authors", "quoted")}
    return Source(key=key, line=line, authors=tuple(table["authors"]), quoted=quoted, **given)


def _wrong(key: str, table: Any) -> list[tuple[str, str, str]]:
    """What is wrong with an entry, as (field at which it is told, what, cure)."""
    if not isinstance(table, dict):
        return [("", "is no table", f"write '[{key}]' and its fields below")]
    if not KEY.fullmatch(key):
        return [
            ("", "has a key that cannot be cited", "write small letters, digits and '_', as 'vaswani2017'")
        ]
    found = [
        (name, f"has the unknown field '{name}'", nearest(name, FIELDS))
        for name in table
        if name not in FIELDS
    ]
    authors = table.get("authors")
    if not isinstance(authors, list) or not authors or not all(map(_is_text, authors)):
        found.append(("authors", "has no authors", 'write authors = ["Vaswani, Ashish", "others"]'))
    elif wrong := next((author for author in authors if "，" in author), ""):
        cure = f'write "{re.sub("， *", ", ", wrong)}"'
        found.append(("authors", f"has a full-width comma in '{wrong}'", cure))
    if type(table.get("year")) is not int:
        found.append(("year", "has no year", "write year = 2017"))
    found += [
        (name, f"has no {name}", f'write {name} = "…"')
        for name in ("title", "venue")
        if not _is_text(table.get(name))
    ]
    arxiv, url = table.get("arxiv", ""), table.get("url", "")
    if "arxiv" in table and not (isinstance(arxiv, str) and ARXIV.fullmatch(arxiv)):
        found.append(("arxiv", f"has the arXiv number {arxiv!r}", 'write it as "1706.03762"'))
    if "url" in table and not (isinstance(url, str) and url.startswith("https://")):
        found.append(("url", f"has the address {url!r}", 'write it as "https://…"'))
    if "arxiv" not in table and "url" not in table:
        found.append(("", "cannot be found", 'give it arxiv = "1706.03762" or url = "https://…"'))
    return found + _wrong_figures(table.get("quoted", {}))


def _wrong_figures(quoted: Any) -> list[tuple[str, str, str]]:
    cure = 'write name = {value = 25.8, where = "Table 3"}'
    if not isinstance(quoted, dict):
        return [("quoted", "has quoted figures that are no table", cure)]
    return [
        (name, f"has a quoted figure '{name}' that cannot be read", cure)
        for name, figure in quoted.items()
        if not KEY.fullmatch(name)
        or not isinstance(figure, dict)
        or set(figure) != {"value", "where"}
        or type(figure["value"]) not in (int, float)
        or not _is_text(figure["where"])
    ]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


@dataclass
class _Lines:
    """Where the fields of an entry stand: TOML's own reader does not tell."""

    lines: list[str]
    key: str

    def of(self, name: str) -> int:
        """The line of the field `name`, else that of the entry."""
        opener = re.compile(rf"\s*(\[\s*)?[\"']?{re.escape(self.key)}[\"']?\s*[\].=]")
        first = next((at for at, line in enumerate(self.lines) if opener.match(line)), 0)
        wanted = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=" if name else "(?!)")
        for at in range(first + 1, len(self.lines)):
            line = self.lines[at]
            if wanted.match(line):
                return at + 1
            if line.lstrip().startswith("[") and not opener.match(line):
                break
        return first + 1
