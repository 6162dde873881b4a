"""Which encoding a file is read with."""

from __future__ import annotations

import codecs

import pytest

from ragbench.corpus.decode import decode
from ragbench.errors import DataError

ZH = "员工休假管理制度：年假有多少天？工作满一年不满十年的，年休假5天。"
HANT = "台北看守所昨天抽查前總統的房舍，引來強烈不滿。律師則說，抗議侵犯隱私。"
EN = "How many days of leave does an employee have? – 5 days, naïvely."
JA = "これは日本語のテキストです。年次有給休暇は十日です。"
KO = "연차 휴가는 며칠입니까? 직원은 십오 일을 받습니다."


@pytest.mark.parametrize("text", [ZH, EN, f"{ZH} {EN}", "年", "x"], ids=["zh", "en", "mixed", "one_zh", "one_en"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_round_trip(text, encoding):
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize("length", [2, 3, 5, 10, 20])
def test_short_chinese_is_gb18030(length):
    assert decode(ZH[:length].encode("gb18030")) == (ZH[:length], "gb18030")


@pytest.mark.parametrize(("text", "encoding"), [(HANT, "big5"), (JA, "shift_jis"), (KO, "euc_kr")])
def test_other_east_asian_sets(text, encoding):
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding):
    assert decode("line one\r\nline two\r\n".encode(encoding)) == ("line one\r\nline two\r\n", encoding)


def test_big5_is_not_taken_for_gb18030_although_that_decodes_it():
    data = HANT.encode("big5")
    data.decode("gb18030", "strict")
    assert decode(data)[0] == HANT


@pytest.mark.parametrize("text", ["Où est le café ? Déjà vu, garçon.", "It’s 5 – no, “6” days."])
def test_western_text(text):
    assert decode(text.encode("cp1252")) == (text, "cp1252")


def test_a_declared_encoding_is_tried_after_utf8():
    assert decode("价格".encode("gbk"), declared="gb2312") == ("价格", "gb2312")
    assert decode("价格".encode(), declared="gb2312")[0] == "价格"
    assert decode("价格".encode("gbk"), declared="no-such-codec")[0] == "价格"


def test_a_broken_byte_in_utf8_is_one_replacement():
    text, encoding = decode((ZH * 100).encode() + b"\xff" + EN.encode())
    assert text.count("\ufffd") == 1 and encoding == "utf-8" and EN in text


def test_utf16_cut_in_the_middle_is_read():
    assert decode(codecs.BOM_UTF16_LE + "年假".encode("utf-16-le") + b"\x00")[0].startswith("年假")


@pytest.mark.parametrize("name", ["鑫淼", "鑫垚", "张鑫"])
def test_rare_characters_in_a_mostly_ascii_log_are_chinese(name):
    text = f"error at 10:02 in module x: {name} failed; naive retry\n" * 3
    assert decode(text.encode("gb18030")) == (text, "gb18030")


def test_bytes_of_no_text_are_an_error():
    with pytest.raises(DataError, match="encoding"):
        decode(bytes(range(256)) * 40)


def test_empty():
    assert decode(b"") == ("", "utf-8")
