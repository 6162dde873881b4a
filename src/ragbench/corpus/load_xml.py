"""XML files: pages (XHTML) as HTML, everything else as its elements' text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ragbench.corpus.decode import recognised
from ragbench.corpus.limits import MAX_TAGS, check_number
from ragbench.corpus.parsed import Parsed, whole
from ragbench.corpus.xml_entities import is_entity, unexpanded
from ragbench.errors import DataError

_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]+)[\"']")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_PAGE = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_PROSE = frozenset(("p", "para", "simpara"))
_MAX_DEPTH = 200


def load_xml(data: bytes) -> Parsed:
    """One line `element: text` for each element that holds text of its own, inline elements included.

    Elements that hold only others are walked through; paragraphs are written without a name. A web page is read as
    HTML. Entities that a document type defines stay as they are written (`&name;`), with a warning, and nothing is
    fetched.

    Raises:
        DataError: the file is not well-formed XML.
    """
    declared = _DECLARED.search(data[:1000])
    text, encoding, guessed = recognised(data, declared=declared[1].decode("ascii") if declared else "")
    if _PAGE.search(text[:2000]):
        from ragbench.corpus.load_html import load_html

        return load_html(data)
    if not text.strip():
        return whole("", "xml", metadata={"encoding": encoding})
    check_number("XML", text.count("<"), MAX_TAGS["XML"], "tags")
    root = _parse(_DECLARATION.sub("", text.removeprefix("\ufeff"), count=1))
    lines = list(_lines(root, 0))
    guessed = (*guessed, *filter(None, [unexpanded(root)]))
    title = next((line.partition(": ")[2] for line in lines if line.startswith("title: ")), "")
    return whole("\n".join(lines), "xml", title=title, metadata={"encoding": encoding.lower()}, warnings=guessed)


def _parse(text: str) -> Any:
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(text.strip().encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise DataError("XML", expected="well-formed XML", found=str(error)[:200]) from error


def _lines(element: Any, depth: int) -> Iterator[str]:
    children = [child for child in element if isinstance(child.tag, str)]
    own = [element.text, *(child.tail for child in element), *(child.text for child in element if is_entity(child))]
    if any(piece and piece.strip() for piece in own) or depth >= _MAX_DEPTH:
        name = element.tag.rpartition("}")[2]
        words = " ".join("".join(element.itertext()).split())
        if words:
            yield words if name in _PROSE else f"{name}: {words}"
        return
    for child in children:
        yield from _lines(child, depth + 1)
