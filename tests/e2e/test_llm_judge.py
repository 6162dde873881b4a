"""Whole runs whose answers a language model judges, over the wire."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from ragbench.cli.main import main
from tests.chat_server import Act, chatting, error
from tests.e2e.judging import N, arguments, folder, run

__all__ = ["folder"]
JUDGED = ("answer/faithfulness", "answer/relevancy", "answer/completeness", "answer/context_recall")


def say(body: dict[str, Any]) -> str:
    """A model that supports the first claim alone."""
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    labels = ["supported", *["not_enough"] * len(fields)]
    claims = {key: {"passage": 1, "verdict": label} for key, label in zip(fields, labels) if key != "addresses"}
    return json.dumps(claims | ({"addresses": "fully"} if "addresses" in fields else {}))


def numbers(summary: dict[str, Any]) -> dict[str, Any]:
    return {name: summary["metrics"][name] for name in JUDGED} | {"models": summary["cost"]["models"]}


def test_a_run_is_judged_once_and_says_the_same_ever_after(folder: Path) -> None:
    with chatting(say) as server:
        code, first, verdicts = run(folder, server)
        asked = len(server.asked)
        again, warm, same = run(folder, server, "reuse=false")
        assert len(server.asked) == asked == N
        _, serial, in_turn = run(folder, server, "calls.concurrency=1", f"paths.store={folder}/other", "reuse=false")
        assert len(server.asked) == 2 * N
    assert (code, again) == (0, 0)
    assert verdicts == same
    assert numbers(first) == numbers(warm) == numbers(serial)
    assert [json.loads(line)["claims"] for line in verdicts.splitlines()] == [
        json.loads(line)["claims"] for line in in_turn.splitlines()
    ]
    faithful = first["metrics"]["answer/faithfulness"]
    assert (faithful["n_scored"], faithful["n_failed"]) == (N, 0)
    assert first["metrics"]["answer/relevancy"]["mean"] == 1.0
    for name in JUDGED[2:]:
        assert first["metrics"][name]["mean"] is None
        assert (first["metrics"][name]["n_na"], first["metrics"][name]["n_failed"]) == (N, 0)
    assert first["judge"]["faithfulness"] == "llm-1 m"
    cost = first["cost"]["models"]["judge"]
    assert (cost["calls"], cost["prompt_tokens"], cost["completion_tokens"], cost["failed"]) == (N, 50 * N, 5 * N, 0)
    assert first["variant"]["llm"] == "none"
    assert first["label"] == "bm25" or "llm" not in first["label"]


def test_answers_are_judged_as_many_at_a_time_as_calls_may_be_under_way(folder: Path) -> None:
    lock, under_way, most = Lock(), 0, 0

    def slow(body: dict[str, Any]) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.3)
        with lock:
            under_way -= 1
        return say(body)

    with chatting(slow) as server:
        code, _, verdicts = run(folder, server, "calls.concurrency=3")
    assert (code, most) == (0, 3)
    assert [json.loads(line)["question_id"] for line in verdicts.splitlines()] == [
        f"q{at}-{n}" for at in range(3) for n in range(2)
    ]


def test_with_the_reference_completeness_is_judged(folder: Path) -> None:
    with chatting(say) as server:
        code, summary, _ = run(folder, server, "judge.reference=true")
        assert len(server.asked) == 3 * N
    assert code == 0
    assert [summary["metrics"][name]["n_scored"] for name in JUDGED] == [N] * 4


FAULTS: dict[str, tuple[Act, str]] = {
    "429": (error(429, "tomorrow", Retry_After="9999"), "wish to wait 9999 s"),
    "500": (error(500, "oops"), "status 500 in 2 tries"),
    "garbage": (Act(content="I would say all of it."), "expected a JSON object"),
    "one label": (Act(content='{"claim_9": "supported"}'), "expected verdicts on"),
    "thoughts": (Act(content="<think>hm"), "a reply with text"),
    "bad key": (error(401, "Incorrect API key"), "key"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_is_failed_and_no_result(folder: Path, capsys: pytest.CaptureFixture[str], fault: str) -> None:
    act, told = FAULTS[fault]
    with chatting(say, lambda n, body: act) as server:
        code, summary, _ = run(folder, server)
    assert code == 3
    for name, failed in zip(JUDGED, (N, N, 0, 0)):
        found = summary["metrics"][name]
        assert (found["mean"], found["n_scored"], found["n_failed"]) == (None, 0, failed)
    assert any(told in line and f"{N} of {N} failed" in line for line in summary["health"])
    assert told in capsys.readouterr().err
    assert summary["diagnosis"]["unjudged"] == N


def test_one_failure_in_six_is_told_and_asked_for_again(folder: Path) -> None:
    with chatting(
        say, lambda n, body: error(500, "oops") if "rule 规定 leave" in body["messages"][1]["content"] else Act()
    ) as server:
        code, summary, _ = run(folder, server)
        asked = len(server.asked)
        server.script = lambda n, body: Act()
        again, whole, _ = run(folder, server)
        assert len(server.asked) == asked + 2
    found = summary["metrics"]["answer/faithfulness"]
    assert (code, found["n_scored"], found["n_failed"]) == (3, 4, 2)
    assert (again, whole["metrics"]["answer/faithfulness"]["n_scored"]) == (0, N)


def test_a_recording_replays_without_a_server(folder: Path) -> None:
    with chatting(say) as server:
        _, recorded, verdicts = run(folder, server, "calls.mode=record")
    assert [path.name for path in (folder / "cassettes").glob("*.jsonl")] == ["judge.m.jsonl"]
    code, replayed, same = run(folder, server, "calls.mode=replay", f"paths.store={folder}/other")
    assert code == 0
    assert numbers(replayed) == numbers(recorded)
    assert same == verdicts
    (folder / "cassettes" / "judge.m.jsonl").unlink()
    code, missing, _ = run(folder, server, "calls.mode=replay", f"paths.store={folder}/third")
    assert code == 3
    assert any("replay of a judge call (prompt judge/1)" in line for line in missing["health"])


def test_verdicts_in_the_store_neither_replay_nor_keep_from_recording(folder: Path) -> None:
    with chatting(say) as server:
        _, live, verdicts = run(folder, server)
        assert run(folder, server, "calls.mode=replay")[0] == 3
        for cassettes in ("one", "two"):
            code, recorded, same = run(folder, server, "calls.mode=record", f"calls.cassettes={folder}/{cassettes}")
            assert (code, numbers(recorded), same) == (0, numbers(live), verdicts)
            lines = (folder / cassettes / "judge.m.jsonl").read_text(encoding="utf-8").splitlines()
            assert len(lines) == N == len(server.asked)


def test_the_judge_may_have_a_model_of_its_own(folder: Path) -> None:
    with chatting(say) as server, chatting(lambda body: '{"question": "规定"}') as other:
        own = ["judge_llm=chat", f"judge_llm.base_url={server.url}", "judge_llm.model=own", "judge_llm.api_key_env="]
        code, summary, _ = run(folder, other, "query=rewrite", "rewriter=llm", "rewriter.every=true", *own)
        assert {body["model"] for body in server.asked} == {"own"}
        assert {body["model"] for body in other.asked} == {"m"}
    assert code in (0, 3)
    assert summary["cost"]["models"]["judge"]["models"] == ["own"]
    assert summary["judge"]["faithfulness"] == "llm-1 own"
    assert summary["variant"]["llm"] == "chat"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["judge=llm"], "judge=llm: expected a language model, found llm=none"),
        (["judge=offline", "judge_llm=ollama"], "the chosen judge (offline) asks no language model; choose judge=llm"),
        (["judge=llm", "judge_llm=nothing"], "expected one of chat"),
    ],
)
def test_a_judge_without_its_model_is_refused(capsys: pytest.CaptureFixture[str], given: list[str], told: str) -> None:
    assert main(["plan", "variant=bm25", *given]) == 2
    assert told in capsys.readouterr().err


def test_a_plan_counts_what_the_judge_asks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        assert main(["plan", *arguments(folder, server)]) == 0
    assert f"LLM calls: up to {N}" in capsys.readouterr().out
