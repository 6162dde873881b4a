from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError
from ragbench.reranker.fusion_model import load_model
from ragbench.reranker.logistic_fusion import LogisticFusionReranker

from .doubles import TableEmbedder, chunk, ranking

QUESTIONS = {"zh": "年假几天", "en": "annual leave days", "mixed": "年假 leave"}
TEXTS = ["出差标准 travel", "年假 15 天，annual leave 15 days", "报销 claim", ""]
CHUNKS = [chunk(number, text) for number, text in enumerate(TEXTS)]
TABLE = {"": [], TEXTS[0]: [[0.6, 0.8]], TEXTS[1]: [[1, 0]], TEXTS[2]: [[0, 1]]} | {
    q: [[1, 0]] for q in QUESTIONS.values()
}
GIVEN = ranking((0, 0.9), (2, 0.8), (3, 0.5), (1, 0.4))


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(Store(tmp_path), TableEmbedder(TABLE))


def written(folder: Path, **content: object) -> str:
    path = folder / "model.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("language", QUESTIONS)
def test_evidence_is_put_first(tools: Tools, language: str) -> None:
    with LogisticFusionReranker(model="builtin").open(tools) as worker:
        new = worker.rerank(QUESTIONS[language], GIVEN, CHUNKS)
        assert worker.counts() == {"pairs": 4}
        assert worker.rerank(QUESTIONS[language], (), CHUNKS) == ()
    assert (new[0].chunk, new[0].former) == (1, 4)
    assert [hit.rank for hit in new] == [1, 2, 3, 4]
    assert sorted(hit.chunk for hit in new) == [0, 1, 2, 3]
    assert all(0 < hit.score < 1 for hit in new)


def test_the_score_is_the_probability_of_the_model(tools: Tools, tmp_path: Path) -> None:
    model = written(tmp_path, bias=-1.0, weights={"first": 2.0, "maxsim": 1.0})
    with LogisticFusionReranker(model=model).open(tools) as worker:
        new = {hit.chunk: hit.score for hit in worker.rerank("年假几天", GIVEN, CHUNKS)}
    # first .9, .8, .5, .4 → 1, .8, .2, 0; MaxSim .6, 0, none (as the worst), 1 → .6, 0, 0, 1
    logits = {0: -1 + 2 + 0.6, 2: -1 + 1.6, 3: -1 + 0.4, 1: -1 + 1}
    assert new == pytest.approx({key: 1 / (1 + math.exp(-value)) for key, value in logits.items()}, abs=1e-6)


def test_a_single_candidate_and_equal_ones_keep_their_order(tools: Tools) -> None:
    with LogisticFusionReranker(model="builtin").open(tools) as worker:
        (lone,) = worker.rerank("年假几天", ranking((2, 0.1)), CHUNKS)
        assert (lone.rank, lone.former) == (1, 1)
        same = [chunk(number, TEXTS[1]) for number in range(3)]
        new = worker.rerank("年假几天", ranking((2, 0.5), (0, 0.5), (1, 0.5)), same)
    assert [hit.chunk for hit in new] == [2, 0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"bias": 0}, "`bias` and `weights`"),
        ({"bias": 0, "weights": {}}, "`bias` and `weights`"),
        ({"bias": 0, "weights": {"pagerank": 1}}, "features first, maxsim, words, bigrams, found pagerank"),
        ({"bias": None, "weights": {"first": 1}}, "bias: expected a finite number"),
        ({"bias": 0, "weights": {"first": "1"}}, "first: expected a finite number"),
        ({"bias": 0, "weights": {"first": True}}, "first: expected a finite number"),
    ],
)
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        LogisticFusionReranker(model=written(tmp_path, **content)).fingerprint()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_bytes(b"{\xff")
    for name in ("missing.json", "broken.json"):
        with pytest.raises(DataError, match=f"{name}.*JSON file"):
            load_model(str(tmp_path / name))


def test_the_fingerprint_knows_the_numbers(tmp_path: Path) -> None:
    one = LogisticFusionReranker(model=written(tmp_path, bias=0.0, weights={"first": 1.0})).fingerprint()
    other = LogisticFusionReranker(model=written(tmp_path, bias=0.5, weights={"first": 1.0})).fingerprint()
    assert one != other


def test_no_embedder_is_said_at_once(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match="logistic_fusion: expected a pipeline with an embedder"),
        LogisticFusionReranker(model="builtin").open(Tools(Store(tmp_path))),
    ):
        pass


def test_the_shipped_numbers_say_what_they_are() -> None:
    path = Path(load_model.__code__.co_filename).with_name("fusion_model.json")
    sheet = json.loads(path.read_text(encoding="utf-8"))
    assert sheet["weights"].keys() == {"first", "maxsim", "words", "bigrams"}
    assert all(weight > 0 for weight in sheet["weights"].values())
    fitted = sheet["fitted_on"]
    assert "CC BY-SA 4.0" in fitted["data"] and "nc_" not in path.read_text(encoding="utf-8")
    measured = {(row["set"], row["first_stage"]): row for row in sheet["measured_on_other_articles"]}
    for name, n_fitted in fitted["questions"].items():
        row = measured[name, "hybrid"]
        assert row["questions"] > 2 * n_fitted
        low = float(row["gain_over"]["late_interaction"].partition("[")[2].partition(",")[0])
        assert low > 0
