"""Whole runs whose answers a model behind the protocol writes, judged offline; under faults they end with honest counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from ragbench.report.labels import Labels
from ragbench.report.view_models import model_costs
from tests.chat_server import Act, ChatServer, chatting
from tests.e2e.test_model_faults import FAILING, PASSING, N, always, assert_no_key, folder

__all__ = ["folder"]
SLOT = ["generator=chat", "judge=offline", "judge.semantic=false"]
_PASSAGE = re.compile(r"\[(\d+)\][:：]\nBEGIN \w{16}\n(.*)\nEND")


def passages(body: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """The question of a request, and its passages by number."""
    told = body["messages"][-1]["content"]
    return told.split("\n")[-4], dict(_PASSAGE.findall(told))


def say(body: dict[str, Any]) -> str:
    """A model that quotes the passage with the topic of the question."""
    question, found = passages(body)
    topic = question.split("规定 ")[1].rstrip("？")
    return next((f"{text}[{n}]" for n, text in found.items() if topic in text), "NO_ANSWER")


def given(folder: Path, server: ChatServer, *more: str) -> list[str]:
    return [
        "variant=bm25", "llm=chat", f"llm.base_url={server.url}", "llm.model=m", "llm.api_key_env=FAULTS_KEY", "llm.max_tries=3",
        "llm.timeout_s=5", "splitter=whole", "eval_set=local", f"eval_set.path={folder}", f"paths.runs={folder}/runs",
        f"paths.store={folder}/store", "sink=files", f"calls.cassettes={folder}/cassettes", *SLOT, *more,
    ]  # fmt: skip


def run(folder: Path, server: ChatServer, *more: str) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Exit code, summary and traces of a run."""
    code = main(["run", *given(folder, server, *more)])
    newest = max((folder / "runs").glob("*/summary.json"), key=lambda path: path.stat().st_mtime_ns)
    lines = (newest.parent / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    return code, json.loads(newest.read_text(encoding="utf-8")), [json.loads(line) for line in lines]


def mean(summary: dict[str, Any], name: str) -> float | None:
    found: float | None = summary["metrics"][name]["mean"]
    return found


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_a_result(folder: Path, fault: str) -> None:
    script, calls, more = PASSING[fault]
    with chatting(say, script) as server:
        code, summary, traces = run(folder, server, *more)
        asked = len(server.asked)
        again, warm, same = run(folder, server, *more, "reuse=false")
        assert len(server.asked) == asked
    cost = summary["cost"]["models"]["generator"]
    assert (code, again) == (0, 0)
    assert (cost["calls"], cost["failed"], asked) == (calls, 0, calls)
    assert warm["cost"]["models"] == summary["cost"]["models"]
    assert [one["answer"] for one in traces] == [one["answer"] for one in same]
    assert all(one["answer"]["citations"][0]["doc_id"] for one in traces)
    assert mean(summary, "answer/faithfulness") == mean(summary, "answer/citation_recall") == 1.0
    assert summary["cost"]["facts"]["generator"] == {"answers": N, "uncited": 0, "unknown_citations": 0}
    assert_no_key(folder)


@pytest.mark.parametrize("fault", [name for name in FAILING if name != "garbage JSON"])
def test_what_fails_is_no_result_and_says_why(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    act, calls, more, told = FAILING[fault]
    with chatting(say, always(act)) as server, caplog.at_level("DEBUG"):
        code, summary, traces = run(folder, server, *more)
        assert len(server.asked) == calls or fault == "slow drip"
    said = capsys.readouterr()
    assert code == 3
    cost = summary["cost"]["models"]["generator"]
    assert (cost["calls"], cost["failed"]) == (calls, N)
    assert told in said.err
    assert all(one["answer"] is None and one["context"]["blocks"] and one["error"] for one in traces)
    assert {one["error"] for one in traces} >= set(summary["cost"]["facts"]["generator"]["reasons"])
    assert summary["cost"]["facts"]["generator"]["unanswered"] == N
    assert summary["metrics"]["answer/faithfulness"]["n_failed"] == N
    assert mean(summary, "retrieval/recall@5") is not None, "what was reached is measured"
    assert_no_key(folder, said.out + said.err + caplog.text)


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_answers_do_not_depend_on_how_many_are_asked_at_a_time(folder: Path, concurrency: int) -> None:
    waits = {"年假": 0.06, "leave": 0.03}

    def script(n: int, body: dict[str, Any]) -> Act:
        pause = next((seconds for name, seconds in waits.items() if name in passages(body)[0]), 0.0)
        return Act(pause=pause)

    with chatting(say, script) as server:
        code, _, traces = run(folder, server, f"calls.concurrency={concurrency}")
    assert code == 0
    assert [one["question_id"] for one in traces] == [f"q{at}-{n}" for at in range(3) for n in range(2)]
    assert [one["answer"]["text"] for one in traces] == [
        f"规定 rule {words}。[1]" for words in ("年假：满一年后每年十五天", "leave：fifteen days a year", "报销 claim：30 天内 within 30 days") for _ in range(2)
    ]  # fmt: skip


def test_refusals_uncited_answers_and_numbers_of_no_passage_are_told(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def odd(body: dict[str, Any]) -> str:
        question, _ = passages(body)
        return "NO_ANSWER" if "年假" in question else "Fifteen days [9]." if "leave" in question else "30 天 [1]。"

    with chatting(odd) as server:
        code, summary, traces = run(folder, server)
        assert main(["report", "latest", f"paths.runs={folder}/runs"]) in (0, 2)
    assert code == 0
    assert [one["answer"]["refused"] for one in traces] == [True] * 2 + [False] * 4
    assert [one["answer"]["reason"] for one in traces[:1]] == ["not_in_sources"]
    assert traces[2]["answer"]["text"] == "Fifteen days."
    assert summary["cost"]["facts"]["generator"] == {"answers": 4, "uncited": 2, "unknown_citations": 2}
    assert mean(summary, "answer/false_refusal") == pytest.approx(1 / 3)
    page = str(model_costs(summary["cost"], Labels("zh"))) + str(model_costs(summary["cost"], Labels("en")))
    assert "未引用" in page and "Citations of no passage" in page


def test_without_a_model_it_says_which_choice_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "generator=chat"]) == 2
    told = "generator=chat: expected a language model, found llm=none. Choose one, as in llm=ollama"
    assert told in capsys.readouterr().err


def test_a_plan_counts_its_calls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        assert main(["plan", *given(folder, server)]) == 0
        assert f"LLM calls: up to {N}" in capsys.readouterr().out
        assert main(["plan", *given(folder, server, "flow=sequential", "pipeline.flow.decomposer.llm=null")]) == 0
        assert f"LLM calls: up to {3 * N}" in capsys.readouterr().out
    assert not server.asked


def test_ask_prints_the_answer_or_why_there_is_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server)]) == 0
        assert "answer    规定 rule leave：fifteen days a year。[1]" in capsys.readouterr().out
        server.script = always(Act(status=500, body={}))
        assert main(["ask", "1 rule 规定 leave？", *given(folder, server, "llm.max_tries=1")]) == 3
        assert "failed: " in capsys.readouterr().err


def test_ask_prints_the_words_as_they_come(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(say) as server:
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server)]) == 0
        out = capsys.readouterr().out
        assert "writes    规定 rule leave：fifteen days a year。[1]\n" in out and out.index("writes  ") < out.index(
            "answer  "
        )
        assert server.asked[-1]["stream"] is True
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server)]) == 0
        assert "writes  " not in capsys.readouterr().out, "it was kept"


def test_ask_tells_what_was_found_before_the_words_and_each_citation_with_its_mark(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with chatting(lambda body: say(body) + " And again[1]。没有的[9]。") as server:
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server)]) == 0
    heads = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    told = heads[: heads.index("done") + 1]
    assert told == ["found", "time", "time", "writes", "cites", "writes", "cites", "done"]


def test_ask_tells_events_one_by_one_while_the_model_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "0 rule 规定 leave？"
    with chatting(say) as server:
        assert main(["ask", question, *given(folder, server), "--events"]) == 0
        first = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert main(["ask", question, *given(folder, server), "--events"]) == 0
        kept = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert main(["ask", question, *given(folder, server), "--json"]) == 0
        whole = json.loads(capsys.readouterr().out)
    names = [one["event"] for one in first]
    assert names[:3] == ["retrieval", "timing", "timing"] and names[-1] == "done" and names.count("content") > 1
    assert names.index("retrieval") < names.index("content") < names.index("citation") < names.index("done")
    assert first[0]["blocks"][0]["text"] == whole["context"]["blocks"][0]["text"]
    cited = next(one for one in first if one["event"] == "citation")
    assert cited["doc"] == whole["answer"]["citations"][0]["doc_id"]
    said = "".join(one["text"] for one in first if one["event"] == "content")
    assert said == whole["answer"]["text"] == first[-1]["answer"]["text"]
    marks = [one["ms"] for one in first if one["event"] in ("timing", "done")]
    assert marks == sorted(marks) and {"pack", "sparse"} <= first[1]["stages"].keys()
    assert [one["event"] for one in kept] == ["retrieval", "timing", "content", "citation", "done"]
    assert kept[2] == {"event": "content", "text": said, "whole": True}


def test_events_of_a_checked_answer_and_of_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chatting(lambda body: "The moon base serves purple soup.[1]") as server:
        more = ["pipeline.generator.grounding=refuse", "--events"]
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server), *more]) == 0
        checked = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        server.script = always(Act(status=500, body={}))
        assert main(["ask", "1 rule 规定 leave？", *given(folder, server, "llm.max_tries=1"), "--events"]) == 3
        failed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert not any("purple" in one.get("text", "") for one in checked)
    assert checked[-1]["answer"]["reason"] == "not_grounded"
    assert [one["event"] for one in failed] == ["retrieval", "timing", "done"] and "500" in failed[-1]["error"]


def test_events_and_json_are_not_printed_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "年假？", "--events", "--json"]) == 2
    assert "--events with --json: expected one of the two" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--json"], ["pipeline.generator.grounding=drop"]])
def test_ask_holds_back_what_is_json_or_may_be_changed(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    with chatting(say) as server:
        assert main(["ask", "0 rule 规定 leave？", *given(folder, server), *more]) == 0
    assert "writes  " not in capsys.readouterr().out and "stream" not in server.asked[-1]


@pytest.mark.parametrize(("mode", "answered", "shown"), [("flag", 6, 6), ("drop", 4, 0), ("refuse", 2, 0)])
def test_claims_are_checked_before_the_answer_leaves(folder: Path, mode: str, answered: int, shown: int) -> None:
    made_up = "The moon base serves purple soup on Fridays."

    def odd(body: dict[str, Any]) -> str:
        true = say(body)
        question, _ = passages(body)
        return made_up + "[1]" if "年假" in question else f"{true} {made_up}[1]" if "leave" in question else true

    with chatting(odd) as server:
        code, summary, traces = run(folder, server, f"pipeline.generator.grounding={mode}")
    said = [one["answer"] for one in traces]
    assert code == 0 and sum(not one["refused"] for one in said) == answered
    assert sum(made_up in one["text"] for one in said) == (4 if shown else 0)
    assert {one["reason"] for one in said if one["refused"]} == ({"not_grounded"} if mode != "flag" else set())
    facts = summary["cost"]["facts"]["generator"]["grounding"]
    assert facts == {"checked": 6, "claims": 8, "unsupported": 4, "answers": 4, "refused": 6 - answered}
    assert all(one["timings_ms"]["ground"] > 0 for one in traces)
    assert "4 of 8 claims" in str(model_costs(summary["cost"], Labels("en")))
    assert "缺乏依据" in str(model_costs(summary["cost"], Labels("zh")))
