from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.embedder.openai import OpenAIEmbedder
from ragbench.errors import ConfigError
from ragbench.reranker.late_interaction import LateInteractionReranker
from ragbench.reranker.maxsim import maxsim

from .doubles import TableEmbedder, chunk, ranking

TABLE = {
    "question": [[1, 0], [0, 1]],
    "both": [[1, 0], [0, 1]],
    "one": [[1, 0], [1, 0], [1, 0]],
    "half": [[0.6, 0.8]],
    "empty": [],
    "": [],
}
CHUNKS = [chunk(0, "one"), chunk(1, "both"), chunk(2, "half"), chunk(3, "empty")]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(Store(tmp_path), TableEmbedder(TABLE))


def test_maxsim_is_the_mean_over_question_tokens_of_the_best_cosine() -> None:
    arrays = {name: np.array(rows, np.float32).reshape(-1, 2) for name, rows in TABLE.items()}
    assert maxsim(arrays["question"], arrays["both"]) == 1
    assert maxsim(arrays["question"], arrays["one"]) == 0.5
    assert maxsim(arrays["question"], arrays["half"]) == pytest.approx(0.7)
    assert maxsim(arrays["half"], arrays["question"]) == pytest.approx(0.8)
    assert maxsim(arrays["question"], arrays["empty"]) is None
    assert maxsim(arrays["empty"], arrays["both"]) is None


def test_maxsim_agrees_with_a_loop() -> None:
    random = np.random.default_rng(5)
    query, passage = (random.normal(size=(n, 16)).astype(np.float32) for n in (7, 31))
    by_hand = sum(max(float(np.dot(q, p)) for p in passage) for q in query) / len(query)
    assert maxsim(query, passage) == pytest.approx(by_hand, rel=1e-6)


def test_scores_are_mixed_on_one_scale(tools: Tools) -> None:
    given = ranking((0, 30.0), (2, 20.0), (1, 10.0))
    with LateInteractionReranker(mix=0.7, calibration=None).open(tools) as worker:
        new = worker.rerank("question", given, CHUNKS)
    # MaxSim .5, .7, 1 → 0, .4, 1; first stage 30, 20, 10 → 1, .5, 0
    assert [(hit.chunk, hit.rank, hit.former) for hit in new] == [(1, 1, 3), (2, 2, 2), (0, 3, 1)]
    assert [hit.score for hit in new] == pytest.approx([0.7, 0.7 * 0.4 + 0.3 * 0.5, 0.3])


@pytest.mark.parametrize(("mix", "order"), [(0.0, [0, 2, 1]), (1.0, [1, 2, 0])])
def test_the_ends_of_mix(tools: Tools, mix: float, order: list[int]) -> None:
    with LateInteractionReranker(mix=mix, calibration=None).open(tools) as worker:
        new = worker.rerank("question", ranking((0, 3.0), (2, 2.0), (1, 1.0)), CHUNKS)
    assert [hit.chunk for hit in new] == order


def test_what_was_indexed_is_compared_in_its_roles(tools: Tools) -> None:
    with LateInteractionReranker(mix=0.7, calibration=None).open(tools) as worker:
        worker.rerank("question", ranking((1, 1.0), (0, 0.5)), CHUNKS)
    assert isinstance(tools.embedder, TableEmbedder)
    assert tools.embedder.asked[1:] == [(["question"], "query"), (["both", "one"], "passage")]


def test_edge_cases(tools: Tools) -> None:
    with LateInteractionReranker(mix=0.7, calibration=None).open(tools) as worker:
        assert worker.rerank("question", (), CHUNKS) == ()
        (lone,) = worker.rerank("question", ranking((0, 0.1)), CHUNKS)
        assert (lone.score, lone.rank, lone.former) == (1.0, 1, 1)
        unasked = worker.rerank("", ranking((0, 0.2), (1, 0.1)), CHUNKS)
        assert [hit.chunk for hit in unasked] == [0, 1]
        new = worker.rerank("question", ranking((3, 0.3), (0, 0.2), (1, 0.1)), CHUNKS)
        assert [hit.chunk for hit in new] == [1, 3, 0]


def test_an_empty_chunk_does_not_stretch_the_scale(tools: Tools) -> None:
    with LateInteractionReranker(mix=1.0, calibration=None).open(tools) as worker:
        new = worker.rerank("question", ranking((3, 1.0), (0, 1.0), (2, 1.0), (1, 1.0)), CHUNKS)
    assert {hit.chunk: round(hit.score, 6) for hit in new} == {1: 1.0, 2: 0.7, 3: 0.5, 0: 0.5}
    with LateInteractionReranker(mix=0.9, calibration=None).open(tools) as worker:
        new = worker.rerank("question", ranking((3, 1.0), (0, 1.0), (2, 1.0), (1, 1.0)), CHUNKS)
    assert {hit.chunk: round(hit.score, 6) for hit in new} == {1: 1.0, 2: 0.46, 3: 0.1, 0: 0.1}


def test_maxsim_alone_means_the_same_whatever_the_candidates(tools: Tools) -> None:
    given = ranking((0, 3.0), (2, 2.0), (1, 1.0))
    with LateInteractionReranker(mix=1.0, calibration=None).open(tools) as worker:
        scores = {hit.chunk: hit.score for hit in worker.rerank("question", given, CHUNKS)}
        (alone,) = worker.rerank("question", given[:1], CHUNKS)
    assert scores == pytest.approx({0: 0.5, 1: 1.0, 2: 0.7}) and alone.score == scores[0]


def test_a_calibration_makes_probabilities_and_keeps_the_order(tools: Tools) -> None:
    stage = LateInteractionReranker(mix=1.0, calibration={"a": 10.0, "b": -7.0})
    with stage.open(tools) as worker:
        new = worker.rerank("question", ranking((0, 3.0), (2, 2.0), (1, 1.0)), CHUNKS)
        assert worker.rerank("question", (), CHUNKS) == ()
    assert [(hit.chunk, hit.former) for hit in new] == [(1, 3), (2, 2), (0, 1)]
    assert [hit.score for hit in new] == pytest.approx([0.952574, 0.5, 0.119203])
    assert stage.calibrated and not LateInteractionReranker(mix=1.0, calibration=None).calibrated


@pytest.mark.parametrize("mix", [0.0, 0.5, 0.99])
def test_scores_that_are_relative_are_not_calibrated(mix: float) -> None:
    with pytest.raises(
        ConfigError, match=r"reranker.calibration: expected pipeline.reranker.mix=1 .* Set pipeline.reranker.mix=1"
    ):
        LateInteractionReranker(mix=mix, calibration={"a": 10.0, "b": -7.0})


def test_no_embedder_or_no_token_vectors_is_said_at_once(tmp_path: Path) -> None:
    stage = LateInteractionReranker(mix=0.7, calibration=None)
    with pytest.raises(ConfigError, match=r"late_interaction: expected a pipeline with an embedder"):
        stage.open(Tools(Store(tmp_path))).__enter__()
    remote = OpenAIEmbedder(
        base_url="http://localhost/v1",
        model="m",
        dimensions=2,
        send_dimensions=False,
        query_prefix="",
        passage_prefix="",
        max_tokens=10,
        overflow="truncate",
        api_key_env="",
    )
    with remote.open() as worker, pytest.raises(ConfigError, match="token vectors"):
        stage.open(Tools(Store(tmp_path), worker)).__enter__()


@pytest.mark.parametrize("mix", [-0.1, 1.1, float("nan")])
def test_mix_is_a_share(mix: float) -> None:
    with pytest.raises(ConfigError, match=r"reranker.mix: expected a number from 0 to 1"):
        LateInteractionReranker(mix=mix, calibration=None)
