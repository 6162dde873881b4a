"""Files that are known to break parsers: each gives text or a reason, in time."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus.loader import CorpusLoader

pytestmark = pytest.mark.data

REASONS = {
    "docx/strict_ooxml.docx": "Strict Open XML",
    "pdf/encrypted_needs_password.pdf": "password",
    "pdf/scan_no_text.pdf": "no text layer",
    "pdf/scan_rotated_90.pdf": "no text layer",
    "pdf/zero_bytes.pdf": "empty file",
}


@pytest.fixture(scope="module")
def loaded(data_dir):
    folder = data_dir / "real_docs"
    if not folder.is_dir():
        pytest.skip(f"no real_docs in the data folder {data_dir}; set RAGBENCH_DATA")
    started = time.perf_counter()
    corpus = CorpusLoader().load(folder)
    assert time.perf_counter() - started < 20
    return corpus


@pytest.fixture(scope="module")
def texts(loaded):
    return {document.doc_id: document.text for document in loaded.documents}


def test_every_failure_has_the_expected_reason(loaded):
    failures = dict(loaded.failures)
    assert failures.keys() == REASONS.keys()
    assert all(REASONS[path] in reason for path, reason in failures.items())
    assert loaded.empty == ()


@pytest.mark.parametrize(
    ("name", "held", "absent"),
    [
        ("pdf/zh_quarterly_report.pdf", "第一节 重要提示", "2018 年第一季度报告全文\n2\n"),
        ("pdf/arabic_rotated_pages.pdf", "habibi", "\ufeff"),
        ("docx/content_controls.docx", "☒ Design", "None"),
        ("docx/textbox_flowchart.docx", "Suggested Reportable Symptoms", "<"),
        ("docx/with_comments.docx", "AutoGen is an open-source framework", "annotation"),
        ("docx/merged_cells.docx", "| Cell 2.0 | Merged Cell 1.1 2.1 | Cell 2.2 |", "\n\n\n"),
        ("html/nested_block_in_list.html", "- Step 1 text\n  Note text", "<p>"),
        ("html/heading_inside_p.html", "# 1\n\n1st paragraph\n\n| 2 | 3 | 4 |", "span"),
        ("html/wikipedia_page.html", "Microsoft", "mw-parser-output"),
        ("encodings/big5_classical.txt", "維基大典", "\ufffd"),
        ("encodings/gb_table_page.html", "搜狐在线", "\ufffd"),
        ("encodings/utf16le_no_bom.txt", "DateTime", "\x00"),
        ("md/ends_with_table.md", "|", "\n\n\n"),
    ],
)
def test_what_the_text_holds(texts, name, held, absent):
    assert held in texts[name]
    assert absent not in texts[name]


def test_flow_chart_boxes_come_once(texts):
    assert texts["docx/textbox_flowchart.docx"].count("Sore throat") == 1
