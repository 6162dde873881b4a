"""The offline half: keys chain, artifacts are built once, failures of files are kept."""

from __future__ import annotations

import os
from dataclasses import asdict

import pytest

from ragbench.core.store import Store
from ragbench.corpus.loader import CorpusLoader
from ragbench.pipeline.offline import artifact_keys, build, corpus_key, load, split
from ragbench.run.build import experiment

ALL = {"chunks", "texts", "index", "sparse"}


def keys(*overrides: str, corpus: str = "c" * 64) -> dict[str, str | None]:
    return asdict(artifact_keys(experiment(["variant=hybrid", *overrides]).pipeline, corpus))


def changed(*overrides: str) -> set[str]:
    before, after = keys(), keys(*overrides)
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    ("overrides", "names"),
    [
        (["chunk_size=123"], ALL),
        (["overlap=7"], ALL),
        (["chunk_unit=words"], ALL),
        (["splitter=fixed"], ALL),
        (["splitter=whole"], ALL),
        (["context=title"], {"texts", "index", "sparse"}),
        (["pipeline.sparse.k1=2"], {"sparse"}),
        (["pipeline.sparse.analyser=bigram"], {"sparse"}),
        (["index=chroma"], {"index"}),
        (["pipeline.embedder.passage_prefix='p: '"], {"index"}),
        (["pipeline.embedder.overflow=truncate"], {"index"}),
        (["alpha=0.3"], set()),
        (["k=9"], set()),
        (["recall_k=9"], set()),
        (["pool_depth=50"], set()),
        (["pipeline.retriever.fusion=rrf"], set()),
        (["reranker=late_interaction"], set()),
        (["generator=none"], set()),
        (["judge=none"], set()),
        (["pipeline.packer.budget=99"], set()),
        (["classifier.short=9"], set()),
        (["split=dev"], set()),
        (["seed=3"], set()),
        (["report.lang=zh"], set()),
        (["variant=bm25"], {"index"}),
        (["variant=dense"], {"sparse"}),
    ],
    ids=lambda value: " ".join(sorted(value)) or "nothing",
)
def test_a_knob_changes_the_keys_below_it_and_no_other(overrides, names):
    assert changed(*overrides) == names


def test_a_route_that_is_not_used_has_no_key_and_leaves_the_other_alone():
    both, sparse, dense = keys(), keys("variant=bm25"), keys("variant=dense")
    assert (sparse["index"], sparse["sparse"]) == (None, both["sparse"])
    assert (dense["index"], dense["sparse"]) == (both["index"], None)


def test_the_default_and_the_same_value_by_hand_are_one_key():
    plain = experiment(["variant=hybrid"]).pipeline.splitter
    given = [f"{name}={getattr(plain, name)}" for name in ("chunk_size", "chunk_unit", "overlap")]
    assert changed(*given) == set()
    assert experiment(["variant=hybrid", *given]).fingerprint() == experiment(["variant=hybrid"]).fingerprint()


def test_another_corpus_changes_every_key():
    one, two = keys(), keys(corpus="d" * 64)
    assert all(one[name] != two[name] for name in one)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "corpus"
    (place / "sub").mkdir(parents=True)
    (place / "年假.md").write_text("# 年假\n\n每年十天。\n", encoding="utf-8")
    (place / "sub" / "vpn.txt").write_text("Open the VPN client.", encoding="utf-8")
    return place


def replaced(folder):
    (folder / "年假.md").write_text("# 年假\n\n每年十二天。\n", encoding="utf-8")


def added(folder):
    (folder / "new.txt").write_text("More.", encoding="utf-8")


def removed(folder):
    (folder / "年假.md").unlink()


def renamed(folder):
    (folder / "年假.md").rename(folder / "假期.md")


def touched(folder):
    os.utime(folder / "年假.md", (1, 1))


def skipped(folder):
    (folder / "photo.png").write_bytes(b"x")


@pytest.mark.parametrize(
    ("act", "differs"),
    [(replaced, True), (added, True), (removed, True), (renamed, True), (touched, False), (skipped, False)],
)
def test_the_corpus_key_is_that_of_names_and_contents(folder, act, differs):
    before = corpus_key(folder, CorpusLoader())
    act(folder)
    assert (corpus_key(folder, CorpusLoader()) != before) is differs


def test_a_loaded_corpus_comes_back_as_it_was(folder, tmp_path):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4")
    (folder / "blank.txt").write_text(" ")
    (folder / "photo.png").write_bytes(b"x")
    store = Store(tmp_path / "store")
    cold, warm = (load(folder, CorpusLoader(), store) for _ in range(2))
    assert cold == warm
    assert cold.documents == CorpusLoader().load(folder).documents
    assert [path for path, _ in cold.failures] == ["broken.pdf"]
    assert (cold.empty, cold.skipped) == (("blank.txt",), ("photo.png",))
    assert (store.computed["corpus"], store.reused["corpus"]) == (1, 1)


def no_embedder():
    raise AssertionError("nothing here needs a model")


def test_a_sparse_variant_never_opens_the_embedder(folder, tmp_path):
    store = Store(tmp_path / "store")
    pipeline = experiment(["variant=bm25", "generator=none"]).pipeline
    built = build(pipeline, load(folder, CorpusLoader(), store), store, no_embedder)
    assert built.index_folder is None
    assert built.sparse_folder is not None
    assert built.facts.keys() == {"sparse"}
    again = build(pipeline, load(folder, CorpusLoader(), store), store, no_embedder)
    assert again.chunks == built.chunks
    assert store.computed == {"corpus": 1, "chunks": 1, "sparse": 1}


def test_texts_of_chunks_are_those_of_the_documents(folder, tmp_path):
    store = Store(tmp_path / "store")
    corpus = load(folder, CorpusLoader(), store)
    texts = corpus.by_id()
    for overrides in (["splitter=fixed", "chunk_size=4", "overlap=1", "chunk_unit=chars"], ["splitter=whole"]):
        pipeline = experiment(["variant=bm25", *overrides]).pipeline
        for _ in range(2):
            for chunk in split(pipeline, corpus, store):
                assert chunk.text == texts[chunk.doc_id].text[chunk.start : chunk.end]


def test_a_context_prefix_is_searched_and_not_shown(folder, tmp_path):
    store = Store(tmp_path / "store")
    corpus = load(folder, CorpusLoader(), store)
    plain = split(experiment(["variant=bm25"]).pipeline, corpus, store)
    titled = split(experiment(["variant=bm25", "context=title"]).pipeline, corpus, store)
    assert [chunk.text for chunk in plain] == [chunk.text for chunk in titled]
    assert [chunk.index_text for chunk in plain] != [chunk.index_text for chunk in titled]
    assert store.computed["chunks"] == 1
