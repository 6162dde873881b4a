"""What a text names, whole and as it is written there."""

from __future__ import annotations

import re

from ragbench.query.bounds import LONGEST
from ragbench.text.scripts import bracketed_terms
from ragbench.text.terms import STOP_WORDS, identifiers, names

_WORD = r"[A-Za-z0-9][A-Za-z0-9_./+#-]*"
_RUN = re.compile(rf"(?<![A-Za-z0-9_./+#-]){_WORD}(?: {_WORD})*")
_CAPITAL = re.compile(r"[A-Z]|\d+\.\d")
_OPENS = frozenset(
    """
    explain describe tell show list give find compare install configure set use using upgrade move is does do can could
    may must should will would has have had are was were please hi hello and but so then if while since because after
    before during under within without regarding concerning about per not no yes ok okay also any every each all both
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)


def things(text: str) -> list[str]:
    """Codes, names and quoted terms of the first LONGEST characters as they are written there, each once in any case;
    codes first, then names, then what is quoted. A name or code is as long as the capitalised words and versions
    around it (`Acme Data Gateway`, `Plan B`, `HaloBus 3.6`), also at the beginning of a sentence; a word that only
    opens the sentence is no part of it."""
    text = text[:LONGEST]
    runs = _capitalised(text)
    found: dict[str, str] = {}
    for name in [*identifiers(text), *names(text)]:
        whole = _whole(name, runs, text)
        found.setdefault(whole.casefold(), whole)
    for term in bracketed_terms(text):
        found.setdefault(term.casefold(), term)
    return list(found.values())


def _whole(name: str, runs: list[str], text: str) -> str:
    """The run of capitalised words that a name is in; else the name as it is written."""
    for run in runs:
        if name in run.casefold():
            return run
    at = text.casefold().find(name)
    return text[at : at + len(name)] if at >= 0 and text[at : at + len(name)].casefold() == name else name


def _capitalised(text: str) -> list[str]:
    """Runs of capitalised words and versions with a capitalised word first, blanks between, in order."""
    runs: list[str] = []
    for match in _RUN.finditer(text):
        run: list[str] = []
        for word in [*match[0].split(" "), ""]:
            word, ends = word.rstrip("./-"), word[-1:] in "./-"
            if _CAPITAL.match(word) and word != "I" and (run or not word[0].isdigit()) and not _only_opens(word):
                run.append(word)
                if not ends:
                    continue
            if run:
                runs.append(" ".join(run))
                run = []
    return runs


def _only_opens(word: str) -> bool:
    return word.isalpha() and len(word) > 1 and word.casefold() in STOP_WORDS | _OPENS
