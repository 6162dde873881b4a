"""`ragbench index` and `ragbench ask --index` on the command line."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from ragbench.core.codec import read_json
from tests.e2e.test_processes import start, wait_for
from tests.e2e.world import DOCUMENTS, local

SMALL = ("chunk_unit=chars", "chunk_size=60", "generator=none")
LIVE = Path(".ragbench/live/docs")
QUESTION = "How long does the server keep backups?"


@pytest.fixture
def docs(here) -> Path:
    """The trilingual documents."""
    for name, text in DOCUMENTS.items():
        path = here / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return here / "docs"


def searched(trace):
    """What a question found, without times."""
    step = trace["steps"][0]
    lists = [{key: one[key] for key in ("route", "chunks", "scores")} for one in step["route_lists"]]
    return lists, step["fused"], trace["context"]


def test_an_index_answers_as_the_corpus_does(cli, docs, tiny, models, warm):
    common = [*SMALL, models, f"paths.store={warm}"]
    made = cli("index", "update", "docs", "--index", "live", *common, "--json").json
    assert made["applied"] and made["counts"]["new"] == len(DOCUMENTS)
    for question in (QUESTION, "年假没休完可以结转几天？", "Kubernetes 集群最低要什么版本？"):
        live = cli("ask", question, "--index", "live", f"paths.store={warm}", "--json").json
        once = cli("ask", question, *local(tiny), *common, "--json").json
        assert live["chunks"] == once["chunks"]
        assert searched(live) == searched(once)
    assert (
        cli("index", "verify", "--index", "live", f"paths.store={warm}", "--json").json["sides"]["dense"]["dimension"]
        == 384
    )


def test_the_life_of_an_index(cli, docs):
    made = cli("index", "update", "docs", "variant=bm25", *SMALL)
    assert "documents 5 new" in made.out and "written   catalogue, sparse" in made.out
    assert LIVE.is_dir() and cli("index", "verify", "docs").out.splitlines()[-1].startswith("whole     5 documents")
    assert read_json(LIVE / "index.json")["overrides"] == ["variant=bm25", *SMALL]
    assert "manual/backup.md#" in cli("ask", QUESTION, "--index", LIVE).out

    before = cli("index", "verify", "docs", "--json").json["chunks"]
    (docs / "manual" / "backup.md").unlink()
    (docs / "neu.txt").write_text("Backups of the new kind: quokka 袋鼠。", encoding="utf-8")
    assert cli("index", "verify", "docs").out.count("deleted") == 2
    cli("index", "verify", "docs", "--fresh", code=2)
    dry = cli("index", "update", "docs")
    assert "deleted   manual/backup.md" in dry.out and "dry run: nothing was changed; --apply does it" in dry.err
    assert "manual/backup.md#" in cli("ask", QUESTION, "--index", LIVE).out
    assert cli("index", "update", "docs", "--dry-run", "--json").json["written"] is None
    done = cli("index", "update", "docs", "--apply", "--json").json
    assert (done["counts"]["new"], done["counts"]["deleted"]) == (1, 1)
    assert before - done["written"]["removed"] + done["written"]["added"] == done["written"]["n_chunks"]
    after = cli("ask", QUESTION, "--index", LIVE).out
    assert "manual/backup.md" not in after and "neu.txt#0" in after
    cli("index", "verify", "docs", "--fresh")


def test_prune_and_dedupe(cli, docs):
    (docs / "copy.txt").write_text(DOCUMENTS["报销.txt"], encoding="utf-8")
    (docs / "old.md").write_text("---\ndate: 2020-01-01\n---\n旧的 old rule", encoding="utf-8")
    cli("index", "update", "docs", "variant=bm25", *SMALL)
    dry = cli("index", "prune", "docs", "--today", "2020-07-01")
    assert (
        "1 of 7 documents are dated more than 180 days" in dry.out
        and "2020-01-01    182 days  old.md  (by date)" in dry.out
    )
    assert "dry run" in dry.err
    done = cli("index", "prune", "docs", "--today", "2020-07-01", "--apply", "--json").json
    assert (
        done["aged"] == [{"doc_id": "old.md", "day": "2020-01-01", "days": 182, "source": "date"}] and done["applied"]
    )
    assert cli("index", "update", "docs", "--json").json["counts"]["expired"] == 1

    dry = cli("index", "dedupe", "docs")
    n = int(dry.out.splitlines()[1].split()[0])
    assert n > 0 and "compared by text" in dry.out and "out   报销.txt#0" in dry.out and "kept  copy.txt#0" in dry.out
    assert "dry run" in dry.err
    done = cli("index", "dedupe", "docs", "--apply", "--json").json
    assert len(done["pairs"]) == n == done["written"]["removed"]
    assert cli("index", "verify", "docs", "--json").json["whole"]
    found = cli("ask", "差旅报销 住宿标准", "--index", LIVE, "--json").json
    assert not [chunk for chunk in found["chunks"].values() if chunk.startswith("报销.txt")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["update", "docs", "chunk_size=80"], "splitter.chunk_size 80, not 60"),
        (["verify", "docs", "chunk_size=80"], "splitter.chunk_size 80, not 60"),
        (["update", "nowhere", "--index", str(LIVE)], "expected a folder, found nothing"),
        (["update", "docs/manual", "--index", str(LIVE)], "the folder it was made of"),
        (["update", "docs", "--apply", "--dry-run"], "one of them"),
        (["update"], "the folder of the documents, or --index DIR"),
        (["verify", "chunk_size=60"], "the folder of the documents, or --index DIR"),
        (["verify", "other"], "expected a stored index"),
        (["prune", "docs", "--max-age-days", "-1"], "0 or more"),
        (["dedupe", "docs", "--cosine", "2"], "at most 1"),
        (["update", "docs", "chunk_sizes=60"], "Did you mean chunk_size?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(cli, docs, arguments, said):
    cli("index", "update", "docs", "variant=bm25", *SMALL)
    refused = cli("index", *arguments, code=2)
    line = refused.err.strip().splitlines()[-1]
    assert line.startswith("ragbench index: ") and said in line
    cli("index", "verify", "docs", "--fresh")


def test_a_broken_side_is_refused_and_mended(cli, docs, models):
    cli("index", "update", "docs", *SMALL, models)
    (artifact,) = LIVE.glob("dense/??/*/")
    shutil.rmtree(artifact)
    refused = cli("ask", QUESTION, "--index", LIVE, code=2)
    assert "the dense side is damaged" in refused.err and f"ragbench index update --index {LIVE}" in refused.err
    broken = cli("index", "verify", "docs", code=2)
    assert (
        f"broken    dense: the dense side is damaged: meta file missing or unreadable. Next: ragbench index update --index {LIVE}"
        in broken.out
    )
    found = cli("index", "verify", "docs", "--json", code=2).json
    assert not found["whole"] and found["findings"][0]["part"] == "dense"
    mended = cli("index", "update", "--index", LIVE)
    assert "mended    the dense side is damaged" in mended.out and "written   dense" in mended.out
    assert "vectors kept 0" in mended.out and "embedded 0" in mended.out
    cli("index", "verify", "docs", "--fresh")


def test_a_question_may_use_one_side_of_two(cli, docs, models):
    cli("index", "update", "docs", *SMALL, models)
    out = cli("ask", QUESTION, "--index", LIVE, "retriever=sparse", "k=2").out
    assert "sparse " in out and "dense " not in out
    refused = cli("ask", QUESTION, "--index", LIVE, "context=title", code=2)
    assert "context.kind title, not none" in refused.err


def test_two_updates_at_once(cli, docs, here, repo):
    asked = ["index", "update", "docs", "variant=bm25", *SMALL]
    processes = [start(here, repo, *asked) for _ in range(3)]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    assert sum("written   catalogue, sparse" in out for out, _ in outputs) == 1
    cli("index", "verify", "docs", "--fresh")


def test_a_killed_update_can_be_run_again(cli, docs, here, repo):
    slow = ["allowed_targets=[tests.e2e]", "splitter=whole", "pipeline.splitter._target_=tests.e2e.stages.SlowSplitter", "+pipeline.splitter.seconds=60"]  # fmt: skip
    process = start(here, repo, "index", "update", "docs", "variant=bm25", *slow)
    wait_for(lambda: (LIVE / "holder.json").exists(), process)
    refused = start(here, repo, "index", "update", "docs", "variant=bm25", "--wait", "0.1")
    _, err = refused.communicate(timeout=120)
    assert refused.returncode == 2 and f"update of process {process.pid} at work since" in err
    assert len(err.strip().splitlines()) == 1
    process.send_signal(signal.SIGKILL)
    process.communicate()
    cli("index", "verify", "docs", code=2)
    cli("index", "update", "docs", "variant=bm25", *SMALL)
    cli("index", "verify", "docs", "--fresh")


def test_help_names_every_action(repo, here):
    process = start(here, repo, "index", "--help")
    out, _ = process.communicate(timeout=60)
    assert all(word in out for word in ("update", "prune", "dedupe", "verify"))
