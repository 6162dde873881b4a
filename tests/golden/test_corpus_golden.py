"""What the loader makes of one file of each kind. Another result needs a higher VERSION, or old caches would pass for new."""

from __future__ import annotations

import io

import docx
import pytest

from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.loader import CorpusLoader
from ragbench.corpus.rows import to_row


def word_file() -> bytes:
    document = docx.Document()
    document.add_heading("采购细则", 1)
    document.add_paragraph("Above 2 000, 10")
    table = document.add_table(2, 2)
    for cell, text in zip((cell for row in table.rows for cell in row.cells), ("级别", "a|b", "一级", "x\ny")):
        cell.text = text
    document.add_paragraph("item 项", style="List Bullet")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


FILES = {
    "a.md": "---\ntitle: 手册: x\ndate: 2024-01-01\n---\n# 一  二\r\n\r\n\r\n\r\n```\na  b\n\n\n\n```\n| a   | b |\n\ncafe\u0301　　10⁶".encode(),
    "b.txt": "年假  五天\n\n\n\n金额    终审人".encode("gb18030"),
    "c.html": b"<title>T - S</title><nav>n</nav><h1>T</h1><p>x<br>y</p><ul><li>i<ul><li>j</li></ul></li></ul><table><tr><td>1</td><td>2|3</td></tr></table><pre>z\n  q</pre>",
    "d.json": b'{"k": [{"a": "x\\ny"}, {"b": null}]}',
    "e.docx": word_file(),
}
GOLDEN = {
    "a.md": "afa998d04201",
    "b.txt": "6f985e12c5cf",
    "c.html": "45e677c52ad2",
    "d.json": "dbc32447b88c",
    "e.docx": "b03e280835ad",
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return {document.doc_id: to_row(document) for document in CorpusLoader().load(folder).documents}


@pytest.mark.parametrize("name", FILES)
def test_document(rows, name):
    assert (CorpusLoader.VERSION, fingerprint(rows[name])[:12]) == (1, GOLDEN[name])
