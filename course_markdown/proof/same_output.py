"""Whether a comment shows a line of output: the same words, and numbers that round to its numbers."""

from __future__ import annotations

import re

from course_markdown.printed import parse

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)")
EXPLANATION = re.compile(r"\s*[：，；。（]|\s+#")  # what follows the output in a comment begins so


def same_line(printed: str, comment: str) -> bool:
    """Whether `comment`, or what stands in it before an explanation, is what was printed.

    >>> same_line("torch.Size([2, 5])", "torch.Size([2, 5])，长度跟 decoder")
    True
    >>> same_line("[0.1978 1.    ]", "[0.198 1.00]")
    True
    >>> same_line("0.1978", "0.197")
    False
    """
    ends = [match.start() for match in EXPLANATION.finditer(comment)]
    return any(_same(printed, comment[:end]) for end in (len(comment), *ends))


def _same(printed: str, shown: str) -> bool:
    ours, theirs = NUMBER.split(shown), NUMBER.split(printed)
    if len(ours) != len(theirs) or list(map(_words, ours[::2])) != list(map(_words, theirs[::2])):
        return False
    return all(map(_same_number, theirs[1::2], ours[1::2]))


def _words(text: str) -> str:
    return " ".join(text.split())


def _same_number(printed: str, shown: str) -> bool:
    if printed == shown:
        return True
    number = parse(shown.removesuffix("."))
    whole = printed.lstrip("+-").isdigit()
    return number is not None and number.agrees(int(printed) if whole else float(printed))
