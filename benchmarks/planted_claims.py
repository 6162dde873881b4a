"""Claims with a known verdict, planted in passages: true ones in other words, false ones by one change.

Every false claim is changed from a true one that was already reworded, so that being reworded tells nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragbench.text.normal import negations
from ragbench.text.sentences import sentences

TRAINED_TRUE, TRAINED_FALSE = ("shortened", "rephrased"), ("entity", "number", "negated", "foreign", "opposite")
HELD_TRUE, HELD_FALSE = ("reordered", "joined"), ("unit", "added", "name_near")


@dataclass(frozen=True)
class Planted:
    """A claim planted in `context`; `group` keeps one source's claims on one side of a cross-validation."""

    language: str
    kind: str
    context: str
    claim: str
    supported: bool
    group: str


@dataclass(frozen=True)
class Passage:
    """A passage with the short answers found in it, and its group (article, document)."""

    language: str
    text: str
    answers: tuple[str, ...]
    group: str


def _words(text: str) -> list[str]:
    return [" ".join(word.split()) for word in text.split("|")]


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(old.strip(), new.strip()) for old, new in (pair.split("=") for pair in text.split("|"))]


_SYNONYMS = {
    "zh": _pairs(
        """
        应当=需要 | 必须=须 | 可以=能够 | 以及=和 | 由于=因为 | 目前=现在 | 进行=开展 | 并且=而且 | 位于=在 |
        开始=起 | 获得=得到 | 使用=采用 | 超过=多于 | 不得=不能 | 之后=以后 | 通过=经过 | 约=大约 | 与=和 |
        该=这个 | 至=到
        """
    ),
    "en": _pairs(
        """
        must=has to | may=can | however=but | began=started | located=situated | approximately=about |
        because=since | also=as well | large=big | use=employ | after=following | called=named | received=got |
        before=prior to | within=in under | which=that | many=numerous | was=had been | is=remains | are=remain |
        were=had been
        """
    ),
}
_OPPOSITES = {
    "zh": _pairs(
        """
        增加=减少 | 最大=最小 | 最高=最低 | 允许=禁止 | 之前=之后 | 以上=以下 | 上升=下降 | 支持=反对 | 第一=最后 |
        成功=失败 | 开始=结束 | 内部=外部 | 可以=不得 | 高于=低于 | 至少=至多 | 早=晚 | 新=旧 | 大=小
        """
    ),
    "en": _pairs(
        """
        increase=decrease | largest=smallest | highest=lowest | before=after | above=below | more=fewer |
        first=last | allowed=forbidden | success=failure | began=ended | won=lost | north=south | at least=at most |
        early=late | new=old | enabled=disabled | minimum=maximum | east=west | internal=external | all=none
        """
    ),
}
_UNITS = {
    "zh": _pairs(
        """
        工作日=小时 | 小时=天 | 分钟=小时 | 个月=周 | 年=个月 | 元=美元 | 天=周 | 公里=米 | %=倍 | 秒=分钟 | 日=周 |
        人=次
        """
    ),
    "en": _pairs(
        """
        days=weeks | hours=days | minutes=hours | seconds=minutes | years=months | months=weeks | million=billion |
        percent=points | GB=MB | km=miles | %= points | miles=yards | MiB=GiB | meters=feet
        """
    ),
}
_EXTRAS = {
    "zh": _words(
        """
        由董事会批准 | 并需另付手续费 | 主要面向海外市场 | 费用由对方承担 | 这在业内属首次 | 且每季度复核一次 |
        以邮件通知为准
        """
    ),
    "en": _words(
        """
        approved by the board | for an extra fee | mainly for overseas markets | at the customer's expense |
        a first in the industry | reviewed every quarter | announced by e-mail
        """
    ),
}


def plant(passages: Sequence[Passage], kinds: Sequence[str], per_passage: int, seed: int) -> Iterator[Planted]:
    """Up to `per_passage` claims of random kinds for each passage; deterministic in the seed."""
    rng = random.Random(seed)
    everyone = {language: [p for p in passages if p.language == language] for language in ("zh", "en")}
    for passage in passages:
        usable = [
            passage.text[s.start + s.marker : s.end] for s in sentences(passage.text) if s.kind in ("prose", "item")
        ]
        usable = [text for text in usable if 12 <= len(text) <= 320 and not text.rstrip("*_`)）").endswith(("?", "？"))]
        if not usable:
            continue
        made = 0
        for kind in rng.sample(list(kinds), len(kinds)):
            claim = _make(kind, rng, passage, usable, everyone[passage.language])
            if claim is not None and claim.rstrip("。.") not in passage.text and made < per_passage:
                made += 1
                yield Planted(
                    passage.language, kind, passage.text, claim, kind in TRAINED_TRUE + HELD_TRUE, passage.group
                )


def number_changed(rng: random.Random, text: str) -> str | None:
    """With another number in the place of one; None without numbers."""
    return _number(rng, text)


def negated(text: str, language: str) -> str | None:
    """With the first verb negated, or without the first negation; None where there is neither."""
    changed = _negated(text, language)
    return changed if changed != text else None


def opposite(rng: random.Random, text: str, language: str) -> str | None:
    """With a listed word's opposite in its place; None without such a word."""
    return _swapped(rng, text, _both_ways(_OPPOSITES[language]), language, 1)


def _make(kind: str, rng: random.Random, passage: Passage, usable: list[str], everyone: list[Passage]) -> str | None:
    if kind == "joined":
        return _joined(rng, usable, passage.language)
    if kind == "foreign":
        return _foreign(rng, passage, everyone)
    makers: dict[str, Callable[[str], str | None]] = {
        "shortened": lambda text: text,
        "reordered": lambda text: text,
        "rephrased": lambda text: _swapped(rng, text, _SYNONYMS[passage.language], passage.language, 3),
        "entity": lambda text: _entity(
            rng, text, passage, [a for p in rng.sample(everyone, min(40, len(everyone))) for a in p.answers]
        ),
        "name_near": lambda text: _entity(rng, text, passage, list(passage.answers), near=True),
        "number": lambda text: _number(rng, text),
        "negated": lambda text: _negated(text, passage.language),
        "opposite": lambda text: _swapped(rng, text, _both_ways(_OPPOSITES[passage.language]), passage.language, 1),
        "unit": lambda text: _unit(rng, text, passage.language),
        "added": lambda text: (
            text.rstrip("。.；;！!")
            + ("，" if passage.language == "zh" else ", ")
            + rng.choice(_EXTRAS[passage.language])
        ),
    }
    for text in rng.sample(usable, min(6, len(usable))):
        changed = makers[kind](text)
        if changed is None or (changed == text and kind not in ("shortened", "reordered")):
            continue
        if kind == "reordered":
            return _reordered(changed, passage.language)
        if kind == "shortened" or kind != "rephrased":
            reworded = _shortened(rng, changed, text, passage.language)
            if kind == "shortened":
                return reworded if reworded != text else None
            return reworded
        return changed
    return None


def _clauses(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[，,]\s*(?!\d{3})", text.rstrip("。.；;！!")) if part.strip()]


def _shortened(rng: random.Random, changed: str, original: str, language: str) -> str:
    """Without one clause that was not changed, or without a bracket."""
    bare = re.sub(r"\s*[（(][^（()）]{1,40}[)）]", "", changed)
    parts = _clauses(bare)
    before = set(_clauses(original))
    droppable = [part for part in parts if part in before]
    if droppable and len(parts) >= (2 if changed == original else 3):
        parts.remove(rng.choice(droppable))
    return ("，" if language == "zh" else ", ").join(parts) + ("。" if language == "zh" else ".")


def _reordered(text: str, language: str) -> str | None:
    parts = _clauses(text)
    if len(parts) < 2:
        return None
    return ("，" if language == "zh" else ", ").join([*parts[1:], parts[0]]) + ("。" if language == "zh" else ".")


def _joined(rng: random.Random, usable: list[str], language: str) -> str | None:
    """Two sentences as one."""
    if len(usable) < 2:
        return None
    at = rng.randrange(len(usable) - 1)
    first, second = usable[at].rstrip("。.；;！!"), usable[at + 1]
    return first + ("，同时" if language == "zh" else " and ") + second if len(first + second) <= 240 else None


def _foreign(rng: random.Random, passage: Passage, everyone: list[Passage]) -> str | None:
    same = [p for p in everyone if p.group == passage.group and p.text != passage.text]
    source = rng.choice(same or everyone)
    pool = [source.text[s.start + s.marker : s.end] for s in sentences(source.text) if s.kind == "prose"]
    pool = [text for text in pool if 12 <= len(text) <= 320 and text not in passage.text]
    return rng.choice(pool) if pool else None


def _swapped(rng: random.Random, text: str, pairs: Sequence[tuple[str, str]], language: str, most: int) -> str | None:
    """Up to `most` listed words replaced, each in one place."""
    made = 0
    for old, new in rng.sample(list(pairs), len(pairs)):
        pattern = rf"\b{re.escape(old)}\b" if language == "en" else re.escape(old)
        text, n = re.subn(pattern, new, text, count=1)
        made += n
        if made == most:
            break
    return text if made else None


def _both_ways(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*pairs, *((new, old) for old, new in pairs)]


def _entity(rng: random.Random, text: str, passage: Passage, pool: Sequence[str], near: bool = False) -> str | None:
    inside = [answer for answer in passage.answers if answer in text and len(answer) >= 2]
    if not inside:
        return None
    answer = rng.choice(inside)
    other = [
        word
        for word in pool
        if word != answer
        and word not in text
        and (near or word not in passage.text)
        and answer not in word
        and bool(re.search(r"\d", word)) == bool(re.search(r"\d", answer))
        and 0.4 <= len(word) / len(answer) <= 2.5
    ]
    return text.replace(answer, rng.choice(other), 1) if other else None


def _number(rng: random.Random, text: str) -> str | None:
    found = list(re.finditer(r"(?<![\d.])\d+(?![\d.])", text))
    if not found:
        return None
    match = rng.choice(found)
    value = int(match[0])
    other = value + rng.choice([1, 2, 3, 5, 10, 7]) if rng.random() < 0.7 else value * 2 + 1
    return text[: match.start()] + str(other) + text[match.end() :]


def _negated(text: str, language: str) -> str | None:
    if negations(text):
        cut = (
            re.sub(r"\bnot |\bnever |n['’]t\b", "", text, count=1)
            if language == "en"
            else re.sub(r"不(?=[能得会可])|没有?|未", "", text, count=1)
        )
        return cut if cut != text else None
    if language == "en":
        new = re.sub(
            r"\b(is|are|was|were|can|may|must|will|has|have|had|should|would|could|does|did)\b",
            r"\1 not",
            text,
            count=1,
        )
    else:
        new = re.sub(
            r"(?<!不)(是|会|能|可以|应|须|有|在)", lambda m: {"有": "没有"}.get(m[0], "不" + m[0]), text, count=1
        )
    return new if new != text else None


def _unit(rng: random.Random, text: str, language: str) -> str | None:
    for old, new in rng.sample(_UNITS[language], len(_UNITS[language])):
        pattern = rf"(?<=\d)(\s?(?:个)?){re.escape(old)}" + (
            r"(?![a-z])" if old[-1].isalpha() and old[-1].isascii() else ""
        )
        changed, n = re.subn(pattern, lambda m, new=new: m[1].rstrip("个") + new, text, count=1)
        if n:
            return changed
    return None
