from __future__ import annotations

from itertools import pairwise

import pytest

from ragbench.errors import ConfigError
from ragbench.splitter.chunking import chunk_corpus, chunks_from_rows, chunks_to_rows
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.length import Ruler
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.parent_child import ParentChildSplitter
from ragbench.splitter.whole import WholeSplitter
from ragbench.testing.splitter_contract import make
from tests.contract.test_parent_child_splitter import make as splitter

TEXTS = {
    "zh": "# 年假\n\n" + "员工每年享有带薪年假十天。" * 30 + "\n\n## 结转\n\n" + "未休完的可以结转五天。" * 20,
    "en": "# Leave\n\n"
    + "Ten days of paid leave a year. " * 30
    + "\n\n## Carry over\n\n"
    + "Five days carry over. " * 20,
    "mixed": "# VPN 账号\n\n"
    + "VPN token 每 90 天 rotate 一次。" * 30
    + "\n\n## Renew 续期\n\n"
    + "在 portal 里续期。" * 30,
}


@pytest.mark.parametrize("language", TEXTS)
def test_children_know_their_parents(language):
    document = make(TEXTS[language])
    chunks = chunk_corpus(splitter(60, 0, 300, 0), [document])
    parents = {chunk.parent_id: chunk.parent for chunk in chunks}
    assert len(parents) > 1
    assert list(parents) == [f"a.md#parent{n}" for n in range(len(parents))]
    for chunk in chunks:
        assert len(chunk.text) <= 60
        assert chunk.text in document.text[chunk.read.start : chunk.read.end]
        assert chunk.read.end - chunk.read.start <= 300
    assert chunks_from_rows(list(chunks_to_rows(chunks)), {"a.md": document}) == chunks


@pytest.mark.parametrize("language", TEXTS)
def test_overlapping_parents_are_read_whole_and_searched_once(language):
    document = make(TEXTS[language])
    chunks = chunk_corpus(splitter(60, 0, 300, 100), [document])
    reads = list(dict.fromkeys((chunk.read.start, chunk.read.end) for chunk in chunks))
    assert any(after[0] < before[1] for before, after in pairwise(reads)), "parents overlap"
    assert all(before.end <= after.start for before, after in pairwise(chunks)), "children do not"


def test_defaults_are_small_children_in_large_parents():
    shown = splitter().resolved()
    assert (shown.chunk_size, shown.overlap, shown.chunk_unit) == (250, 50, "chars")
    assert (shown.parents.chunk_size, shown.parents.overlap) == (1200, 200)
    assert splitter().fingerprint() == shown.fingerprint() == splitter(250, 50, 1200, 200).fingerprint()
    assert splitter(200).fingerprint() != splitter(210).fingerprint()
    assert splitter(parent=1000).fingerprint() != splitter().fingerprint()


def test_children_of_a_structural_parent_keep_the_headings():
    parents = MarkdownSplitter(chunk_size=500, chunk_unit="chars", overlap=0, min_size=None, max_atomic=None)
    children = MarkdownSplitter(chunk_size=80, chunk_unit="chars", overlap=0, min_size=None, max_atomic=None)
    document = make(TEXTS["zh"])
    chunks = chunk_corpus(ParentChildSplitter(parents=parents, children=children), [document])
    assert {chunk.headings for chunk in chunks} == {("年假",), ("年假", "结转")}


def test_parents_not_longer_than_children_are_refused():
    for size, parent in ((300, 300), (400, 300)):
        with pytest.raises(ConfigError, match="parents longer"):
            splitter(size, 0, parent, 0)
    with pytest.raises(ConfigError, match="plain splitters"):
        ParentChildSplitter(parents=splitter(), children=WholeSplitter())
    fixed = FixedSplitter(chunk_size=300, chunk_unit="words", overlap=0)
    assert ParentChildSplitter(parents=WholeSplitter(), children=fixed).chunk_size == 300
    assert ParentChildSplitter(parents=fixed, children=WholeSplitter()).chunk_size is None


@pytest.mark.parametrize("unit", ["words", "chars"])
def test_children_longer_than_the_size_are_flagged_by_the_units_of_the_document(unit):
    document = make("年假5天。\u3000\u3000" + "长" * 300 + "。\n\n" + "好" * 300, "text")
    ruler = Ruler(document.text, unit)
    for child in splitter(64, 0, 200, 0, unit).spans(document):
        assert (ruler.length(child.start, child.end) > 64) == ("atomic" in child.flags)
        assert ruler.length(child.start, child.end) <= 64
