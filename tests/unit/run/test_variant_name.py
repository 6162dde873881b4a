"""How results name a variant: what only the judge asks is none of it."""

from __future__ import annotations

import pytest

from ragbench.run.build import experiment

MODEL = ("llm=ollama", "llm.model=m")


@pytest.mark.parametrize("more", [(), ("judge_llm=deepseek", "judge_llm.model=q")])
def test_a_model_that_only_the_judge_asks_is_none_of_the_variant(more: tuple[str, ...]) -> None:
    plain = experiment(["variant=bm25"])
    judged = experiment(["variant=bm25", "judge=llm", *(more or MODEL)])
    assert judged.variant == {**plain.variant}
    assert judged.label == plain.label
    assert judged.pipeline.fingerprint() == plain.pipeline.fingerprint()
    assert judged.fingerprint() != plain.fingerprint()


def test_a_model_that_a_stage_asks_is_named() -> None:
    found = experiment(["variant=bm25", "query=multi_query", *MODEL, "judge=llm", "judge_llm=deepseek"])
    assert (found.variant["llm"], found.variant["llm.model"]) == ("ollama", "m")
    assert found.label == "bm25 query=multi_query llm=ollama llm.model=m"
    assert found.judge.title == "llm-1 deepseek-chat"
