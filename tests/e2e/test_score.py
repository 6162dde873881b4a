"""`ragbench score`: stored runs scored again, foreign runs, and our runs scored by others."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest

from ragbench.core.codec import read_jsonl
from ragbench.measure.provided import BY_VECTORS
from tests.e2e.world import OFFLINE, local, tiny_set, write_set

ir_measures = pytest.importorskip("ir_measures")
CHUNK_LEVEL = {
    "map": "AP", "mrr": "RR", "r_precision": "Rprec", "ndcg@5": "nDCG@5", "ndcg@10": "nDCG@10", "recall@3": "R@3",
    "precision@3": "P@3", "hit@3": "Success@3",
}  # fmt: skip
SMALL = ("chunk_size=60", "chunk_unit=chars", "overlap=10", "variant=bm25")


@pytest.fixture
def run(cli, tiny):
    return cli("run", *local(tiny), *SMALL, *OFFLINE).run


def scored_elsewhere(run_file, qrels_file, names):
    """Means of ir_measures over all queries of the qrels."""
    qrels = list(ir_measures.read_trec_qrels(str(qrels_file)))
    ranked = list(ir_measures.read_trec_run(str(run_file)))
    oracle = {name: ir_measures.parse_measure(theirs) for name, theirs in names.items()}
    found = ir_measures.calc_aggregate(list(oracle.values()), qrels, ranked)
    return {name: found[one] for name, one in oracle.items()}


def stored(run, kind="question"):
    return {(r["measure"], r["subject"]): r["value"] for r in read_jsonl(run / "scores.jsonl.gz") if r["kind"] == kind}


def test_a_run_scored_again_gives_its_own_figures(cli, run):
    found = cli("score", run, "--json").json
    before = {pair: value for pair, value in stored(run).items() if pair[0] not in BY_VECTORS}
    assert {name for name, _ in before} <= found.keys()
    assert not BY_VECTORS & found.keys(), "a run is scored again without a model"
    for (name, query), value in before.items():
        rounded = pytest.approx(value, abs=1e-3) if name.endswith("_ms") else value  # as traces keep times
        assert found[name]["per_query"][query] == rounded, name
    summary = json.loads((run / "summary.json").read_text("utf-8"))["metrics"]
    for name, row in summary.items():
        if not name.endswith("_ms") and name not in BY_VECTORS:
            row_again = {key: value for key, value in found[name].items() if key != "per_query"}
            assert row_again == row, name


def test_other_measures_of_stored_traces(cli, run, here):
    shutil.rmtree(here / ".ragbench")
    names = ["ranking/chunk_ndcg@3,ranking/r_precision", "retrieval/recall_budget@50", "chunks/n_chunks"]
    found = cli("score", "latest", "--measures", *names, "--json").json
    assert set(found) == {
        "ranking/chunk_ndcg@3", "ranking/r_precision", "retrieval/recall_budget@50", "chunks/n_chunks",
    }  # fmt: skip
    assert found["ranking/r_precision"]["per_query"]["zh-4"] is None
    assert found["ranking/r_precision"]["n_na"] == 2
    assert "per_query" not in found["chunks/n_chunks"]
    table = cli("score", run, "--measures", "ranking/map").out
    assert "map" in table and all(len(line) <= 80 for line in table.splitlines())


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["ranking/recal@5"], "Did you mean"),
        (["answer/faithfulness"], "expected verdicts in run"),
        (["chunks/coherence"], "expected a measure of stored traces"),
    ],
)
def test_what_cannot_be_scored_from_traces_is_said(cli, run, names, words):
    assert words in cli("score", run, "--measures", *names, code=2).err


def test_a_changed_eval_set_is_refused(cli, here):
    folder = tiny_set(here / "set")
    run = cli("run", *local(folder), *SMALL, *OFFLINE).run
    (folder / "corpus" / "报销.txt").write_text("别的内容。\n", "utf-8")
    assert "expected the content it was run on, sha256:" in cli("score", run, code=2).err
    shutil.rmtree(folder)
    assert "no such folder" in cli("score", run, code=2).err


def test_a_judged_run_keeps_its_verdicts(cli, tiny, warm, models):
    run = cli("run", *local(tiny), *SMALL, "sink=files", "split=all", f"paths.store={warm}", models).run
    found = cli("score", run, "--measures", "answer/faithfulness", "answer/correctness_f1", "--json").json
    before = stored(run)
    for name in ("answer/faithfulness", "answer/correctness_f1"):
        assert found[name]["per_query"] == {query: value for (one, query), value in before.items() if one == name}


@pytest.mark.parametrize("layer", ["ranking", "retrieval"])
def test_others_get_our_chunk_level_figures_from_the_exported_files(cli, run, here, layer):
    written = cli("score", run, "--trec-run", "run.txt", "--trec-qrels", "q.txt", "--layer", layer, "--json").json
    assert (written["unit"], written["layer"], written["queries"]) == ("chunk", layer, 8)
    ours = cli("score", run, "--measures", *(f"{layer}/chunk_{name}" for name in CHUNK_LEVEL), "--json").json
    theirs = scored_elsewhere(here / "run.txt", here / "q.txt", CHUNK_LEVEL)
    for name, value in theirs.items():
        assert ours[f"{layer}/chunk_{name}"]["mean"] == pytest.approx(value, abs=1e-9), name
        assert ours[f"{layer}/chunk_{name}"]["n_scored"] == 8
    again = cli(
        "score", "--trec", "run.txt", "--qrels", "q.txt", "--mean-over", "all", "--measures", *CHUNK_LEVEL, "--json"
    )
    assert {name: row["mean"] for name, row in again.json.items()} == pytest.approx(theirs, abs=1e-9)
    text = (here / "run.txt").read_text("utf-8")
    assert "假期/年假制度.md#" in text and "mixed/上线%20checklist.txt#" in text


def test_evidence_that_no_chunk_holds_alone_counts_0_elsewhere_too(cli, here, tiny):
    run = cli("run", *local(tiny), "chunk_size=4", "chunk_unit=chars", "overlap=0", "variant=bm25", *OFFLINE).run
    written = cli("score", run, "--trec-run", "run.txt", "--trec-qrels", "q.txt").out
    assert "have no relevant chunk" in written
    ours = cli("score", run, "--measures", "ranking/chunk_map", "--json").json["ranking/chunk_map"]
    theirs = scored_elsewhere(here / "run.txt", here / "q.txt", {"map": "AP"})
    assert ours["mean"] == pytest.approx(theirs["map"], abs=1e-9)
    assert ours["n_scored"] == len({line.split()[0] for line in (here / "q.txt").read_text("utf-8").splitlines()})


def test_whole_documents_are_exported_as_documents_with_their_grades(cli, here):
    documents = {f"d{n}.txt": f"{'苹果 apple ' * n}第{n}篇 document {n}。" for n in range(1, 6)}
    rows = [
        {"id": "问 1", "question": "苹果 apple", "evidence": [{"doc": "d2.txt", "whole": True}, {"doc": "d5.txt", "whole": True}],
         "metadata": {"grades": {"d5.txt": 3}}},
        {"id": "q2", "question": "document 3 第3篇", "evidence": [{"doc": "d3.txt", "whole": True}]},
    ]  # fmt: skip
    folder = write_set(here / "set", documents, rows)
    run = cli("run", *local(folder), *SMALL, *OFFLINE).run
    written = cli("score", run, "--trec-run", "run.txt", "--trec-qrels", "q.txt", "--json").json
    assert (written["unit"], written["qrels"], written["unsatisfied"]) == ("document", 3, 0)
    assert "问%201 0 d5.txt 3\n" in (here / "q.txt").read_text("utf-8")
    theirs = scored_elsewhere(
        here / "run.txt",
        here / "q.txt",
        {"map": "AP", "mrr": "RR", "recall@1": "R@1", "doc_ndcg@5": "nDCG@5", "r_precision": "Rprec"},
    )
    ours = cli("score", run, "--measures", *(f"ranking/{name}" for name in theirs), "--json").json
    for name, value in theirs.items():
        assert ours[f"ranking/{name}"]["mean"] == pytest.approx(value, abs=1e-9), name


PASSAGES = {
    "d 1": "苹果 apple 年假 五天。", "d2": "Refunds are processed in five days.", "d/3": "苹果 E-1042 timeout 错误。",
    "a%25": "apple 苹果 percent", "文档 甲": "年假 苹果 规定", "A": "Refunds, apple, again", "a": "apple refunds",
    "x" * 300: "apple E-1042 苹果 年假", "http://x.y/?q=1#f": "refunds 年假",
}  # fmt: skip
QUERIES = {"问 1": "苹果 年假", "q/2%": "refunds apple", "q3": "E-1042 苹果"}
ORIGINAL = [
    ("问 1", "d 1", 3), ("问 1", "文档 甲", 1), ("问 1", "x" * 300, 2), ("q/2%", "A", 1), ("q/2%", "d2", 2),
    ("q/2%", "a%25", 0), ("q3", "d/3", 1), ("q3", "a%25", 3), ("q3", "http://x.y/?q=1#f", 1),
]  # fmt: skip


def test_a_run_on_an_imported_set_is_scored_by_the_qrels_of_its_source(cli, here):
    beir = here / "beir"
    (beir / "qrels").mkdir(parents=True)
    rows = [{"_id": name, "title": "", "text": text} for name, text in PASSAGES.items()]
    asked = [{"_id": name, "text": text} for name, text in QUERIES.items()]
    for name, lines in (("corpus", rows), ("queries", asked)):
        content = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
        (beir / f"{name}.jsonl").write_text(content, "utf-8")
    head = "query-id\tcorpus-id\tscore\n"
    judged = "".join(f"{query}\t{doc}\t{grade}\n" for query, doc, grade in ORIGINAL)
    (beir / "qrels" / "test.tsv").write_text(head + judged, "utf-8")
    cli("eval-set", "import", "beir", beir, "beir")
    run = cli("run", *local(here / "eval_sets" / "beir" / "v1"), *SMALL, *OFFLINE).run
    ours = cli("score", run, "--measures", "ranking/doc_ndcg@10", "--json").json["ranking/doc_ndcg@10"]["mean"]
    assert 0 < ours < 1
    measures = ("--measures", "ndcg@10", "--json")
    for ids, qrels in (("original", beir / "qrels" / "test.tsv"), ("original", "q.txt"), ("document", "q.txt")):
        files = ("--trec-run", "run.txt", "--trec-qrels", "q.txt", "--ids", ids)
        assert cli("score", run, *files, "--json").json["ids"] == ids
        found = cli("score", "--trec", "run.txt", "--qrels", qrels, *measures).json["ndcg@10"]
        assert found["mean"] == pytest.approx(ours, abs=1e-9), (ids, qrels)
        assert found["n_queries"] == 3
    assert "d2.txt" in (here / "run.txt").read_text("utf-8")
    cli("score", run, "--trec-run", "run.txt")
    listed = {line.split()[2] for line in (here / "run.txt").read_text("utf-8").splitlines()}
    assert listed == {name.replace("d 1", "d%201").replace("文档 甲", "文档%20甲") for name in PASSAGES} & listed
    assert {"d%201", "d/3", "a%25", "A", "x" * 300} <= listed


@pytest.fixture
def foreign(here):
    """Files another tool wrote: tabs, CRLF, scientific notation, gzip; Chinese ids, one query absent, one doubled row."""
    run = "问1\tQ0\t文档/甲.md\t1\t1.5e+1\tother\r\n问1\tQ0\tdoc-b\t2\t1.5E1\tother\r\n问1\tQ0\tdoc-b\t3\t2e-3\tother\r\nq2\tQ0\tdoc-c\t1\t-4\tother\r\nx\tQ0\tdoc-c\t1\t1\tother\r\n"
    (here / "run.gz").write_bytes(gzip.compress(run.encode("utf-8")))
    (here / "q.txt").write_bytes(
        "问1 0 文档/甲.md 2\r\n问1 0 doc-b -1\r\nq2 0 doc-c 1\r\nq3 0 doc-z 1\r\nq4 0 doc-z 0\r\n".encode()
    )
    return ["score", "--trec", "run.gz", "--qrels", "q.txt"]


def test_a_foreign_run_as_trec_eval_orders_it(cli, foreign):
    found = cli(*foreign, "--measures", "ndcg@10", "mrr", "--json")
    assert found.json["ndcg@10"]["per_query"] == {"问1": 1.0, "q2": 1.0, "q3": 0.0}
    assert found.json["ndcg@10"]["mean"] == pytest.approx(2 / 3)
    counts = {key: value for key, value in found.json["mrr"].items() if key.startswith("n_")}
    assert counts == {"n_queries": 3, "n_missing": 1, "n_without_gold": 1, "n_unjudged": 1, "n_duplicates": 1}
    for words in (
        "(q3) of the qrels not in the run: they count 0",
        "(q4) of the qrels without a relevant document: left out",
        "(x) of the run not in the qrels",
        "duplicates dropped from the run: 1",
    ):
        assert words in found.err


def test_the_mean_over_other_queries_and_the_order_of_ranks(cli, foreign, here):
    means = {
        over: cli(*foreign, "--measures", "mrr", "--mean-over", over, "--json").json["mrr"]["mean"]
        for over in ("gold", "all", "run")
    }
    assert means == {"gold": pytest.approx(2 / 3), "all": 0.5, "run": 1.0}
    (here / "ranked").write_text("问1 Q0 文档/甲.md 1 0.1 t\n问1 Q0 doc-b 2 0.9 t\n", "utf-8")
    command = ["score", "--trec", "ranked", "--qrels", "q.txt", "--measures", "mrr", "--json"]
    by_score, by_rank = cli(*command), cli(*command, "--order", "rank")
    assert (by_score.json["mrr"]["per_query"]["问1"], by_rank.json["mrr"]["per_query"]["问1"]) == (0.5, 1.0)
    assert "ranks and scores disagree in 1 query (问1): the scores are followed" in by_score.err


def test_the_table_fits_the_terminal(cli, foreign):
    out = cli(*foreign).out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert out.splitlines()[0].split() == ["measure", "mean", "95", "%", "interval", "queries"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "expected a run of ours or a foreign one, found none"),
        (["latest", "--trec", "run.gz", "--qrels", "q.txt"], "found both"),
        (["--trec", "run.gz"], "--trec and --qrels together"),
        (["latest", "--trec-run", "x", "--measures", "ranking/map"], "a run of ours alone"),
        (["--trec", "run.gz", "--qrels", "q.txt", "--measures", "P_5"], "trec_eval's P_5 is precision@5"),
        (["--trec", "none.txt", "--qrels", "q.txt"], "none.txt: expected a TREC run"),
        (["--trec", "q.txt", "--qrels", "q.txt"], "q.txt line 1: expected 6 columns"),
        (["--trec", "other.txt", "--qrels", "q.txt"], "expected queries of q.txt, as '问1', found none of them"),
    ],
)
def test_what_cannot_be_scored_is_one_line(cli, foreign, here, arguments, words):
    (here / "other.txt").write_text("z Q0 d 1 1 t\n", "utf-8")
    found = cli("score", *arguments, code=2).err
    assert words in found and len(found.splitlines()) == 1
