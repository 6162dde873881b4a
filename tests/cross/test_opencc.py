"""Folding to simplified characters against OpenCC itself, whose dictionaries the table was made from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragbench.text import simplified as module
from ragbench.text.simplified import simplified

opencc = pytest.importorskip("opencc", reason="OpenCC is not installed")
SETS = Path(__file__).parents[2] / "eval_sets"


@pytest.fixture(scope="module")
def keys() -> list[str]:
    lines = module._TABLE.read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines if line[0] != "#"]


def test_mixed_entries_of_the_table(keys) -> None:
    convert, rng = opencc.OpenCC("t2s").convert, random.Random(1)
    for _ in range(20_000):
        text = "".join(rng.choice(keys) for _ in range(rng.randint(1, 6)))
        assert simplified(text) == convert(text)


@pytest.mark.parametrize("to", ["s2t", "s2tw", "s2hk"])
@pytest.mark.parametrize("language", ["policy_zh", "product_en"])
def test_the_shipped_documents_in_traditional_characters(language: str, to: str) -> None:
    back, forth = opencc.OpenCC("t2s").convert, opencc.OpenCC(to).convert
    for path in sorted((SETS / language / "v1" / "corpus").rglob("*.md")):
        text = forth(path.read_text(encoding="utf-8"))
        assert simplified(text) == back(text)
