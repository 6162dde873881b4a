"""What the splitters give for one document. Another result needs a higher VERSION, or old caches would pass for new."""

from __future__ import annotations

import pytest

from ragbench.core.fingerprint import fingerprint
from ragbench.pipeline import offline
from ragbench.run.build import experiment
from ragbench.splitter.chunking import CHUNKING_VERSION, chunk_corpus
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.parent_child import ParentChildSplitter
from ragbench.splitter.prefix import ContextPrefix
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.splitter.semantic import SemanticSplitter
from ragbench.splitter.whole import WholeSplitter
from ragbench.testing.splitter_contract import FRAGMENTS, OPENINGS, make
from tests.unit.generator.fakes import WordEmbedder

TEXT = "\n\n".join(FRAGMENTS[:12] * 3) + "\n\n" + " ".join(FRAGMENTS[12:]) + "。" * 7 + "年假" * 200

SECTIONS = "\n\n".join(opening + prose * 2 for opening in OPENINGS for prose in FRAGMENTS[:4])


def knobs(unit: str, overlap: int | str) -> dict:
    return {"chunk_size": 90, "chunk_unit": unit, "overlap": overlap}


STAGES = {
    "whole": WholeSplitter(),
    "fixed": FixedSplitter(**knobs("chars", "10%")),
    "fixed words": FixedSplitter(**knobs("words", 0)),
    "recursive": RecursiveSplitter(**knobs("chars", "20%"), min_size=None),
    "recursive words": RecursiveSplitter(**knobs("words", 7), min_size=None),
    "markdown": MarkdownSplitter(**knobs("chars", 0), min_size=None, max_atomic=None),
    "markdown rows": MarkdownSplitter(**knobs("words", 10), min_size=None, max_atomic=20),
}
STAGES["parent_child"] = ParentChildSplitter(
    parents=STAGES["recursive"], children=FixedSplitter(**knobs("chars", 0) | {"chunk_size": 40})
)
SEMANTIC = {"method": "percentile", "value": 80, "buffer": 2}
GOLDEN = {
    "parent_child": (1, 69, "a6ae50cce1eb"),
    "semantic": (1, 32, "ed2344bb0041"),
    "whole": (1, 1, "5dc0bf9d46dc"),
    "fixed": (1, 29, "3ad467db735c"),
    "fixed words": (1, 12, "e54a417fced4"),
    "recursive": (1, 39, "a2708f168378"),
    "recursive words": (1, 14, "ee80ac530815"),
    "markdown": (1, 32, "f717d5591bde"),
    "markdown rows": (1, 16, "eb39f98d514c"),
    "prefix headings": (2, 37, "0ed0103681a8"),
    "prefix title": (2, 37, "7743c4e73c9b"),
    "trails fixed": (6, 5, "0a01a93a0389"),
    "trails recursive words": (6, 5, "fbdf5dee8d2c"),
    "trails markdown": (6, 5, "f602ba8e1eab"),
}


@pytest.mark.parametrize("name", STAGES)
def test_splitter(name):
    stage, document = STAGES[name], make(TEXT)
    spans = [[span.start, span.end, [*span.flags, *(span.parent or ())]] for span in stage.spans(document)]
    assert (stage.VERSION, len(spans), fingerprint(spans)[:12]) == GOLDEN[name]


def test_semantic():
    stage, document = SemanticSplitter(**knobs("chars", 0), min_size=None, **SEMANTIC), make(TEXT)
    spans = [[span.start, span.end] for span in stage.open(WordEmbedder)(document)]
    assert (stage.VERSION, len(spans), fingerprint(spans)[:12]) == GOLDEN["semantic"]


@pytest.mark.parametrize("kind", ["headings", "title"])
def test_prefix(kind):
    document = make(SECTIONS)
    chunks = chunk_corpus(STAGES["markdown"], [document])
    stage = ContextPrefix(kind=kind)
    found = [chunk.index_text for chunk in stage.apply(chunks, {document.doc_id: document})]
    assert (stage.VERSION, len(found), fingerprint(found)[:12]) == GOLDEN[f"prefix {kind}"]


@pytest.mark.parametrize("name", ["fixed", "recursive words", "markdown"])
def test_trails(name):
    found = [chunk.headings for chunk in chunk_corpus(STAGES[name], [make(SECTIONS)])]
    assert (CHUNKING_VERSION, len(set(found)), fingerprint(found)[:12]) == GOLDEN[f"trails {name}"]


def test_chunks_of_another_version_are_not_reused(monkeypatch):
    pipeline = experiment([]).pipeline
    now = offline.artifact_keys(pipeline, "c" * 64)
    monkeypatch.setattr(offline, "CHUNKING_VERSION", CHUNKING_VERSION - 1)
    before = offline.artifact_keys(pipeline, "c" * 64)
    assert now.chunks != before.chunks
    assert now.texts != before.texts
