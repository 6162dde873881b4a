from __future__ import annotations

import numpy as np
import pytest

from ragbench.judge.relevancy import Relevancy, probability, relevancy_model
from tests.unit.generator.fakes import WordEmbedder

ASKED = {
    "zh": ("员工年假多少天", "正式员工每年享有十天带薪年假。", "申请须提前三个工作日提交。"),
    "en": ("How long are logs kept?", "Logs are kept for 14 days.", "The trial needs no licence."),
    "mixed": ("HaloBus 默认保留几天", "HaloBus 4.2 默认保留 14 天。", "不支持 NFS。"),
}


def relevancy(semantic: bool) -> Relevancy:
    return Relevancy(WordEmbedder() if semantic else None)


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize("language", ASKED)
def test_the_answer_to_the_question_is_more_relevant_than_another(language: str, semantic: bool) -> None:
    question, on, off = ASKED[language]
    scores = [relevancy(semantic).of(question, text) for text in (on, off)]
    assert 0 <= scores[1] < scores[0] <= 1
    assert semantic or scores[1] < 0.5 < scores[0]


@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize("answer", ["**问：员工年假多少天？**[2]", "How many days of leave?", "是的。"])
def test_an_answer_that_claims_nothing_is_not_relevant(answer: str, semantic: bool) -> None:
    assert relevancy(semantic).of("员工年假多少天", answer) == 0.0


@pytest.mark.parametrize(("question", "answer"), [("", "十天。"), ("年假几天", ""), ("？？", "十天。"), ("年假", "……")])
def test_without_words_there_is_none(question: str, answer: str) -> None:
    assert relevancy(False).of(question, answer) is None


@pytest.mark.parametrize("language", ASKED)
def test_citation_marks_do_not_matter(language: str) -> None:
    question, on, _ = ASKED[language]
    assert relevancy(True).of(question, on) == relevancy(True).of(question, on + " [1] [2, 3]")


def test_the_likeness_does_not_depend_on_where_an_embedders_cosines_lie() -> None:
    """Cosines squeezed to a narrow band give the same standard scores."""

    class Squeezed(WordEmbedder):
        def embed_queries(self, texts):
            rows = super().embed_documents(texts)
            return np.hstack([rows * np.sqrt(0.2), np.full((len(rows), 1), np.sqrt(0.8))]).astype(np.float32)

    for question, on, off in ASKED.values():
        for text in (on, off):
            wide, narrow = (Relevancy(one).likeness(question, text) for one in (WordEmbedder(), Squeezed()))
            assert wide == pytest.approx(narrow, abs=1e-3)


def test_an_embedder_that_says_the_same_of_everything_is_no_division_by_zero() -> None:
    class Flat(WordEmbedder):
        def embed_queries(self, texts):
            return np.tile(np.eye(1, 64, dtype=np.float32), (len(texts), 1))

    assert 0 <= Relevancy(Flat()).of("年假几天", "十天年假。") <= 1


def test_probability_is_the_logistic_function() -> None:
    assert probability(2.0, {"bias": -2.0, "weight": 1.0}) == 0.5
    assert probability(1e9, {"bias": 0.0, "weight": 1.0}) == 1.0


def test_the_model_file_says_how_it_was_made() -> None:
    model = relevancy_model()
    assert "calibrate_relevancy.py" in model["about"] and "dev" in model["about"]
    assert model["cosine"]["weight"] > 0 < model["words"]["weight"]
    assert all(len(set(questions)) >= 10 for questions in model["questions"].values())
