"""Makes the list of common English words that tells a capitalised opening word of a question from a name.

A word is common where it is written in small letters at least 5 times, and twice as often as with a capital in
the middle of a sentence. One word a stem is kept, the shortest. Run from the root of the repository:

    python benchmarks/common_words.py > src/ragbench/text/common_words.txt

Data: RAGBENCH_DATA (default ../shared/data), what may be redistributed of it: every .json, .jsonl, .md and .txt file
of the sets below, read as text.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

from ragbench.text.terms import stem

DATA = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data")
SETS = (
    "clapnq",
    "fanoutqa",
    "hotpotqa_50",
    "mtrag_human_eval",
    "mtrag_rewrite",
    "mtrag_un",
    "ragchecker_meta",
    "xquad",
)
OWN = Path("eval_sets/product_en")
KINDS = (".json", ".jsonl", ".md", ".txt")
LEAST, RATIO, SHORTEST = 5, 2, 3
_WORD = re.compile(r"(?<![A-Za-z0-9_./-])[A-Za-z][a-z]+(?![A-Za-z0-9_./-])")
_WITHIN = re.compile(r"[a-z] ")


def counted() -> tuple[Counter[str], Counter[str]]:
    """How often each word is written in small letters, and with a capital within a sentence."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for path in sorted(
        path for folder in (*(DATA / name for name in SETS), OWN) for path in folder.rglob("*") if path.suffix in KINDS
    ):
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in _WORD.finditer(text):
            if match[0].islower():
                small[match[0]] += 1
            elif _WITHIN.fullmatch(text, max(0, match.start() - 2), match.start()):
                capital[match[0].lower()] += 1
    return small, capital


def main() -> None:
    """Print the list."""
    small, capital = counted()
    kept: dict[str, str] = {}
    for word, n in small.items():
        if len(word) >= SHORTEST and n >= LEAST and n >= RATIO * capital[word]:
            kept[stem(word)] = min(kept.get(stem(word), word), word, key=lambda one: (len(one), one))
    print("# Common English words, one a stem: python benchmarks/common_words.py")
    print("\n".join(sorted(kept.values())))


if __name__ == "__main__":
    main()
