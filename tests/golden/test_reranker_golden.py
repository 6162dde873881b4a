"""Fails when a reranker scores otherwise without a new VERSION."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Floats, Tools
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked
from ragbench.reranker.late_interaction import LateInteractionReranker
from ragbench.reranker.logistic_fusion import LogisticFusionReranker

EXPECTED = [(1, 0.762209, 2), (2, 0.7, 3), (0, 0.3, 1)]
"""Chunk, score, former rank; worked out with plain loops over `math.cos` and `math.sin`."""


class Circle:
    """A token is a letter, its vector a point of the unit circle."""

    dimension, max_tokens, space = 2, 100, "circle"

    def token_vectors(self, texts: list[str], role: str) -> list[Floats]:
        turns = [np.array([ord(letter) % 11 for letter in text]) * 0.3 for text in texts]
        return [np.stack([np.cos(turn), np.sin(turn)], axis=1).astype(np.float32) for turn in turns]


FUSED = [(1, 0.774122, 2), (2, 0.731059, 3), (0, 0.268941, 1)]
"""The same for a fusion of weights 1 and bias -2: logits 1.231727, 1 and -1, worked out by hand from the features
(first 0.25, 0, 1; MaxSim 0.981727, 1, 0; words and bigrams 1, 1, 0)."""


def test_scores_are_those_of_version_2(tmp_path: Path) -> None:
    assert LateInteractionReranker.VERSION == 2, "VERSION changed: compute EXPECTED anew"
    chunks = [Chunk(str(n), n, "d", 0, 1, "x", text) for n, text in enumerate(["年假", "leave", "年假 leave"])]
    ranking = tuple(Ranked(n, score, n + 1) for n, score in enumerate([0.9, 0.6, 0.5]))
    with LateInteractionReranker(mix=0.7, calibration=None).open(Tools(Store(tmp_path), Circle())) as worker:  # type: ignore[arg-type]
        new = worker.rerank("leave 假", ranking, chunks)
    assert [(hit.chunk, hit.former) for hit in new] == [(chunk, former) for chunk, _, former in EXPECTED]
    assert [hit.score for hit in new] == pytest.approx([score for _, score, _ in EXPECTED], abs=1e-5)


def test_a_fusion_scores_as_version_1(tmp_path: Path) -> None:
    assert LogisticFusionReranker.VERSION == 1, "VERSION changed: compute FUSED anew"
    model = tmp_path / "model.json"
    model.write_text('{"bias": -2, "weights": {"first": 1, "maxsim": 1, "words": 1, "bigrams": 1}}', encoding="utf-8")
    chunks = [Chunk(str(n), n, "d", 0, 1, "x", text) for n, text in enumerate(["年假", "leave", "年假 leave"])]
    ranking = tuple(Ranked(n, score, n + 1) for n, score in enumerate([0.9, 0.6, 0.5]))
    with LogisticFusionReranker(model=str(model)).open(Tools(Store(tmp_path), Circle())) as worker:  # type: ignore[arg-type]
        new = worker.rerank("leave 假", ranking, chunks)
    assert [(hit.chunk, hit.former) for hit in new] == [(chunk, former) for chunk, _, former in FUSED]
    assert [hit.score for hit in new] == pytest.approx([score for _, score, _ in FUSED], abs=1e-5)
