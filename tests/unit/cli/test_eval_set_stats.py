"""The table of eval-set stats."""

from __future__ import annotations

import unicodedata

import pytest
from rich.cells import cell_len

from ragbench.cli.eval_set_stats import stats_lines
from ragbench.core.fingerprint import text_hash
from ragbench.eval_set.describe import describe
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question

TEXT = "年假满一年有五天。Backups run at 02:00."
DOCUMENTS = [Document(f"{n}.md", TEXT, "md", text_hash(TEXT)) for n in range(8)]


def questions(name: str) -> list[Question]:
    group = (EvidenceGroup("g1", (EvidenceItem("0.md", 0, len(TEXT)),)),)
    return [Question(f"{name}-{n}", "年假满一年有五天" + "？" * n, groups=group, category="长" * 40) for n in range(30)]


@pytest.mark.parametrize("name", ["q", "law/en/Crime of Bending the Law-1_Crime of Traffic Accident-1/integration"])
def test_fits_a_terminal(name):
    lines = "\n".join(stats_lines(describe(questions(name), DOCUMENTS))).split("\n")
    assert max(cell_len(line) for line in lines) <= 100
    assert all(unicodedata.category(char)[0] != "C" for line in lines for char in line)
    text = "\n".join(lines)
    assert "questions               30, 100.0% answerable" in text
    assert "= " in text
    assert name[-8:] + "-0" in text
    assert f"{'长' * 5}…{'长' * 5}" in text
    assert "more (--json)" in text


def test_a_corpus_alone_and_nothing_at_all():
    assert "none yet" in "\n".join(stats_lines(describe([], DOCUMENTS)))
    assert "none yet" in "\n".join(stats_lines(describe([], [])))
