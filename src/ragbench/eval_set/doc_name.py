"""Names of documents that come from data and become paths."""

from __future__ import annotations

import re
import unicodedata

_MAX_PART, _MAX_PATH = 200, 800
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile('[<>:"|?*\\\\\x00-\x1f\x7f]')


def name_fault(name: object) -> str:
    """Why a name from a data file cannot be a path below a corpus folder on every system; empty when it can.

    Refused are absolute paths, `..`, empty parts, hidden parts (the loader skips them), control characters, characters
    and names that Windows reserves, blanks or dots at an end, and names longer than file systems hold (200 bytes a
    part, 800 in all).
    """
    if not isinstance(name, str) or not name.strip():
        return "is empty" if name is None or isinstance(name, str) else f"is no text but {type(name).__name__}"
    if name.startswith(("/", "~")) or re.match(r"[A-Za-z]:", name):
        return "is absolute"
    if len(name.encode("utf-8", "replace")) > _MAX_PATH:
        return "is too long"
    return next((fault for part in name.split("/") if (fault := _part_fault(part))), "")


def _part_fault(part: str) -> str:
    if part == "..":
        return "leaves the corpus folder"
    if not part or part.startswith("."):
        return "has an empty or hidden part"
    if _FORBIDDEN.search(part):
        return "holds a character that file names may not have"
    if part != part.strip() or part.endswith("."):
        return "has a blank or a dot at an end"
    if _RESERVED.fullmatch(part):
        return "is reserved by Windows"
    return "is too long" if len(part.encode("utf-8", "replace")) > _MAX_PART else ""


def shown(name: object) -> str:
    """A name as it can stand in a message: one line, short, control characters spelt out."""
    text = unicodedata.normalize("NFC", str(name)).encode("unicode_escape").decode() if _odd(name) else str(name)
    return f"“{text if len(text) <= 60 else text[:57] + '…'}”"


def _odd(name: object) -> bool:
    return any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in str(name))
