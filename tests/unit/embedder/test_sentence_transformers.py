"""A small real model, made here: BERT of one layer with a WordPiece vocabulary and mean pooling."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.embedder.sentence_transformers import SentenceTransformersEmbedder, SentenceTransformersWorker
from ragbench.errors import ConfigError, MissingExtra

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"年假报销天数出差员工：:", "leave", "days", "passage", "query"]
TEXTS = {"zh": "员工年假天数", "en": "leave days", "mixed": "年假 leave 天数 days"}
WINDOW = 32


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    st = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("st")
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(3)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=64, initializer_range=0.5, **sizes)
    BertModel(config).save_pretrained(folder / "bert")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder / "bert")
    network = modules.Transformer(str(folder / "bert"))
    network.max_seq_length = WINDOW
    st.SentenceTransformer(modules=[network, modules.Pooling(32)]).save(str(folder / "model"))
    return str(folder / "model")


@pytest.fixture
def make(model: str, tmp_path: Path) -> Callable[..., SentenceTransformersEmbedder]:
    def stage(**changed: Any) -> SentenceTransformersEmbedder:
        fields: dict[str, Any] = {
            "model": model,
            "revision": None,
            "query_prefix": "query: ",
            "passage_prefix": "passage: ",
            "dimensions": None,
            "overflow": "window_mean",
            "device": "cpu",
            "batch_size": 1,
            "cache_dir": str(tmp_path),
        }
        return SentenceTransformersEmbedder(**{**fields, **changed})

    return stage


@pytest.fixture
def worker(make: Callable[..., SentenceTransformersEmbedder]) -> Iterator[SentenceTransformersWorker]:
    with make().open() as opened:
        yield opened


@pytest.mark.st
@pytest.mark.parametrize("language", TEXTS)
def test_vectors_are_the_models_own(worker: SentenceTransformersWorker, model: str, language: str) -> None:
    from sentence_transformers import SentenceTransformer

    text = TEXTS[language]
    theirs = SentenceTransformer(model, device="cpu").encode(
        [f"passage: {text}", f"query: {text}"], normalize_embeddings=True
    )
    np.testing.assert_allclose(worker.embed_documents([text])[0], theirs[0], atol=1e-5)
    np.testing.assert_allclose(worker.embed_queries([text])[0], theirs[1], atol=1e-5)


@pytest.mark.st
def test_shapes_of_odd_texts(worker: SentenceTransformersWorker) -> None:
    texts = ["", " ", "\0\ud800", "年假" * 200, *TEXTS.values()]
    rows = worker.embed_documents(texts)
    assert rows.shape == (7, 32)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    states = worker.token_vectors(texts, "query")
    assert [len(rows) for rows in states] == worker.count_tokens(texts)
    assert [len(rows) for rows in states[:4]] == [0, 0, worker.count_tokens(["\ud800"])[0], 400]
    assert worker.embed_documents([]).shape == (0, 32)
    assert worker.token_vectors([], "query") == []


@pytest.mark.st
@pytest.mark.parametrize("role", ["query", "passage"])
def test_token_vectors_leave_out_special_and_prefix_tokens(
    worker: SentenceTransformersWorker, model: str, role: str
) -> None:
    from sentence_transformers import SentenceTransformer

    states = (
        SentenceTransformer(model, device="cpu")
        .encode([f"{role}: 年假 leave"], output_value="token_embeddings")[0]
        .numpy()
    )
    own = states[3:-1]  # [CLS] role : 年 假 leave [SEP]
    (ours,) = worker.token_vectors(["年假 leave"], role)
    np.testing.assert_allclose(ours, own / np.linalg.norm(own, axis=1, keepdims=True), atol=1e-5)
    with pytest.raises(ConfigError, match="query or passage"):
        worker.token_vectors(["a"], "title")


@pytest.mark.st
def test_long_texts_are_averaged_over_windows_or_cut(make: Callable[..., SentenceTransformersEmbedder]) -> None:
    head, tail = "年假天数" * 8, "报销出差" * 8
    with make().open() as whole, make(overflow="truncate").open() as cut:
        size = whole.max_tokens
        assert size == WINDOW - 4 - 2
        text = head + tail
        count = len(text)
        n_windows = -(-count // size)
        edges = [count * part // n_windows for part in range(n_windows + 1)]
        pieces = [text[a:b] for a, b in pairwise(edges)]
        means = [whole._model.encode(f"passage: {piece}") * len(piece) for piece in pieces]
        expected = np.sum(means, axis=0)
        np.testing.assert_allclose(whole.embed_documents([text])[0], expected / np.linalg.norm(expected), atol=1e-5)
        np.testing.assert_array_equal(*cut.embed_documents([head + tail, head + head]))
        assert len(cut.token_vectors([text], "passage")[0]) == size
        assert cut.space != whole.space


@pytest.mark.st
def test_dimensions_are_cut_and_normalised_again(make: Callable[..., SentenceTransformersEmbedder]) -> None:
    with make().open() as whole, make(dimensions=8).open() as short:
        assert short.dimension == 8
        row = whole.embed_documents(["年假"])[0][:8]
        np.testing.assert_allclose(short.embed_documents(["年假"])[0], row / np.linalg.norm(row), atol=1e-5)
        assert short.token_vectors(["年假"], "query")[0].shape == (2, 8)


@pytest.mark.st
def test_the_space_knows_the_files_and_not_the_device(
    make: Callable[..., SentenceTransformersEmbedder], model: str
) -> None:
    before = make().fingerprint()
    assert make(batch_size=7, device=None).fingerprint() == before
    extra = Path(model) / "extra.txt"
    extra.write_text("x")
    assert make().fingerprint() != before
    extra.unlink()
    with make().open() as worker:
        assert worker.space == before


@pytest.mark.st
def test_a_model_that_cannot_be_loaded_is_named(
    make: Callable[..., SentenceTransformersEmbedder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match=r"embedder.model=.*nowhere") as caught:
        make(model=str(tmp_path / "nowhere")).open().__enter__()
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"embedder prefix: expected room"):
        make(query_prefix="年假" * 40).open().__enter__()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    prefixes = {"query_prefix": "", "passage_prefix": ""}
    stage = SentenceTransformersEmbedder(model="x", revision=None, dimensions=None, overflow="truncate", **prefixes)
    with pytest.raises(MissingExtra, match=r"pip install 'ragbench\[st\]'"):
        stage.open().__enter__()


@pytest.mark.parametrize("changed", [{"overflow": "x"}, {"batch_size": 0}, {"dimensions": 0}])
def test_bad_fields_are_refused(changed: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"model": "x", "revision": None, "query_prefix": "", "passage_prefix": ""}
    with pytest.raises(ConfigError, match=f"embedder.{next(iter(changed))}"):
        SentenceTransformersEmbedder(**{**fields, "dimensions": None, "overflow": "truncate", **changed})
