"""The measures of chunk sets."""

from __future__ import annotations

from functools import partial

from ragbench.measure.base import Population, Reach
from ragbench.measure.chunks import boundary, evidence, metadata, size, token_iou
from ragbench.measure.family import UNBOUNDED, Family
from ragbench.measure.ranked import RANKS

_gold = partial(Family, population=Population.EVIDENCE)
_structure = partial(Family, subject="document")
_size = partial(Family, subject="variant", bounds=UNBOUNDED, worst=None)


def families() -> list[Family]:
    """Evidence kept, retrieved text against evidence, borders, metadata, sizes."""
    return [*_evidence(), *_overlap(), *_structures(), *_sizes()]


def _evidence() -> list[Family]:
    intact = "evidence groups whole inside one chunk ÷ all groups"
    reachable = "evidence groups all chunks together cover ÷ all groups"
    return [
        _gold("chunks/evidence_intact", intact, evidence.evidence_intact),
        _gold("chunks/evidence_reachable", reachable, evidence.evidence_reachable),
    ]


def _overlap() -> list[Family]:
    words = {
        "iou": "retrieved text ∩ evidence ÷ retrieved text ∪ evidence at k, in characters",
        "precision": "characters retrieved at k that are evidence ÷ characters retrieved",
        "recall": "characters of evidence retrieved at k ÷ characters of evidence",
    }
    family = partial(_gold, cutoff=RANKS, reach=Reach.RERANKED)
    return [
        family(f"chunks/token_{part}", words[part], partial(token_iou.token_overlap, part=part))
        for part in token_iou.PARTS
    ]


def _structures() -> list[Family]:
    border = "chunk starts and ends at a sentence or structure border ÷ all starts and ends"
    true = "chunks with true offsets and the document's heading trail ÷ chunks"
    return [
        _structure("chunks/boundary_quality", border, boundary.boundary_quality),
        _structure("chunks/metadata_correct", true, metadata.metadata_correct),
    ]


def _sizes() -> list[Family]:
    overhead = "characters indexed ÷ characters of the documents"
    return [
        _size("chunks/size_mean", "mean characters a chunk", size.size_mean),
        _size("chunks/size_p50", "median of characters a chunk", partial(size.size_quantile, q=0.5)),
        _size("chunks/size_p95", "95th percentile of characters a chunk", partial(size.size_quantile, q=0.95)),
        _size("chunks/n_chunks", "number of chunks", size.n_chunks),
        _size("chunks/index_overhead", overhead, size.index_overhead, higher_is_better=False),
    ]
