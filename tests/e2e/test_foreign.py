"""Traces of another system made a run: the same figures as ours for the same lists, and every verb that reads runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbench.core.codec import read_json, write_json
from ragbench.core.store import Store
from ragbench.eval_set.source import IMPORTED
from ragbench.run.session import Session
from ragbench.run_dir.read import RunDir
from tests.e2e.faults import HEALTHY, classes_of, faulty, made_set
from tests.e2e.world import local

HOSTILE = "<script>alert(1)</script> 编造的内容 \x1b[31m that no document holds & more"
MEASURED = ("--with", "split=all", "judge.semantic=false")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A run of ours whose reversed reranker lost every question, and one that answers nearly all."""
    folder = tmp_path_factory.mktemp("foreign")
    places = [f"paths.runs={folder / 'runs'}", f"paths.store={folder / 'store'}"]
    base = [*HEALTHY, *local(made_set(folder / "set", 2)), *places]
    (folder / "set" / IMPORTED).write_text("{}")
    names = [one for one in base if not one.startswith("measures=")]
    with Session(Store(folder / "store")) as session:
        healthy, _ = classes_of(names, session)
        turned, _ = classes_of(faulty(names, "reranker reversed"), session)
    return folder, RunDir(healthy), RunDir(turned)


@pytest.fixture
def use(cli, ours, monkeypatch):
    folder = ours[0]
    monkeypatch.setenv("RAGBENCH_STORE", str(folder / "store"))
    monkeypatch.setenv("RAGBENCH_RUNS", str(folder / "runs"))
    return cli


def lines_of(run, texts=True):
    """What another system would have written, had it done what the run did."""
    lines = []
    for trace in run.traces():
        contexts = [
            {"text": one.text} if texts and at % 2 else {"doc": one.doc_id, "start": one.start, "end": one.end}
            for at, one in enumerate(trace.context.blocks)
        ]
        line = {"id": trace.question_id, "contexts": contexts}
        lines.append(line | {"answer": trace.answer.text, "refused": trace.answer.refused})
    return lines


def scored(use, folder, lines, *more, name="theirs", code=0):
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return use("score", "--traces", path, "--eval-set", folder / "set", *MEASURED, *more, code=code)


def per_question(run):
    return {(row["measure"], row["subject"]): row.get("value") for row in run.scores() if row["kind"] == "question"}


@pytest.mark.parametrize("which", [1, 2])
def test_the_same_lists_and_answers_have_the_same_figures(use, ours, which):
    run = ours[which]
    made = RunDir(scored(use, ours[0], lines_of(run)).run)
    mine, theirs = per_question(run), per_question(made)
    same = [name for name in dict.fromkeys(name for name, _ in theirs) if "@" in name or name.startswith("answer/")]
    assert {"ranking/recall@3", "answer/correctness_f1", "answer/faithfulness", "answer/evidence_in_context"} <= set(
        same
    )
    for name in same:
        for question in made.questions:
            assert theirs[name, question] == mine[name, question], (name, question)
    assert made.manifest["provenance"]["origin"] == "foreign" and made.manifest["foreign"]["depth"] == 3
    assert made.summary["eval_set"] == run.summary["eval_set"]


def test_what_is_not_known_is_neither_measured_nor_blamed(use, ours):
    turned = ours[2]
    made = RunDir(scored(use, ours[0], lines_of(turned)).run)
    assert not [name for name in made.summary["metrics"] if name.startswith(("chunks/", "query/", "retrieval/"))]
    assert not {"cost/total_ms", "answer/citation_recall", "ranking/recall@20", "ranking/mrr"} & set(
        made.summary["metrics"]
    )
    counts, mine = made.summary["diagnosis"], turned.summary["diagnosis"]
    assert counts["not_recalled"] == mine["ranked_out"] == 30 and counts["ranked_out"] == counts["chunk_cut"] == 0
    told = use("diagnose", made.run_id).out
    assert "not_recalled" in told and "does not show how its documents were cut" in told and "a foreign run" in told
    assert "  ragbench run" not in told
    assert "found a foreign run" in use("diagnose", made.run_id, "--try", code=2).err


def test_of_contexts_beyond_k_evidence_is_ranked_out(use, ours):
    lines = [line | {"contexts": line["contexts"][::-1]} for line in lines_of(ours[1])]
    made = RunDir(scored(use, ours[0], lines, "--k", "1").run)
    assert made.summary["diagnosis"]["ranked_out"] > 20 and made.summary["diagnosis"]["not_recalled"] == 0
    assert all(len(trace.context.blocks) <= 1 for trace in made.traces())


def test_a_question_without_a_line_is_worst_and_a_strange_text_keeps_its_rank(use, ours):
    full = lines_of(ours[1])
    plain = RunDir(scored(use, ours[0], full).run)
    gone = next(line["id"] for line in full if line["contexts"])
    pushed = [line | {"contexts": [HOSTILE, *line["contexts"]]} for line in full if line["id"] != gone]
    out = scored(use, ours[0], pushed, name="pushed")
    made = RunDir(out.run)
    before, after = per_question(plain), per_question(made)
    assert after["ranking/recall@3", gone] == 0 and made.summary["diagnosis_by_question"][gone] == "failed"
    kept = [name for name in made.questions if name != gone]
    assert {after["ranking/recall@1", name] for name in kept} <= {0, None}, "rank 1 is taken"
    assert any(before["ranking/recall@1", name] == 1 for name in kept)
    assert "without a line: 1; they count as worst" in out.err and "contexts not found in the corpus: " in out.err
    assert "\\x1b[31m" in out.err and "\x1b" not in out.err
    page = use("report", made.run_id).out.split("report: ")[1].strip()
    text = Path(page).read_text(encoding="utf-8")
    assert "<script>alert(1)" not in text and "\\u003cscript\\u003ealert(1)" in text
    assert 'id="unproved"' in text and "another system" in text and "其他系统" in text


@pytest.mark.parametrize("told", [True, False])
def test_refusals_are_measured_where_they_are_told_only(use, ours, told):
    lines = lines_of(ours[1])
    off = [line["id"] for line in lines if "-off-" in line["id"]]
    lines = [{k: v for k, v in line.items() if told or k != "refused"} for line in lines]
    lines = [
        line | {"answer": "没有 nothing", **({"refused": True} if told else {})} if line["id"] in off else line
        for line in lines
    ]
    made = RunDir(scored(use, ours[0], lines).run)
    assert ("answer/refusal_accuracy" in made.summary["metrics"]) is told
    found = {made.summary["diagnosis_by_question"][name] for name in off}
    assert found == ({"ok"} if told else {"unjudged"})


def test_without_answers_the_ranking_is_measured_alone(use, ours):
    out = scored(use, ours[0], [{k: line[k] for k in ("id", "contexts")} for line in lines_of(ours[1])])
    assert {name.partition("/")[0] for name in out.summary["metrics"]} == {
        "ranking"
    } and "no line has an answer" in out.err
    assert out.summary["diagnosis"]["ok"] > 40
    assert "this run does not show answers" in use("diagnose", out.run.name).out


def test_compare_score_gate_and_report_take_it_beside_ours(use, ours, tmp_path):
    folder, healthy, turned = ours
    made = scored(use, folder, lines_of(turned), "--label", "他们的 RAG").run
    out = use("compare", made.name, healthy.run_id).out
    assert "changed (1 key): system foreign (他们的 RAG) → ours" in out and "B is better" in out
    both = use("compare", made.name, scored(use, folder, lines_of(healthy), "--label", "B").run.name).out
    assert "system foreign (他们的 RAG) → foreign (B)" in both
    again = use("score", made.name, "--json").json
    assert {name: row["mean"] for name, row in again.items()} == {
        name: row["mean"] for name, row in read_json(made / "summary.json")["metrics"].items()
    }
    assert (
        "found one of what it does not show" in use("score", made.name, "--measures", "retrieval/recall@5", code=2).err
    )
    use("report", made.name, healthy.run_id, "--lang", "zh", "--out", tmp_path / "both.html")
    assert "他们的 RAG" in (tmp_path / "both.html").read_text(encoding="utf-8")
    manifest = read_json(made / "manifest.json")
    lock = manifest["eval_set"]["lock"]
    summary = read_json(made / "summary.json")
    write_json(made / "summary.json", summary | {"eval_set": summary["eval_set"] | {"lock": lock + "0"}})
    assert "expected runs of one eval set" in use("compare", made.name, healthy.run_id, code=2).err


def test_a_regression_of_another_system_fails_the_gate(use, ours, here):
    folder, healthy, turned = ours
    good = scored(use, folder, lines_of(healthy)).run.name
    bad = scored(use, folder, lines_of(turned)).run.name
    use("baseline", "set", good)
    assert "gate: regression" in use("gate", bad, code=1).out
    use("gate", good, "gate.measures=[answer/correctness_f1,answer/answered]")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--traces", "none.jsonl", "--eval-set", "SET"], "none.jsonl: expected traces as JSON Lines"),
        (["--traces", "a.jsonl"], "expected --eval-set"),
        (["latest", "--traces", "a.jsonl", "--eval-set", "SET"], "expected --traces alone, found RUN too"),
        (["--traces", "a.jsonl", "--eval-set", "nobody"], "nobody"),
        (["--traces", "a.jsonl", "--eval-set", "SET", "--k", "0"], "--k: expected at least 1"),
        (["--traces", "a.jsonl", "--eval-set", "SET", "--with", "retriever=dense"], "--with: expected keys of split"),
        (["--traces", "a.jsonl", "--eval-set", "SET", "--with", "split=none"], "split"),
    ],
)
def test_what_cannot_be_used_is_one_line(use, ours, arguments, words, here):
    (here / "a.jsonl").write_text('{"id": "zh-0-0", "contexts": []}')
    given = [str(ours[0] / "set") if one == "SET" else one for one in arguments]
    err = use("score", *given, code=2).err
    assert words in err and err.strip().count("\n") == 0


def test_places_that_the_corpus_does_not_have_are_told_together(use, ours):
    lines = [
        {"id": "zh-0-0", "contexts": [{"doc": "nobody.md"}, "text"]},
        {"id": "en-0-0", "contexts": [{"doc": "x\x1b"}]},
    ]
    err = scored(use, ours[0], lines, code=2).err
    assert "2 problems" in err and "line 1: contexts[0]: the corpus has no document 'nobody.md'" in err
    assert "line 2: contexts[0]: the corpus has no document 'x\\x1b'" in err and "\x1b" not in err


def trec_files(use, run, folder):
    made, qrels = folder / "t.run", folder / "t.qrels"
    use("score", run.run_id, "--trec-run", made, "--trec-qrels", qrels, "--unit", "document")
    return made, qrels


def test_a_trec_run_has_the_figures_of_its_judgements(use, ours, here):
    run, qrels = trec_files(use, ours[2], here)
    made = use("score", "--trec", run, "--qrels", qrels, "--as-run", "--k", "1").run
    plain = use(
        "score", "--trec", run, "--qrels", qrels, "--measures", "recall@5", "ndcg@10", "precision@5", "--json"
    ).json
    theirs = per_question(RunDir(made))
    for name, row in plain.items():
        for query, value in row["per_query"].items():
            assert theirs[f"ranking/{name}", query] == pytest.approx(value, abs=1e-12), (name, query)
    counts = RunDir(made).summary["diagnosis"]
    assert {name for name, n in counts.items() if n} <= {"ok", "ranked_out", "not_recalled"} and counts["ranked_out"]
    assert "ranked_out" in use("diagnose", made.name).out
    use("report", made.name, "--lang", "zh")
    again = run.read_text(encoding="utf-8").splitlines(keepends=True)[::-1]
    run.write_text("".join(again), encoding="utf-8")
    qrels.write_text("".join(qrels.read_text(encoding="utf-8").splitlines(keepends=True)[::-1]), encoding="utf-8")
    other = use("score", "--trec", run, "--qrels", qrels, "--as-run", "--label", "reversed file").run
    out = use("compare", made.name, other.name).out
    assert "foreign (t) → foreign (reversed file)" in out, "the lock is that of the judgements, whatever their order"


def test_a_trec_run_on_a_set_is_compared_with_ours(use, ours, here):
    run, _ = trec_files(use, ours[1], here)
    out = use("score", "--trec", run, "--eval-set", ours[0] / "set", *MEASURED[:2])
    made = RunDir(out.run)
    assert made.summary["eval_set"]["lock"] == ours[1].summary["eval_set"]["lock"]
    assert made.summary["diagnosis"]["failed"] == 0, "unanswerable questions need no line"
    told = use("compare", made.run_id, ours[1].run_id).out
    assert "system foreign (t) → ours" in told and "retrieved whole documents → –" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--as-run"], "expected --qrels, or --eval-set with its evidence, found neither"),
        (["--qrels", "q", "--eval-set", "SET"], "found both"),
        (["--eval-set", "SET"], "expected queries as 'zh-0-0', found none, but 'nobody'"),
        (["--qrels", "none.qrels", "--as-run"], "expected a query with a relevant document, found none"),
    ],
)
def test_a_trec_run_of_nothing_known_is_one_line(use, ours, arguments, words, here):
    (here / "t.run").write_text("nobody Q0 d1 1 2.0 t\n")
    (here / "none.qrels").write_text("nobody 0 d1 0\n")
    given = [str(ours[0] / "set") if one == "SET" else one for one in arguments]
    err = use("score", "--trec", "t.run", *given, code=2).err
    assert words in err and err.strip().count("\n") == 0
