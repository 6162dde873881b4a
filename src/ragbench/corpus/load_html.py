"""HTML pages as Markdown-like text without their boilerplate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbench.corpus.decode import decode
from ragbench.corpus.html_table import caption, table_rows
from ragbench.corpus.markdown_text import MarkdownText, raised
from ragbench.corpus.parsed import Parsed, whole

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DROPPED = (
    "head, script, style, noscript, template, nav, footer, aside, iframe, object, svg, canvas, audio, video, "
    "button, select, input, textarea, dialog, [hidden], [aria-hidden=true], [role=navigation], [role=banner], "
    "[role=contentinfo], [role=search]"
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "form",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "ol",
        "p",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CHARSET = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_LANGUAGE = re.compile(r"\blang(?:uage)?-([\w+#.-]+)")


def load_html(data: bytes) -> Parsed:
    """The page's body: `## heading` lines by level, `- item`, `| a | b |` rows, fenced `pre`; inline tags vanish.

    Navigation, page header, footer, asides, scripts, styles, forms and hidden elements are left out (a
    form is kept when there is nothing else). The title is that of `<title>` (without the site's
    name where the first `<h1>` is part of it), else the first `<h1>`.
    """
    from selectolax.lexbor import LexborHTMLParser

    declared = _CHARSET.search(data[:4096])
    text, encoding = decode(data, declared=declared[1].decode("ascii") if declared else "")
    metadata = {} if encoding.lower() == "utf-8" else {"encoding": encoding}
    tree = LexborHTMLParser(text)
    title = _title(tree)
    body = _body_text(tree, drop_forms=True) or _body_text(LexborHTMLParser(text), drop_forms=False)
    return whole(body, "html", title=title, metadata=metadata, structured=True)


def _title(tree: LexborHTMLParser) -> str:
    """The `<title>`, cut down to the first `<h1>` when it only adds the site's name to it."""
    title, heading = (" ".join(node.text().split()) if (node := tree.css_first(tag)) else "" for tag in ("title", "h1"))
    return heading if heading and heading in title else title


def _body_text(tree: LexborHTMLParser, *, drop_forms: bool) -> str:
    root = tree.body
    if root is None:
        return ""
    for node in tree.css(_DROPPED + (", form" if drop_forms else "")):
        node.decompose()
    for node in tree.css("header"):
        # The header of an article holds its title, beside menus; that of the page holds nothing else.
        for part in node.css("ul, ol") if _inside(node, ("article", "main", "section")) else (node,):
            part.decompose()
    writer = _Writer()
    for entering, node, rows in _walk(root):
        if rows is not None:
            writer.table(caption(node), rows)
        elif entering:
            writer.enter(node)
        else:
            writer.leave(node)
    writer.flush()
    return writer.out.render()


def _inside(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def _walk(root: LexborNode) -> Iterator[tuple[bool, LexborNode, list[list[str]] | None]]:
    """Enter and leave events in document order, without recursion; a table of data is one event with its rows."""
    stack: list[tuple[bool, LexborNode]] = [(True, root)]
    while stack:
        entering, node = stack.pop()
        rows = table_rows(node) if entering and node.tag == "table" else None
        yield entering, node, rows
        if not entering or rows is not None or node.tag in ("-text", "-comment", "br", "pre"):
            continue
        stack.append((False, node))
        child = node.last_child
        while child is not None:
            stack.append((True, child))
            child = child.prev


class _Writer:
    """Turns the events of a walk into blocks."""

    def __init__(self) -> None:
        self.out = MarkdownText()
        self._inline: list[str] = []
        self._depth = 0
        self._lists = 0
        self._fresh_item = False
        self._items = 0

    def enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._inline.append(_BLANKS.sub(" ", _shown(node)))
        elif tag == "br":
            self._inline.append("\n")
        elif tag == "pre":
            self.flush()
            self.out.code(_raw(node), _language(node))
        elif tag in _BLOCKS or tag in _HEADINGS:
            self.flush()
            self._open(tag)

    def table(self, caption: str, rows: list[list[str]]) -> None:
        self.flush()
        self.out.paragraph(caption)
        self.out.table(rows)

    def _open(self, tag: str) -> None:
        if tag in ("ul", "ol"):
            self._lists += self._depth == 0
            self._depth += 1
        elif tag == "li":
            self._fresh_item = True
            self._items += 1

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self.out.heading(_HEADINGS[tag], self._take())
        elif tag in _BLOCKS:
            self.flush()
            self._depth -= tag in ("ul", "ol")
            self._items -= tag == "li"

    def flush(self) -> None:
        text = self._take()
        if not text.strip():
            return
        if self._items:
            self.out.item(text, max(self._depth - 1, 0), self._lists or 1, continued=not self._fresh_item)
            self._fresh_item = False
        else:
            self.out.paragraph(text)

    def _take(self) -> str:
        text = "".join(self._inline)
        self._inline.clear()
        return text


def _shown(node: LexborNode) -> str:
    text = node.text_content or ""
    parent = node.parent.tag if node.parent is not None else ""
    return raised(text, down=parent == "sub") if parent in ("sup", "sub") else text


def _raw(pre: LexborNode) -> str:
    pieces: list[str] = []
    for node in pre.traverse(include_text=True):
        if node.tag == "-text":
            pieces.append(node.text_content or "")
        elif node.tag == "br":
            pieces.append("\n")
    return "".join(pieces)


def _language(pre: LexborNode) -> str:
    code = pre.css_first("code")
    classes = f"{pre.attributes.get('class') or ''} {(code.attributes.get('class') or '') if code else ''}"
    found = _LANGUAGE.search(classes)
    return found[1] if found else ""
