"""XML files and subtitles."""

from __future__ import annotations

import time

import pytest

from ragbench.corpus.load_subtitles import load_subtitles
from ragbench.corpus.load_xml import load_xml
from ragbench.errors import DataError


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<r><i><名称>键盘</名称><价格>12</价格></i><p>说明 <b>文</b>字</p></r>", "名称: 键盘\n价格: 12\n说明 文字"),
        ("<book><title>T</title><para>One <em>two</em>.</para></book>", "title: T\nOne two."),
        ('<a xmlns="urn:x"><b c="d"> x\n y </b><!-- no --><?pi no?><e/></a>', "b: x y"),
        ("<a>only 文</a>", "a: only 文"),
        ("<a/>", ""),
    ],
)
def test_elements_are_lines(xml, text):
    assert load_xml(xml.encode()).parts[0][0] == text


def test_declared_encoding_title_and_pages():
    parsed = load_xml('<?xml version="1.0" encoding="GB2312"?><r><title>采购制度</title></r>'.encode("gb18030"))
    assert (parsed.title, parsed.metadata["encoding"]) == ("采购制度", "gb2312")
    page = load_xml(
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><h1>一</h1></body></html>".encode()
    )
    assert (page.doc_type, page.parts[0][0]) == ("html", "# 一")
    assert load_xml(b"  ").parts[0][0] == ""


@pytest.mark.parametrize("data", [b"<a><b></a>", b"text", b"<a>" * 5000])
def test_what_is_no_xml_has_a_reason(data):
    with pytest.raises(DataError, match="XML"):
        load_xml(data)


def test_entities_stay_and_files_are_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    doctype = f'<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
    text = load_xml(f"{doctype}<a>u &x; &f; &amp; w</a>".encode()).parts[0][0]
    assert "secret" not in text and "lol" not in text and "& w" in text


@pytest.mark.parametrize("word", ["年假", "leave", "HR 年假"], ids=["zh", "en", "mixed"])
def test_entities_are_told_and_nothing_behind_them_is_lost(word):
    parsed = load_xml(
        f'<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY x "lol">]><a><b>&x;</b><c>u &x; {word}</c><d>&unknown;</d></a>'.encode()
    )
    assert parsed.parts[0][0] == f"b: &x;\nc: u &x; {word}\nd: &unknown;"
    assert parsed.warnings == ("entities kept as they are written, not expanded: &x; &unknown;",)
    assert load_xml(f"<a>&amp; &#32; {word}</a>".encode()).warnings == ()


def test_entities_that_multiply_end_in_time():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    started = time.perf_counter()
    try:
        text = load_xml(f'<!DOCTYPE a [<!ENTITY l0 "lol">{laughs}]><a>&l11;</a>'.encode()).parts[0][0]
    except DataError as error:
        text = str(error)
    assert len(text) < 1000 and time.perf_counter() - started < 5


SRT = "1\r\n00:00:06,500 --> 00:00:09,000\r\n<i>第一</i>\r\nfirst line\r\n\r\n2\r\n00:00:10,000 --> 00:00:11,000\r\n{\\an8}second\r\n"
VTT = "WEBVTT\n\nNOTE made by hand\n\nintro\n00:06.500 --> 00:09.000 align:start\n第一 first line\n\n00:10.000 --> 00:11.000\nsecond"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", [SRT, VTT], ids=["srt", "vtt"])
def test_a_cue_is_a_line(text, encoding):
    parsed = load_subtitles(text.encode(encoding))
    assert parsed.parts[0][0] == "第一 first line\nsecond"
    assert parsed.metadata["encoding"].startswith(encoding)


def test_subtitles_without_times_are_text():
    assert load_subtitles(b"just text").warnings == ("no times found: read as plain text",)
    assert load_subtitles(b"").warnings == ()
