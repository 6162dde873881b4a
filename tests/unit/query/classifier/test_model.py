"""The small model as a tier: numbers of a file, costs, thresholds, and the vector space they hold for."""

import json

import numpy as np
import pytest

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError
from ragbench.query.classifier.form import FORM, form
from ragbench.query.classifier.label_model import (
    PROBES,
    LabelModel,
    decided,
    load_label_model,
    read_model,
    softmax,
)  # fmt: skip
from ragbench.query.classifier.model import ModelClassifier
from tests.unit.generator.fakes import WordEmbedder

LABELS = ("comparison", "multi_hop", "simple_lookup")
TEXTS = {"zh": "年假有多少天？", "en": "How many days of leave?", "mixed": "annual leave 有多少天？"}


def content(**changed) -> dict:
    """A model over words: a text with 区别/difference leans to comparison."""
    embedder = WordEmbedder()
    weights = np.stack([embedder._vector("区别") + embedder._vector("differenc"), np.zeros(64), np.zeros(64)]) * 20
    return {
        "format": 1, "label": "complexity", "labels": list(LABELS), "bias": [-4.0, 0.0, 1.0],
        "weights": weights.tolist(), "form": [], "threshold": 0.5,
        "embedder": {"space": "words", "dimension": 64, "probes": embedder.embed_queries(PROBES).tolist()},
    } | changed  # fmt: skip


@pytest.fixture
def file(tmp_path):
    def written(**changed) -> str:
        path = tmp_path / "model.json"
        path.write_text(json.dumps(content(**changed)), encoding="utf-8")
        return str(path)

    return written


def stage(complexity, **changed) -> ModelClassifier:
    fields = {"category": None, "answerable": None, "simple_cost": 2.0, "threshold": None, "category_threshold": None}
    return ModelClassifier(complexity=complexity, **(fields | changed))


def said(model: ModelClassifier, text: str, embedder=None):
    with model.open(Tools(None, embedder or WordEmbedder())) as worker:
        return worker.classify(text)


@pytest.mark.parametrize("text", ["年假 病假 区别", "difference of leave kinds", "年假 leave difference"])
def test_the_likeliest_class(file, text: str) -> None:
    found = said(stage(file()), text)
    assert (found.complexity, found.tier, found.category_tier) == ("comparison", "model", "")
    assert 0.5 < found.confidence <= 1 and not found.spent.usage


@pytest.mark.parametrize("language", TEXTS)
def test_a_complex_question_taken_for_a_simple_one_costs_more(file, language: str) -> None:
    alike = file(bias=[-9.0, 0.0, 0.4], weights=np.zeros((3, 64)).tolist(), threshold=0.0)
    assert said(stage(alike, simple_cost=1.0), TEXTS[language]).complexity == "simple_lookup"
    assert said(stage(alike, simple_cost=2.0), TEXTS[language]).complexity == "multi_hop"


@pytest.mark.parametrize("language", TEXTS)
def test_below_the_threshold_it_abstains(file, language: str) -> None:
    unsure = file(bias=[0.0, 0.0, 0.0], weights=np.zeros((3, 64)).tolist(), threshold=0.4)
    found = said(stage(unsure), TEXTS[language])
    assert (found.complexity, found.tier, found.confidence) == (None, "abstained", None)
    assert said(stage(unsure, threshold=0.3), TEXTS[language]).tier == "model"


@pytest.mark.parametrize("text", ["", "？", "  ", "…!"])
def test_nothing_to_read_is_an_abstention(file, text: str) -> None:
    embedder = WordEmbedder()
    found = said(stage(file()), text, embedder)
    assert found.tier == "abstained" and (text,) not in embedder.calls


@pytest.mark.parametrize("text", ["x" * 100_000, "年" * 50_000, "\ud800 lone", "a\0b", "'; DROP TABLE --"])
def test_hostile_texts(file, text: str) -> None:
    class Any64(WordEmbedder):
        def embed_queries(self, texts):
            return (
                super().embed_documents(texts) if list(texts) == list(PROBES) else np.ones((len(texts), 64), np.float32)
            )

    assert said(stage(file()), text, Any64()).tier in ("model", "abstained")


def test_category_and_answerability_beside_the_class(file, tmp_path) -> None:
    for label, labels in (("category", ["lookup", "vague"]), ("answerable", ["false", "true"])):
        row = content(label=label, labels=labels, bias=[3.0, 1.0], weights=np.zeros((2, 64)).tolist())
        (tmp_path / f"{label}.json").write_text(json.dumps(row))
    own = stage(file(), category=str(tmp_path / "category.json"), answerable=str(tmp_path / "answerable.json"))
    found = said(own, TEXTS["zh"])
    assert (found.category, found.category_tier) == ("lookup", "model")
    assert found.answerable == pytest.approx(1 / (1 + np.exp(2)))
    assert own.says == {"complexity", "category", "answerable"}
    unsure = stage(file(), category=str(tmp_path / "category.json"), category_threshold=0.9)
    assert said(unsure, TEXTS["zh"]).category_tier == "abstained"


def test_another_vector_space_is_refused_in_one_line(file) -> None:
    class Other(WordEmbedder):
        space = "other"

        def _vector(self, term):
            return super()._vector(term[::-1] + "!")

    class Wider(WordEmbedder):
        space, dimension = "wider", 128

    class SameVectors(WordEmbedder):
        space = "words by another library"

    for embedder in (Other(), Wider()):
        with pytest.raises(ConfigError, match="the vector space it was trained in") as caught:
            said(stage(file()), TEXTS["en"], embedder)
        assert "\n" not in str(caught.value) and "ragbench classifier train" in str(caught.value)
    assert said(stage(file()), "difference", SameVectors()).complexity == "comparison"
    with pytest.raises(ConfigError, match="an embedder"), stage(file()).open(Tools(None)):
        pass


@pytest.mark.parametrize(
    ("changed", "match"),
    [({"format": 2}, "format 1"), ({"labels": ["one"]}, "labels"), ({"bias": [1.0]}, "bias: expected 3 finite"),
     ({"weights": [[1.0] * 64]}, "weights"), ({"weights": [["x"] * 64] * 3}, "weights"), ({"threshold": None}, "threshold"),
     ({"threshold": "x"}, "threshold"), ({"form": ["words"]}, "form"), ({"embedder": {}}, "probes"), ({"label": "category"}, "a model of complexity")],
)  # fmt: skip
def test_a_broken_file_is_told(file, changed, match: str) -> None:
    with pytest.raises(DataError, match=match):
        stage(file(**changed)).identity()


def test_a_file_that_is_no_model(tmp_path) -> None:
    (tmp_path / "text.json").write_bytes(b"\xff\xfe not json")
    for path in (tmp_path / "text.json", tmp_path / "none.json", tmp_path):
        with pytest.raises(DataError, match="builtin"):
            stage(str(path)).identity()
    for data in ([], "x", None, {}):
        with pytest.raises(DataError, match="format 1"):
            read_model(data, "x")
    with pytest.raises(DataError, match="none is shipped"):
        load_label_model("builtin", "answerable")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("simple_cost", 0.5),
        ("simple_cost", True),
        ("simple_cost", float("nan")),
        ("threshold", 1.5),
        ("threshold", "x"),
        ("category_threshold", -1),
    ],
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"classifier.{name}"):
        stage("builtin", **{name: value})
    with pytest.raises(ConfigError, match="a model for"):
        stage(None)


def test_the_fingerprint_is_that_of_the_numbers(file, tmp_path) -> None:
    one = stage(file())
    before = one.identity()
    assert before == stage(file(about="other words")).identity()
    assert before != stage(file(bias=[-4.0, 0.0, 1.1])).identity()
    assert stage("builtin").fingerprint() != stage("builtin", simple_cost=3.0).fingerprint()


def test_shipped_models_say_what_they_were_trained_on() -> None:
    for label in ("complexity", "category"):
        model = load_label_model("builtin", label)
        assert (
            isinstance(model, LabelModel) and model.form and model.weights.shape == (len(model.labels), 384 + len(FORM))
        )


def test_form_counts() -> None:
    row = dict(zip(FORM, np.expm1(form(["年假 annual leave 有 15 天，怎么请？「HR」和 IT"])[0]).round(3).tolist()))
    assert row == {
        "words": 9.0, "latin_words": 4, "question_marks": 1, "pauses": 1, "full_stops": 0, "numbers": 1, "quotes": 1,
        "asking_words": 1, "capitals": 2, "joints": 1,
    }  # fmt: skip
    assert form([]).shape == (0, len(FORM)) and not form([""]).any()


def test_decisions_and_probabilities() -> None:
    assert softmax(np.array([[1000.0, 0.0], [0.0, 0.0]])).tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert decided(np.array([0.3, 0.3, 0.4]), LABELS, 1.0) == 2
    assert decided(np.array([0.3, 0.3, 0.4]), LABELS, 2.0) == 0, "ties go to the first"
    assert decided(np.array([0.5, 0.5]), ("a", "b"), 5.0) == 0
