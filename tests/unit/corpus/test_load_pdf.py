"""PDF files: pages, running lines, and reasons."""

from __future__ import annotations

import io
import time
import zlib

import pytest

from ragbench.corpus.load_pdf import load_pdf
from ragbench.corpus.loader import make_document
from ragbench.corpus.pdf_content import MAX_CONTENT
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
    body = "\n".join(f"Body {name} of the rule.\nMore {name}." for name in "abcd")
    assert document.text == f"Company rules\n{body}"
    assert document.metadata["running_lines"] == [
        "Company rules ×3",
        "Page 1 of 4; Page 2 of 4; Page 3 of 4; Page 4 of 4 ×4",
    ]
    assert [page for _, page in document.pages] == [1, 2, 3, 4]
    for start, page in document.pages[1:]:
        assert document.text[start:].startswith(f"Body {'abcd'[page - 1]}")


def test_pages_without_text_are_listed_and_keep_their_numbers():
    document = make_document("a.pdf", load_pdf(pdf([["one"], [], ["three"]])))
    assert document.text == "one\nthree"
    assert document.pages == ((0, 1), (4, 3))
    assert document.metadata["pages_without_text"] == [2]
    assert "no text on page 2 (empty, a picture or a scan)" in document.metadata["warnings"]


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
def test_running_lines_go_but_for_the_first(head, foot):
    pages = [f"{head}\nbody {'abcde'[n]}\nmore {'abcde'[n]}\n{foot.format(n=n + 1, total=5)}" for n in range(5)]
    peeled = without_running_lines(pages)
    assert peeled.pages == [f"{head}\nbody a\nmore a", *(f"body {x}\nmore {x}" for x in "bcde")]
    feet = "; ".join(foot.format(n=n, total=5) for n in range(1, 6))
    assert peeled.removed == (f"{head} ×4", f"{feet} ×5")


def test_tall_headers_go_and_a_cover_may_lack_them():
    pages = ["Cover"] + [f"A\nB\nC\nD\nE | Page {n}\nbody {x}\nx\ny\nend {x}" for n, x in enumerate("qrst", 2)]
    shown = [page.split("\n")[0] for page in without_running_lines(pages).pages]
    assert shown == ["Cover", "A", *(f"body {x}" for x in "rst")]


def paged(heads, feet=None, title=None):
    """Pages of text between the heads and feet, with a title below the first head."""
    body = [f"page{n} year 2{n}4\nand more {n * n}" for n in range(len(heads))]
    feet = feet or [""] * len(heads)
    rows = [[head, text, foot] for head, text, foot in zip(heads, body, feet)]
    if title:
        rows[0].insert(1, title)
    return ["\n".join(row for row in page if row) for page in rows], body


TITLES = pytest.mark.parametrize("title", ["员工休假制度", "Leave policy", "HR 制度 2024"], ids=["zh", "en", "mixed"])


@TITLES
def test_a_title_that_becomes_the_running_head_stays(title):
    pages, body = paged(["", *[title] * 4], title=title)
    assert without_running_lines(pages).pages == [f"{title}\n{body[0]}", *body[1:]]
    pages, body = paged([title] * 5, title=title)
    assert without_running_lines(pages).pages[0].count(title) == 1
    assert without_running_lines(pages).pages[1:] == body[1:]


@TITLES
@pytest.mark.parametrize(
    "feet",
    [
        ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"],
        ["– IX –", "– X –", "– XI –", "– XII –", "– XIII –", "– XIV –", "– XV –", "– XVI –", "– XVII –", "– XVIII –"],
        [f"第{n}页" for n in "一二三四五六七八九十"],
        [f"第 {n} 页 共 十二 页" for n in ("十九", "二十", "二十一", "二十二", "二十三", "二十四")],
        [f"共 30 页 第 {n} 页" for n in range(19, 25)],
        [f"{n} / 12" for n in range(1, 8)],
        [f"Page {n}" for n in range(37, 57, 2)],
        ["i", "ii", "iii", "iv", "1", "2", "3", "4", "5", "6"],
    ],
    ids=["roman", "capitals", "han", "han_of", "total_first", "of", "worded_by_two", "anew"],
)
def test_page_numbers_go_however_they_are_written(title, feet):
    pages, body = paged([title] * len(feet), feet)
    peeled = without_running_lines(pages)
    assert peeled.pages == [f"{title}\n{body[0]}", *body[1:]]
    assert peeled.removed == (f"{title} ×{len(feet) - 1}", f"{'; '.join(feet[:4])}; … {feet[-1]} ×{len(feet)}")


@TITLES
def test_heads_that_change_with_the_chapter(title):
    chapters = [f"{title} {name}" for name in ("A", "A", "A", "B", "B", "B", "B", "C", "C", "C")]
    pages, body = paged(chapters)
    firsts = {0: chapters[0], 3: chapters[3], 7: chapters[7]}
    expected = [f"{firsts[n]}\n{text}" if n in firsts else text for n, text in enumerate(body)]
    assert without_running_lines(pages).pages == expected
    numbered, _ = paged([f"{head} | Page {n}" for n, head in enumerate(chapters, 5)])
    assert without_running_lines(numbered).pages[4:7] == body[4:7]
    every_second, _ = paged([(title, chapter)[n % 2] for n, chapter in enumerate(chapters)])
    assert without_running_lines(every_second).pages[2] == body[2]
    few, _ = paged([*chapters[:4], *"pqrstu"])
    assert without_running_lines(few).pages == few, "four pages of ten alike are no heads"


@TITLES
def test_times_of_printing_may_differ(title):
    for said in ("Printed 2024-03-01 10:0{} by Ann", "打印时间：2024年3月1日 10:0{}", "Downloaded 3/1/2024, 9:0{} AM"):
        feet = [said.format(n) for n in (1, 1, 2, 2, 5, 6)]
        pages, body = paged([title] * 6, feet)
        assert without_running_lines(pages).pages == [f"{title}\n{body[0]}\n{feet[0]}", *body[1:]]
        log, _ = paged([f"2024-03-01 10:0{n} {title}" for n in (1, 1, 2, 2, 5, 6)])
        assert without_running_lines(log).pages == log


@TITLES
def test_a_line_that_also_stands_inside_the_pages_is_text(title):
    answers = [f"{title}\nq{n}\nr{n}\ns{n}\n{title}\nt{n}\nu{n}\nv{n}" for n in "abcdef"]
    assert without_running_lines(answers).pages == answers
    table_heads, body = paged(["Part no.    Qty    Price"] * 4)
    assert without_running_lines(table_heads).pages == [table_heads[0], *body[1:]]


FACTS = [
    "Annual leave for service year {n}: {days} days",
    "Invoice {many} is due within {days} days",
    "Article {n}",
    "Article {n}. Leave",
    "Step {n}",
    "Chapter {n}",
    "Table {n}",
    "Work order {n}",
    "Lesson {n} | Fractions",
    "{days} days",
    "{days} %",
    "¥{days}",
    "{n}.",
    "({n})",
    "-{days}",
    "{n} {days}",
    "2024-{n}",
    "4.{n}",
    "Fees are on page {days}",
    "Continue at Page {days}",
    "Page {days} lists the fees",
    "Exported on 2024-03-{n}",
    "Printed books: {days}",
    "第 {n} 条",
    "第{n}条 休假",
    "第 {n} 年 {days} 天",
    "表 {n}",
    "附件{n}",
    "附表见第 {days} 页",
    "附表见 第 {days} 页",
    "满{n}年的，年假{days}天",
    "工龄 {n} 年",
    "版本 v{n}",
    "Q{n} 回答 answer",
]


@pytest.mark.parametrize("foot", ["", "Page {n} of 6"], ids=["alone", "numbered"])
@pytest.mark.parametrize("fact", FACTS)
def test_what_says_something_different_on_each_page_stays(fact, foot):
    said = [fact.format(n=n, days=9 + n, many=1000 + n) for n in range(1, 7)]
    bodies = [f"body {x}\nmore {x}\nand {x}\nend {x}" for x in "abcdef"]
    for rows in (zip(said, bodies), zip(bodies, said)):
        pages = ["\n".join(row) for row in rows]
        numbered = [f"{page}\n{foot.format(n=n)}" if foot else page for n, page in enumerate(pages, 1)]
        assert without_running_lines(numbered).pages == pages
    two = [f"{line}\nbody {n}" for n, line in enumerate(said[:2])]
    assert without_running_lines(two).pages == two


@pytest.mark.parametrize("name", ["Step {n}", "Invoice {many} is due within {days} days", "第 {n} 步 {days} 天"])
def test_rounds_take_no_body_lines(name):
    pages = [
        "\n".join(
            [name.format(n=n, days=10 + n, many=1000 + n), f"Task {n}", f"Part {n} of it", f"body {x}", f"end {n}"]
        )
        for n, x in enumerate("abcde", 1)
    ]
    assert without_running_lines(pages) == (pages, ())


@pytest.mark.parametrize(
    ("title", "head"),
    [
        ("Employee handbook", "Employee handbook {n}"),
        ("Employee handbook", "{n} | Employee handbook"),
        ("员工休假制度", "员工休假制度 – {n}"),
        ("HR 制度 2024", "HR 制度 2024 | {n}"),
    ],
)
def test_a_title_with_a_bare_number_is_a_head_where_the_title_is_one(title, head):
    body = [f"body {x}\nmore {x}\nand {x}\nend {x}" for x in "bcdef"]
    pages = [f"{title}\nof the company", *(f"{head.format(n=n)}\n{text}" for n, text in enumerate(body, 2))]
    peeled = without_running_lines(pages)
    assert peeled.pages == [*pages[:2], *body[1:]], "behind a cover"
    assert peeled.removed == ("; ".join(head.format(n=n) for n in range(3, 7)) + " ×4",)
    alone = pages[1:]
    assert without_running_lines(alone) == (alone, ()), "nothing says that it is the title"
    both = [f"{title}\n{text}\n{head.format(n=n)}" for n, text in enumerate(body, 1)]
    assert without_running_lines(both).pages == [both[0], *body[1:]]
    ahead = [f"{title}\n{text}\n{head.format(n=n)}" for n, text in enumerate(body, 2)]
    assert without_running_lines(ahead).pages[1] == f"{body[1]}\n{head.format(n=3)}", "not the page's number"


@pytest.mark.parametrize(
    "head",
    [
        "ACME 手册 | 第 {n} 页",
        "ACME 手册 第 {n} 页 共 90 页",
        "Handbook - Page {n}",
        "Page {n} of 90 Handbook",
        "HR 2024 p. {n}",
    ],
)
def test_a_page_number_in_words_of_its_own_beside_a_title(head):
    body = [f"body {x}\nmore {x}\nand {x}\nend {x}" for x in "abcdef"]
    pages = [f"{head.format(n=n)}\n{text}" for n, text in enumerate(body, 30)]
    peeled = without_running_lines(pages)
    assert peeled.pages == [pages[0], *body[1:]]
    forms = [head.format(n=n) for n in range(31, 36)]
    assert peeled.removed == (f"{'; '.join(forms)} ×5",)


def test_the_same_number_at_each_edge_keeps_its_first_copy():
    pages = [f"100\nbody {x}\nmore\nPage 1 of 1" for x in "abcd"]
    assert without_running_lines(pages).pages[0] == pages[0]
    columns = [f"1\n2\n3\nbody {x}\nmore {x}\nand {x}\nend {x}" for x in "abcd"]
    assert without_running_lines(columns).pages == columns, "figures that are read as lines of their own"


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
    assert without_running_lines(pages) == (pages, ())


def drawing(contents: list[bytes], forms: list[bytes] = (), packed: str = "/FlateDecode") -> bytes:
    """A PDF of one page for each content; `forms` are /X0, /X1, … of every page and of each other."""
    first = 4
    names = " ".join(f"/X{n} {first + n} 0 R" for n in range(len(forms)))
    resources = f"/Resources << /Font << /F1 3 0 R >> /XObject << {names} >> >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]

    def stream(data: bytes, more: str = "") -> bytes:
        for _ in range(packed.count("Flate")):
            data = zlib.compress(data, 9)
        return f"<< {more} /Length {len(data)} /Filter [{packed}] >>\nstream\n".encode() + data + b"\nendstream"

    objects += [stream(form, f"/Type /XObject /Subtype /Form /BBox [0 0 595 842] {resources}") for form in forms]
    kids = []
    for content in contents:
        objects.append(stream(content))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R {resources} >>"
        objects.append(page.encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def shown(words: str, times: int = 1) -> bytes:
    return b"BT /F1 11 Tf 50 780 Td " + f"({words}) Tj 0 -14 Td ".encode() * times + b"ET"


LARGE = shown("bomb", MAX_CONTENT // 18)
FORMS = [b"/X1 Do " * 100, b"/X2 Do " * 100, shown("form", 50)]


@pytest.mark.parametrize(
    ("content", "forms", "packed"),
    [
        (LARGE, [], "/FlateDecode"),
        (LARGE, [], "/FlateDecode /FlateDecode"),
        (b"/X0 Do " * 100, FORMS, "/FlateDecode"),
        (shown("ok") + b" /X0 Do", [LARGE], "/FlateDecode"),
    ],
    ids=["stream", "packed_twice", "forms_in_forms", "form"],
)
def test_a_page_that_unpacks_to_too_much_is_not_read(content, forms, packed):
    started = time.process_time()
    with pytest.raises(DataError, match="pages that draw at most 8000000 bytes, found more, on page 1"):
        load_pdf(drawing([content], forms, packed))
    parsed = load_pdf(drawing([shown("first page of words"), content, shown("third page of words")], forms, packed))
    assert [text.strip() for text, _ in parsed.parts] == ["first page of words", "", "third page of words"]
    assert any(said.startswith("partial: page 2: content of more than 8000000 bytes") for said in parsed.warnings)
    assert time.process_time() - started < 20


def test_forms_within_the_limit_are_read():
    assert (
        "form"
        in load_pdf(drawing([shown("a page of words") + b" /X0 Do"], [b"/X0 Do /X1 Do", shown("form")])).parts[0][0]
    )


def test_a_damaged_file_with_such_a_stream_is_refused(monkeypatch):
    def broken(data):
        raise DataError("PDF", expected="a PDF file", found="PdfReadError")

    monkeypatch.setattr("ragbench.corpus.load_pdf.read_pypdf", broken)
    with pytest.raises(DataError, match="a damaged file with a stream of more than 8000000 bytes"):
        load_pdf(drawing([LARGE]))
    assert load_pdf(drawing([shown("words")])).parts[0][0].strip() == "words"


def test_pages_after_more_text_than_may_be_are_not_read(monkeypatch):
    monkeypatch.setattr("ragbench.corpus.pdf_readers.MAX_TEXT", 100)
    parsed = load_pdf(drawing([shown("word " * 30)] * 3))
    assert [bool(text) for text, _ in parsed.parts] == [True, False, False]
    assert any("too much text before it" in said for said in parsed.warnings)
