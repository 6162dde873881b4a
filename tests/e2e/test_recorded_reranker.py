"""What a reranker's model says is recorded and replayed like any other reply, whatever the store holds of its results."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from tests.chat_server import USAGE, Act, ChatServer, chatting, error

FACTS = {"年假": "满一年后每年十五天", "leave": "fifteen days a year", "报销 claim": "30 天内 within 30 days"}
N = 6
PAUSE = 0.02


def say(body: dict[str, Any]) -> str:
    """A model that prefers the last passage of a list, and chunks with `days`."""
    told = body["messages"][-1]["content"]
    n = told.count("BEGIN ")
    return str(list(range(n, 0, -1))) if n > 1 else "3" if "days" in told else "1"


def probable(body: dict[str, Any]) -> Act:
    """Says yes with 0.9 of chunks with `days`, with 0.2 of others."""
    p = 0.9 if "days" in body["messages"][-1]["content"] else 0.2
    top = [{"token": word, "logprob": math.log(share)} for word, share in (("Yes", p), ("No", 1 - p))]
    content = [{"token": "Yes", "logprob": top[0]["logprob"], "top_logprobs": top}]
    choice = {"message": {"content": "Yes"}, "logprobs": {"content": content}, "finish_reason": "stop"}
    return Act(pause=PAUSE, body={"choices": [choice], "usage": USAGE})


def server_of(case: str, body: dict[str, Any]) -> Act:
    if case == "log-probabilities":
        return probable(body)
    refused = case == "refused log-probabilities" and "logprobs" in body
    return error(400, "logprobs is not supported") if refused else Act(pause=PAUSE)


CASES = {
    "listwise": ("listwise", N),
    "log-probabilities": ("pointwise", 3 * N),
    "refused log-probabilities": ("pointwise", 4 * N),
}
"""Method, and replies that it takes: one list a question, or one a chunk, after one try for log-probabilities."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    rows = []
    for at, (name, words) in enumerate(FACTS.items()):
        (tmp_path / "corpus" / f"{at}.txt").write_text(f"规定 rule {name}：{words}。", encoding="utf-8")
        evidence = [{"doc": f"{at}.txt", "quote": words}]
        rows += [{"id": f"q{at}-{n}", "question": f"{n} rule 规定 {name}？", "evidence": evidence} for n in range(2)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def run(folder: Path, server: ChatServer, method: str, *more: str) -> tuple[int, dict[str, Any], list[Any]]:
    """Exit code, summary and rankings of a run."""
    code = main(
        [
            "run", "variant=bm25", "reranker=llm", f"pipeline.reranker.method={method}",
            f"pipeline.reranker.chat.base_url={server.url}", "pipeline.reranker.chat.model=m",
            "pipeline.reranker.chat.api_key_env=", "splitter=whole", "eval_set=local", f"eval_set.path={folder}",
            f"paths.runs={folder}/runs", f"paths.store={folder}/store", "sink=files", "generator=none", "judge=none",
            f"calls.cassettes={folder}/cassettes", *more,
        ]
    )  # fmt: skip
    newest = max((folder / "runs").glob("*/summary.json"), key=lambda path: path.stat().st_mtime_ns)
    traces = (newest.parent / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    rankings = [json.loads(line)["steps"][-1]["reranked"] for line in traces]
    return code, json.loads(newest.read_text(encoding="utf-8")), rankings


def without_times(summary: dict[str, Any]) -> dict[str, Any]:
    metrics = {name: one for name, one in summary["metrics"].items() if not name.endswith("_ms")}
    return {"metrics": metrics, "models": summary["cost"]["models"], "facts": summary["cost"]["facts"]["reranker"]}


@pytest.mark.parametrize("case", CASES)
def test_what_is_recorded_from_the_store_replays_elsewhere(folder: Path, case: str) -> None:
    method, n_replies = CASES[case]
    with chatting(say, lambda n, body: server_of(case, body)) as server:
        code, live, rankings = run(folder, server, method)
        asked = len(server.asked)
        assert code == 0
        code, recorded, same = run(folder, server, method, "calls.mode=record")
        assert (code, without_times(recorded), same) == (0, without_times(live), rankings)
        assert len(server.asked) == asked, "all was in the store"
    lines = (folder / "cassettes" / "reranker.m.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == n_replies
    assert {json.loads(line)["prompt"] for line in lines} == {"rerank/1"}
    code, replayed, same = run(folder, server, method, "calls.mode=replay", f"paths.store={folder}/other")
    assert (code, without_times(replayed), same) == (0, without_times(live), rankings)
    times = [one["metrics"]["cost/rerank_ms"]["mean"] for one in (live, recorded, replayed)]
    assert all(one > PAUSE * 1000 for one in times), "times are those of the calls that were recorded"


def test_results_in_the_store_neither_replay_nor_keep_from_recording(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with chatting(say) as server:
        _, live, rankings = run(folder, server, "listwise")
        code, again, same = run(folder, server, "listwise", "reuse=false")
        assert (code, without_times(again), same) == (0, without_times(live), rankings)
        assert again["metrics"]["cost/rerank_ms"] == live["metrics"]["cost/rerank_ms"], "a live run takes what is kept"
        code, found, _ = run(folder, server, "listwise", "calls.mode=replay")
        assert code == 3
        assert any(f"{N} of {N} questions lack a recording" in line for line in found["health"])
        assert "MissingEntry: replay of a reranker call (prompt rerank/1)" in capsys.readouterr().err
        for cassettes in ("one", "two"):  # the second time a finished recording is there to be taken over
            record = ("calls.mode=record", f"calls.cassettes={folder}/{cassettes}")
            assert run(folder, server, "listwise", *record)[0] == 0
            assert len((folder / cassettes / "reranker.m.jsonl").read_text(encoding="utf-8").splitlines()) == N
        assert len(server.asked) == N
