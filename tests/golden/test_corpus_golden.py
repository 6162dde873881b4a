"""What the loader makes of one file of each kind. Another result needs a higher VERSION, or old caches would pass for new."""

from __future__ import annotations

import io
import sqlite3
import tempfile
from pathlib import Path

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


def database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        with sqlite3.connect(path) as connection:
            connection.execute("create table 料号(id integer primary key, 名称 text, photo blob)")
            connection.execute("insert into 料号 values (1, '皮带 belt', x'00')")
        connection.close()
        return path.read_bytes()


OVERPRINTED = "(An adip-) Tj 0 -14 Td (iscing elit) Tj 0 -14 Td (BOLD) Tj 0 0 Td (BOLD) Tj 0 0 Td (BOLD) Tj"
LINES = ("Staff rules", "Article {}", "Leave for year {}: 1{} days", "more", "and more", "Rules | Page {}", "{}")
RUNNING = [" Tj 0 -14 Td ".join(f"({line.format(n, n)})" for line in LINES) + " Tj" for n in (1, 2, 3)]


def pdf_file(*pages: str) -> bytes:
    """A PDF whose pages show these text operators."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for shown in pages:
        stream = f"BT /F1 11 Tf 50 780 Td {shown} ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    return (
        f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    ).encode()


FILES = {
    "a.md": "---\ntitle: 手册: x\ndate: 2024-01-01\n---\n# 一  二\r\n\r\n\r\n\r\n```\na  b\n\n\n\n```\n| a   | b |\n\ncafe\u0301　　10⁶".encode(),
    "b.txt": "年假  五天\n\n\n\n金额    终审人".encode("gb18030"),
    "c.html": b"<title>T - S</title><nav>n</nav><h1>T</h1><p>x<br>y</p><ul><li>i<ul><li>j</li></ul></li></ul><table><tr><td>1</td><td>2|3</td></tr></table><pre>z\n  q</pre>",
    "d.json": b'{"k": [{"a": "x\\ny"}, {"b": null}]}',
    "e.docx": word_file(),
    "f.csv": "姓名;born\n王五;1990-01-02\nAda;;x\n".encode("utf-16"),
    "g.jsonl": b'{"a": [1, {"b": "x"}]}\n{bad\n',
    "l.json": '{"tenant": "甲", "tags": [1, "x"], "encoding": "mine", "o": {}}'.encode(),
    "m.csv": b"tenant,year,code,n\nacme,2024,007,1\nacme,2024,007,2\n",
    "h.db": database(),
    "i.xml": "<r><名称>键盘</名称><p>one <b>two</b></p></r>".encode(),
    "j.srt": b"1\n00:00:01,000 --> 00:00:02,000\n<i>word</i>\nline\n",
    "k.pdf": pdf_file(OVERPRINTED),
    "n.html": "<header><h1>员工手册</h1></header><form><h2><button>How many?</button></h2><p># five<br>| a |</p></form>".encode(),
    "o.csv": b"city,2022,2023\nOslo,1,2\n",
    "p.py": "class 甲:\n    a = 1\n".encode(),
    "q.txt": b"a" + "\u0301\u0316".encode() * 40 + "年".encode(),
    "r.json": b'{"v": 1.10, "w": 1, "w": 2}',
    "s.md": b'---json\n{"title": "T"}\n---\n# A\n',
    "u.pdf": pdf_file(*RUNNING),
    "t.txt": "年次有給休暇は十日です。".encode("euc_jp"),
}
GOLDEN = {
    "a.md": "267ea3975a71",
    "b.txt": "6f985e12c5cf",
    "c.html": "41c29a4c7ad9",
    "d.json": "fc3ce66337ae",
    "e.docx": "b03e280835ad",
    "f.csv": "7af9a4a17cb5",
    "g.jsonl": "1273ec646c9d",
    "h.db": "2ea8d49b2338",
    "i.xml": "081e4751b8e2",
    "j.srt": "3c8cde67b187",
    "k.pdf": "8d60c9a3de6b",
    "l.json": "f5c8350982cc",
    "m.csv": "e0c0fa391deb",
    "n.html": "43fd4b35f575",
    "o.csv": "fb7a7821a954",
    "p.py": "1b90651c3eb5",
    "q.txt": "f5b0e807618c",
    "r.json": "1eeddc7c637f",
    "s.md": "684f6e7cdb24",
    "t.txt": "45ab0df9642f",
    "u.pdf": "75ecde184386",
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return {document.doc_id: to_row(document) for document in CorpusLoader().load(folder).documents}


@pytest.mark.parametrize("name", FILES)
def test_document(rows, name):
    assert (CorpusLoader.VERSION, fingerprint(rows[name])[:12]) == (6, GOLDEN[name])
