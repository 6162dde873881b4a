"""What a plan says of calls, tokens, money and time, and that it says nothing that no run told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbench.records.question import Question
from ragbench.run.build import experiment
from ragbench.run.plan_cost import calls_of, cost_of, finished_runs

QUESTIONS = [Question(id=f"问{n}", question="年假几天？", language="zh", category="lookup") for n in range(10)]
ASKING = ["generator=chat", "llm=deepseek", "judge=none", "variant=bm25"]


def stored(**more):
    role = {"models": ["deepseek-chat"], "calls": 4, "prompt_tokens": 4000, "completion_tokens": 400} | more
    return [({"status": "finished"}, {"cost": {"models": {"generator": role}}})]


@pytest.fixture(scope="module")
def asking():
    return experiment(ASKING)


def known(asking, runs):
    """Cost without times, which these runs do not have."""
    whole = [(_manifest(asking) | manifest, summary) for manifest, summary in runs]
    return cost_of(asking, QUESTIONS, whole)


def _manifest(asking):
    return {
        "pipeline": asking.pipeline.recipe(), "judge": asking.judge.recipe(), "n_questions": 5,
        "durations_s": {"build": 3.0, "query": 1.0, "evaluate": 0.5}, "stages": {"computed": {"chunks": 1, "sparse": 1}},
    }  # fmt: skip


def test_calls_are_told_by_role(asking):
    assert calls_of(asking, QUESTIONS) == {"generator": 10}


def test_tokens_and_money_come_from_finished_runs_and_the_price_table(asking):
    from ragbench.llm.prices import PriceTable
    from ragbench.llm.request_key import model_name
    from ragbench.llm.within import models_within

    (model,) = models_within(asking.pipeline.generator)
    found = known(asking, stored(models=[model_name(model)]))
    assert found.tokens == 10 * 1100
    tariff = PriceTable().tariff(model)
    price = tariff.price(10_000, 1000)
    assert found.money == (None if price is None else round(price, 4))
    assert found.question_s == pytest.approx(0.3)


def test_what_no_run_told_is_not_known(asking):
    assert cost_of(asking, QUESTIONS, []).tokens is None
    assert cost_of(asking, QUESTIONS, []).question_s is None
    other = known(asking, stored(models=["another-model"]))
    assert (other.tokens, other.money) == (None, None)
    assert known(asking, stored(prompt_tokens=None)).tokens is None


def test_runs_that_are_none_are_passed_over(tmp_path: Path) -> None:
    for name, text in (("broken-1", "{"), ("list-1", "[]"), ("running-1", '{"status": "running"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text, encoding="utf-8")
    (tmp_path / "ok-1").mkdir()
    (tmp_path / "ok-1" / "manifest.json").write_text(json.dumps({"status": "finished"}), encoding="utf-8")
    (tmp_path / "ok-1" / "summary.json").write_text("{}", encoding="utf-8")
    assert finished_runs(tmp_path) == [({"status": "finished"}, {})]
    assert finished_runs(tmp_path / "nowhere") == []
