"""Whole runs whose answers RAGAS judges, over the wire, from the store and from a recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

import pytest

from ragbench.cli.main import main
from ragbench.judge.ragas_metrics import METRICS, measure_of
from tests.chat_server import Act, chatting, error
from tests.e2e.judging import N, arguments, folder, run
from tests.ragas_model import INSTALLED, needs_ragas, say, wanted

__all__ = ["folder"]
MEASURES = tuple(map(measure_of, METRICS))
UNEMBEDDED = [name for name in METRICS if name != "response_relevancy"]
WITHOUT = f"judge.metrics=[{','.join(UNEMBEDDED)}]"
CALLS = 2 + 1 + 1 + 4
"""Of these four metrics for an answer with one passage."""


def ragas(folder: Path, server: Any, *more: str) -> tuple[int, dict[str, Any], bytes]:
    return run(folder, server, "k=1", WITHOUT, *more, judge="ragas")


def numbers(summary: dict[str, Any]) -> dict[str, Any]:
    names = map(measure_of, UNEMBEDDED)
    return {name: summary["metrics"][name] for name in names} | {"models": summary["cost"]["models"]}


@needs_ragas
def test_a_run_is_judged_once_and_says_the_same_ever_after(folder: Path) -> None:
    with chatting(say) as server:
        code, first, verdicts = ragas(folder, server)
        asked = len(server.asked)
        again, warm, same = ragas(folder, server, "reuse=false")
        assert len(server.asked) == asked < N * CALLS, "prompts without the question are the same for both of a fact"
        _, serial, in_turn = ragas(folder, server, "calls.concurrency=1", f"paths.store={folder}/other", "reuse=false")
    assert (code, again) == (0, 0)
    assert verdicts == same
    assert numbers(first) == numbers(warm) == numbers(serial)
    assert [json.loads(line)["values"] for line in verdicts.splitlines()] == [
        json.loads(line)["values"] for line in in_turn.splitlines()
    ]
    for name in map(measure_of, UNEMBEDDED):
        found = first["metrics"][name]
        assert (found["n_scored"], found["n_failed"]) == (N, 0)
    cost = first["cost"]["models"]["judge"]
    assert (cost["calls"], cost["prompt_tokens"], cost["failed"]) == (N * CALLS, 50 * N * CALLS, 0)


@needs_ragas
def test_scores_of_ragas_are_never_those_of_another_judge(folder: Path) -> None:
    with chatting(say) as server:
        _, summary, _ = ragas(folder, server)
    assert {name for name in summary["metrics"] if name in MEASURES} == set(map(measure_of, UNEMBEDDED))
    assert not {"answer/faithfulness", "answer/relevancy", "answer/completeness"} & summary["metrics"].keys()
    assert summary["judge"] == {f"ragas_{name}": "ragas-0.4.3 m" for name in UNEMBEDDED}


@needs_ragas
def test_relevancy_takes_the_embedder_of_the_variant(folder: Path) -> None:
    with chatting(say) as server:
        code, summary, _ = run(folder, server, "judge.metrics=[response_relevancy]", judge="ragas")
    found = summary["metrics"]["answer/ragas_response_relevancy"]
    assert (code, found["n_scored"]) == (0, N)
    assert 0.5 < found["mean"] < 1
    assert summary["runtime"] is not None


@needs_ragas
def test_answers_are_judged_as_many_at_a_time_as_calls_may_be_under_way(folder: Path) -> None:
    lock, under_way, most = Lock(), 0, 0

    def slow(body: dict[str, Any]) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        sleep(0.2)
        with lock:
            under_way -= 1
        return say(body)

    with chatting(slow) as server:
        code, _, verdicts = run(folder, server, "judge.metrics=[context_recall]", "calls.concurrency=3", judge="ragas")
    assert (code, most) == (0, 3)
    assert [json.loads(line)["question_id"] for line in verdicts.splitlines()] == [
        f"q{at}-{n}" for at in range(3) for n in range(2)
    ]


FAULTS: dict[str, tuple[Act, str]] = {
    "429": (error(429, "tomorrow", Retry_After="9999"), "wish to wait 9999 s"),
    "500": (error(500, "oops"), "status 500 in 2 tries"),
    "garbage": (Act(content="I would say all of it."), "expected a JSON object"),
    "nothing": (Act(content='{"statements": [], "claims": [], "classifications": []}'), "reply of the"),
}


@needs_ragas
@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_is_failed_and_no_result(folder: Path, capsys: pytest.CaptureFixture[str], fault: str) -> None:
    act, told = FAULTS[fault]
    with chatting(say, lambda n, body: act) as server:
        code, summary, _ = ragas(folder, server)
    assert code == 3
    for name in map(measure_of, UNEMBEDDED):
        found = summary["metrics"][name]
        assert (found["mean"], found["n_scored"], found["n_failed"], found["pessimistic"]) == (None, 0, N, 0.0)
    assert any(told in line for line in summary["health"])
    assert told in capsys.readouterr().err


@needs_ragas
def test_a_metric_that_failed_is_asked_for_again_and_the_others_are_not(folder: Path) -> None:
    with chatting(say, lambda n, body: error(500, "oops") if "classifications" in wanted(body) else Act()) as server:
        code, broken, _ = ragas(folder, server)
        asked = len(server.asked)
        server.script = lambda n, body: Act()
        again, whole, _ = ragas(folder, server)
        assert len(server.asked) == asked + N
    assert (code, again) == (3, 0)
    assert broken["metrics"]["answer/ragas_context_recall"]["n_failed"] == N
    assert broken["metrics"]["answer/ragas_faithfulness"]["n_scored"] == N
    assert whole["metrics"]["answer/ragas_context_recall"]["n_scored"] == N


@needs_ragas
def test_a_budget_ends_the_asking(folder: Path) -> None:
    with chatting(say) as server:
        code, summary, _ = ragas(folder, server, "calls.budget.calls=5", "calls.concurrency=1")
        assert len(server.asked) == 5
    assert code == 3
    assert summary["metrics"]["answer/ragas_factual_correctness"]["n_failed"] == N


@needs_ragas
def test_with_models_off_all_is_failed(folder: Path) -> None:
    with chatting(say) as server:
        code, summary, _ = ragas(folder, server, "calls.mode=off")
        assert server.asked == []
    assert code == 3
    assert summary["metrics"]["answer/ragas_faithfulness"]["n_failed"] == N


@needs_ragas
def test_a_recording_replays_without_a_server(folder: Path) -> None:
    with chatting(say) as server:
        _, recorded, verdicts = ragas(folder, server, "calls.mode=record")
    assert [path.name for path in (folder / "cassettes").glob("*.jsonl")] == ["judge.m.jsonl"]
    code, replayed, same = ragas(folder, server, "calls.mode=replay", f"paths.store={folder}/other")
    assert code == 0
    assert numbers(replayed) == numbers(recorded)
    assert same == verdicts
    (folder / "cassettes" / "judge.m.jsonl").unlink()
    code, missing, _ = ragas(folder, server, "calls.mode=replay", f"paths.store={folder}/third")
    assert code == 3
    assert any("replay of a judge call (prompt ragas_faithfulness/1)" in line for line in missing["health"])


@needs_ragas
def test_a_plan_counts_what_the_judge_asks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        assert main(["plan", *arguments(folder, server, "k=1", WITHOUT, judge="ragas")]) == 0
    assert f"LLM calls: up to {N * CALLS}" in capsys.readouterr().out


@needs_ragas
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["judge=ragas"], "judge=ragas: expected a language model, found llm=none"),
        (["judge=ragas", "judge_llm=ollama", "judge.metrics=[faith]"], "judge.metrics: expected some of faithfulness"),
        (["judge=ragas", "judge_llm=ollama", "measures=[answer/faithfulness]"], "measures: answer/faithfulness: expected a measure that the judge gives"),
        (["measures=[answer/ragas_faithfulness]"], "measures: answer/ragas_faithfulness: expected a measure that the judge gives"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(capsys: pytest.CaptureFixture[str], given: Sequence[str], told: str) -> None:
    assert main(["plan", "variant=bm25", *given]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_without_the_extra_nothing_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "variant=bm25", "judge=ragas", "judge_llm=ollama"]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert "pip install 'ragbench[ragas]'" in lines[0]
