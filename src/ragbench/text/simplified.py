"""Traditional Chinese characters as simplified ones, for comparing texts; the text itself is never changed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("traditional.tsv")


def simplified(text: str) -> str:
    """The text with traditional characters replaced by simplified ones; as long as before.

    Phrases first, where one character has two forms (`乾隆` stays, `餅乾` is `饼干`, `計畫` is `计划`), from left to
    right, the longest that fits; then single characters. Simplified text stays as it is, but for variants that it
    shares with traditional (`答覆` is `答复`). Regional words are not exchanged (`軟體` is `软体`, not `软件`).
    Source: the dictionaries of OpenCC's configuration `t2s`.
    """
    if text.isascii():
        return text
    changed, phrases, pieces, characters = _tables()
    if changed.isdisjoint(text):
        return text
    return pieces.sub(lambda match: phrases.get(match[0]) or match[0].translate(characters), text)


@cache
def _tables() -> tuple[frozenset[str], dict[str, str], re.Pattern[str], dict[int, str]]:
    """Characters of which a text must hold one to be changed; phrases; a pattern for a phrase or else a character;
    single characters."""
    rows = [line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    characters = {one: put for one, put in rows if len(one) == 1}
    phrases = {one: put for one, put in rows if len(one) > 1}
    changed = frozenset(characters).union(a for one, put in phrases.items() for a, b in zip(one, put) if a != b)
    longest_first = "|".join(sorted(phrases, key=lambda one: (-len(one), one)))
    pieces = re.compile(f"(?:{longest_first})|[{''.join(sorted(characters))}]")
    return changed, phrases, pieces, str.maketrans(characters)
