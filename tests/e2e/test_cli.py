"""Verbs, exit codes, and what people read when something is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragbench.cli.main import VERBS
from ragbench.core.codec import read_json
from tests.e2e.world import OFFLINE, local


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(cli, verb):
    out = cli(verb, "--help")
    assert out.out.startswith(f"usage: ragbench {verb}")
    assert VERBS[verb].capitalize() in " ".join(out.out.split())


@pytest.mark.parametrize("action", [("eval-set", "check"), ("eval-set", "import"), ("cache", "prune")])
def test_actions_explain_themselves(cli, action):
    assert f"usage: ragbench {' '.join(action)}" in cli(*action, "--help").out


def test_no_verb_and_version(cli):
    assert "VERB" in cli().out
    assert cli("--version").out.startswith("ragbench 0.")
    assert "invalid choice: 'runn'" in cli("runn", code=2).err


MISTAKES = [
    (["chunk_sise=3"], "key chunk_sise: expected a key of the configuration, found no such key. Did you mean chunk_size?"),
    (["retreiver=dense"], "Did you mean retriever?"),
    (["retriever=dens"], "retriever=dens: expected one of dense, hybrid, sparse, found no such option. Did you mean dense?"),
    (["k=1,2"], "k=1,2: expected one value, found a list. Use `ragbench sweep` for several values."),
    (["alpha"], "argument alpha: expected key=value, found no ="),
    (["=3"], "argument =3: expected key=value, found no key"),
    (["k=zero"], "k: expected a whole number of at least 1, found 'zero'"),
    (["k=0"], "k: expected a whole number of at least 1, found 0"),
    (["recall_k=101"], "recall_k: expected at most pool_depth (100), found 101. Set pool_depth=101 or a smaller recall_k."),
    (["retriever=hybrid", "alpha=1.5"], "retriever.alpha: expected a number from 0 to 1, found 1.5"),
    (["chunk_size=10", "overlap=10"], "overlap: expected less than chunk_size"),
    (["splitter=null"], "splitter=null: expected the name of an option, found null. See ragbench ls."),
    (["pipeline.splitter=null"], "pipeline.splitter: expected a Splitter stage, found nothing. See ragbench ls splitter."),
    (["~judge"], "judge: expected a Judge stage, found nothing. See ragbench ls judge."),
    (["seed=-1"], "seed: expected a whole number of at least 0, found -1"),
    (["seed=1.5"], "seed: expected a whole number of at least 0, found 1.5"),
    (["seed=null"], "seed: expected a whole number of at least 0, found None"),
    (["split=train"], "split: expected dev, test or all, found 'train'"),
    (["context=page"], "context: expected one of none, headings, title, summary, found 'page'"),
    (["report.lang=fr"], "report.lang: expected en or zh, found 'fr'"),
    (["sink.report=maybe"], "sink.report: expected true or false, found 'maybe'"),
    (["paths.runs=null"], "paths.runs: expected a folder, found None"),
    (["measures=[ndgc]"], "measure 'ndgc'"),
    (["measures=ndgc"], "measure 'ndgc'"),
    (["measures=[]"], "measures: expected at least one name"),
    (["alpha=0.3"], "alpha: the chosen retriever (sparse) has no such knob"),
    (["eval_set=local", "eval_set.path=/no/such/set"], "eval set /no/such/set: expected corpus/ and questions.jsonl, found no such folder."),
    (["eval_set.path=null", "eval_set.name=policy_zh", "eval_set.version=v99"], "policy_zh/v99: expected a folder"),
    (
        ["pipeline.splitter._target_=os.system"],
        "pipeline.splitter._target_: expected a class below ragbench., found os.system. "
        "A config can run code: allow its package with allowed_targets=[PACKAGE] if you trust it.",
    ),
    (["pipeline.splitter._target_=ragbenchmark.evil.Stage"], "expected a class below ragbench."),
    (["pipeline.splitter._target_=ragbench.errors.Problems"], "expected a stage class, found ragbench.errors.Problems"),
    (["pipeline.splitter._target_=ragbench.splitter.nix.Nix"], "expected an importable class"),
    (["retriever=sparse", "pipeline.reranker._target_=ragbench.generator.none.NoneGenerator"], "pipeline.reranker: expected a Reranker stage, found NoneGenerator"),
    (["+pipeline.reranker.size=3"], "pipeline.reranker.size: expected one of"),
    (["~pipeline.sparse.k1"], "pipeline.sparse: expected the fields"),
]  # fmt: skip


@pytest.mark.parametrize(("overrides", "words"), MISTAKES, ids=[" ".join(given) for given, _ in MISTAKES])
def test_a_mistake_is_one_line_that_helps(cli, tiny, here, overrides, words):
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", *overrides, code=2)
    assert words in out.err
    assert out.err.startswith("ragbench run: ")
    assert len(out.err.splitlines()) == 1, out.err
    assert out.out == ""
    assert list(here.iterdir()) == [], "nothing is written before the configuration is sound"


def test_several_mistakes_come_together(cli, tiny):
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", "k=0", "seed=-1", "context=page", code=2)
    assert out.err.splitlines()[0] == "ragbench run: configuration: 3 problems"
    assert len(out.err.splitlines()) == 4


def test_run_prints_tables_and_its_path(cli, tiny):
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25")
    assert out.out.splitlines()[-1] == f"run: {out.run}"
    for word in ("retrieval", "ranking", "category", "lookup", "identifier", "outcomes: ok"):
        assert word in out.out
    as_json = cli("run", *local(tiny), *OFFLINE, "variant=bm25", "--json").json
    assert as_json.keys() == out.summary.keys()
    assert as_json["variant"]["retriever"] == "sparse"
    assert as_json == read_json(Path("runs") / as_json["run_id"] / "summary.json")


def test_plan_knows_what_a_run_will_embed(cli, tiny, models):
    asked = [*local(tiny), *OFFLINE, models, "variant=hybrid"]
    (before,) = cli("plan", *asked, "--json").json
    assert [(stage["stage"], stage["cached"]) for stage in before["stages"]] == [
        ("corpus", True), ("chunks", False), ("sparse", False), ("index", False),
    ]  # fmt: skip
    assert before["n_questions"] == 10
    assert before["texts_to_embed"] is None
    assert "texts to embed: not known before the chunks exist" in cli("plan", *asked).out
    cli("run", *local(tiny), *OFFLINE, "variant=bm25")
    (chunked,) = cli("plan", *asked, "--json").json
    done = cli("run", *asked)
    n_queries = 10
    assert done.manifest["stages"]["embedded"]["texts"] == chunked["texts_to_embed"] + n_queries
    (after,) = cli("plan", *asked, "--json").json
    assert after["texts_to_embed"] == 0
    assert all(stage["cached"] for stage in after["stages"])
    assert {stage["stage"]: stage["key"] for stage in after["stages"]} == {
        name: key for name, key in done.manifest["keys"].items() if name != "texts"
    }
    grid = cli("plan", *asked, "k=1,2", "splitter=recursive,whole").out
    assert grid.count("10 questions") == 4
    assert len(list(Path("runs").iterdir())) == 2, "a plan makes no run"


def test_ls(cli, tiny):
    everything = cli("ls").out
    assert "* hybrid " in everything
    assert cli("ls", "retriever", "--json").json.keys() == {"retriever"}
    assert "slot retrievers: expected one of" in cli("ls", "retrievers", code=2).err
    assert "no runs below runs; make one with: ragbench run" in cli("ls", "runs").out
    done = cli("run", *local(tiny), *OFFLINE, "variant=bm25")
    (row,) = cli("ls", "runs", "--json").json
    assert (row["run_id"], row["status"], row["variant"]) == (done.run.name, "finished", "bm25 generator=none")
    assert row["eval_set"] == "tiny/v0"
    (done.run / "manifest.json").write_text("{ torn")
    assert cli("ls", "runs", "--json").json[0]["status"] == "unreadable"


def test_cache(cli, tiny):
    asked = [*local(tiny), *OFFLINE, "variant=bm25"]
    assert {row["stage"]: row["cached"] for row in cli("cache", "explain", *asked, "--json").json} == {
        "corpus": True, "chunks": False, "sparse": False,
    }  # fmt: skip
    cli("run", *asked)
    assert all(row["cached"] for row in cli("cache", "explain", *asked, "--json").json)
    assert "not in the store" in cli("cache", "explain", *asked, "chunk_size=77").out
    for listing in (cli("cache", "list", "--json"), cli("cache", "--json")):
        assert {row["kind"]: row["artifacts"] for row in listing.json["artifacts"]} == {
            "corpus": 1, "chunks": 1, "sparse": 1,
        }  # fmt: skip
        assert {row["table"]: row["rows"] for row in listing.json["tables"]}["routes"] == 10
    assert "corpus" in cli("cache").out
    assert cli("cache", "prune", "--json").json == {"deleted": False, "artifacts": 0, "leftovers": 0, "bytes": 0}
    assert cli("cache", "prune", "--older-than", "0", "--kind", "sparse", "--yes", "--json").json["artifacts"] == 1
    rebuilt = cli("run", *asked)
    assert rebuilt.manifest["stages"]["computed"] == {"sparse": 1}
    cli("cache", "prune", "--older-than", "0", "--tables", "--yes")
    listing = cli("cache", "--json").json
    assert listing["artifacts"] == []
    assert {row["rows"] for row in listing["tables"]} == {0}
    again = cli("run", *asked)
    assert again.summary["metrics"]["ranking/mrr"] == rebuilt.summary["metrics"]["ranking/mrr"]


@pytest.mark.parametrize(
    ("question", "doc"),
    [
        ("年假可以结转几天？", "假期/年假制度.md"),
        ("How long are backups kept?", "manual/backup.md"),
        ("Kubernetes 集群最低版本", "mixed/上线 checklist.txt"),
    ],
)
def test_ask_shows_every_stage(cli, tiny, warm, models, here, question, doc):
    asked = [*local(tiny), models, f"paths.store={warm}", "variant=bm25", "generator=extractive"]
    out = cli("ask", question, *asked)
    for word in ("query ", "search ", "sparse ", "fused", "context ", "answer ", "times "):
        assert word in out.out
    assert doc in out.out
    row = cli("ask", question, *asked, "--json").json
    assert row["question_id"] == "ask"
    best = row["chunks"][str(row["steps"][0]["fused"]["chunks"][0])]
    assert best.startswith(doc)
    assert row["answer"]["text"]
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_ask_needs_a_question(cli, question):
    assert "question: expected some text, found an empty one" in cli("ask", question, "variant=bm25", code=2).err


def test_a_question_nothing_answers(cli, tiny, warm):
    out = cli("ask", "🦄", *local(tiny), f"paths.store={warm}", "variant=bm25", "generator=extractive")
    assert "sparse    0 hits" in out.out
    assert "(refused: " in out.out


def test_report(cli, tiny):
    assert "run latest: expected a finished run below runs, found none" in cli("report", "latest", code=2).err
    done = cli("run", *local(tiny), *OFFLINE, "variant=bm25")
    out = cli("report", "latest", "--lang", "zh")
    assert out.out == f"report: {done.run / 'report.html'}\n"
    html = (done.run / "report.html").read_text(encoding="utf-8")
    assert 'lang="zh-CN"' in html
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert cli("report", done.run, "--out", "mine.html", "--json").json == {"report": "mine.html"}
    assert "run nix: expected a folder, or a run id below runs" in cli("report", "nix", code=2).err
    swept = cli("sweep", *local(tiny), *OFFLINE, "variant=bm25", "k=1,2")
    cli("report", swept.sweep.name, "--out", "sweep.html")
    assert Path("sweep.html").stat().st_size > 1000


def snapshot(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_everything_goes_where_it_was_told(cli, tiny, here, tmp_path, monkeypatch):
    """Paths with Chinese and blanks, places from the environment, and nothing anywhere else."""
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    for folder in (home, temporary):
        folder.mkdir()
    folder = tmp_path / "评测 集" / "小 集"
    shutil.copytree(tiny, folder)
    before = snapshot(folder)
    monkeypatch.setenv("RAGBENCH_RUNS", str(tmp_path / "运行 记录"))
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "仓 库"))
    environment = os.environ | {"HOME": str(home), "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    asked = [
        "run", *local(folder), "variant=hybrid_rerank", "split=all", "sink.mlflow=false", "judge=offline", "generator=extractive",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "ragbench", *asked],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "运行 记录").iterdir()
    assert f"run: {run}" in done.stdout
    assert (run / "report.html").is_file()
    assert read_json(run / "manifest.json")["eval_set"]["path"] == str(folder)
    assert "不超过六百元" in (run / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "仓 库" / "tables" / "vectors.sqlite").is_file()
    assert snapshot(here) == set()
    assert snapshot(folder) == before
    assert snapshot(home) == set()
    assert snapshot(temporary) == set()


def test_a_relative_set_is_found_again_from_another_folder(cli, tiny, here, monkeypatch):
    shutil.copytree(tiny, here / "sets" / "小 集")
    done = cli("run", *local(Path("sets/小 集")), *OFFLINE, "variant=bm25")
    run = done.run.absolute()
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    cli("report", run)
    assert "不超过六百元" in (run / "report.html").read_text(encoding="utf-8")


def test_a_working_folder_may_have_any_name(cli, tiny, here, warm, monkeypatch):
    folder = here / "我的 项目, v1"
    (folder / "configs" / "variant").mkdir(parents=True)
    preset = "# @package _global_\n# Mine.\ndefaults:\n  - override /retriever: sparse\nk: 3\n"
    (folder / "configs" / "variant" / "mine.yaml").write_text(preset, encoding="utf-8")
    monkeypatch.chdir(folder)
    out = cli("run", *local(tiny), *OFFLINE, f"paths.store={warm}", "variant=mine")
    assert (out.summary["variant"]["variant"], out.summary["variant"]["k"]) == ("mine", 3)


@pytest.mark.parametrize("place", ["runs", "store"])
def test_a_place_that_cannot_be_written_is_one_line(cli, tiny, here, place):
    (here / "a file").write_text("")
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", f"paths.{place}=a file/{place}", code=2)
    assert len(out.err.splitlines()) == 1
    assert f"{place}" in out.err
    assert f"RAGBENCH_{place.upper()}" in out.err


@pytest.mark.parametrize("place", ["runs", "store"])
def test_a_read_only_place_is_one_line(cli, tiny, monkeypatch, place):
    real = Path.mkdir

    def mkdir(self, *arguments, **named):
        if "locked" in self.parts:  # whatever the rights of who runs the tests
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, *arguments, **named)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", f"paths.{place}=locked", code=2)
    assert len(out.err.splitlines()) == 1
    assert "locked" in out.err
    assert "Permission denied" in out.err
    assert f"RAGBENCH_{place.upper()}" in out.err


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_full_disk_is_one_line(cli, tiny, monkeypatch, name):
    def full(*_):
        raise OSError(28, "No space left on device", "where")

    monkeypatch.setattr(os, name, full)
    monkeypatch.setattr(Path, "replace", full)
    out = cli("run", *local(tiny), *OFFLINE, "variant=bm25", code=2)
    assert len(out.err.splitlines()) == 1
    assert "no space left on the disk" in out.err
    assert "RAGBENCH_STORE" in out.err


def test_a_table_that_is_no_database_is_set_aside(cli, tiny, here):
    asked = ["run", *local(tiny), *OFFLINE, "variant=bm25"]
    one = cli(*asked)
    table = here / ".ragbench" / "store" / "tables" / "routes.sqlite"
    for extra in table.parent.glob("routes.sqlite-*"):
        extra.unlink()
    table.write_bytes(b"this is no database" * 100)
    two = cli(*asked)
    assert one.summary["metrics"]["ranking/mrr"] == two.summary["metrics"]["ranking/mrr"]
    assert len(list(table.parent.glob("routes.corrupt-*"))) == 1


def test_a_corrupt_artifact_is_rebuilt_with_a_note(cli, tiny, here):
    asked = ["run", *local(tiny), *OFFLINE, "variant=bm25"]
    cli(*asked)
    (chunks,) = (here / ".ragbench" / "store" / "chunks").rglob("chunks.jsonl")
    chunks.write_bytes(chunks.read_bytes()[:-5] + b"junk\n")
    out = cli(*asked)
    assert "note: chunks/" in out.err
    assert "wrong content" in out.err
    assert out.manifest["stages"]["computed"] == {"chunks": 1}


def test_json_is_utf8(cli, tiny, warm):
    out = cli("ask", "年假", *local(tiny), f"paths.store={warm}", "variant=bm25", "generator=none", "--json")
    assert "假期/年假制度.md" in out.out
    assert json.loads(out.out)
