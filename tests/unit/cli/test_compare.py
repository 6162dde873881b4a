"""`ragbench compare`: what is refused, what is printed, one document in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.cli.main import main
from ragbench.core.codec import write_json
from ragbench.run_dir import layout
from tests.unit.compare import F1, FAITHFUL, NDCG, TIME, write_run

N = 48
Compare = Callable[..., tuple[int, str]]


def values(shift: float = 0.0, seed: int = 1) -> list[float]:
    return np.clip(0.5 + shift + 0.1 * np.random.default_rng(seed).standard_normal(N), 0, 1).tolist()


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four runs: a base, a better one, one that differs in two keys, and one of another lock; a sweep of the first three."""
    monkeypatch.setenv("RAGBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "runs"
    base = {NDCG: values(), F1: values(), FAITHFUL: values(), TIME: values()}
    outcomes = {"diagnosis_by_question": {f"q{at:03}": "ok" if at % 2 else "ranked_out" for at in range(N)}}
    won = {"diagnosis_by_question": {f"q{at:03}": "ok" if at % 2 or at < 6 else "ranked_out" for at in range(N)}}
    write_run(root, "base-1", base, summary=outcomes)
    better = base | {NDCG: values(0.1, 2)}
    write_run(root, "alpha-1", better, variant={"alpha": 0.3}, roots={"alpha": 0.3}, summary=won)
    two = {"variant": {"alpha": 0.3, "reranker": "[b]mmr[/b]"}, "roots": {"alpha": 0.3}}
    write_run(root, "two-1", base | {NDCG: values(-0.1, 3)}, summary=outcomes, **two)
    write_run(root, "other-1", base, summary={"eval_set": {"name": "产品", "version": "v2", "lock": "sha256:99"}})
    sweep = root / "sweep-0-1"
    sweep.mkdir()
    names = ("base-1", "alpha-1", "two-1")
    points: list[dict[str, Any]] = [{"label": name, "run_id": name, "status": "finished"} for name in names]
    points.append({"label": "broken", "status": "failed", "error": "x"})
    write_json(sweep / layout.SWEEP, {"sweep_id": "sweep-0-1", "status": "finished", "points": points})
    return root


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str], runs: Path) -> Compare:
    def called(*arguments: str) -> tuple[int, str]:
        code = main(["compare", *arguments])
        seen = capsys.readouterr()
        return code, seen.out + seen.err

    return called


def test_the_change_comes_first_then_the_verdict_then_the_figures(compare: Compare) -> None:
    code, said = compare("base-1", "alpha-1")
    lines = said.splitlines()
    assert code == 0
    assert lines[0] == "changed (1 key): alpha 0.7 → 0.3"
    assert lines[2].startswith(f"verdict: B is better: {NDCG} +0.") and "p <0.001" in said
    assert "questions won by B: 3 (ranked_out 3)" in said and "q000, q002, q004" in said
    assert f"{TIME}: not tested" in said
    assert max(map(len, lines)) <= 100


def test_two_keys_are_refused_without_multi_and_told_with_it(compare: Compare) -> None:
    code, said = compare("base-1", "two-1")
    assert code == 2 and said.count("\n") == 1
    assert (
        "found 2: " in said and "alpha 0.7 → 0.3" in said and "reranker none → [b]mmr[/b]" in said and "--multi" in said
    )
    code, said = compare("base-1", "two-1", "--multi")
    assert code == 0 and "changed (2 keys)" in said and "[b]mmr[/b]" in said and "B is worse" in said


def test_other_locks_are_refused_even_with_multi(compare: Compare) -> None:
    code, said = compare("base-1", "other-1", "--multi")
    assert code == 2 and said.count("\n") == 1 and "产品 v2" in said and "sha256:99" in said


def test_a_sweep_is_a_table_against_its_first_run_and_may_differ_in_more_keys(compare: Compare) -> None:
    code, said = compare("sweep-0-1")
    assert code == 0
    rows = {line.split()[0]: line for line in said.splitlines() if line[:1] != " "}
    assert any(f"better: {NDCG}" in line and " 1 " in line for line in rows.values())
    assert any(f"worse: {NDCG}" in line and " 2 " in line for line in rows.values())
    assert max(map(len, said.splitlines())) <= 100


def test_a_sweep_against_a_run_of_its_own_or_another_one(compare: Compare) -> None:
    code, said = compare("sweep-0-1", "--to", "alpha-1", "--json")
    found = json.loads(said)
    assert code == 0 and found["base"] == "alpha-1"
    assert [(pair["b"]["run_id"], pair["n_keys"]) for pair in found["pairs"]] == [("base-1", 1), ("two-1", 1)]
    assert compare("sweep-0-1", "--to", "sweep-0-1")[0] == 2
    code, said = compare("sweep-0-1", "two-1")
    assert code == 2 and "found 2" in said, "with a run beside it, it is no sweep's own table"


def test_json_is_one_document_with_the_same_verdict(compare: Compare) -> None:
    code, said = compare("base-1", "alpha-1", "--json")
    found = json.loads(said)
    (pair,) = found["pairs"]
    assert (code, pair["verdict"], pair["n_keys"], pair["changes"]["keys"][0]["key"]) == (0, "better", 1, "alpha")
    rows = {row["metric"]: row for row in pair["metrics"]}
    assert rows[NDCG]["state"] == "better" and rows[F1]["p"] == 1.0 and rows[F1]["state"] == "same"
    assert pair["questions"]["won_by_reason"] == {"ranked_out": 3}
    assert compare("base-1", "alpha-1", "--json")[1] == said, "the same bits again"
    assert json.loads(compare("base-1", "alpha-1", "--json", "--seed", "5")[1])["seed"] == 5


def test_one_measure_of_one_category(compare: Compare) -> None:
    code, said = compare("base-1", "alpha-1", "--metric", F1, "--category", "lookup", "--json")
    found = json.loads(said)
    assert code == 0 and found["n_questions"] == N // 4
    assert [row["metric"] for row in found["pairs"][0]["metrics"]] == [F1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("base-1",), "two or more different runs"),
        (("base-1", "base-1"), "two or more different runs"),
        (("base-1", "nothing-1"), "nothing-1"),
        (("base-1", "alpha-1", "--metric", "ranking/ndgc@10"), "Did you mean"),
        (("base-1", "alpha-1", "--metric", "ranking/ndcg"), "ranking/ndcg@5"),
        (("base-1", "alpha-1", "--category", "查找"), "expected one of change, identifier, lookup, procedure"),
        (("base-1", "alpha-1", "--seed", "-1"), "at least 0"),
    ],
)
def test_what_cannot_be_compared_is_one_line(compare: Compare, arguments: tuple[str, ...], said: str) -> None:
    code, told = compare(*arguments)
    assert code == 2 and said in told and told.count("\n") == 1


def test_a_sweep_without_a_finished_run_is_told(compare: Compare, runs: Path) -> None:
    (runs / "sweep-9-1").mkdir()
    write_json(
        runs / "sweep-9-1" / layout.SWEEP, {"status": "finished", "points": [{"label": "x", "status": "failed"}]}
    )
    code, said = compare("sweep-9-1")
    assert code == 2 and "expected a finished run in it" in said


def test_other_judges_are_named_and_outcomes_not_told(compare: Compare, runs: Path) -> None:
    judged = {
        "summary": {"judge": {"faithfulness": "llm-1"}, "diagnosis_by_question": {"q000": "ok"}},
        "manifest": {"judge": {"name": "llm"}},
    }
    write_run(runs, "judged-1", {NDCG: values(), F1: values(), FAITHFUL: values(0.2, 4)}, **judged)
    code, said = compare("base-1", "judged-1")
    assert code == 0
    flat = " ".join(said.split())
    assert f"{FAITHFUL}: not comparable, judged by offline-4 in A and llm-1 in B" in flat
    assert "questions won and lost: not told" in flat and "judge offline-4 → llm-1 (no key of the variant)" in flat
