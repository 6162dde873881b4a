"""HTML whose elements are nested without end, made flat before it is parsed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

# Browsers do the same from 512 levels on. A parser of the standard looks through all open elements at each block.
MAX_DEPTH = 512
_TAG = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][^\s/>]*)([^>]*)>?)")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
# Their end may be left out, and none stands in another of its kind but for a list or a table between them.
_OPEN_ENDED = frozenset(
    [
        "html",
        "head",
        "body",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "caption",
        "colgroup",
        "option",
        "optgroup",
        "rb",
        "rt",
        "rtc",
        "rp",
    ]
)
_RAW = frozenset(["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"])
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
    ]
)


def flattened(html: str) -> tuple[str, bool]:
    """The page with at most `MAX_DEPTH` blocks and as many inline elements in each other, and whether it was changed.

    Tags of deeper inline elements go, those of deeper blocks become `<p>`, which stands in no other. Linear.
    """
    if html.count("<") <= MAX_DEPTH:
        return html, False
    pieces: list[str] = []
    start = 0
    for first, last, instead in _too_deep(html):
        pieces += (html[start:first], instead)
        start = last
    return ("".join([*pieces, html[start:]]), True) if pieces else (html, False)


def _too_deep(html: str) -> Iterator[tuple[int, int, str]]:
    """`(start, end, what to put there)` of each tag of an element beyond the depth."""
    opened: list[tuple[str, bool]] = []
    names: Counter[str] = Counter()
    depths = {True: 0, False: 0}
    for start, end, closing, name in _tags(html):
        inline = name in _INLINE
        if not closing:
            deep = depths[inline] >= MAX_DEPTH
            opened.append((name, deep))
            names[name] += 1
            depths[inline] += 1
        elif names[name]:
            other = ""
            while other != name:
                other, deep = opened.pop()
                names[other] -= 1
                depths[other in _INLINE] -= 1
        else:
            continue
        if deep:
            yield start, end, "" if inline else "<p>"


def _tags(html: str) -> Iterator[tuple[int, int, bool, str]]:
    """`(start, end, is an end, name)` of tags that must be closed, outside comments and scripts."""
    position = 0
    while found := _TAG.search(html, position):
        position = found.end()
        if found[1]:
            position = html.find("-->", position)
        elif (name := found[3].lower()) in _RAW and not found[2]:
            position = _end_of_raw(html, name, position)
        elif name not in _VOID and name not in _OPEN_ENDED:
            yield found.start(), position, bool(found[2]), name
        if position < 0:
            return


def _end_of_raw(html: str, name: str, position: int) -> int:
    found = re.compile(f"</{name}", re.IGNORECASE).search(html, position)
    return found.start() if found else -1
