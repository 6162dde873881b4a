"""Traditional characters as simplified ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbench.text.simplified import simplified

CORPUS = Path(__file__).parents[3] / "eval_sets" / "policy_zh" / "v1" / "corpus"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("請假與報銷單據", "请假与报销单据"),
        ("Annual leave", "Annual leave"),
        ("API 權限 denied（禁用）", "API 权限 denied（禁用）"),
        ("乾隆年間的餅乾", "乾隆年间的饼干"),
        ("計畫、瞭解、反覆、沈默", "计划、了解、反复、沉默"),
        ("皇后之後", "皇后之后"),
        ("台灣軟體", "台湾软体"),
        ("為爲裡裏說説", "为为里里说说"),
        ("東京の會社、한국어", "东京の会社、한국어"),
        ("", ""),
        ("\ud800\x00", "\ud800\x00"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize(
    "text", ["打坏了", "沈阳的沈先生", "著作权", "干净的饼干", "后天的皇后", "复印、覆盖", "AI-2024-03号文"]
)
def test_simplified_text_stays(text: str) -> None:
    assert simplified(text) == text


def test_the_shipped_handbook_stays_as_it_is() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(CORPUS.rglob("*.md"))]
    assert sum(map(len, texts)) > 50_000
    assert [simplified(text) for text in texts] == texts


HAN = st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF))


@given(st.one_of(st.text(max_size=200), HAN))
def test_every_character_keeps_its_place(text: str) -> None:
    folded = simplified(text)
    assert len(folded) == len(text)
    assert all(new == old for new, old in zip(folded, text) if not "\u3400" <= old <= "\U0003ffff")


def test_the_table_is_read_at_the_first_use() -> None:
    code = "import ragbench.text.simplified as it; assert it._tables.cache_info().currsize == 0"
    subprocess.run([sys.executable, "-c", code], check=True)
