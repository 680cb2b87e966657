"""One pass over a page's lines: which are blocks, which are text, and what was left open."""

from __future__ import annotations

import re
from itertools import count

from course_markdown.containers import MARKER, Stand, stand, without_indent, without_marks
from course_markdown.errors import Code, nearest
from course_markdown.frames import Frame
from course_markdown.page import Page
from course_markdown.regions import FENCE, RAW, Region, comment_start, display_marks
from course_markdown.tree import Block, Fence, Item, Prose

COLONS = re.compile(r"(?P<colons>[:：]{2,})\s*(?P<name>\S*)\s*(?P<title>.*)")


class Scanner:
    """Call `scan(lines)` once; problems go to the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lines: list[str] = []
        self.at = 0  # index of the line that is read
        self.scopes = count(1)
        self.frames = [Frame(None, [], stand(""))]
        self.region: Region | None = None
        self.dead: set[int] = set()  # lines whose comment or HTML element never closes

    def scan(self, lines: list[str]) -> list[Item]:
        """The items of the page, blocks with their own items inside."""
        self.lines = lines
        while self.at < len(lines) or self.region:
            if self.at < len(lines):
                self._step(lines[self.at])
            else:
                self._abandon()
            self.at += 1
        self._leave(1)
        return self.frames[0].items

    @property
    def _top(self) -> Frame:
        return self.frames[-1]

    @property
    def _line(self) -> int:
        return self.at + 1

    def _step(self, line: str) -> None:
        depth, rest = self._reach(line)
        if depth < len(self.frames):
            if self.region:
                return self._abandon()
            if not rest.strip():
                rest = ""  # an empty line between two parts of a quote
            elif not self._lazy(rest):
                self._leave(depth)
        if self.region:
            return self._inside(self.region, rest)
        at = stand(rest)
        if self._colons(at):
            return None
        if self._top.broken:
            at.content = at.content.replace("<", "&lt;")  # or HTML in the code would hide what follows
            return self._top.add_code(self._line, at)
        if self._fence(at) or self._raw(at):
            return None
        return self._prose(at)

    def _reach(self, line: str) -> tuple[int, str]:
        """How many frames the line is in, and the line as the innermost of them sees it."""
        for depth, frame in enumerate(self.frames[1:], 1):
            inner = without_marks(line, frame.stand.marks)
            if inner is None:
                return depth, line
            line = without_indent(inner, frame.stand.inner if frame.stand.marks else frame.stand.outer)
        return len(self.frames), line

    def _lazy(self, rest: str) -> bool:
        """Whether a line without its quote marks continues the quoted paragraph."""
        content = stand(rest).content
        special = COLONS.match(content) or FENCE.match(content) or MARKER.match(content)
        return self._top.open_scope and not special and not content.startswith(("#", ">"))

    def _leave(self, depth: int) -> None:
        """The blocks from `depth` on end here without a closer."""
        for frame in self.frames[depth:]:
            if frame.block:
                self.page.problem(Code.BLOCK_OPEN, frame.block.line, name=frame.block.name)
        del self.frames[depth:]

    def _colons(self, at: Stand) -> bool:
        match = COLONS.match(at.content)
        if not match:
            return False
        colons, name, title = match["colons"], match["name"], match["title"].rstrip()
        if len(colons) == 2 and name.lower() not in self.page.kinds:
            return False
        cure = f":::{name} {title}".rstrip()
        if "：" in colons:
            self.page.problem(Code.FULL_WIDTH, self._line, colons=colons, cure=cure)
        elif colons != ":::":
            self.page.problem(Code.COLON_COUNT, self._line, count=len(colons), cure=cure)
        if name:
            self._open(at, name, title)
        elif len(self.frames) > 1 and not at.marks:
            closed = self.frames.pop()
            if closed.block:
                closed.block.closed = True
        else:
            self.page.problem(Code.CLOSES_NOTHING, self._line)
        return True

    def _open(self, at: Stand, name: str, title: str) -> None:
        if name.lower() not in self.page.kinds:
            cure = nearest(name, self.page.kinds, "':::{}'")
            self.page.problem(Code.UNKNOWN_BLOCK, self._line, name=name, cure=cure)
        inside = tuple(frame.block for frame in self.frames if frame.block)
        block = Block(self._line, self._top.block_prefix(at), name.lower(), title, inside)
        self._top.items.append(block)
        self.frames.append(Frame(block, block.items, at))

    def _fence(self, at: Stand) -> bool:
        match = FENCE.match(at.content)
        if match:
            fence = Fence(self._line, self._top.block_prefix(at), at.content.rstrip(), match["mark"])
            self.page.fences.append((fence.line, fence.opener))
            self.region = Region("code", self.at, len(self._top.items), at, fence)
            self._top.items.append(fence)
        return bool(match)

    def _raw(self, at: Stand) -> bool:
        match = RAW.match(at.content)
        if not match:
            return False
        self._top.open_scope = False
        if self.at in self.dead:
            at.content = at.content.replace("<", "&lt;", 1)
            self._top.add_code(self._line, at)
        else:
            self.region = Region(match[1].lower(), self.at, len(self._top.items), at)
            self._inside(self.region, at.lead + at.content)
        return True

    def _prose(self, at: Stand) -> None:
        start = None if self.at in self.dead else comment_start(at.content)
        if start is None:
            return self._text(at)
        items = len(self._top.items)
        self._text(Stand(at.outer, at.marks, at.inner, at.content[:start], at.lead))
        if not self.region:
            self.region = Region("comment", self.at, items, at)
        return None

    def _text(self, at: Stand) -> None:
        prose = self._top.add(self._line, at, self.scopes)
        if prose:
            self._top.items.append(prose)
            self._display(prose.content)

    def _display(self, content: str) -> None:
        """Formulas of several lines begin and end here."""
        marks = display_marks(content)
        if marks % 2:
            self.region = None if self.region else Region("math", self.at, len(self._top.items), stand(""))
        if marks and not self.region:
            self._top.lists.blank()
            self._top.quoted.blank()

    def _inside(self, region: Region, rest: str) -> None:
        """A line inside of code, a formula, a comment or raw HTML."""
        inner = without_marks(rest, region.at.marks)
        if inner is None:
            return self._abandon()
        if region.fence:
            text = region.code(inner)
            if region.closes_code(text):
                self.region = None
            else:
                region.fence.lines.append(text)
        elif region.kind == "math":
            self._formula_line(stand(rest))
        elif region.kind == "comment":
            _, end, after = inner.partition("-->")
            if end:
                self.region = None
                self._top.open_scope = False
                self._prose(stand(after))
        else:
            before, end, after = region.cut(rest)
            self._top.add_code(self._line, stand(before + end))
            if end:
                self.region = None
                if after.strip():
                    self._prose(stand(after))
        return None

    def _formula_line(self, at: Stand) -> None:
        if not at.content:
            return self._abandon()
        before = self._top.items[-1]
        scope = before.scope if isinstance(before, Prose) else 0
        self._top.items.append(Prose(self._line, at.lead, at.content, scope=scope))
        return self._display(at.content)

    def _abandon(self) -> None:
        """The region was never closed: say so, go back to its first line, take what follows as it comes."""
        region, self.region = self.region, None
        if region is None:
            return
        self.at = region.start
        del self._top.items[region.items :]
        if region.kind == "math":
            return  # reported where formulas are read
        if region.fence:
            self.page.problem(Code.FENCE_OPEN, self._line, fence=region.fence.mark)
            self.page.fences.pop()
            self._top.broken = True
            self._top.add_code(self._line, region.at)
            return
        if region.kind == "comment":
            self.page.problem(Code.COMMENT_OPEN, self._line)
        else:
            self.page.problem(Code.HTML_OPEN, self._line, name=region.kind)
        self.dead.add(self.at)
        self.at -= 1
