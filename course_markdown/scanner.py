"""One pass over a page's lines: which are blocks, which are text, and what was left open."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course_markdown.containers import MARKER, TAB, Lists, Stand, stand, without_indent, without_marks
from course_markdown.errors import Code, nearest
from course_markdown.page import Page
from course_markdown.tree import Block, Fence, Item, Prose

COLONS = re.compile(r"(?P<colons>[:：]{2,})\s*(?P<name>\S*)\s*(?P<title>.*)")
FENCE = re.compile(r"(?P<mark>`{3,}(?!.*`)|~{3,})")
RAW = re.compile(r"<(pre|script|style|textarea)\b", re.IGNORECASE)
TABLE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
COMMENT = re.compile(r"\\.|(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?-->|(?P<open><!--)")
DISPLAY = re.compile(r"\\.|(`+)(?!`).*?(?<!`)\1(?!`)|(?P<display>\$\$)")


@dataclass
class Frame:
    """A block that is open, or the page itself: where its lines start and what was seen of them."""

    block: Block | None
    items: list[Item]
    stand: Stand
    lists: Lists = field(default_factory=Lists)
    quoted: Lists = field(default_factory=Lists)
    marks: int = 0  # quote marks of the line before, inside of this frame
    open_scope: bool = False
    table: bool = False
    broken: bool = False  # after a code fence that never closes: text, but colons still count

    def enter(self, at: Stand) -> bool:
        """Note the quote marks of a line; whether they differ from those of the line before."""
        changed = at.marks != self.marks
        if changed:
            self.marks, self.quoted = at.marks, Lists()
        return changed

    def prefix(self, at: Stand, outer: int, inner: int) -> str:
        return " " * TAB * outer + "> " * at.marks + " " * TAB * inner


@dataclass
class Region:
    """Lines that are text whatever they hold: what it is, where it began, and the items before it."""

    kind: str  # "code", "math", "comment" or the name of an HTML element
    start: int
    items: int
    at: Stand
    fence: Fence | None = None


class Scanner:
    """Call `scan(lines)` once; problems go to the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lines: list[str] = []
        self.at = 0
        self.scope = 0
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
            return self._inside(rest)
        at = stand(rest)
        if self._colons(at):
            return None
        if self._top.broken:
            return self._verbatim(at)
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
        special = (
            content.startswith((":::", "：：：", "#", ">")) or FENCE.match(content) or MARKER.match(content)
        )
        return self._top.open_scope and not special

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
        if colons != ":::":
            cure = f":::{name} {title}".rstrip()
            if "：" in colons:
                self.page.problem(Code.FULL_WIDTH, self.at + 1, colons=colons, cure=cure)
            else:
                self.page.problem(Code.COLON_COUNT, self.at + 1, count=len(colons), cure=cure)
        if name:
            self._open(at, name, title)
        elif len(self.frames) > 1 and not at.marks:
            closed = self.frames.pop()
            if closed.block:
                closed.block.closed = True
        else:
            self.page.problem(Code.CLOSES_NOTHING, self.at + 1)
        return True

    def _open(self, at: Stand, name: str, title: str) -> None:
        if name.lower() not in self.page.kinds:
            cure = nearest(name, self.page.kinds, "':::{}'")
            self.page.problem(Code.UNKNOWN_BLOCK, self.at + 1, name=name, cure=cure)
        inside = tuple(frame.block for frame in self.frames if frame.block)
        block = Block(self.at + 1, self._prefix(at), name.lower(), title, inside)
        self._top.items.append(block)
        self.frames.append(Frame(block, block.items, at))

    def _prefix(self, at: Stand) -> str:
        """Where a block that begins at this line belongs; what it interrupts is over."""
        frame = self._top
        frame.enter(at)
        frame.open_scope = frame.table = False
        outer = frame.lists.block(at.outer)
        inner = frame.quoted.block(at.inner) if at.marks else 0
        return frame.prefix(at, outer, inner)

    def _fence(self, at: Stand) -> bool:
        match = FENCE.match(at.content)
        if match:
            prefix = self._prefix(at)
            fence = Fence(self.at + 1, prefix, at.content.rstrip(), match["mark"])
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
            self._verbatim(at)
        else:
            self.region = Region(match[1].lower(), self.at, len(self._top.items), at)
            self._inside(at.lead + at.content)
        return True

    def _inside(self, rest: str) -> None:
        """A line inside of code, a formula, a comment or raw HTML."""
        region = self.region
        inner = without_marks(rest, region.at.marks) if region else None
        if region is None or inner is None:
            return self._abandon()
        if region.fence:
            text = without_indent(inner, region.at.inner if region.at.marks else region.at.outer)
            if self._closes(text, region.fence.mark):
                self.region = None
            else:
                region.fence.lines.append(text)
        elif region.kind == "math":
            at = stand(rest)
            if not at.content:
                return self._abandon()
            self._top.items.append(Prose(self.at + 1, at.lead, at.content, scope=self.scope))
            self._display(at.content)
        elif region.kind == "comment":
            _, end, after = inner.partition("-->")
            if end:
                self.region = None
                self._top.open_scope = False
                self._prose(stand(after))
        else:
            self._verbatim(stand(rest))
            if f"</{region.kind}>" in rest.lower():
                self.region = None

    @staticmethod
    def _closes(text: str, mark: str) -> bool:
        run = text.strip()
        return run.startswith(mark) and run.strip(mark[0]) == "" and not text.startswith(" " * TAB)

    def _abandon(self) -> None:
        """The region was never closed: say so, go back to its first line, take what follows as it comes."""
        region, self.region = self.region, None
        if region is None:
            return
        self.at = region.start
        if region.kind == "math":  # reported where formulas are read
            del self._top.items[region.items :]
            return
        del self._top.items[region.items :]
        if region.fence:
            self.page.problem(Code.FENCE_OPEN, region.start + 1, fence=region.fence.mark)
            self.page.fences.pop()
            self._top.broken = True
            self._verbatim(region.at)
            return
        if region.kind == "comment":
            self.page.problem(Code.COMMENT_OPEN, region.start + 1)
        else:
            self.page.problem(Code.HTML_OPEN, region.start + 1, name=region.kind)
        self.dead.add(region.start)
        self.at -= 1

    def _verbatim(self, at: Stand) -> None:
        self._top.items.append(Prose(self.at + 1, at.lead, at.content, code=True))

    def _prose(self, at: Stand) -> None:
        frame = self._top
        changed = frame.enter(at) if at.content or at.marks else False
        lists = frame.quoted if at.marks else frame.lists
        indent = at.inner if at.marks else at.outer
        if not at.content:
            frame.lists.blank()
            frame.quoted.blank()
            frame.open_scope = frame.table = False
            frame.items.append(Prose(self.at + 1, at.lead, ""))
            return
        if lists.is_code(indent, at.content):
            frame.open_scope = False
            self._verbatim(at)
            return
        frame.open_scope &= not changed
        self._paragraph(frame, lists, at, indent)

    def _paragraph(self, frame: Frame, lists: Lists, at: Stand, indent: int) -> None:
        heading = at.content.startswith("#")
        if TABLE.match(at.content) and "|" in at.content and frame.open_scope:
            frame.table = True
        if heading or frame.table or MARKER.match(at.content) or not frame.open_scope:
            self.scope += 1
        frame.open_scope = not heading
        if lists.next_item(at.content):
            frame.items.append(Prose(self.at + 1, "> " * at.marks, ""))
        lead = at.lead + " " * (lists.text(indent, at.content) - indent)
        if heading and not indent:
            lists.block(0)
        outer = frame.lists.level(at.outer)
        prefix = frame.prefix(at, outer, lists.level(indent) if at.marks else 0)
        comment = self._comment_opens(at.content)
        content = at.content if comment is None else at.content[:comment]
        if content.strip():
            frame.items.append(Prose(self.at + 1, lead, content, prefix, self.scope))
            self._display(content)
        if comment is not None and not self.region:
            self.region = Region("comment", self.at, len(frame.items), at)

    def _comment_opens(self, content: str) -> int | None:
        """Where a comment begins that does not end on this line."""
        found = (match.start() for match in COMMENT.finditer(content) if match["open"])
        return None if self.at in self.dead else next(found, None)

    def _display(self, content: str) -> None:
        """An odd number of `$$` opens or closes a formula of several lines."""
        found = sum(1 for match in DISPLAY.finditer(content) if match["display"])
        if found % 2:
            self.region = None if self.region else Region("math", self.at, len(self._top.items), stand(""))
        if found and not self.region:
            self._top.lists.blank()
            self._top.quoted.blank()
