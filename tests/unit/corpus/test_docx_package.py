"""What is unpacked of a Word file, and what is refused; numbers and pages that Word writes down."""

from __future__ import annotations

import io
import time
import zipfile

import docx
import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ragbench.corpus import docx_package
from ragbench.corpus.docx_numbering import Numbering
from ragbench.corpus.load_docx import load_docx
from ragbench.corpus.loader import make_document
from ragbench.errors import DataError

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def package(body: str, prolog: str = "", **parts: str) -> bytes:
    """A Word file of a body and other parts, `/` of their names written `__`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        relation = f'<Relationship Id="r1" Type="{DOCUMENT}" Target="/word/document.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>')
        xml = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", prolog + xml)
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def saved(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def text_of(data: bytes) -> str:
    return make_document("a.docx", load_docx(data)).text


def test_a_zip_bomb_is_refused_by_its_declared_size_before_it_is_unpacked(monkeypatch):
    data = package(paragraph("a") + " " * 100_000_000)
    assert len(data) < 1_000_000
    opened, plain = [], zipfile.ZipFile.open

    def watch(self, name, *args, **more):
        opened.append(getattr(name, "filename", name))
        return plain(self, name, *args, **more)

    monkeypatch.setattr(zipfile.ZipFile, "open", watch)
    with pytest.raises(DataError, match="zip bomb"):
        load_docx(data)
    assert opened == ["_rels/.rels"]


def test_a_bomb_that_lies_about_its_size_gives_no_more_than_it_declares(monkeypatch):
    monkeypatch.setattr(docx_package, "_MAX_PART", 1_000_000)
    data = package(paragraph("a") + " " * 3_000_000)
    honest = zipfile.ZipFile(io.BytesIO(data)).getinfo("word/document.xml").file_size
    lying = data.replace(honest.to_bytes(4, "little"), (500_000).to_bytes(4, "little"))
    assert lying != data
    with pytest.raises(DataError, match="DOCX"):
        load_docx(lying)


def test_a_bomb_in_a_picture_is_never_unpacked():
    assert text_of(package(paragraph("年假 five"), word__media__a="x" * 50_000_000)) == "年假 five"


def test_entities_that_multiply_are_refused_or_left_unexpanded():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    data = package(paragraph("a&l11;b"), f'<!DOCTYPE d [<!ENTITY l0 "lol">{laughs}]>')
    started = time.perf_counter()
    try:
        text = text_of(data)
    except DataError as error:  # newer XML libraries refuse such a file
        text = str(error)
    assert time.perf_counter() - started < 5
    assert len(text) < 1000 and "lollol" not in text


def test_an_entity_does_not_read_a_file(tmp_path):
    (tmp_path / "secret").write_text("secret")
    prolog = f'<!DOCTYPE d [<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
    assert text_of(package(paragraph("c&f;d"), prolog)).replace("d", "") in ("c", "c&f;")


def test_deep_nesting_is_an_error_not_a_crash():
    with pytest.raises(DataError, match="DOCX"):
        load_docx(package("<w:sdt><w:sdtContent>" * 5000 + "</w:sdtContent></w:sdt>" * 5000))


@pytest.mark.parametrize("body", ["<w:x/>", ""])
def test_a_document_of_nothing_is_empty(body):
    assert text_of(package(body)) == ""


def test_a_sheet_is_no_document():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        relation = f'<Relationship Id="r1" Type="{DOCUMENT}" Target="xl/workbook.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>')
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(DataError, match="no body"):
        load_docx(buffer.getvalue())


def test_the_strict_variant_reads_the_same():
    document = docx.Document()
    document.add_heading("制度 Rules", 1)
    document.add_paragraph("五天 five days", style="List Bullet")
    data, buffer = saved(document), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            raw = old.read(name)
            for kind in (b"wordprocessingml", b"officeDocument", b"drawingml"):
                raw = raw.replace(
                    b"http://schemas.openxmlformats.org/" + kind + b"/2006/",
                    b"http://purl.oclc.org/ooxml/" + kind + b"/",
                )
            new.writestr(name, raw)
    strict = load_docx(buffer.getvalue())
    assert strict.metadata == {"variant": "strict"}
    assert strict.parts == load_docx(data).parts


def levels(*texts: tuple[str, str]) -> str:
    rows = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (kind, text) in enumerate(texts)
    )
    return (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{rows}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
        "</w:lvlOverride></w:num></w:numbering>"
    )


@pytest.mark.parametrize(
    ("kinds", "asked", "expected"),
    [
        ([("decimal", "%1."), ("decimal", "%1.%2")], [0, 1, 1, 0, 1], ["1.", "1.1", "1.2", "2.", "2.1"]),
        (
            [("chineseCounting", "第%1条")],
            [0] * 12,
            [f"第{n}条" for n in ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")],
        ),
        ([("upperRoman", "Article %1")], [0] * 4, ["Article I", "Article II", "Article III", "Article IV"]),
        ([("lowerLetter", "(%1)")], [0] * 28, [*[f"({chr(97 + n)})" for n in range(26)], "(aa)", "(bb)"]),
        ([("bullet", "•")], [0, 0], ["", ""]),
        ([("decimal", "%1."), ("decimal", "%1.%2."), ("decimal", "%1.%2.%3.")], [0, 2, 1], ["1.", "1.1.1.", "1.2."]),
    ],
)
def test_numbers_count_as_word_does(kinds, asked, expected):
    from lxml import etree

    numbering = Numbering(etree.fromstring(levels(*kinds)))
    assert [numbering.next("1", depth) for depth in asked] == expected


def test_a_list_that_starts_again():
    from lxml import etree

    numbering = Numbering(etree.fromstring(levels(("decimal", "%1."))))
    assert [numbering.next(name, 0) for name in "11221"] == ["1.", "2.", "1.", "2.", "3."]
    assert numbering.next("9", 0) == "" and Numbering(None).next("1", 0) == ""


def numbered(depth: int, extra: str = "") -> str:
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>{extra}'


def with_numbering(body: str, numbering: str) -> bytes:
    kind = DOCUMENT.removesuffix("officeDocument") + "numbering"
    relation = f'<Relationship Id="r1" Type="{kind}" Target="numbering.xml"/>'
    rels = f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>'
    return package(body, **{"word___rels__document.xml.rels": rels, "word__numbering.xml": numbering})


def test_numbers_of_headings_clauses_and_items():
    body = (
        paragraph("总则", numbered(0, '<w:outlineLvl w:val="0"/>'))
        + paragraph("Scope", numbered(1, '<w:outlineLvl w:val="1"/>'))
        + paragraph("item", numbered(1))
    )
    text = text_of(with_numbering(body, levels(("decimal", "%1."), ("decimal", "%1.%2"))))
    assert text == "# 1. 总则\n\n## 1.1 Scope\n\n- 1.2 item".replace("- 1.2", "  - 1.2")
    clauses = text_of(with_numbering(paragraph("甲方", numbered(0)) * 2, levels(("chineseCounting", "第%1条"))))
    assert clauses == "第一条 甲方\n\n第二条 甲方"
    plain = text_of(with_numbering(paragraph("step", numbered(0)) * 2, levels(("decimal", "%1."))))
    assert plain == "- step\n- step"


def test_pages_begin_where_word_turned_them():
    document = docx.Document()
    document.add_paragraph("one 一")
    document.add_paragraph("end of one").add_run().add_break(WD_BREAK.PAGE)
    rendered = document.add_paragraph("")
    rendered._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/><w:t>two 二</w:t></w:r>"))
    split = document.add_paragraph("still two")
    split._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/><w:t> runs over</w:t></w:r>"))
    document.add_paragraph("three")
    document.add_page_break()
    document.add_paragraph("four")
    loaded = make_document("a.docx", load_docx(saved(document)))
    assert loaded.text == "one 一\n\nend of one\n\ntwo 二\n\nstill two runs over\n\nthree\n\nfour"
    assert [(loaded.text[start:].split("\n")[0], page) for start, page in loaded.pages] == [
        ("one 一", 1),
        ("two 二", 2),
        ("three", 3),
        ("four", 4),
    ]


def test_a_text_box_in_a_cell_comes_once():
    box = "<w:txbxContent><w:p><w:r><w:t>box 框</w:t></w:r></w:p></w:txbxContent>"
    drawn = (
        f'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice>{box}'
        f"</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    cells = f"<w:tc><w:p><w:r>{drawn}</w:r></w:p></w:tc><w:tc>{paragraph('b')}</w:tc>"
    assert text_of(package(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")) == "| box 框 | b |"


WORDS = pytest.mark.parametrize("word", ["年假", "leave", "HR 年假"], ids=["zh", "en", "mixed"])


@WORDS
def test_files_put_into_a_word_file_are_told(word):
    relation = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId9"'
    chunk = f"<w:altChunk {relation}/>"
    document = make_document("a.docx", load_docx(package(paragraph(word) + chunk, word__chunk="<p>lost</p>")))
    assert document.text == word
    assert document.metadata["warnings"] == ["1 embedded file (altChunk) not read: open it in Word and save it"]
    assert load_docx(package(paragraph(word) + chunk + chunk)).warnings[0].startswith("2 embedded files (altChunk)")


@WORDS
def test_text_behind_an_entity_stays(word):
    prolog = '<!DOCTYPE w:document [<!ENTITY a "lol"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    document = make_document("a.docx", load_docx(package(paragraph(f"x&a;{word}&b;<!-- c -->y"), prolog)))
    assert document.text == f"x&a;{word}&b;y"
    assert document.metadata["warnings"] == ["entities kept as they are written, not expanded: &a; &b;"]
