"""What the search reads of a page: its words, without the markup of formulas and code, without demos.

The theme's search parses every tag of every page; most of them are these. It cannot leave out an element that
holds another of its kind either, and would find a page by the numbers and buttons of its demos.
"""

from __future__ import annotations

import re

MARKED_UP = re.compile(r"(<(?P<tag>math|pre)\b[^>]*>)(.*?)(</(?P=tag)>)", re.DOTALL)
DEMO = re.compile(r"<form class=\"demo-form\".*?(?=</course-demo>)", re.DOTALL)
EXPRESSION = re.compile(r"<span class=\"num-how\".*?</samp></span>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
SEARCH_ATTRIBUTE = re.compile(r"\s?data-search-\w+=\"[^\"]+\"")


def searchable(html: str) -> str:
    """A page's HTML with the same headings, paragraphs and words, for the search alone.

    >>> searchable('<p>设 <math><mi>x</mi></math></p><pre><span>a</span> = 1</pre>')
    '<p>设 x</p><pre>a = 1</pre>'
    """
    html = EXPRESSION.sub("", DEMO.sub("", html))
    return MARKED_UP.sub(_words, html)


def _words(match: re.Match[str]) -> str:
    words = TAG.sub("", match[3])
    return words if match["tag"] == "math" else match[1] + words + match[4]


def without_search_attributes(html: str) -> str:
    """What the theme's search leaves of a page that it has read."""
    return SEARCH_ATTRIBUTE.sub("", html)
