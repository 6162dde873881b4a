"""PDF files: pages, running lines, and reasons."""

from __future__ import annotations

import io

import pytest

from ragbench.corpus.load_pdf import load_pdf
from ragbench.corpus.loader import make_document
from ragbench.corpus.running_lines import without_running_lines
from ragbench.errors import DataError


def pdf(pages: list[list[str]]) -> bytes:
    """A minimal PDF with lines of Latin text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
        stream = f"BT /F1 11 Tf 50 780 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1"))
    start = out.tell()
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def test_pages_of_offsets_without_headers_and_numbers():
    pages = [
        ["Company rules", f"Body {name} of the rule.", f"More {name}.", f"Page {n} of 4"]
        for n, name in enumerate("abcd", 1)
    ]
    document = make_document("a.pdf", load_pdf(pdf(pages)))
    assert document.text == "\n".join(f"Body {name} of the rule.\nMore {name}." for name in "abcd")
    assert [page for _, page in document.pages] == [1, 2, 3, 4]
    for start, page in document.pages:
        assert document.text[start:].startswith(f"Body {'abcd'[page - 1]}")


def test_pages_without_text_are_listed_and_keep_their_numbers():
    document = make_document("a.pdf", load_pdf(pdf([["one"], [], ["three"]])))
    assert document.text == "one\nthree"
    assert document.pages == ((0, 1), (4, 3))
    assert document.metadata == {"n_pages": 3, "pages_without_text": [2]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"no pdf at all", "PDF"),
        (pdf([[], []]), "no text layer on 2 pages"),
        (pdf([["x"]])[:200], "PDF"),
    ],
)
def test_what_holds_no_text_has_a_reason(data, reason):
    with pytest.raises(DataError, match=reason):
        load_pdf(data)


@pytest.mark.parametrize(
    ("head", "foot"),
    [
        ("澜川公司 费用管理规定", "第 {n} 页 共 {total} 页"),
        ("Hardware guide", "Page {n} of {total}"),
        ("IT 手册 v2", "{n}/{total}"),
    ],
)
def test_running_lines_go(head, foot):
    pages = [f"{head}\nbody {'abcde'[n]}\nmore {'abcde'[n]}\n{foot.format(n=n + 1, total=5)}" for n in range(5)]
    assert without_running_lines(pages) == [f"body {x}\nmore {x}" for x in "abcde"]


def test_tall_headers_go_and_a_cover_may_lack_them():
    pages = ["Cover"] + [f"A\nB\nC\nD\nE{n}\nbody {x}\nx\ny\nend {x}" for n, x in enumerate("qrst", 2)]
    assert [page.split("\n")[0] for page in without_running_lines(pages)] == ["Cover", *(f"body {x}" for x in "qrst")]


@pytest.mark.parametrize(
    "pages",
    [
        ["12 34\nx", "99 5\ny", "7 8\nz"],
        ["2021 a", "2024 a", "2020 a"],
        ["only page\nfooter"],
        ["same"] * 4,
        [],
    ],
)
def test_rows_of_figures_and_whole_pages_stay(pages):
    assert without_running_lines(pages) == pages
