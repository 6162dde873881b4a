"""The offline judge on kinds of planted claims and on passages that nothing was tuned on.

    python benchmarks/fresh_claims.py

The kinds of `planted_claims.py` were partly chosen, and signals added, after looking at figures; these were written
afterwards and measured once, with the weights as shipped. The passages come from other texts too: CMRC 2018 beyond
the 200 paragraphs of the training (CC BY-SA 4.0) and ClapNQ (Apache-2.0). Whoever tunes on them must say so here and
write new ones. Prints one line a language and kind; stores nothing.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from planted_claims import Passage
from train_offline_judge import DATA, passages

from ragbench.core.workers import Tools
from ragbench.judge.floor import PlantedClaim, judge_floor
from ragbench.judge.offline import OfflineJudge
from ragbench.text.sentences import sentences

TRUE, FALSE = ("framed", "spelled"), ("crossed", "roles", "quantifier")
_FRAMES = {"zh": "按文中的说法，{}", "en": "The text says that {}"}
_DIGITS = {"zh": dict(zip("123456789", "一二三四五六七八九")), "en": {}}
_DIGITS["en"] = dict(zip("123456789", "one two three four five six seven eight nine".split()))  # noqa: SIM905
_QUANTIFIERS = {
    "zh": "部分=全部 大多=少数 通常=从不 许多=极少 一些=所有 主要=次要 多数=少数 经常=很少 几乎=并未 唯一=之一",
    "en": "some=all many=few most=few often=rarely usually=never several=all sometimes=always",
}


def texts() -> list[Passage]:
    """Passages of both languages, one group each."""
    chinese = passages(DATA / "cmrc2018/cmrc2018_dev.squad.json", "zh")[200:]
    lines = Path(DATA / "clapnq/clapnq_dev_answerable.jsonl").read_text(encoding="utf-8").splitlines()
    english = [re.sub(r" (?=[.,;:])", "", json.loads(line)["passages"][0]["text"]) for line in lines]
    return [*chinese, *(Passage("en", text, (), str(at)) for at, text in enumerate(dict.fromkeys(english)))]


def framed(text: str, language: str, rng: random.Random) -> str:
    """True: behind a phrase of reporting."""
    start = text[:1].lower() if re.match(r"(?:The|A|An|In|It|This|They|He|She)\b", text) else text[:1]
    return _FRAMES[language].format(start + text[1:])


def spelled(text: str, language: str, rng: random.Random) -> str | None:
    """True: a lone digit as a word."""
    words = _DIGITS[language]
    changed, n = re.subn(r"(?<![\w.,-])[1-9](?![\d.,:/-])", lambda match: words[match[0]], text, count=1)
    return changed if n else None


def roles(text: str, language: str, rng: random.Random) -> str | None:
    """False: two names or years of the sentence in each other's place."""
    pattern = r"《[^》]+》|(?<!\d)\d{4}年|[A-Z][a-z]{3,}" if language == "zh" else r"(?<=\s)[A-Z][a-z]{3,}|\b\d{4}\b"
    found = list(re.finditer(pattern, text))
    for one, two in pairwise(found):
        if one[0] != two[0] and one[0][0].isdigit() == two[0][0].isdigit() and two.start() - one.end() > 3:
            middle = text[one.end() : two.start()]
            return text[: one.start()] + two[0] + middle + one[0] + text[two.end() :]
    return None


def quantifier(text: str, language: str, rng: random.Random) -> str | None:
    """False: how much or how often is another."""
    for pair in _QUANTIFIERS[language].split():
        old, new = pair.split("=")
        pattern = rf"\b{old}\b" if language == "en" else old
        changed, n = re.subn(pattern, new, text, count=1)
        if n:
            return changed
    return None


def crossed(first: str, second: str, language: str) -> str | None:
    """False: the subject clause of one sentence with the last clause of another."""
    one, two = (re.split(r"[，,]\s*(?!\d{3})", text.rstrip("。. ")) for text in (first, second))
    if len(one) < 2 or len(two) < 2 or min(len(one[0]), len(two[-1])) < 6:
        return None
    return f"{one[0]}，{two[-1]}。" if language == "zh" else f"{one[0]}, {two[-1]}."


def plant(sources: Sequence[Passage], most: int = 60) -> list[PlantedClaim]:
    """Up to `most` claims a language and kind, one of each kind a passage."""
    rng = random.Random(20)
    makers: dict[str, Callable[[str, str, random.Random], str | None]] = {
        "framed": framed,
        "spelled": spelled,
        "roles": roles,
        "quantifier": quantifier,
    }
    found: list[PlantedClaim] = []
    for source in rng.sample(list(sources), len(sources)):
        lines = [source.text[s.start + s.marker : s.end] for s in sentences(source.text) if s.kind == "prose"]
        lines = [line for line in rng.sample(lines, len(lines)) if 15 <= len(line) <= 300]
        claims = {
            kind: next(filter(None, (make(x, source.language, rng) for x in lines)), None)
            for kind, make in makers.items()
        }
        claims["crossed"] = _first(crossed(a, b, source.language) for a, b in pairwise(lines))
        for kind, claim in claims.items():
            n = sum(one.kind == kind and one.language == source.language for one in found)
            if claim is not None and claim.rstrip("。.") not in source.text and n < most:
                found.append(PlantedClaim(source.language, kind, source.text, claim, kind in TRUE))
    return found


def _first(made: Iterable[str | None]) -> str | None:
    return next(filter(None, made), None)


def main() -> None:
    """Judge them all."""
    planted = plant(texts())
    with OfflineJudge(semantic=False).open(Tools(None)) as judge:
        for result in judge_floor(judge, planted):
            kinds = [
                f"{kind} {right:.2f} (n {sum(c.kind == kind and c.language == result.language for c in planted)})"
                for kind, right in result.by_kind.items()
            ]
            head = f"{result.language}: n {result.n}, balanced accuracy {result.balanced_accuracy:.3f}"
            print(f"{head}, lower bound {result.low:.3f}; " + ", ".join(kinds))


if __name__ == "__main__":
    main()
