"""Judges on a real model in a file, where RAGBENCH_GGUF names one: RAGAS' own code asks llama.cpp through our layer."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.judge.llm import LlmJudge
from ragbench.judge.ragas import RagasJudge
from ragbench.llm.calls import ModelCalls
from ragbench.llm.gguf import GgufModel
from ragbench.llm.settings import call_settings
from ragbench.records.question import Question
from ragbench.records.score import Status, Verdict
from ragbench.records.trace import Answer, ContextBlock, PackedContext
from tests.ragas_model import needs_ragas

CASES = {
    "zh": ("年假有几天？", "每年有十五天年假。", "员工满一年后每年有十五天年假。"),
    "en": ("How long is annual leave?", "Annual leave is fifteen days.", "Annual leave is fifteen days a year."),
}
METRICS = ("faithfulness", "response_relevancy")


class Equal:
    """An embedder to which all questions are alike."""

    dimension, max_tokens, space = 1, 512, "equal"

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


@pytest.fixture(scope="module")
def model() -> GgufModel:
    path = os.environ.get("RAGBENCH_GGUF")
    if not path or find_spec("xllamacpp") is None:
        pytest.skip("needs a GGUF file (RAGBENCH_GGUF) and the extra gguf")
    return GgufModel(model="real", context=4096, temperature=0, seed=0, reuse_prompt=True, path=path)


def judged(judge: RagasJudge | LlmJudge, language: str, folder: Path) -> Verdict:
    question, answer, passage = CASES[language]
    context = PackedContext((ContextBlock(1, "d", 0, 9, (0,), passage, 9),))
    store = Store(folder / "store")
    with (
        ModelCalls(store, call_settings({"concurrency": 1})) as models,
        judge.open(Tools(store, Equal(), models)) as worker,  # type: ignore[arg-type]
    ):
        return worker.judge(Question("q", question, reference=answer), context, Answer(answer))


@pytest.mark.slow
@needs_ragas
@pytest.mark.parametrize("language", CASES)
def test_metrics_of_ragas_are_computed(model: GgufModel, language: str, tmp_path: Path) -> None:
    found = judged(RagasJudge(llm=model, metrics=METRICS, strictness=1, max_tokens=800), language, tmp_path)
    assert {one.measure: one.status for one in found.values} == {
        f"answer/ragas_{name}": Status.SCORED for name in METRICS
    }, found.error
    assert all(one.value is not None and 0 <= one.value <= 1 and one.why for one in found.values)
    assert found.claims and found.usage["calls"] == 3 and found.usage["completion_tokens"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("language", CASES)
def test_our_own_judge_gives_every_claim_a_state(model: GgufModel, language: str, tmp_path: Path) -> None:
    found = judged(LlmJudge(llm=model, reference=False), language, tmp_path)
    assert found.error is None and len(found.claims) == 1
    assert found.usage["calls"] == 1
