"""The elements of a page in order, and which of them are no part of its text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DROPPED = (
    "head, script, style, noscript, template, nav, footer, aside, iframe, object, svg, canvas, audio, video, "
    "select, input, textarea, dialog, [hidden], [aria-hidden=true], [role=navigation], [role=banner], "
    "[role=contentinfo], [role=search]"
)
# What an inline style hides. A child that makes itself visible again goes too.
_HIDING = re.compile(
    r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!\s*important\s*)?(?:;|\Z)",
    re.IGNORECASE,
)
_NAMING = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "th"))
# A page whose forms hold this share of its words is written in them.
_FORM_SHARE = 0.5
_MOST_TITLES = 20
_SECTIONS = frozenset(("article", "main", "section"))
_PLAIN = frozenset(("-text", "-comment", "br"))


def take_out(tree: LexborHTMLParser, root: LexborNode) -> None:
    """Remove what is no part of the text.

    Forms stay where at least half of the words left are in them: some systems write the whole page in one. A button
    stays where it is all the text of a heading, a summary, a term or a column head: the questions of an unfolding list
    are buttons, and the heads of a table that can be sorted.
    """
    for node in _left_out(tree, root):
        node.decompose()
    if root.css_first("button") is not None:
        for node in _idle_buttons(root):
            node.decompose()
    forms = root.css("form")
    if forms and sum(map(_n_letters, forms)) < _FORM_SHARE * _n_letters(root):
        for node in forms:
            node.decompose()


def _n_letters(node: LexborNode) -> int:
    return sum(map(len, (node.text() or "").split()))


def _left_out(tree: LexborHTMLParser, root: LexborNode) -> list[LexborNode]:
    """The outermost elements that are no part of the text, forms and buttons apart."""
    unwanted = {node.mem_id for node in tree.css(_DROPPED)}
    unwanted |= {node.mem_id for node in tree.css("[style]") if _HIDING.search(node.attributes["style"] or "")}
    unwanted.discard(root.mem_id)
    found: list[LexborNode] = []
    titled = _titled_header(root, unwanted)
    sections = headers = 0
    for entering, node in steps(root, skip=unwanted, leaves=_PLAIN):
        tag = node.tag
        if not entering:
            sections -= tag in _SECTIONS
            headers -= tag == "header"
        elif node.mem_id in unwanted:
            found.append(node)
        elif tag == "header" and not sections and node.mem_id != titled:
            # The header of an article holds its title, beside menus; that of the page holds nothing else.
            unwanted.add(node.mem_id)
            found.append(node)
        elif tag in ("ul", "ol") and headers:
            unwanted.add(node.mem_id)
            found.append(node)
        else:
            sections += tag in _SECTIONS
            headers += tag == "header"
    return found


def _titled_header(root: LexborNode, unwanted: Collection[int]) -> int | None:
    """The header of the page that holds its only `<h1>`, which then is its title and not the name of the site."""
    titles = [node for node in root.css("h1")[:_MOST_TITLES] if _n_letters(node)]
    node = titles[0].parent if len(titles) == 1 else None
    header = None
    while node is not None:
        if node.mem_id in unwanted:
            return None
        header = node.mem_id if node.tag == "header" else header
        node = node.parent
    return header


def _idle_buttons(root: LexborNode) -> list[LexborNode]:
    """Buttons that are not all the text of a heading or its like."""
    idle: list[LexborNode] = []
    # Of each open heading its buttons, and whether it holds other text.
    opened: list[tuple[list[LexborNode], list[bool]]] = []
    for entering, node in steps(root, leaves=_PLAIN):
        tag = node.tag or ""
        if tag in _NAMING:
            if entering:
                opened.append(([], [False]))
            else:
                buttons, other = opened.pop()
                idle += buttons if other[0] else []
        elif tag == "button" and entering:
            (opened[-1][0] if opened else idle).append(node)
        elif tag == "-text" and opened and not opened[-1][1][0] and (node.text_content or "").strip():
            opened[-1][1][0] = not _is_in_button(node)
    return idle


def _is_in_button(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag not in _NAMING:
        if parent.tag == "button":
            return True
        parent = parent.parent
    return False


def steps(
    root: LexborNode, skip: Collection[int] = (), leaves: Collection[str] = (*_PLAIN, "pre")
) -> Iterator[tuple[bool, LexborNode]]:
    """Enter and leave events in order; `leaves` (tags) and what is in `skip` once it was entered are not gone into.

    No more is held than the elements that are open.
    """
    yield True, root
    opened: list[LexborNode] = [root]
    node = root.first_child
    while opened:
        if node is None:
            node = opened.pop()
            yield False, node
            node = node.next
            continue
        yield True, node
        if (node.tag or "") in leaves or node.mem_id in skip:
            node = node.next
        else:
            opened.append(node)
            node = node.first_child
