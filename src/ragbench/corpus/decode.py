"""Bytes to text: which encoding a file is in."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from functools import cache

from ragbench.errors import DataError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The rows of each legacy character set that hold its frequent characters: first and last lead byte.
_FREQUENT = {
    "gb18030": ((0xA1, 0xA3), (0xB0, 0xD7)),
    "big5": ((0xA1, 0xA3), (0xA4, 0xC6)),
    "shift_jis": ((0x81, 0x83), (0x88, 0x98)),
    "euc_kr": ((0xA1, 0xA3), (0xB0, 0xC8)),
    "gbk": ((0xA1, 0xA9), (0xB0, 0xF7)),
}
# In the order they are tried; the last is Chinese again with its rarer characters. Korean bytes are frequent Chinese
# ones too, but twelve Chinese characters are never all Hangul; shorter texts are taken for Chinese.
# `(least share of frequent characters, least number of non-ASCII ones)`
_ENOUGH = {"euc_kr": (0.98, 12), "gb18030": (0.9, 1), "big5": (0.9, 1), "shift_jis": (0.9, 1), "gbk": (0.9, 1)}
_WESTERN = 0.2
_SAMPLE = 200_000
_MAX_BROKEN = 0.001


def decode(data: bytes, *, declared: str = "") -> tuple[str, str]:
    """The text and the name of the encoding it was read with.

    Order: byte order mark; UTF-16 without a mark (by where the NUL bytes lie); strict UTF-8; the `declared` one
    (an HTML page's); the first East Asian set whose frequent characters make up nearly all of the text, GB18030
    before Big5 and Shift_JIS; Windows-1252 for mostly ASCII bytes; charset-normalizer; UTF-8 with at most 0.1 %
    broken characters, each becoming U+FFFD. GB18030 decodes Big5 without an error, to nonsense, so "the first that
    does not fail" is no test.

    Raises:
        DataError: no encoding fits (most likely not a text file).
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace"), name
    wide = _wide_without_mark(data)
    if wide:
        return data.decode(wide, "replace"), wide
    for name in ("utf-8", declared):
        text = _strict(data, name)
        if text is not None:
            return text, name
    found = _east_asian(data) or _western(data) or _detected(data)
    if found:
        return found
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken > max(1, _MAX_BROKEN * len(text)):
        raise DataError(
            "encoding",
            expected="UTF-8, UTF-16, GB18030, Big5 or another known one",
            found="none that fits",
            hint="Save the file as UTF-8.",
        )
    return text, "utf-8"


def _strict(data: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    encoding = "gb18030" if encoding.lower() in ("gb2312", "gbk", "gb_2312-80", "x-gbk") else encoding
    try:
        text = data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return text if isinstance(text, str) and "\x00" not in text else None


def _wide_without_mark(data: bytes) -> str:
    """`utf-16-le` or `utf-16-be` when NUL bytes lie in one half of the byte pairs only."""
    sample = data[: _SAMPLE & ~1]
    if len(data) % 2 or b"\x00" not in sample:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    pairs = len(sample) // 2
    for name, here, there in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if here > max(0.02 * pairs, 20 * there):
            try:
                data.decode(name)
            except UnicodeDecodeError:
                continue
            return name
    return ""


def _east_asian(data: bytes) -> tuple[str, str] | None:
    for name, (least_share, least_length) in _ENOUGH.items():
        text = _strict(data, name)
        if text is None:
            continue
        foreign = [char for char in text[:_SAMPLE] if char > "\x7f"]
        if len(foreign) >= least_length and _frequent_share(foreign, name) >= least_share:
            return text, name if name != "gbk" else "gb18030"
    return None


def _frequent_share(foreign: Sequence[str], encoding: str) -> float:
    """Share of the non-ASCII characters that are among the frequent ones of the encoding."""
    frequent = _frequent_characters(encoding)
    return sum(char in frequent for char in foreign) / len(foreign) if foreign else 0.0


@cache
def _frequent_characters(encoding: str) -> frozenset[str]:
    pairs = (
        bytes((lead, trail))
        for first, last in _FREQUENT[encoding]
        for lead in range(first, last + 1)
        for trail in range(0x40, 0xFF)
        # The columns below A1 are the rare extension of GBK and of EUC-KR.
        if trail >= 0xA1 or encoding in ("big5", "shift_jis")
    )
    decoded = (pair.decode(encoding, "ignore") for pair in pairs)
    return frozenset(char for char in decoded if len(char) == 1)


def _western(data: bytes) -> tuple[str, str] | None:
    sample = data[:_SAMPLE]
    if sum(byte > 0x7F for byte in sample) > _WESTERN * len(sample):
        return None
    text = _strict(data, "cp1252")
    return (text, "cp1252") if text is not None else None


def _detected(data: bytes) -> tuple[str, str] | None:
    from charset_normalizer import from_bytes

    guess = from_bytes(data[:_SAMPLE]).best()
    if guess is None or guess.encoding.startswith("utf_"):
        return None
    # Long Korean texts are recognised before; a short one is more often Chinese with rare characters.
    names = ("gb18030", guess.encoding) if guess.encoding in ("cp949", "euc_kr", "johab") else (guess.encoding,)
    decoded = ((_strict(data, name), name) for name in names)
    return next(((text, name) for text, name in decoded if text is not None), None)
