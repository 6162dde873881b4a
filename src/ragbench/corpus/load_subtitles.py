"""Subtitles (SubRip and WebVTT) as the words that are spoken."""

from __future__ import annotations

import re

from ragbench.corpus.decode import recognised
from ragbench.corpus.parsed import Parsed, whole

_TIME = re.compile(r"(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*-->")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_NOTE = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")


def load_subtitles(data: bytes) -> Parsed:
    """One line a cue; counters, times, formatting tags and notes are left out.

    A file without a single time line is taken for plain text and said so.
    """
    text, encoding, guessed = recognised(data)
    blocks = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n").strip("\ufeff\n"))
    cues = [cue for block in blocks if (cue := _cue(block.split("\n"))) is not None]
    metadata = {"encoding": encoding}
    if not cues:
        warnings = ("no times found: read as plain text",) if text.strip() else ()
        return whole(text, "subtitles", metadata=metadata, warnings=(*guessed, *warnings))
    return whole("\n".join(cue for cue in cues if cue), "subtitles", metadata=metadata, warnings=guessed)


def _cue(lines: list[str]) -> str | None:
    """The words of a block; None for one without a time line."""
    at = next((number for number, line in enumerate(lines) if _TIME.match(line.strip())), None)
    if at is None or _NOTE.match(lines[0]):
        return None
    return " ".join(" ".join(_TAG.sub("", line) for line in lines[at + 1 :]).split())
