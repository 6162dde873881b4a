"""Words that were divided at the end of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HYPHENS = r"\-\u00ad\u2010"
_DIVIDED = re.compile(
    rf"(?<![\w{_HYPHENS}])([^\W\d_]{{2,}})[{_HYPHENS}][ \t]*\n[ \t]*"
    rf"([a-zß-öø-ÿ][^\W\d_]*)(?![{_HYPHENS}])(\S*)[ \t]*\n?"
)
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
# `pre- and postwar` divided after its first word.
_SUSPENDED = frozenset(("and", "or", "to", "und", "oder", "et", "ou", "y", "o", "e"))


def join_divided(pages: Sequence[str]) -> list[str]:
    """The pages with divided words put together at the end of their first line.

    `adip-` / `iscing elit` becomes `adipiscing` / `elit`. The hyphen stays where the document writes the word with one
    elsewhere (`well-known`). Only letters before and small Latin letters after the hyphen make a divided word: `A-` /
    `12`, `pre-` / `Raphaelite` and rows of figures stay, and so does a word divided over a page end.
    """
    written = {word for page in pages for word in _COMPOUND.findall(page)}

    def put_together(found: re.Match[str]) -> str:
        first, second, rest = found.groups()
        if second in _SUSPENDED:
            return found[0]
        hyphen = "-" if f"{first}-{second}" in written else ""
        return f"{first}{hyphen}{second}{rest}\n"

    return [_DIVIDED.sub(put_together, page) for page in pages]
