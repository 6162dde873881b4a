"""The measures of chunk sets."""

from __future__ import annotations

from functools import partial

from ragbench.measure.base import Population, Reach
from ragbench.measure.chunks import boundary, coherence, evidence, metadata, size, token_iou, window
from ragbench.measure.family import UNBOUNDED, Family
from ragbench.measure.ranked import RANKS

_gold = partial(Family, population=Population.EVIDENCE)
_structure = partial(Family, subject="document")
_size = partial(Family, subject="variant", bounds=UNBOUNDED, worst=None)
_less = partial(Family, subject="variant", higher_is_better=False, worst=1.0)


def families() -> list[Family]:
    """Evidence kept, retrieved text against evidence, borders, metadata, sizes, the embedder's window."""
    return [*_evidence(), *_overlap(), *_structures(), *_sizes(), *_window()]


def _evidence() -> list[Family]:
    intact = "evidence groups whole inside one chunk ÷ all groups"
    reachable = "evidence groups all chunks together cover ÷ all groups"
    omega = "precision, in characters, were all chunks that hold evidence retrieved and no other"
    return [
        _gold("chunks/evidence_intact", intact, evidence.evidence_intact),
        _gold("chunks/evidence_reachable", reachable, evidence.evidence_reachable),
        _gold("chunks/precision_omega", omega, evidence.precision_omega),
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
    alike = "mean cosine of neighbouring sentences inside chunks minus across their borders"
    true = "chunks with true offsets and the document's heading trail ÷ chunks"
    return [
        _structure("chunks/boundary_quality", border, boundary.boundary_quality),
        _structure("chunks/coherence", alike, coherence.coherence, bounds=(-2.0, 2.0), worst=-2.0),
        _structure("chunks/metadata_correct", true, metadata.metadata_correct),
    ]


def _sizes() -> list[Family]:
    overhead = "characters indexed ÷ characters of the documents"
    quantiles = {
        "min": (0.0, "characters of the shortest chunk"),
        "p10": (0.1, "10th percentile of characters a chunk"),
        "p50": (0.5, "median of characters a chunk"),
        "p90": (0.9, "90th percentile of characters a chunk"),
        "p95": (0.95, "95th percentile of characters a chunk"),
        "max": (1.0, "characters of the longest chunk"),
    }
    return [
        _size("chunks/size_mean", "mean characters a chunk", size.size_mean),
        *(
            _size(f"chunks/size_{name}", words, partial(size.size_quantile, q=q))
            for name, (q, words) in quantiles.items()
        ),
        _less("chunks/share_short", f"chunks of fewer than {size.SHORT} characters ÷ chunks", size.share_short),
        _less("chunks/share_over", "chunks longer than chunk_size, for they may not be cut ÷ chunks", size.share_over),
        _size("chunks/n_chunks", "number of chunks", size.n_chunks),
        _size("chunks/index_overhead", overhead, size.index_overhead, higher_is_better=False),
    ]


def _window() -> list[Family]:
    texts = "chunks longer than the embedder's window ÷ chunks"
    characters = "characters beyond the embedder's first window ÷ characters embedded"
    return [
        _less("chunks/over_window", texts, window.over_window),
        _less("chunks/over_window_chars", characters, window.over_window_chars),
    ]
