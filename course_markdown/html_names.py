"""The elements of HTML, so that `<BOS>` in prose is noticed before a browser hides it."""

from __future__ import annotations

import re

NAMES = """
a abbr address area article aside audio b base bdi bdo blockquote br button canvas caption cite code col
colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form
h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img input ins kbd label legend li link main map mark math menu
meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp
script search section select slot small source span strong style sub summary sup svg table tbody td template
textarea tfoot th thead time title tr track u ul var video wbr
"""
ELEMENTS = frozenset(NAMES.split())
CUSTOM = re.compile(r"[a-z][a-z0-9.]*-[\w.-]*")
TAG = re.compile(r"</?([A-Za-z][^\s/>]*)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>")


def is_element(tag: re.Match[str]) -> bool:
    """Whether what `TAG` matched is HTML: a known or custom element, and no prose like `a<b 且 c>d`."""
    name, attributes = tag[1].lower(), QUOTED.sub("", tag[0])
    return (name in ELEMENTS or CUSTOM.fullmatch(name) is not None) and attributes.isascii()
