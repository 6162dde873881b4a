"""Whole runs that refuse by the calibrated relevance of what was packed: reasons in traces, curves, nothing asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragbench.cli.main import main
from ragbench.core.store import Store
from ragbench.report.labels import LANGUAGES, Labels
from ragbench.run.rescore import open_run, rescore
from tests.chat_server import chatting
from tests.loopback import serving

FACTS = {"年假": "每年十五天", "leave": "fifteen days a year", "报销 claim": "三十天内 within 30 days"}
UNKNOWN = {"食堂": "食堂 几点开门？", "chess": "Who won the chess cup?", "班车 shuttle": "班车 shuttle 在哪里等？"}
WORDS = ("相关性都不够高", "None of the retrieved sources is relevant enough")
POLICY = ("pipeline.generator.min_max=0.5", "pipeline.generator.min_mean=0.1")


def relevance(body: dict[str, Any]) -> dict[str, Any]:
    """2 for the text that has the question's first word, else -2."""
    key = body["query"].split()[0]
    scores = [2.0 if key in text else -2.0 for text in body["documents"]]
    return {"results": [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("policy")
    (made / "corpus").mkdir()
    rows: list[dict[str, Any]] = []
    for name, words in FACTS.items():
        (made / "corpus" / f"{name}.txt").write_text(f"规定 rule {name}：{words}。", encoding="utf-8")
        evidence = [{"doc": f"{name}.txt", "quote": words}]
        rows.append({"id": name, "question": f"{name} rule 规定？", "evidence": evidence, "reference": words})
    rows += [
        {"id": name, "question": f"{text} rule 规定", "answerable": False, "category": "negative"}
        for name, text in UNKNOWN.items()
    ]
    (made / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return made


def overrides(folder: Path, url: str, name: str, *more: str) -> list[str]:
    return [
        "variant=bm25", "splitter=whole", "judge=none", "sink=files", "reranker=api", f"pipeline.reranker.base_url={url}",
        "pipeline.reranker.style=jina", "pipeline.reranker.api_key_env=''", "eval_set=local", f"eval_set.path={folder}",
        f"paths.runs={folder}/{name}", f"paths.store={folder}/store", "pipeline.reranker.calibration={a: 1, b: 0}", *more,
    ]  # fmt: skip


def outcome(folder: Path, name: str) -> tuple[Path, dict[str, Any], dict[str, dict[str, Any]]]:
    """Run directory, summary, and answers by question."""
    (run,) = (folder / name).glob("*/")
    lines = (run / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    answers = {row["question_id"]: row["answer"] for row in map(json.loads, lines)}
    return run, json.loads((run / "summary.json").read_text(encoding="utf-8")), answers


def reasons(answers: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: answer["reason"] for name, answer in answers.items() if answer["refused"]}


@pytest.fixture(scope="module")
def quoted(folder: Path) -> tuple[Path, dict[str, Any], dict[str, dict[str, Any]]]:
    own = ("pipeline.generator.scorer=lexical", "pipeline.generator.refuse_below=0", *POLICY)
    with serving(relevance) as server:
        assert main(["run", *overrides(folder, server.url, "quoted", *own)]) == 0
    return outcome(folder, "quoted")


def test_the_trace_tells_who_was_refused_and_why(quoted: Any) -> None:
    _, summary, answers = quoted
    assert reasons(answers) == dict.fromkeys(UNKNOWN, "low_relevance")
    assert WORDS[0] in answers["食堂"]["text"] and WORDS[1] in answers["chess"]["text"]
    assert WORDS[0] in answers["班车 shuttle"]["text"]
    assert summary["metrics"]["answer/false_answer"]["mean"] == summary["metrics"]["answer/false_refusal"]["mean"] == 0


def test_the_summary_tells_both_curves_by_name(quoted: Any) -> None:
    _, summary, _ = quoted
    by_confidence, by_relevance = summary["refusal"], summary["refusal_by_relevance"]
    assert (by_confidence["score"], by_confidence["key"]) == ("confidence", "pipeline.generator.refuse_below")
    assert (by_relevance["score"], by_relevance["key"]) == ("best_relevance", "pipeline.generator.min_max")
    assert by_relevance["threshold"] == 0.5 and by_relevance["auroc"] == 1.0
    assert by_relevance["chosen"] == [0.5, 0.0, 0.0]
    assert [point[0] for point in by_relevance["points"]] == [0.0, 0.119203, 0.880797, 1.0]
    assert by_confidence["points"][0] == [0.0, 0.0, 0.0], (
        "no threshold of the confidence answers what the policy refuses"
    )


def test_the_report_shows_both_in_both_languages(quoted: Any, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert main(["report", str(quoted[0]), "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert 'id="refusal-curve"' in page and 'id="refusal-by-relevance-curve"' in page
    for lang in LANGUAGES:
        assert Labels(lang)("a_curve_relevance") in page and Labels(lang)("a_curve_relevance_lead")[:20] in page


def test_a_run_from_before_there_was_a_policy_is_scored_as_before(quoted: Any, folder: Path, tmp_path: Path) -> None:
    run, summary, _ = quoted
    path = run / "config.yaml"
    kept = path.read_text(encoding="utf-8")
    config = yaml.safe_load(kept)
    for name in ("min_contexts", "min_max", "min_mean"):
        del config["pipeline"]["generator"][name]
    try:
        path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        again = rescore(open_run(run, Store(folder / "store"))).to_json()
    finally:
        path.write_text(kept, encoding="utf-8")
    assert again["refusal"] == summary["refusal"]
    assert again["refusal_by_relevance"] == summary["refusal_by_relevance"] | {
        "threshold": 0, "chosen": [0, 1.0, 0.0],
        "by_category": {
            name: one | {"chosen": [0, *one["points"][0][1:]]}
            for name, one in summary["refusal_by_relevance"]["by_category"].items()
        },
    }  # fmt: skip


def test_a_model_is_not_asked_about_what_the_policy_refuses(folder: Path) -> None:
    def say(body: dict[str, Any]) -> str:
        return "以规定为准 rule [1]"

    with serving(relevance) as server, chatting(say) as model:
        more = ("generator=chat", "llm=chat", f"llm.base_url={model.url}", "llm.model=m", "llm.api_key_env=''", *POLICY)
        assert main(["run", *overrides(folder, server.url, "written", *more)]) == 0
        assert len(model.asked) == len(FACTS)
    _, summary, answers = outcome(folder, "written")
    assert reasons(answers) == dict.fromkeys(UNKNOWN, "low_relevance")
    assert summary["refusal"] is None and summary["refusal_by_relevance"]["chosen"] == [0.5, 0.0, 0.0]


def test_fewer_contexts_than_asked_for_need_no_calibration(folder: Path) -> None:
    more = (
        "pipeline.reranker.calibration=null",
        "pipeline.generator.scorer=lexical",
        "pipeline.generator.min_contexts=4",
    )
    with serving(relevance) as server:
        assert main(["run", *overrides(folder, server.url, "few", *more)]) == 0
    _, summary, answers = outcome(folder, "few")
    assert reasons(answers) == dict.fromkeys([*FACTS, *UNKNOWN], "few_contexts")
    assert summary["refusal_by_relevance"] is None and summary["metrics"]["answer/false_refusal"]["mean"] == 1.0
