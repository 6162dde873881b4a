"""Outlines of the shipped documents against readings that share nothing with the loaders.

`chunks/metadata_correct` takes its trails from the outline that the loader read, so what it cannot see, a heading that
was missed or read at another level, is looked for here: Markdown by a line scanner, HTML by lxml, DOCX by python-docx.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragbench.corpus.loader import load_file

SETS = Path(__file__).parents[2] / "eval_sets"
FILES = {kind: sorted(SETS.glob(f"*/*/corpus/**/*.{kind}")) for kind in ("md", "html", "docx")}
HEADINGS = {"md": 900, "html": 70, "docx": 170}
"""So many at least, all files together: a reading that finds nothing agrees with anything."""


def bare(title):
    """A title without mark-up, tags (`<name>` too, which Markdown takes for one) and blanks."""
    return re.sub(r"[\s*`_\\]+|<[^>]*>", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title))


def markdown(path):
    """Number-sign and underlined headings outside of fences and of front matter."""
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    if lines and lines[0] == "---":
        lines = lines[lines.index("---", 1) + 1 :]
    found, fence, before = [], "", ""
    for line in lines:
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            signs = re.match(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", line)
            underline = re.fullmatch(r" {0,3}(=+|-+)[ \t]*", line)
            if signs:
                found.append((len(signs[1]), bare(signs[2])))
            elif underline and before.strip() and not re.match(r"\s*(?:[|>#]|[-*+] |\d+[.)] )", before):
                found.append((1 if underline[1][0] == "=" else 2, bare(before)))
        before = line
    return found


def html(path):
    """The headings of lxml's tree that are not in what a reader is not shown."""
    from lxml import html as lxml_html

    tree = lxml_html.fromstring(path.read_bytes())
    hidden = ("nav", "footer", "aside", "script", "style", "form", "template")
    found = []
    for node in tree.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        above = [node, *node.iterancestors()]
        if not any(one.tag in hidden or "hidden" in one.attrib or one.get("aria-hidden") == "true" for one in above):
            found.append((int(node.tag[1]), bare(node.text_content())))
    return found


def docx(path):
    """Paragraphs in a style named Heading n, and the title."""
    import docx as python_docx

    found = []
    for paragraph in python_docx.Document(str(path)).paragraphs:
        name = paragraph.style.name if paragraph.style is not None else ""
        level = 1 if name == "Title" else int(name[8:]) if re.fullmatch(r"Heading \d", name) else 0
        if level and paragraph.text.strip():
            found.append((level, bare(paragraph.text)))
    return found


READERS = {"md": markdown, "html": html, "docx": docx}


@pytest.mark.parametrize("kind", list(FILES))
def test_the_outline_is_that_of_another_reading(kind):
    wrong, n_headings = {}, 0
    for path in FILES[kind]:
        document = load_file(path.name, path)
        ours = [(heading.level, bare(heading.title)) for heading in document.outline]
        theirs = READERS[kind](path)
        n_headings += len(theirs)
        if ours != theirs:
            wrong[path.name] = (ours, theirs)
        for heading in document.outline:
            line = document.text[heading.start :].split("\n", 1)[0]
            assert bare(heading.title) in bare(line), f"{path.name}: the heading stands where the outline says"
    assert not wrong
    assert n_headings >= HEADINGS[kind]
