"""Bytes to text: which encoding a file is in."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ragbench.corpus.text_cost import foreign_cost, text_cost
from ragbench.errors import DataError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = {"utf-16-le": 7.0, "utf-16-be": 9.0}
# Bits of surprise at meeting the encoding at all. The larger form of a set is tried where the set itself does not fit.
_NARROW = {"utf-8": 0.0, "gb18030": 1.0, "cp1252": 4.0, "big5": 8.0, "shift_jis": 8.0, "euc_jp": 12.0, "euc_kr": 12.0}
_LARGER = {"big5": "big5hkscs", "shift_jis": "cp932", "euc_kr": "cp949"}
_KOREAN, _HANJA = frozenset(("euc_kr", "cp949", "johab")), 4.0
# Seven-bit sets, by the escapes that switch to them. No terminal acts on these.
_SWITCHED = ((b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"), (b"\x1b$)C", "iso2022_kr"))
_SEVERAL_BYTES = _NARROW.keys() - {"cp1252"}
_GB = frozenset(("gb2312", "gbk", "gb_2312-80", "x-gbk"))
# A page that declares one of these would not have been read far enough to find the declaration.
_NOT_DECLARED = re.compile(r"utf[-_]?(?:16|32|7)|.*escape|idna|punycode", re.IGNORECASE)
_SAMPLE = 16_384
# Bytes of UTF-16 are hardly ever UTF-8 without a NUL by chance, unless they are this few: one in four characters is.
_SHORT = 32
_ODD = 20.0
_BY_CHANCE = 10.0
_TYPED = 16
_DETECTED = 12.0
_N_DETECTED = 8
_NEXT_GUESS = 6.0
_RARE = 14.3
_WESTERN = 0.2
_NOISE = 8.0
_LONG_ENOUGH = 16
_CLOSE = 10.0
_N_TOLD = 2
_MAX_BROKEN = 0.001
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA, _KANA_SHARE, _NO_KANA = re.compile("[\u3041-\u30fe]"), 10, 20.0
_ASCII = re.compile("[\x00-\x7f]")
_FOREIGN = re.compile(rb"[\x80-\xff]")
_BEFORE = 100


class Decoded(NamedTuple):
    """The text, the encoding it was read with, and a warning where another one fits nearly as well."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> tuple[str, str]:
    """The text and the name of its encoding, as `recognised` finds them; the same error."""
    return recognised(data)[:2]


def recognised(data: bytes, *, declared: str = "") -> Decoded:
    """The text of a file whose encoding is not known.

    Order: byte order mark; ISO-2022-JP and -KR by their escapes; UTF-16 without a mark, where it reads as the likelier
    text; strict UTF-8; the `declared` one (an HTML page's); the likeliest of GB18030, Windows-1252, Big5, Shift_JIS,
    EUC-JP and EUC-KR, of what
    charset-normalizer finds where these give rare characters only, and of UTF-8. Up to 0.1 % of the characters may be
    broken, each becoming U+FFFD. What is likely is told by `text_cost`: GB18030 decodes Big5 without an error, to
    nonsense, so "the first that does not fail" is no test. Linear in the size.

    Raises:
        DataError: no encoding fits (most likely not a text file).
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(name, "replace"), name)
    plain = _strict(data, "utf-8")
    for escape, name in _SWITCHED if plain is not None and b"\x1b$" in data else ():
        if escape in data and (switched := _strict(data, name)) is not None:
            return Decoded(switched, name)
    if plain is not None and len(data) > _SHORT and b"\x00" not in data:
        return Decoded(plain, "utf-8")
    found = _wide(data, plain)
    if found:
        return found
    if plain is not None:
        return Decoded(plain, "utf-8")
    text = None if _NOT_DECLARED.match(declared) else _strict(data, declared)
    found = Decoded(text, declared) if text is not None else _narrow(data)
    if found is None:
        raise DataError(
            "encoding",
            expected="UTF-8, UTF-16, GB18030, Big5 or another known one",
            found="none that fits",
            hint="Save the file as UTF-8.",
        )
    return found


def _strict(data: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        text = data.decode("gb18030" if encoding.lower() in _GB else encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return text if isinstance(text, str) else None


def _lenient(data: bytes, encoding: str) -> str | None:
    """The text with at most 0.1 % of it broken; a byte cut off at the end is no reason either."""
    text = data.decode(encoding, "replace")
    return text if text.count("\ufffd") <= max(1, _MAX_BROKEN * len(text)) else None


def _wide(data: bytes, plain: str | None) -> Decoded | None:
    """UTF-16 without a mark when it reads as the likelier text of the first bytes, in whichever order of the two.

    `plain` is the text where the bytes are UTF-8; it is the answer where UTF-16 would fit nearly as well.
    """
    sample = data[: min(_SAMPLE, len(data)) & ~1]
    # A character of two units may be cut at the end of a sample.
    whole = sample[:-2] if len(sample) + 1 < len(data) else sample
    costs = {
        name: text_cost(text)
        + surprise
        + _ODD * (len(data) % 2)
        + _BY_CHANCE * _is_typed(sample) * (1 + len(sample) / 8)
        for name, surprise in _WIDE.items()
        if (text := _strict(sample, name) or _strict(whole, name)) is not None
    }
    if not costs or not sample or _is_too_typed(sample):
        return None
    rivals = tuple(_NARROW) if plain is None else ("utf-8",)
    costs |= {name: _cost(sample, name) + _NARROW[name] for name in rivals}
    best = _cheapest(costs)[0]
    doubt = _doubt(best, sample, costs)
    if best in _WIDE and not _is_noise(costs[best], sample):
        text = _lenient(data, best)
        return Decoded(text, best, doubt) if text is not None else None
    return Decoded(plain, "utf-8", doubt) if plain is not None else None


def _is_typed(sample: bytes) -> bool:
    """Whether all bytes are letters, signs, line ends and escapes of ASCII: two make a Chinese character by chance."""
    return sample.isascii() and sample.translate(None, b"\t\r\n\f\b\x1b").decode("ascii").isprintable()


def _is_too_typed(sample: bytes) -> bool:
    """Whether UTF-16 cannot have so many bytes of ASCII by chance, or the same two again."""
    pairs = {sample[place : place + 2] for place in range(0, len(sample), 2)}
    return _is_typed(sample) and (len(sample) > _TYPED or 2 * len(pairs) < len(sample))


def _is_noise(cost: float, sample: bytes) -> bool:
    """Whether the reading says no more than that the bytes are any eight bits each."""
    return len(sample) >= _LONG_ENOUGH and cost > _NOISE * len(sample)


def _narrow(data: bytes) -> Decoded | None:
    """The likeliest reading by the lines that hold anything beyond ASCII."""
    # A line that comes again is no further evidence.
    sample = b"\n".join(dict.fromkeys(_foreign_lines(data)))
    costs = {name: _cost(sample, name) + surprise for name, surprise in _NARROW.items()}
    if _is_doubtful(_cheapest(costs)[0], sample):
        for place, name in enumerate(_detected(sample)):
            costs.setdefault(name, _cost(sample, name) + _DETECTED + place)
    for best in _cheapest(costs):
        if _is_noise(costs[best], sample):
            break
        for name in (best, _LARGER.get(best, "")):
            text = _strict(data, name)
            if text is not None:
                return Decoded(text, name, _doubt(best, sample, costs))
        text = _lenient(data, best) if best in _SEVERAL_BYTES else None
        if text is not None:
            return Decoded(text, best, _doubt(best, sample, costs))
    return None


def _is_doubtful(best: str, sample: bytes) -> bool:
    """Whether another set than the usual ones is to be thought of: rare characters, or more foreign than ASCII ones."""
    text = _sampled(sample, best)
    western = best == "cp1252" and len(_FOREIGN.findall(sample)) > _WESTERN * len(sample)
    return western or "\ufffd" in text or foreign_cost(text) > _RARE


def _cheapest(costs: Mapping[str, float]) -> list[str]:
    return sorted(costs, key=costs.__getitem__)


def _cost(sample: bytes, encoding: str) -> float:
    text = _sampled(sample, encoding)
    # Modern Korean is written without Chinese characters, which its set holds too; Japanese is not without kana.
    rare = _HANJA * len(_HAN.findall(text)) if encoding in _KOREAN else 0.0
    if encoding == "euc_jp" and len(_KANA.findall(text)) * _KANA_SHARE < len(text) - len(_ASCII.findall(text)):
        rare = _NO_KANA
    return text_cost(text) + rare


def _sampled(sample: bytes, encoding: str) -> str:
    """The sample in this encoding, or in the larger form of it where that fits."""
    text = _strict(sample, encoding) or _strict(sample, _LARGER.get(encoding, ""))
    return text if text is not None else sample.decode(encoding, "replace")


def _doubt(best: str, sample: bytes, costs: Mapping[str, float]) -> tuple[str, ...]:
    """A warning that names the readings that differ and are nearly as likely."""
    told = {_sampled(sample, best)}
    close: list[str] = []
    for name in _cheapest(costs):
        text = _sampled(sample, name)
        if costs[name] < costs[best] + _CLOSE and text not in told and len(close) < _N_TOLD:
            close.append(name)
            told.add(text)
    return (f"encoding guessed: {best}, but {' or '.join(close)} would fit nearly as well",) if close else ()


def _detected(sample: bytes) -> list[str]:
    """What charset-normalizer thinks of, those of old Apple computers last."""
    from charset_normalizer import from_bytes

    names = [guess.encoding for guess in from_bytes(sample) if not guess.encoding.startswith("utf_")]
    return sorted(names[:_N_DETECTED], key=lambda name: name.startswith("mac_"))


def _foreign_lines(data: bytes) -> Iterator[bytes]:
    """Lines with a byte beyond ASCII, without most of what stands before it, up to the size of a sample."""
    position = taken = 0
    while taken < _SAMPLE and (found := _FOREIGN.search(data, position)):
        start = max(data.rfind(b"\n", position, found.start()) + 1, position, found.start() - _BEFORE)
        end = data.find(b"\n", found.start(), start + _SAMPLE - taken)
        end = min(len(data), start + _SAMPLE - taken) if end < 0 else end
        yield data[start:end]
        taken += end - start + 1
        position = end
