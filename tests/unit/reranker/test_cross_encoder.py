"""A small real model, made here: BERT of one layer with a WordPiece vocabulary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.reranker.cross_encoder import CrossEncoderReranker

from .doubles import chunk, ranking

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"年假报销天数出差", "leave", "days", "claim", "travel", "##s"]
UNCUT: dict[str, Any] = {"calibration": None, "threshold": None, "min_kept": 0}
CHUNKS = [chunk(0, "年假 天数 leave days"), chunk(1, "报销 claim"), chunk(2, ""), chunk(3, "出差 " * 300)]


def save_model(folder: Path, n_labels: int = 1) -> str:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=n_labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    return save_model(tmp_path_factory.mktemp("cross") / "model")


@pytest.fixture
def make(model: str, tmp_path: Path) -> Callable[..., CrossEncoderReranker]:
    def stage(**changed: Any) -> CrossEncoderReranker:
        fields: dict[str, Any] = {"model": model, "revision": None, "max_length": None, **UNCUT}
        return CrossEncoderReranker(**{**fields, "device": "cpu", "cache_dir": str(tmp_path), **changed})

    return stage


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(Store(tmp_path))


@pytest.mark.st
def test_order_is_that_of_the_models_own_scores(
    make: Callable[..., CrossEncoderReranker], model: str, tools: Tools
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(model), AutoModelForSequenceClassification.from_pretrained(model)
    expected = {}
    for piece in CHUNKS:
        inputs = tokenizer(["年假 days"], [piece.index_text], truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            expected[piece.number] = float(torch.sigmoid(network.eval()(**inputs).logits)[0, 0])
    with make().open(tools) as worker:
        new = worker.rerank("年假 days", ranking((0, 4.0), (1, 3.0), (2, 2.0), (3, 1.0)), CHUNKS)
    assert [hit.chunk for hit in new] == sorted(expected, key=lambda number: -expected[number])
    assert {hit.chunk: hit.score for hit in new} == pytest.approx(expected, abs=1e-5)
    assert [(hit.rank, hit.former) for hit in new] == [(n, hit.chunk + 1) for n, hit in enumerate(new, start=1)]


@pytest.mark.st
def test_batch_size_changes_nothing(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    given = ranking((0, 4.0), (1, 3.0), (2, 2.0), (3, 1.0))
    rankings = []
    for size in (1, 2, 32):
        with make(batch_size=size).open(tools) as worker:
            rankings.append(worker.rerank("报销 claim", given, CHUNKS))
    assert rankings[0] == rankings[1] == rankings[2]
    assert make(batch_size=1).fingerprint() == make(device=None).fingerprint()


@pytest.mark.st
def test_truncated_pairs_are_counted(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    with make().open(tools) as worker:
        worker.rerank("年假", ranking((0, 1.0), (3, 0.5)), CHUNKS)
        assert worker.counts() == {"pairs": 2, "truncated": 1, "dropped": 0}
        worker.rerank("年假", ranking((3, 0.5)), CHUNKS)
        assert worker.counts() == {"pairs": 3, "truncated": 2, "dropped": 0}
    with make(max_length=8).open(tools) as worker:
        worker.rerank("年假", ranking((0, 1.0), (1, 0.9), (2, 0.8)), CHUNKS)
        assert worker.counts()["truncated"] == 1


@pytest.mark.st
def test_hostile_texts_and_empty_rankings(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    with make().open(tools) as worker:
        assert worker.rerank("年假", (), CHUNKS) == ()
        (hit,) = worker.rerank("\ud800", ranking((0, 1.0)), [chunk(0, "\0\udfff[SEP]")])
        assert np.isfinite(hit.score)


@pytest.mark.st
def test_threshold_drops_what_scores_below(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    given = ranking((0, 3.0), (1, 2.0), (2, 1.0))
    with make().open(tools) as worker:
        whole = worker.rerank("年假", given, CHUNKS)
    cut = (whole[0].score + whole[1].score) / 2
    with make(threshold=cut).open(tools) as worker:
        assert worker.rerank("年假", given, CHUNKS) == whole[:1]
        assert worker.counts()["dropped"] == 2
        worker._model.predict = lambda pairs, **_: np.array([0.5, 7.0, -2.0])
        with pytest.raises(ConfigError, match=r"reranker.threshold.*from -2 to 7"):
            worker.rerank("年假", given, CHUNKS)


@pytest.mark.st
def test_the_threshold_applies_to_calibrated_scores(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    given = ranking((0, 3.0), (1, 2.0), (2, 1.0))
    with make(calibration={"a": 2.0, "b": -1.0}, threshold=0.3).open(tools) as worker:
        worker._model.predict = lambda pairs, **_: np.array([-0.5, 4.0, 0.25])
        new = worker.rerank("年假", given, CHUNKS)
    assert [(hit.chunk, hit.rank, hit.former) for hit in new] == [(1, 1, 2), (2, 2, 3)]
    assert [hit.score for hit in new] == pytest.approx([1 / (1 + np.exp(-7)), 1 / (1 + np.exp(0.5))], abs=1e-6)


@pytest.mark.st
@pytest.mark.parametrize(("min_kept", "kept"), [(0, []), (1, [1]), (2, [1, 2]), (9, [1, 2, 0])])
def test_where_all_fall_below_only_min_kept_stay(
    make: Callable[..., CrossEncoderReranker], tools: Tools, min_kept: int, kept: list[int]
) -> None:
    with make(threshold=0.9, min_kept=min_kept).open(tools) as worker:
        worker._model.predict = lambda pairs, **_: np.array([0.1, 0.3, 0.2])
        new = worker.rerank("leave?", ranking((0, 3.0), (1, 2.0), (2, 1.0)), CHUNKS)
    assert [hit.chunk for hit in new] == kept


@pytest.mark.st
def test_a_nan_names_its_chunk(make: Callable[..., CrossEncoderReranker], tools: Tools) -> None:
    with make().open(tools) as worker:
        worker._model.predict = lambda pairs, **_: np.array([0.5, np.nan])
        with pytest.raises(DataError, match="score of chunk c1"):
            worker.rerank("年假", ranking((0, 3.0), (1, 2.0)), CHUNKS)


@pytest.mark.st
def test_a_model_that_cannot_be_used_is_named(
    make: Callable[..., CrossEncoderReranker], tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with (
        pytest.raises(ConfigError, match=r"reranker.model=.*nowhere"),
        make(model=str(tmp_path / "nowhere")).open(tools),
    ):
        pass
    three = save_model(tmp_path / "three", n_labels=3)
    with pytest.raises(ConfigError, match="found 3 outputs"), make(model=three).open(tools):
        pass


@pytest.mark.st
def test_the_fingerprint_knows_the_files(make: Callable[..., CrossEncoderReranker], model: str, tmp_path: Path) -> None:
    before = make().fingerprint()
    extra = Path(model) / "extra.txt"
    extra.write_text("x")
    assert make().fingerprint() != before
    extra.unlink()
    assert make().fingerprint() == before


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    stage = CrossEncoderReranker(model="x", revision=None, max_length=None, **UNCUT)
    with pytest.raises(MissingExtra, match=r"pip install 'ragbench\[st\]'"), stage.open(Tools(Store(tmp_path))):
        pass


@pytest.mark.parametrize(
    "changed",
    [
        {"threshold": 2.0},
        {"max_length": 0},
        {"batch_size": 0},
        {"min_kept": -1},
        {"calibration": {"a": -1.0, "b": 0.0}},
        {"calibration": {"a": 1.0}},
    ],
)
def test_bad_fields_are_refused(changed: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"model": "x", "revision": None, "max_length": None, **UNCUT}
    with pytest.raises(ConfigError, match=f"reranker.{next(iter(changed))}"):
        CrossEncoderReranker(**{**fields, **changed})
