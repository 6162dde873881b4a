"""Whole runs against a chat server that misbehaves: they end, with honest counts, and say whether they are a result."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from ragbench.report.labels import Labels
from ragbench.report.view_models import model_costs
from ragbench.sink.console import print_run
from tests.chat_server import Act, ChatServer, Script, chatting, error

KEY = "sk-faults-31337-31337"
FACTS = {"年假": "满一年后每年十五天", "leave": "fifteen days a year", "报销 claim": "30 天内 within 30 days"}
N = 6
STAGES = {
    "reranker": [
        "reranker=llm", "pipeline.reranker.method=listwise", "pipeline.reranker.chat=${llm}",
    ],
    "query": ["query=rewrite", "rewriter=llm", "rewriter.every=true"],
}  # fmt: skip


def say(body: dict[str, Any]) -> str:
    """A model that ranks the last passage first and repeats questions."""
    asked = body["messages"][-1]["content"]
    n = len(re.findall(r"^BEGIN \d+ ", asked, re.MULTILINE))
    if "schema" not in json.dumps(body.get("response_format", "")) and n > 1:
        return str(list(range(n, 0, -1)))
    found = re.findall(r"[^\n]*规定[^\n]*", asked)
    return json.dumps({"question": found[-1] if found else "规定？"}, ensure_ascii=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAULTS_KEY", KEY)
    monkeypatch.setattr("ragbench.llm.endpoint._FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("ragbench.llm.endpoint._JITTER_S", 0.01)
    (tmp_path / "corpus").mkdir()
    rows = []
    for at, (name, words) in enumerate(FACTS.items()):
        (tmp_path / "corpus" / f"{at}.txt").write_text(f"规定 rule {name}：{words}。", encoding="utf-8")
        evidence = [{"doc": f"{at}.txt", "quote": words}]
        rows += [{"id": f"q{at}-{n}", "question": f"{n} rule 规定 {name}？", "evidence": evidence} for n in range(2)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def run(folder: Path, server: ChatServer, stage: str, *more: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit code, summary and manifest of a run."""
    code = main(
        [
            "run", "variant=bm25", "llm=chat", f"llm.base_url={server.url}", "llm.model=m", "llm.api_key_env=FAULTS_KEY",
            "llm.max_tries=3", "llm.timeout_s=5", *STAGES[stage], "splitter=whole", "eval_set=local",
            f"eval_set.path={folder}", f"paths.runs={folder}/runs", f"paths.store={folder}/store", "generator=none",
            "judge=none", "sink=files", f"calls.cassettes={folder}/cassettes", *more,
        ]
    )  # fmt: skip
    newest = max((folder / "runs").glob("*/summary.json"), key=lambda path: path.stat().st_mtime_ns)
    manifest = json.loads((newest.parent / "manifest.json").read_text(encoding="utf-8"))
    return code, json.loads(newest.read_text(encoding="utf-8")), manifest


def first(act: Act) -> Script:
    """`act` for every other request: each reply takes two."""
    seen: dict[str, int] = {}

    def script(n: int, body: dict[str, Any]) -> Act:
        key = json.dumps(body)
        seen[key] = seen.get(key, 0) + 1
        return act if seen[key] == 1 else Act()

    return script


def always(act: Act) -> Script:
    return lambda n, body: act


PASSING: dict[str, tuple[Script | None, int, tuple[str, ...]]] = {
    "good": (None, N, ()),
    "streamed": (None, N, ("llm.stream=true",)),
    "429": (first(error(429, "slow down", Retry_After="0.05")), 2 * N, ()),
    "500": (first(error(500, "oops")), 2 * N, ()),
    "slow drip": (first(Act(pause=0.5)), 2 * N, ("llm.timeout_s=1.2",)),
    "cut stream": (first(Act(cut=True)), 2 * N, ("llm.stream=true",)),
    "no done": (first(Act(done=False)), 2 * N, ("llm.stream=true",)),
    "cut body": (first(Act(cut=True)), 2 * N, ()),
}
LOST = {"slow drip", "cut stream", "cut body"}
"""Tries of `PASSING` that broke off before they told what they used."""
UNTOLD = {"slow drip": N, "cut stream": 3 * N, "garbage": N}
"""Answers of `FAILING` that did not say what they used; the others did, or were refusals."""
FAILING: dict[str, tuple[Act, int, tuple[str, ...], str]] = {
    "429 for long": (error(429, "tomorrow", Retry_After="9999"), 1, ("calls.concurrency=1",), "wish to wait 9999 s"),
    "500": (error(500, "oops"), 3 * N, (), "status 500 in 3 tries"),
    "slow drip": (Act(pause=0.3), N, ("llm.timeout_s=0.5", "llm.max_tries=1"), "no whole answer within 0.5 s"),
    "cut stream": (Act(cut=True), 3 * N, ("llm.stream=true",), "in 3 tries"),
    "garbage JSON": (Act(content='{"question": ["'), N, (), ""),
    "garbage": (Act(body=b"<html>"), N, (), "expected JSON"),
    "only thoughts": (Act(content="<think>hm"), N, (), "a reply with text"),
    "wrong model": (error(404, "The model `m` does not exist", "model_not_found"), 1, ("calls.concurrency=1",), "Check llm.model"),
    "bad key": (error(401, f"Incorrect API key: {KEY}"), 1, ("calls.concurrency=1",), "FAULTS_KEY"),
    "context overflow": (error(400, "maximum context length is 10 tokens"), N, (), "maximum context length"),
}  # fmt: skip


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_a_result(folder: Path, stage: str, fault: str) -> None:
    script, calls, more = PASSING[fault]
    with chatting(say, script) as server:
        code, summary, manifest = run(folder, server, stage, *more)
        asked = len(server.asked)
        again, warm, _ = run(folder, server, stage, *more, "reuse=false")
        assert len(server.asked) == asked
    cost = summary["cost"]["models"][stage]
    assert (code, again) == (0, 0)
    assert (cost["calls"], cost["failed"], asked) == (calls, 0, calls)
    told = calls if fault == "no done" else N  # a stream without its end told what it used
    tokens = (None, None) if fault in LOST else (50 * told, 5 * told)
    assert (cost["prompt_tokens"], cost["completion_tokens"], cost["untold"]) == (*tokens, N if fault in LOST else 0)
    assert (cost["price"], cost["models"]) == (None, ["m"])
    assert manifest["stages"]["models"][stage]["sent"] == calls
    assert warm["cost"]["models"] == summary["cost"]["models"]
    assert_no_key(folder)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", FAILING)
def test_what_fails_is_no_result_and_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, stage: str, fault: str
) -> None:
    act, calls, more, told = FAILING[fault]
    with chatting(say, always(act)) as server, caplog.at_level("DEBUG"):
        code, summary, _ = run(folder, server, stage, *more)
        assert len(server.asked) == calls or fault == "slow drip"
    said = capsys.readouterr()
    assert code == 3
    unread = fault == "garbage JSON"
    cost = summary["cost"]["models"][stage]
    assert (cost["calls"], cost["failed"]) == (calls, 0 if unread else N)
    assert cost["untold"] == UNTOLD.get(fault, 0)
    assert (cost["prompt_tokens"] is None) == (fault in UNTOLD)
    assert told in said.err
    lines = [line for line in said.err.splitlines() if line.startswith("cannot tell")]
    assert len(lines) == 1 and f"{N} of {N} questions" in lines[0]
    assert_no_key(folder, said.out + said.err + caplog.text)


@pytest.mark.parametrize("wrapped", ["fenced", "thoughts"])
@pytest.mark.parametrize("stage", STAGES)
def test_fences_and_thoughts_are_read(folder: Path, stage: str, wrapped: str) -> None:
    around = {"fenced": "Sure!\n```json\n{}\n```", "thoughts": "<think>[1] maybe {{}}</think>\n{}"}[wrapped]
    with chatting(lambda body: around.replace("{{}}", "").replace("{}", say(body))) as server:
        code, summary, _ = run(folder, server, stage)
    assert code == 0
    assert summary["cost"]["models"][stage]["failed"] == 0
    assert "query" not in summary["cost"]["facts"]


def assert_no_key(folder: Path, told: str = "") -> None:
    """The key is in nothing that was written or said."""
    assert KEY not in told
    for path in folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_a_budget_ends_a_run_cleanly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        code, summary, _ = run(folder, server, "query", "calls.budget.calls=2", "calls.concurrency=1")
        assert len(server.asked) == 2
    assert code == 3
    assert summary["cost"]["models"]["query"]["failed"] == N - 2
    assert "calls.budget.calls=2" in capsys.readouterr().err


def test_a_budget_of_tokens_is_spent_by_replies_of_no_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say, always(Act(content="<think>hm"))) as server:
        code, summary, _ = run(folder, server, "query", "calls.budget.tokens=100", "calls.concurrency=1")
        assert len(server.asked) == 2
    assert code == 3
    cost = summary["cost"]["models"]["query"]
    assert (cost["prompt_tokens"], cost["completion_tokens"], cost["failed"]) == (100, 10, N)


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_server_does_not_tell_is_unknown(folder: Path, capsys: pytest.CaptureFixture[str], stage: str) -> None:
    def script(n: int, body: dict[str, Any]) -> Act:
        return Act(body={"choices": [{"message": {"content": say(body)}}]})

    (folder / "prices.yaml").write_text("- {model: m, input: 1, output: 1, currency: EUR}", encoding="utf-8")
    with chatting(say, script) as server:
        code, summary, manifest = run(
            folder, server, stage, f"calls.prices={folder}/prices.yaml", "calls.budget.tokens=9"
        )
    cost = summary["cost"]["models"][stage]
    assert code == 0
    assert (cost["prompt_tokens"], cost["completion_tokens"], cost["price"], cost["untold"]) == (None, None, None, N)
    assert manifest["stages"]["models"][stage]["sent_tokens"] is None
    assert ["calls.budget.tokens cannot be checked" in note for note in summary["cost"]["notes"]] == [True]
    capsys.readouterr()
    print_run(summary)
    told = " ".join(capsys.readouterr().out.split())
    page = str(model_costs(summary["cost"], Labels("en")))
    assert "calls.budget.tokens cannot be checked" in page and f"tokens unknown (not told by {N} answers)" in page
    assert f"tokens unknown (not told by {N} answers), price unknown" in told
    assert "calls.budget.tokens cannot be checked" in told


@pytest.mark.parametrize(
    ("act", "more"), [(Act(body=b"<html>busy</html>"), ()), (Act(cut=True), ("llm.stream=true",))], ids=["html", "cut"]
)
@pytest.mark.parametrize("stage", STAGES)
def test_answers_that_are_lost_have_no_price(
    folder: Path, capsys: pytest.CaptureFixture[str], stage: str, act: Act, more: tuple[str, ...]
) -> None:
    (folder / "prices.yaml").write_text("- {model: m, input: 1, output: 1, currency: EUR}", encoding="utf-8")
    with chatting(say, always(act)) as server:
        _, summary, _ = run(folder, server, stage, *more, f"calls.prices={folder}/prices.yaml")
        asked = len(server.asked)
    cost = summary["cost"]["models"][stage]
    assert (cost["calls"], cost["untold"], cost["prompt_tokens"], cost["price"]) == (asked, asked, None, None)
    capsys.readouterr()
    print_run(summary)
    told = f"tokens unknown (not told by {asked} answers)"
    assert f"{told}, price unknown" in " ".join(capsys.readouterr().out.split())
    assert told in str(model_costs(summary["cost"], Labels("en")))


@pytest.mark.parametrize("half", ['{"question": "规定 bad \\ud83d rule"}', '"规定 bad \\udc00 rule"'])
def test_half_a_surrogate_pair_ends_no_run(folder: Path, half: str) -> None:
    with chatting(lambda body: half) as server:
        code, _, _ = run(folder, server, "query")
    assert code == 0


def test_off_asks_nothing_and_is_a_result(folder: Path) -> None:
    with chatting(say) as server:
        assert run(folder, server, "query")[0] == 0
        asked = len(server.asked)
        code, summary, _ = run(folder, server, "query", "calls.mode=off")
        assert len(server.asked) == asked
    assert code == 0
    assert summary["cost"]["models"]["query"]["calls"] == 0
    assert summary["cost"]["facts"]["query"]["fallbacks"] == N


def test_a_recording_replays_without_network_or_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chatting(say) as server:
        code, recorded, _ = run(folder, server, "query", "calls.mode=record")
    assert code == 0
    monkeypatch.delenv("FAULTS_KEY")
    code, replayed, _ = run(folder, server, "query", "calls.mode=replay", f"paths.store={folder}/other")
    assert code == 0
    assert replayed["cost"]["models"] == recorded["cost"]["models"]
    assert replayed["metrics"]["ranking/recall@5"] == recorded["metrics"]["ranking/recall@5"]
    for path in (folder / "cassettes").glob("*.jsonl"):
        path.unlink()
    code, summary, _ = run(folder, server, "query", "calls.mode=replay", f"paths.store={folder}/third")
    assert code == 3
    assert any("expected an entry in the cassettes" in line and "rule 规定" in line for line in summary["health"])
    assert any(line.startswith(f"replay: {N} of {N} questions lack a recording; first ") for line in summary["health"])
    assert_no_key(folder)


def test_variants_that_share_plans_have_the_same_costs(folder: Path) -> None:
    with chatting(say) as server:
        code = main(
            [
                "sweep", "variant=bm25", "llm=chat", f"llm.base_url={server.url}", "llm.model=m", "llm.api_key_env=FAULTS_KEY",
                *STAGES["query"], "k=3,5", "splitter=whole", "eval_set=local", f"eval_set.path={folder}", "judge=none",
                f"paths.runs={folder}/runs", f"paths.store={folder}/store", "generator=none", "sink=files",
            ]
        )  # fmt: skip
        assert len(server.asked) == N
    found = [json.loads(path.read_text(encoding="utf-8")) for path in (folder / "runs").glob("*/summary.json")]
    assert code == 0
    assert [one["cost"]["models"]["query"]["calls"] for one in found] == [N, N]


def test_a_plan_says_how_many_calls_it_takes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["eval_set=local", f"eval_set.path={folder}", f"paths.store={folder}/store", "splitter=whole", "llm=ollama"]
    assert main(["plan", "variant=bm25", *STAGES["query"], *given]) == 0
    assert f"LLM calls: up to {N}" in capsys.readouterr().out


def test_a_model_that_nobody_asks_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "query=none", "llm=ollama"]) == 2
    assert "llm=ollama: no stage of this variant asks a language model" in capsys.readouterr().err
