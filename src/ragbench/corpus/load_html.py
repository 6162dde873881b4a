"""HTML pages as Markdown-like text without their boilerplate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbench.corpus.decode import recognised
from ragbench.corpus.html_depth import MAX_DEPTH, flattened
from ragbench.corpus.html_table import Nesting, caption, nestings, table_rows
from ragbench.corpus.html_walk import steps, take_out
from ragbench.corpus.limits import MAX_TAGS, check_number
from ragbench.corpus.markdown_text import MarkdownText, raised
from ragbench.corpus.parsed import Parsed, whole

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

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

    Navigation, page header, footer, asides, scripts, styles, forms, templates and hidden elements (`hidden`,
    `aria-hidden`, an inline style) are left out; not so a form that holds half of the words or more, a button that is
    all of a heading, and a page header with the only `<h1>`. The title is that of
    `<title>` (without the site's name where the first `<h1>` is part of it), else the first `<h1>`. Elements more than
    512 deep are read as if they stood beside each other, with a warning.
    """
    from selectolax.lexbor import LexborHTMLParser

    declared = _CHARSET.search(data[:4096])
    text, encoding, guessed = recognised(data, declared=declared[1].decode("ascii") if declared else "")
    metadata = {"encoding": encoding.lower()}
    check_number("HTML", text.count("<"), MAX_TAGS["HTML"], "tags")
    text, is_deep = flattened(text)
    if is_deep:
        guessed = (*guessed, f"elements nested more than {MAX_DEPTH} deep were read as one level")
    tree = LexborHTMLParser(text)
    title = _title(tree)
    return whole(_body_text(tree), "html", title=title, metadata=metadata, structured=True, warnings=guessed)


def _title(tree: LexborHTMLParser) -> str:
    """The `<title>`, cut down to the first `<h1>` when it only adds the site's name to it."""
    title, heading = (" ".join(node.text().split()) if (node := tree.css_first(tag)) else "" for tag in ("title", "h1"))
    return heading if heading and heading in title else title


def _body_text(tree: LexborHTMLParser) -> str:
    root = tree.body
    if root is None:
        return ""
    take_out(tree, root)
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


def _walk(root: LexborNode) -> Iterator[tuple[bool, LexborNode, list[list[str]] | None]]:
    """Enter and leave events in document order; a table of data is one event with its rows."""
    tables: dict[int, Nesting] = nestings(steps(root)) if root.css_first("table") is not None else {}
    data: set[int] = set()
    for entering, node in steps(root, skip=data):
        rows = table_rows(node, tables[node.mem_id]) if entering and node.tag == "table" else None
        if rows is not None:
            data.add(node.mem_id)
        yield entering, node, rows


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
