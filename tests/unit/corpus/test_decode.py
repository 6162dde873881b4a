"""Which encoding a file is read with."""

from __future__ import annotations

import codecs
import random
import time

import pytest

from ragbench.corpus.decode import decode, recognised
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


@pytest.mark.parametrize(("text", "encoding"), [(HANT, "big5"), (JA, "shift_jis"), (JA, "euc_jp"), (KO, "euc_kr")])
def test_other_east_asian_sets(text, encoding):
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize("encoding", ["iso2022_jp", "iso2022_kr"])
@pytest.mark.parametrize("lead", ["", "plain ASCII before it. " * 3000], ids=["short", "long"])
def test_sets_that_escapes_switch_to(encoding, lead):
    text = lead + (JA if encoding == "iso2022_jp" else KO)
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize("text", [ZH, EN, f"{ZH} {EN}"], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("escape", ["\x1b[31m", "\x1b$", "\x1b$B", "\x1b$@ two\n"])
def test_escapes_in_utf8_are_no_such_sets(text, escape):
    assert decode(f"{escape}{text}".encode()) == (f"{escape}{text}", "utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "社員の休暇に関する規程について、次のとおり通知します。",
        "東京都千代田区丸の内",
        "株式会社山田製作所 採用情報",
        "本規程は、従業員の就業に関する事項を定める。",
        "製品仕様 Ver 2.0 は２０２４年に更新された。",
        "申請書を提出してください",
    ],
)
def test_japanese_of_every_set(text):
    for encoding in ("euc_jp", "shift_jis", "gb18030"):
        assert decode(text.encode(encoding)) == (text, encoding)


def test_a_few_characters_of_euc_jp_are_told_as_a_guess():
    found = recognised("サーバーの設定".encode("euc_jp"))
    assert found.encoding == "gb18030" and "euc_jp would fit nearly as well" in found.warnings[0]


@pytest.mark.parametrize(
    "text", ["第二章 总则", "the “quoted” words – and more", "“年假” leave"], ids=["zh", "en", "mixed"]
)
def test_text_without_kana_is_not_taken_for_japanese(text):
    assert recognised(text.encode("gb18030"))[:2] == (text, "gb18030")


WIDE = {
    "en": "line one\r\nline two\r\n",
    "zh": "年假制度：员工每年有五天年假。",
    "zh_title": "## 第一章 总  则\n",
    "zh_prose": "为了规范员工的休假管理，维护双方的合法权益，根据国家有关规定，结合本公司的实际情况，制定本办法。" * 40,
    "mixed": "VPN 账号 account：每人一个，one each。\n",
    "hant": "公司休假規定：年假十天。",
    "ja": JA,
    "ko": KO,
    "western": "naïve café, 50 °C",
    "russian": "Привет, мир",
}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", WIDE.values(), ids=WIDE)
def test_utf16_without_a_mark(text, encoding):
    assert decode(text.encode(encoding)) == (text, encoding)


@pytest.mark.parametrize("text", ["zh", "en", "mixed"])
def test_a_character_of_two_units_may_lie_across_the_end_of_the_sample(text):
    words = WIDE[text] * 2000
    for lead in ("", "x"):
        data = (lead + words[:8190] + "😀" + words).encode("utf-16-le")
        assert decode(data) == (data.decode("utf-16-le"), "utf-16-le")


@pytest.mark.parametrize(
    "data", [b"abc\0def\nxyz\0", "年假\0制度\0".encode(), b"file one\0file two\0", "年\0".encode()]
)
def test_text_with_nul_bytes_is_not_utf16(data):
    assert decode(data) == (data.decode(), "utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "bush hid the facts",
        "this app can break",
        "ABCDEFGH",
        "egeg",
        "{}",
        " " * 40,
        "a,b\n1,2\n",
        '"\n",' * 9,
        "0a0b0c0d" * 8,
        "0a0b",
        "0102" * 30,
        '"," ' * 200,
        "\x1b[0m" * 8,
    ],
)
def test_ascii_of_even_length_is_not_utf16(text):
    assert recognised(text.encode()) == (text, "utf-8", ())


GB = {
    "zh": "全国年节及纪念日放假办法",
    "name": "朱镕基",
    "names": "刘喆、王垚、陈昱",
    "mixed": "登录 RagBench",
    "box": "├── src\n│   └── main.py\n",
    "en_box": "The tree of the project:\n├── src\n└── main.py\n",
    "en": "See the 说明 page for details",
    "signs": "温度：25℃±2，误差≤5％ ★",
    "hant": "價格與數量的關係",
}


@pytest.mark.parametrize("text", GB.values(), ids=GB)
def test_gb18030_is_told_from_its_rivals(text):
    assert decode(text.encode("gb18030")) == (text, "gb18030")


@pytest.mark.parametrize("text", ["휴가 규정", "회사는 근로자에게 휴가를 준다"])
def test_short_korean(text):
    assert recognised(text.encode("euc_kr")) == (text, "euc_kr", ())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("钉钉", "gb18030"), ("a naïve guess", "cp1252"), ("隊 duty", "big5")],
    ids=["zh", "en", "mixed"],
)
def test_a_guess_is_told(text, encoding):
    data = text.encode(encoding)
    found = recognised(data)
    (warning,) = found.warnings
    assert warning.startswith(f"encoding guessed: {found.encoding}, but ") and "fit nearly as well" in warning
    assert recognised((text + GB["zh"]).encode("gb18030")).warnings == ()


@pytest.mark.parametrize("text", [ZH, f"{EN} {ZH}"], ids=["zh", "mixed"])
@pytest.mark.parametrize("encoding", ["gb18030", "utf-16-le", "utf-16-be"])
def test_a_cut_last_character_is_one_replacement(text, encoding):
    found, name = decode((text * 20).encode(encoding)[:-1])
    assert name == encoding and found == (text * 20)[:-1] + "\ufffd"


def test_foreign_lines_far_down_a_file_are_found():
    text = "plain English text of a log\n" * 100_000 + "最后一行：员工休假管理制度\n"
    assert decode(text.encode("gb18030")) == (text, "gb18030")


@pytest.mark.parametrize("unit", ["年假", "\xe9", "a"], ids=["zh", "western", "ascii"])
def test_time_grows_with_the_size_of_one_long_line(unit):
    data = unit.encode("gb18030" if unit == "年假" else "latin-1")
    data += b"\xff" if unit == "a" else b""
    started = time.process_time()
    decode(data * 2_000_000)
    assert time.process_time() - started < 10


def test_noise_is_no_text():
    noise = random.Random(5)
    for size in (64, 200, 1000, 5000):
        for _ in range(20):
            with pytest.raises(DataError, match="encoding"):
                decode(noise.randbytes(size))


def test_big5_is_not_taken_for_gb18030_although_that_decodes_it():
    data = HANT.encode("big5")
    data.decode("gb18030", "strict")
    assert decode(data)[0] == HANT


@pytest.mark.parametrize("text", ["Où est le café ? Déjà vu, garçon.", "It’s 5 – no, “6” days."])
def test_western_text(text):
    assert decode(text.encode("cp1252")) == (text, "cp1252")


def test_a_declared_encoding_is_tried_after_utf8():
    assert recognised("价格".encode("gbk"), declared="gb2312")[:2] == ("价格", "gb2312")
    assert recognised("价格".encode(), declared="gb2312").text == "价格"
    assert recognised("价格".encode("gbk"), declared="no-such-codec").text == "价格"


@pytest.mark.parametrize("declared", ["utf-16", "UTF-16LE", "utf-32", "utf_7", "unicode_escape", "rot13"])
def test_a_declaration_that_cannot_be_read_in_its_own_encoding_is_none(declared):
    assert recognised("公司 价格表".encode("gbk"), declared=declared)[:2] == ("公司 价格表", "gb18030")


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
