"""Word files become Markdown-like text."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ragbench.corpus.load_docx import load_docx
from ragbench.corpus.loader import make_document
from ragbench.errors import DataError


def packed(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def loaded(document):
    return make_document("a.docx", load_docx(packed(document)))


@pytest.mark.parametrize(
    ("title", "text"),
    [("采购细则", "金额超过 2 000 元的。"), ("Purchase rule", "Above 2 000."), ("PUR 采购", "PO 号必填。")],
    ids=["zh", "en", "mixed"],
)
def test_headings_lists_and_tables_in_place(title, text):
    document = docx.Document()
    document.add_heading(title, 1)
    document.add_paragraph(text)
    table = document.add_table(2, 2)
    for cell, value in zip([*table.rows[0].cells, *table.rows[1].cells], ["级别", "a|b", text, "x\ny"]):
        cell.text = value
    document.add_heading("Sub", 2)
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Number")
    document.add_paragraph("")
    document.sections[0].header.paragraphs[0].text = "running header"
    result = loaded(document)
    assert result.text == f"# {title}\n\n{text}\n\n| 级别 | a\\|b |\n| {text} | x y |\n\n## Sub\n\n- one\n- two"
    assert [(h.level, h.title) for h in result.outline] == [(1, title), (2, "Sub")]
    assert result.title == title


def test_style_title_is_the_title():
    document = docx.Document()
    document.add_heading("Before", 1)
    document.add_heading("The title", 0)
    assert loaded(document).title == "The title"


def test_merged_cells_repeat_and_full_rows_do_not():
    document = docx.Document()
    table = document.add_table(3, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = str(number)
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 0).merge(table.cell(2, 0))
    assert loaded(document).text == "| 0 1 |\n| 2 4 | 3 |\n| 2 4 | 5 |"


def test_a_cell_over_two_columns_stands_once_and_moves_none():
    document = docx.Document()
    table = document.add_table(2, 3)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = str(number)
    table.cell(1, 0).merge(table.cell(1, 1))
    assert loaded(document).text == "| 0 | 1 | 2 |\n| 3 4 |  | 5 |"


def test_insertions_count_and_deletions_do_not():
    document = docx.Document()
    paragraph = document.add_paragraph("kept ")._p
    run = "<w:r><w:{tag}>{text}</w:{tag}></w:r>"
    paragraph.append(parse_xml(f"<w:ins {nsdecls('w')}>{run.format(tag='t', text='new')}</w:ins>"))
    paragraph.append(parse_xml(f"<w:del {nsdecls('w')}>{run.format(tag='delText', text='old')}</w:del>"))
    sdt = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p>{run.format(tag='t', text='controlled')}</w:p></w:sdtContent></w:sdt>"
    document.element.body.insert(1, parse_xml(sdt))
    assert loaded(document).text == "kept new\n\ncontrolled"


def test_superscript_figures():
    document = docx.Document()
    paragraph = document.add_paragraph("10")
    paragraph.add_run("6").font.superscript = True
    assert loaded(document).text == "10⁶"


def test_a_box_of_one_cell_is_read_as_blocks():
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "boxed"
    assert loaded(document).text == "boxed"


def bare_zip(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"not a zip", "BadZipFile"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 500, "legacy or encrypted"),
        (bare_zip(readme="x"), "without a document"),
        (bare_zip(_rels__x="x"), "without a document"),
        (packed(docx.Document())[:3000], "BadZipFile"),
    ],
)
def test_broken_files_have_a_reason(data, reason):
    with pytest.raises(DataError, match=reason):
        load_docx(data)
