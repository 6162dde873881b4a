"""The gate over whole runs: what harms is blocked, what does not passes, what cannot be told is never a pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ragbench.cli.main import main
from tests.chat_server import chatting
from tests.e2e.gating import N_FACTS, House, Reader, fails_after_a_while, house, say

WITHOUT_JUDGE = (
    "gate.measures=[ranking/recall@5,answer/correctness_f1,answer/false_answer,answer/false_refusal,answer/answered]"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("gate")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("RUNS", "STORE"):
            patch.delenv(f"RAGBENCH_{name}")
        with chatting(say(Reader()), fails_after_a_while()) as server:
            yield from house(folder, server)


def regressions(found: dict) -> set[str]:
    return {row["measure"] for row in found["rows"] if row["outcome"] == "regression"}


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("cut", ["splitter=fixed", "chunk_unit=chars", "chunk_size=4", "overlap=0"]),
        ("shuffled", ["reranker=shuffled", "allowed_targets=[tests]"]),
    ],
)
def test_cut_chunks_and_a_shuffled_context_are_blocked(world: House, name: str, overrides: list[str]) -> None:
    code, found = world.gate(world.run(name, *overrides), world.run("plain"))
    assert code == 1
    assert {"ranking/recall@5", "answer/correctness_f1", "answer/citation_recall"} <= regressions(found)
    assert {one["outcome"] for one in found["categories"] if one["measure"] == "ranking/recall@5"} == {"regression"}
    changed = next(note for note in found["notes"] if note["code"] == "changed")["values"]["changes"]
    assert {key for key, _, _ in changed} & {"splitter", "reranker"}


def test_without_answers_the_evidence_in_the_context_is_gated(world: House) -> None:
    """Recall in the first five does not see what the packer leaves out."""
    base = world.run("retrieval", "generator=none", "judge=none")
    code, found = world.gate(base, base)
    assert code == 0
    small = world.run("small", "generator=none", "judge=none", "pipeline.packer.budget=1")
    code, found = world.gate(small, base)
    assert (code, regressions(found)) == (1, {"answer/evidence_in_context"})


def test_a_harmless_refactoring_passes(world: House) -> None:
    again = world.run("again", "seed=3", "calls.concurrency=1", "report.lang=zh", "reuse=false")
    moved = world.folder / "elsewhere" / "改名 renamed"
    shutil.copytree(again, moved)
    code, found = world.gate(moved, world.run("plain"))
    assert code == 0 and {row["loss"]["loss"] for row in found["rows"] if row["outcome"] == "pass"} == {0.0}
    assert {row["measure"]: row["outcome"] for row in found["rows"]}["answer/faithfulness"] == "shown"


@pytest.mark.parametrize("model", ["invents", "silent"])
def test_invented_numbers_and_refusals_are_blocked_though_the_judge_is_below_its_floor(
    world: House, model: str
) -> None:
    code, found = world.gate(world.written(model), world.written("honest"))
    assert code == 1
    expected = {"invents": "answer/correctness_f1", "silent": "answer/answered"}[model]
    assert expected in regressions(found)
    assert "ranking/recall@5" not in regressions(found)


def test_a_change_that_wins_as_much_as_it_loses_passes_and_a_better_one_makes_the_baseline_old(world: House) -> None:
    code, found = world.gate(world.written("lucky"), world.written("honest"), WITHOUT_JUDGE)
    assert code == 0 and not regressions(found)
    code, found = world.gate(world.written("honest"), world.written("invents"), WITHOUT_JUDGE)
    assert code == 0
    assert any(
        "answer/correctness_f1" in note["values"]["measures"]
        for note in found["notes"]
        if note["code"] == "old_baseline"
    )


def test_a_generative_run_with_the_shipped_judge_cannot_be_told_and_says_what_to_do(world: House, capsys) -> None:
    assert main(["baseline", "set", str(world.written("honest"))]) == 0
    capsys.readouterr()
    assert main(["gate", str(world.written("honest"))]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "gate: cannot tell: answer/faithfulness" in said
    assert "below its floor in zh" in said and "judge check judge=…" in said and "gate.measures=[…]" in said


def test_an_outage_cannot_be_told(world: House) -> None:
    down = world.written("falling", code=3)
    code, found = world.gate(down, world.written("honest"))
    assert code == 3 and {one["code"] for one in found["reasons"]} == {"unhealthy"} and found["rows"] == []
    assert main(["baseline", "set", str(down)]) == 2


def test_an_older_run_never_passes_for_the_latest(world: House, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name in ("old-1", "new-1"):
        shutil.copytree(world.run("plain"), runs / name)
    assert main(["baseline", "set", str(world.run("plain"))]) == 0
    assert world.gate_alone(f"paths.runs={runs}")[0] == 0
    manifest = runs / "new-1" / "manifest.json"
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(facts | {"status": "failed"}), encoding="utf-8")
    code, found = world.gate_alone(f"paths.runs={runs}")
    assert code == 3 and found["reasons"][0]["code"] == "unfinished" and found["run_id"] == "new-1"


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b no gzip", None])
def test_a_run_without_its_scores_cannot_be_told(world: House, tmp_path: Path, damage: bytes | None) -> None:
    assert main(["baseline", "set", str(world.run("plain"))]) == 0
    broken = shutil.copytree(world.run("plain"), tmp_path / "broken")
    scores = broken / "scores.jsonl.gz"
    scores.write_bytes(scores.read_bytes()[:-40] if damage is None else damage)
    code, found = world.gate_alone(broken)
    assert code == 3
    assert found["reasons"] or all(row["reasons"] for row in found["rows"])


def test_part_of_the_questions_and_no_baseline_cannot_be_told(world: House, tmp_path: Path) -> None:
    part = world.run("part", "questions=10")
    code, found = world.gate(part, world.run("plain"))
    assert code == 3 and found["reasons"][0]["code"] == "other_questions"
    code, found = world.gate(world.run("plain"), part)
    assert code == 3 and found["reasons"][0]["code"] == "other_questions"
    code, found = world.gate_alone(part, f"gate.baselines={tmp_path}")
    assert code == 3 and found["reasons"][0]["code"] == "no_baseline"


def test_an_oracle_is_no_baseline_and_passes_no_gate(world: House, capsys) -> None:
    oracle = world.run("oracle", "flow=oracle")
    assert main(["baseline", "set", str(oracle)]) == 2
    assert "reads the gold" in capsys.readouterr().err
    assert world.gate(world.run("plain"), world.run("plain"))[0] == 0
    assert world.gate_alone(oracle)[0] == 3


def test_what_is_written_and_printed(world: House, tmp_path: Path, capsys) -> None:
    plain = str(world.run("plain"))
    assert main(["baseline", "set", plain]) == 0
    said = capsys.readouterr().out
    assert "baseline: baselines/facts.json" in said and f"n {N_FACTS}" in said
    assert main(["baseline", "show"]) == 0 == main(["baseline", "show", "facts", "--json"])
    capsys.readouterr()
    junit, markdown = tmp_path / "out" / "gate.xml", tmp_path / "out" / "gate.md"
    assert main(["gate", plain, "--junit", str(junit), "--markdown", str(markdown), "--lang", "zh"]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("gate: pass")
    assert all(len(line) <= 80 for line in said.splitlines())
    assert "通过" in markdown.read_text(encoding="utf-8") and "编号查询" not in said
    root = ElementTree.fromstring(junit.read_bytes())
    assert root[0].get("failures") == "0" and int(root[0].get("tests") or 0) > 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gate", "no-such-run"], "run no-such-run"),
        (["gate", "a", "b"], "one run"),
        (["gate", "gate.margin=2"], "gate.margin"),
        (["gate", "gate.measures=[ranking/nothing@5]"], "ranking/nothing@5"),
        (["baseline", "set", "no-such-run"], "run no-such-run"),
        (["baseline", "show", "no-such-set"], "baseline of no-such-set"),
    ],
)
def test_what_cannot_be_used_is_one_line(world: House, capsys, arguments: list[str], told: str) -> None:
    world.run("plain")
    assert main(arguments) == 2
    said = capsys.readouterr().err.strip()
    assert told in said and "\n" not in said


def test_a_baseline_in_conflict_is_named(world: House, capsys, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text("<<<<<<< HEAD\n{}", encoding="utf-8")
    assert main(["gate", str(world.run("plain")), f"gate.baselines={tmp_path}"]) == 2
    assert "ragbench baseline set RUN" in capsys.readouterr().err


@pytest.mark.slow
def test_with_a_judge_above_its_floor_faithfulness_gates(world: House, capsys) -> None:
    pytest.importorskip("sklearn")
    world.server.say = say(Reader.of_shipped(world.folder / ".ragbench" / "store"))
    before = world.written("honest", judge="llm")
    code, found = world.gate(before, before)
    assert code == 3 and "never checked" in found["rows"][1]["reasons"][0]["values"]["why"][0]
    assert world.check_judge() == 0
    capsys.readouterr()
    code, found = world.gate_alone(before)
    assert code == 0 and {row["measure"] for row in found["rows"]} >= {"answer/faithfulness"}
    code, found = world.gate_alone(world.written("invents", judge="llm"))
    assert code == 1 and "answer/faithfulness" in regressions(found)
    assert world.gate_alone(world.written("better", judge="llm"))[0] == 0
    code, found = world.gate_alone(world.written("honest"))
    assert code == 3 and {"other_judge"} <= {one["code"] for row in found["rows"] for one in row["reasons"]}
