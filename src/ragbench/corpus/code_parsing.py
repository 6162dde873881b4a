"""Source given to a tree-sitter grammar, unless the grammar would take time with its square."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# Grammars in which `a<` may open a list of types: what is open at an error is gone through for each one of them.
_TYPED = frozenset(("c_sharp", "java", "tsx", "typescript"))
MAX_OPEN = 200
_STATEMENT = re.compile(r"[;{}]")
_SIGN = re.compile("[<>]")
# The parser tells of its progress 12 to 100 times a kilobyte; more often where it tries more and more readings.
_STEPS_PER_BYTE = 0.3
_STEPS = 20_000
_READ = 1 << 16


def parse(parser: Parser, text: str, language: str) -> tuple[Tree | None, str]:
    """The tree of a source, or None and why there is none. The same source always gives the same answer."""
    if language in _TYPED and _most_open(text) > MAX_OPEN:
        return None, f"no definitions: more than {MAX_OPEN} signs < in a statement that are not closed"
    data = text.encode("utf-8", "replace")
    most = _STEPS + _STEPS_PER_BYTE * len(data)
    n_steps = 0

    def is_too_much(_offset: int, _has_error: bool) -> bool:
        nonlocal n_steps
        n_steps += 1
        return n_steps > most

    try:
        return parser.parse(lambda offset, _: data[offset : offset + _READ], progress_callback=is_too_much), ""
    except ValueError:  # what a parse that was stopped raises
        parser.reset()
        return None, "no definitions: the grammar finds too many readings of this source"


def _most_open(text: str) -> int:
    """The most signs `<` that are open at once within a statement."""
    most = 0
    for statement in _STATEMENT.split(text) if text.count("<") > MAX_OPEN else ():
        if statement.count("<") <= MAX_OPEN:
            continue
        opened = 0
        for sign in _SIGN.findall(statement):
            opened = opened + 1 if sign == "<" else max(0, opened - 1)
            most = max(most, opened)
    return most
