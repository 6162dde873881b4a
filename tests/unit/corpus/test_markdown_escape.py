"""Text of a paragraph, an item or a row never becomes structure."""

from __future__ import annotations

import io

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.corpus.load_docx import load_docx
from ragbench.corpus.loader import make_document
from ragbench.corpus.markdown_escape import escaped
from ragbench.corpus.markdown_text import MarkdownText
from ragbench.corpus.normalise import normalise
from ragbench.corpus.structure import structure

SIGNS = (
    "#", "##", " ", "```", "~~~", "`", "|", "-", "---", "===", ":", "<!--", "<script>", "<pre", ">", "<?", "<![CDATA[",
    "- ", "1. ", "\n", "\\", "    ", "年假", "Leave", "a",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(st.lists(st.sampled_from(SIGNS), max_size=8).map("".join), max_size=4))
def test_only_what_was_written_as_structure_is_structure(lines):
    out = MarkdownText()
    out.heading(2, "年假 one")
    for number, line in enumerate(lines):
        out.paragraph(line)
        out.item(line, number % 3, 1)
        out.item(line, number % 3, 1, continued=True)
    out.heading(1, "two")
    text = normalise(out.render())
    found = structure(text)
    assert [heading.title for heading in found.outline] == ["年假 one", "two"], text
    assert {block.kind for block in found.blocks} == {"heading"}, text
    assert normalise(text) == text


@pytest.mark.parametrize("text", ["年假 # 五天", "#tag C# a - b", "年假五天 of leave\n- item\n1. x\n> y", "`x` ~ <b>"])
def test_ordinary_text_is_written_as_it_is(text):
    assert escaped(text) == text


@pytest.mark.parametrize("word", ["年假", "leave", "HR 年假"], ids=["zh", "en", "mixed"])
def test_paragraphs_of_word(word):
    file = docx.Document()
    file.add_heading(word, 1)
    for text in ("```", f"# {word}", "| a | b |", f"- {word}"):
        file.add_paragraph(text)
    file.add_paragraph(f"# {word}", style="List Bullet")
    file.add_heading("end", 2)
    buffer = io.BytesIO()
    file.save(buffer)
    document = make_document("a.docx", load_docx(buffer.getvalue()))
    assert document.text == (f"# {word}\n\n\\```\n\n\\# {word}\n\n\\| a | b |\n\n- {word}\n\n- \\# {word}\n\n## end")
    assert [(heading.level, heading.title) for heading in document.outline] == [(1, word), (2, "end")]
