"""A run with rerankers behind an address: what they cost and what fails is in the summary, the report and the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from tests.loopback import Loopback, serving

KEY = "sk-e2e-999999"
FACTS = {"年假": "满一年后每年十五天", "leave": "fifteen days a year", "报销 claim": "30 天内 within 30 days"}


def reply(body: dict[str, Any]) -> Any:
    """A chat server that prefers the last passage; it is down for questions with `down`."""
    text = json.dumps(body, ensure_ascii=False)
    if "down" in text:
        return 500, {}, f"down, {KEY}"
    n = text.count("BEGIN ") - 1
    usage = {"prompt_tokens": 50, "completion_tokens": 5}
    return {"choices": [{"message": {"content": str(list(range(n, 0, -1)))}}], "usage": usage}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHAT_KEY", KEY)
    (tmp_path / "corpus").mkdir()
    rows = []
    for at, (name, words) in enumerate(FACTS.items()):
        (tmp_path / "corpus" / f"{at}.txt").write_text(f"规定 rule {name}：{words}。", encoding="utf-8")
        evidence = [{"doc": f"{at}.txt", "quote": words}]
        rows += [{"id": f"q{at}-{n}", "question": f"{n} rule 规定 {name}？", "evidence": evidence} for n in range(5)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def run(folder: Path, server: Loopback, *more: str) -> tuple[int, dict[str, Any]]:
    code = main(
        [
            "run", "variant=bm25", "reranker=llm", "pipeline.reranker.method=listwise",
            f"pipeline.reranker.chat.base_url={server.url}", "pipeline.reranker.chat.api_key_env=CHAT_KEY",
            "pipeline.reranker.chat.max_tries=1", "splitter=whole", "eval_set=local", f"eval_set.path={folder}",
            f"paths.runs={folder}/runs", f"paths.store={folder}/store", "generator=none", "judge=none", *more,
        ]
    )  # fmt: skip
    newest = max((folder / "runs").glob("*/summary.json"), key=lambda path: path.stat().st_mtime_ns)
    return code, json.loads(newest.read_text(encoding="utf-8"))


def test_what_it_cost_is_told_the_same_from_a_warm_store(folder: Path) -> None:
    with serving(reply) as server:
        (code, cold), asked = run(folder, server), len(server.asked)
        again, warm = run(folder, server)
    assert (code, again) == (0, 0)
    counted = cold["cost"]["facts"]["reranker"]
    assert counted["calls"] == asked == len(server.asked) == 15
    assert (counted["prompt_tokens"], counted["completion_tokens"]) == (750, 75)
    assert warm["cost"]["facts"]["reranker"] == counted
    assert cold["metrics"]["cost/rerank_ms"]["n_scored"] == 15


def test_a_failure_is_seen_and_asked_again_next_time(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "questions.jsonl"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"question": "3 ', '"question": "down ', 1), encoding="utf-8"
    )
    with serving(reply) as server, caplog.at_level("DEBUG"):
        code, found = run(folder, server)
        said = capsys.readouterr()
        counted = found["cost"]["facts"]["reranker"]
        assert (code, counted["failed"], counted["calls"]) == (0, 1, 15)
        assert "status 500 in 1 tries" in counted["failures"][0]
        assert "1 questions kept the first stage's order" in said.out
        report = next((folder / "runs").glob("*/report.html")).read_text(encoding="utf-8")
        assert "could not be reranked" in report
        server.answer = lambda body: reply({"messages": json.loads(json.dumps(body).replace("down", "up"))["messages"]})
        code, found = run(folder, server)
        assert "failed" not in found["cost"]["facts"]["reranker"]
        assert len(server.asked) == 16
    everything = said.out + said.err + caplog.text + "".join(
        part.read_text(encoding="utf-8", errors="replace") for part in folder.rglob("*") if part.is_file() and part.suffix != ".gz"
    )  # fmt: skip
    assert KEY not in everything


def test_a_run_that_mostly_could_not_rerank_is_no_result(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda body: (503, {}, "")) as server:
        code, found = run(folder, server, "sink=files")
    assert code == 3
    assert any("15 of 15 questions kept the first stage's order" in line for line in found["health"])
    assert "reranker: 15 of 15" in capsys.readouterr().err


def test_a_wrong_key_is_asked_with_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda body: (401, {}, "")) as server:
        code, found = run(folder, server, "sink=files")
    said = capsys.readouterr().err
    assert code == 3
    assert (found["cost"]["models"]["reranker"]["calls"], found["cost"]["models"]["reranker"]["failed"]) == (1, 15)
    assert "Check the key in the environment variable CHAT_KEY" in said
    assert len(server.asked) == 1
