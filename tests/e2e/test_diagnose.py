"""`ragbench diagnose`: what it prints, what it tries, and what it says where it cannot tell."""

from __future__ import annotations

import shlex
import shutil

import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.core.store import Store
from ragbench.eval_set.source import IMPORTED
from ragbench.run.session import Session
from ragbench.run_dir.proof import kept_proofs
from ragbench.run_dir.read import RunDir
from ragbench.text.terminal import columns
from tests.e2e.faults import HEALTHY, classes_of, faulty, made_set
from tests.e2e.world import local

CATEGORY = "多跳 \x1b[31mred\x07"


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    """A run in which a reversed reranker lost every question, on a set with a hostile category."""
    folder = tmp_path_factory.mktemp("diagnosed")
    places = [f"paths.runs={folder / 'runs'}", f"paths.store={folder / 'store'}"]
    chosen = local(made_set(folder / "set", 2, CATEGORY))
    (folder / "set" / IMPORTED).write_text("{}")
    base = [*HEALTHY, *chosen, *places]
    with Session(Store(folder / "store")) as session:
        run, _ = classes_of(faulty(base, "reranker reversed"), session)
    return folder, run


@pytest.fixture
def diagnose(cli, lost, monkeypatch):
    folder, _ = lost
    monkeypatch.setenv("RAGBENCH_STORE", str(folder / "store"))
    monkeypatch.setenv("RAGBENCH_RUNS", str(folder / "runs"))
    return lambda *arguments, code=0: cli("diagnose", *arguments, code=code)


def test_tables_symptoms_and_commands(diagnose, lost):
    out = diagnose(lost[1].name, "--try", "--most", "2")
    lines = out.out.splitlines()
    assert max(map(columns, lines)) <= 100
    assert all(line.isprintable() for line in lines), "nothing a terminal would act on"
    assert "\\x1b[31mred" in out.out and "多跳" in out.out
    layer = next(line.split() for line in lines if line.startswith("ranked_out"))
    n = len(RunDir(lost[1]).questions)
    assert layer[1] == "30" and int(layer[2]) == n - 30 and layer[3:6] == ["30", "of", "30"]
    assert any(line.startswith("ranked_out (30): ") for line in lines)
    shown = out.out.replace("\\\n", " ").splitlines()
    commands = [shlex.split(line) for line in shown if line.startswith("  ragbench run ")]
    assert any(words[-1] == "k=6" and "variant=bm25" in words for words in commands)
    tried = next(line for line in lines if line.startswith("reranker=none"))
    assert " 30 of " in tried and tried.endswith("helped")
    assert "tuning" in out.err and "not used here" in out.err


def test_json_holds_everything_and_adds_up(diagnose, lost):
    found = diagnose(str(lost[1]), "--json").json
    stored = read_json(lost[1] / "summary.json")
    assert found["counts"] == stored["diagnosis"], "the report's figures"
    assert found["waterfall"][-1]["left"] == found["counts"]["ok"]
    assert sum(sum(one.values()) for one in found["by_category"].values()) == sum(found["counts"].values())
    ranked = [one for one in found["questions"] if one["loss"] == "ranked_out"]
    assert len(ranked) == 30 and {one["proof"]["state"] for one in ranked} == {"proved"}
    assert {one["proof"]["put_in"] for one in ranked} == {"rerank"}
    assert found["suggestions"] and all("variant=bm25" in one["overrides"] for one in found["suggestions"])
    kept = kept_proofs(RunDir(lost[1]))
    assert kept is not None, "for the report of the run"
    assert {name: (one.loss, one.state) for name, one in kept.items()} == {
        one["question_id"]: (one["loss"], one["proof"]["state"]) for one in found["questions"]
    }
    assert found["blind"] == [] and found["unproved"] == "" and found["trials"] == []


@pytest.mark.parametrize("language", ["zh", "en", "mixed"])
def test_the_story_of_one_question(diagnose, lost, language):
    out = diagnose(lost[1].name, "--question", f"{language}-0-0").out
    lines = out.splitlines()
    assert max(map(columns, lines)) <= 100 and all(line.isprintable() for line in lines)
    heads = [line[:11].strip() for line in lines if line[:1].strip()]
    assert heads[:3] == ["question", "reference", "evidence"]
    assert [one for one in heads if one in ("search", "sparse", "fused", "reranked", "context", "answer", "verdict", "proof")] == [
        "search", "sparse", "fused", "reranked", "context", "answer", "verdict", "proof",
    ]  # fmt: skip
    marked = [line for line in lines if line[11:12] == "*"]
    assert any("(was 1)" in line for line in marked), "the evidence with its rank before and after"
    assert ": not in the context" in out
    assert "proved, gold put in at rerank" in out
    (lost[1] / "proof.json").unlink(missing_ok=True)
    one = diagnose(lost[1].name, "--question", f"{language}-0-0", "--json").json
    assert not (lost[1] / "proof.json").exists(), "the proof of one question is not that of the run"
    assert one["loss"] == "ranked_out" and one["proof"]["then"] == "ok"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "run nothing: expected a folder"),
        (["latest", "--question", "zh-0-"], "Did you mean zh-0-"),
        (["latest", "--question", "\x1b[31m"], "expected one of the"),
        (["latest", "--most", "0"], "--most: expected at least 1"),
        (["latest", "--try", "--question", "zh-0-0"], "found both"),
    ],
)
def test_what_cannot_be_used_is_one_line(diagnose, arguments, told):
    out = diagnose(*arguments, code=2)
    assert told in out.err and out.err.count("\n") == 1 and "\x1b" not in out.err


def test_without_its_corpus_a_run_is_diagnosed_as_far_as_it_tells(diagnose, lost, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(lost[1], copy)
    manifest = read_json(copy / "manifest.json")
    manifest["eval_set"]["path"] = str(tmp_path / "gone")
    write_json(copy / "manifest.json", manifest)
    out = diagnose(str(copy))
    assert "ranked_out" in out.out and "cannot be told" in out.out and "no such folder" in " ".join(out.out.split())
    found = diagnose(str(copy), "--json").json
    assert found["counts"]["ranked_out"] == 30 and found["unread"]
    del manifest["overrides"]
    write_json(copy / "manifest.json", manifest)
    assert "overrides noted" in diagnose(str(copy), "--try", code=2).err


def test_a_run_without_answers_says_what_it_does_not_show(diagnose, lost):
    folder, _ = lost
    places = [f"paths.runs={folder / 'runs'}", f"paths.store={folder / 'store'}"]
    kept = [item for item in HEALTHY if "generator" not in item and "judge" not in item]
    base = [*kept, *local(folder / "set"), *places, "generator=none", "judge=none"]
    with Session(Store(folder / "store")) as session:
        run, _ = classes_of(base, session)
    out = diagnose(str(run)).out
    assert "this run does not show answers" in out
