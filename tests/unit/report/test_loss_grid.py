"""Losses by category and class with their proof: counts that add up, commands, and a proof that is never stale."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.evaluate.knobs import Knobs
from ragbench.report.labels import Labels
from ragbench.report.parts import read_parts
from ragbench.report.view_loss_grid import loss_grid
from ragbench.report.view_proof import proofs_of
from ragbench.run_dir import layout
from ragbench.run_dir.proof import KeptProof, keep_proofs, kept_proofs
from ragbench.run_dir.read import RunDir
from tests.report_fixture import TEXTS, make_run, rewrite_summary
from tests.report_fixture.proofs import prove


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return make_run(tmp_path)


def grid_of(run: RunDir, lang: str = "en", overrides: Any = None) -> Any:
    if overrides is not None:
        write_json(run.folder / layout.MANIFEST, run.manifest | {"overrides": overrides})
        run = RunDir(run.folder)
    found = run.summary["diagnosis_by_question"]
    knobs = Knobs(run.summary["variant"], {})
    return loss_grid(run, found, proofs_of(run, found), knobs, Labels(lang))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_rows_and_columns_add_up_to_the_population(run: RunDir, lang: str) -> None:
    grid = grid_of(run, lang)
    *rows, total = grid["rows"]
    assert {name: n for name, n, _ in total["cells"]} == Counter(run.summary["diagnosis_by_question"].values())
    assert total["n"] == len(run.questions) == sum(row["n"] for row in rows)
    for at, (_, n, _) in enumerate(total["cells"]):
        assert n == sum(row["cells"][at][1] for row in rows) > 0
    assert all(row["n"] == sum(n for _, n, _ in row["cells"]) for row in grid["rows"])
    assert not grid["proved"] and grid["prove"][0] == f"ragbench diagnose {run.run_id} --prove"


def test_commands_hold_the_runs_own_overrides_quoted(run: RunDir) -> None:
    base = ["variant=hybrid_rerank", "eval_set=政策 集", "k=5", "x='; rm -rf ~"]
    commands = [one for row in grid_of(run, overrides=base)["tries"] for one in row["commands"]]
    lost = next(row for row in grid_of(run)["tries"] if row["loss"][0] == "not_recalled")
    assert commands and all(one.startswith("ragbench run variant=hybrid_rerank 'eval_set=政策 集'") for one in commands)
    assert all("\"'\"'; rm -rf ~'" in one for one in commands)
    assert lost["commands"] == [lost["commands"][0], lost["commands"][1]] and lost["n"] + lost["later"] <= lost["lost"]


def test_what_loses_later_counts_when_the_heaviest_layer_is_chosen(run: RunDir) -> None:
    first = grid_of(run)["rows"][-1]["worst"]
    lost = [name for name, loss in run.summary["diagnosis_by_question"].items() if loss == "not_recalled"]
    keep_proofs(run, {name: KeptProof("not_recalled", "retrieval", "not_proved", "false_refusal") for name in lost})
    total = grid_of(run)["rows"][-1]
    assert first[0] == "not_recalled" and total["worst"] == ("not_recalled", len(lost), 0), "a tie: the earlier layer"
    assert total["proof"] == f"0 of {len(lost)} proved · {len(lost)} later Refused wrongly"


def test_a_proof_is_shown_for_the_class_it_proves_only(run: RunDir) -> None:
    made = prove(run)
    assert kept_proofs(run) == made
    name = next(iter(made))
    changed = run.summary["diagnosis_by_question"] | {name: "ok"}
    shown = {row["id"]: row["proof"] for row in read_parts(run, TEXTS.get).data}
    assert shown[name][0] in ("proved", "not_proved", "no_gold")
    again = {row["id"]: row["proof"] for row in read_parts(rewrite_summary(run, diagnosis_by_question=changed), TEXTS.get).data}  # fmt: skip
    assert again[name] is None and sum(one is not None for one in again.values()) == len(made) - 1


@pytest.mark.parametrize("file", [layout.TRACES, layout.VERDICTS, layout.QUESTIONS, layout.CONFIG])
def test_a_proof_of_another_content_is_none(run: RunDir, file: str) -> None:
    prove(run)
    with (run.folder / file).open("a") as opened:
        opened.write("\n")
    assert kept_proofs(run) is None


@pytest.mark.parametrize(
    "spoilt",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"of": 1}',
        b"\xff\xfe",
        {"proofs": []},
        {"proofs": {"a": 1}},
        {"proofs": {"a": [1]}},
    ],
)
def test_a_spoilt_file_is_no_proof(run: RunDir, spoilt: Any) -> None:
    prove(run)
    path = run.folder / layout.PROOF
    write_json(path, read_json(path) | spoilt) if isinstance(spoilt, dict) else path.write_bytes(spoilt)
    assert kept_proofs(run) is None


def test_a_run_that_lost_nothing_has_nothing_to_change(run: RunDir) -> None:
    fine = dict.fromkeys(run.questions, "ok")
    grid = grid_of(rewrite_summary(run, diagnosis_by_question=fine))
    assert grid["tries"] == [] and grid["rows"][-1]["worst"] is None and grid["rows"][-1]["proof"] == ""


def test_a_run_that_does_not_say_which_were_lost_has_no_grid(run: RunDir) -> None:
    assert loss_grid(run, {}, None, Knobs({}, {}), Labels("en")) is None
