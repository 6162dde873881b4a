"""Whose calls are whose: the classifier's are told apart from those of transforms and flows, over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from ragbench.report.labels import Labels
from ragbench.report.view_query import query_view
from ragbench.report.view_query_examples import Examples
from ragbench.report.view_questions import ChunkTexts
from tests.chat_server import chatting

QUESTIONS = {
    "zh": ["年假有几天？", "年假和病假有什么区别？", "报销流程分为哪些步骤"],
    "en": ["How many days of leave?", "Annual leave vs sick leave?", "How does a claim go through all of its stages"],
    "mixed": ["SLA 是多少？", "SLA 和 RTO 有什么区别？", "backup 的流程分为哪些步骤"],
}
"""By the rules: a simple one, a comparison, and one that they leave undecided."""


def say(body: dict[str, Any]) -> str:
    schema = json.dumps(body.get("response_format", ""))
    if "complexity" in schema:
        return '{"complexity": "comparison"}'
    return json.dumps({"queries": ["年假 leave", "病假 sick #1"], "question": "哪个？", "query": "SLA"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text(
        "年假 leave：十五天。SLA 99.95%。报销 claim：30 天内。", encoding="utf-8"
    )
    return tmp_path


def run(folder: Path, language: str, *more: str) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Summary, traces, and what each request to the server asked for."""
    rows = [
        {"id": f"q{at}", "question": text, "evidence": [{"doc": "a.txt", "quote": "十五天"}]}
        for at, text in enumerate(QUESTIONS[language])
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with chatting(say) as server:
        code = main(
            [
                "run", "variant=bm25", "llm=chat", f"llm.base_url={server.url}", "llm.model=m", "llm.api_key_env=''",
                "splitter=whole", "eval_set=local", f"eval_set.path={folder}", f"paths.runs={folder}/runs", "judge=none",
                f"paths.store={folder}/store", "sink=files", f"calls.cassettes={folder}/cassettes", *more,
            ]
        )  # fmt: skip
        kinds = ["class" if "complexity" in json.dumps(one["response_format"]) else "other" for one in server.asked]
    assert code == 0
    (found,) = (folder / "runs").glob("*/summary.json")
    traces = [json.loads(line) for line in (found.parent / "traces.jsonl").read_text(encoding="utf-8").splitlines()]
    return json.loads(found.read_text(encoding="utf-8")), traces, kinds


@pytest.mark.parametrize("language", QUESTIONS)
def test_rules_make_no_call_though_the_transform_does(folder: Path, language: str) -> None:
    summary, traces, asked = run(folder, language, "query=multi_query", "classifier=rules", "generator=none")
    table = summary["query"]["complexity"]
    assert asked == ["other"] * 3
    assert {tier: (row["n"], row["calls"]) for tier, row in table["tiers"].items()} == {
        "rules": (2, 0.0), "abstained": (1, 0.0),
    }  # fmt: skip
    assert (table["calls"], summary["query"]["cost"]["per_question"]["calls"]) == (0.0, 1.0)
    assert [(one["query"]["classifier_calls"], one["query"]["usage"]["calls"]) for one in traces] == [(0, 1)] * 3
    view = query_view(summary, Examples(summary, {}, ChunkTexts([]), {}.get), Labels("en"))
    assert view is not None
    assert [tier["calls"] for tier in view["kinds"][0]["tiers"]] == ["0", "0"]


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize(
    ("choices", "tiers"),
    [
        (("query=multi_query", "classifier=llm", "generator=none"), {"llm": 1.0}),
        (("flow=adaptive", "classifier=llm"), {"llm": 1.0}),
        (("flow=sequential", "query=multi_query", "classifier=rules"), {"rules": 0.0, "abstained": 0.0}),
        (
            ("query=multi_query", "classifier=tiered", "classifier.order=[rules,llm]", "classifier.abstain_cost=1.0"),
            {"rules": 0.0, "llm": 1.0},
        ),
    ],
    ids=["transform", "adaptive", "sequential", "tiered"],
)
def test_calls_of_a_tier_are_those_of_the_classifier(
    folder: Path, language: str, choices: tuple[str, ...], tiers: dict[str, float]
) -> None:
    summary, _, asked = run(folder, language, *choices)
    table, ledger = summary["query"]["complexity"], summary["cost"]["models"]
    assert {tier: row["calls"] for tier, row in table["tiers"].items()} == tiers
    assert round(table["calls"] * 3) == asked.count("class") == ledger.get("classifier", {"calls": 0})["calls"]
    assert summary["query"]["cost"]["calls"] == len(asked) > asked.count("class")
