"""Writing a run: running until it is finished, failed when it raises."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbench.core.codec import read_json, read_jsonl, write_jsonl
from ragbench.errors import DataError, StoreError
from ragbench.records.document import Chunk, Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.records.score import ClaimState, ClaimVerdict, Verdict
from ragbench.records.trace import Answer, Trace
from ragbench.run_dir.read import RunDir
from ragbench.run_dir.write import RunWriter, new_folder
from ragbench.splitter.chunking import chunks_to_rows

QUESTION = Question(
    id="q1", question="年假几天？", groups=(EvidenceGroup("g1", (EvidenceItem("年假.md", 0, 4, quote="年假十天"),)),)
)
DOCUMENT = Document("年假.md", "年假十天。", "markdown", "sha256:x", title="年假")
CHUNK = Chunk("年假.md#0", 0, "年假.md", 0, 5, "年假十天。", "年假十天。", headings=("年假",), line=1)
TRACE = Trace("q1", answer=Answer("十天", confidence=0.5))
VERDICT = Verdict("q1", "offline-1", (ClaimVerdict("十天", ClaimState.SUPPORTED, 0.9, 0, 2, 1, "年假十天"),), 0.8)


def written(folder, *, finish=True):
    folder.mkdir(parents=True)
    with RunWriter(folder, {"started": "now"}, "k: 5\n") as writer:
        writer.add(TRACE, VERDICT)
        writer.add(Trace("q2", error="boom"), None)
        if not finish:
            return folder
        writer.add_corpus([QUESTION], [DOCUMENT], [CHUNK])
        writer.finish(
            [{"measure": "ranking/mrr", "value": 1.0}], {"run_id": folder.name}, {"durations_s": {"build": 1}}
        )
    return folder


def test_a_finished_run_is_read_as_it_was_written(tmp_path):
    run = RunDir(written(tmp_path / "运行 1"))
    assert run.run_id == "运行 1"
    assert run.manifest == {"started": "now", "run_id": "运行 1", "status": "finished", "durations_s": {"build": 1}}
    assert list(run.traces()) == [TRACE, Trace("q2", error="boom")]
    assert run.verdicts() == {"q1": VERDICT}
    assert run.questions == {"q1": QUESTION}
    assert run.config == "k: 5\n"
    assert list(run.scores()) == [{"measure": "ranking/mrr", "value": 1.0}]
    assert run.documents() == [
        {"doc_id": "年假.md", "title": "年假", "doc_type": "markdown", "characters": 5, "content_hash": "sha256:x"}
    ]
    (row,) = run.chunk_rows()
    assert (row["chunk_id"], row["start"], row["end"], row["headings"]) == ("年假.md#0", 0, 5, ["年假"])
    assert "text" not in row
    assert {path.name for path in run.folder.iterdir()} == {
        "manifest.json", "config.yaml", "questions.jsonl", "traces.jsonl", "documents.jsonl", "chunks.jsonl.gz", "verdicts.jsonl",
        "scores.jsonl.gz", "summary.json",
    }  # fmt: skip


def test_rows_of_chunks_that_are_written_already_are_taken_as_they_are(tmp_path):
    whole = RunDir(written(tmp_path / "a"))
    write_jsonl(tmp_path / "chunks.jsonl", chunks_to_rows([CHUNK]))
    with RunWriter(new_folder(tmp_path, "b"), {}, "") as writer:
        writer.add_corpus([QUESTION], [DOCUMENT], [CHUNK], tmp_path / "chunks.jsonl")
    name = "chunks.jsonl.gz"
    assert (writer.folder / name).read_bytes() == (whole.folder / name).read_bytes()


def test_a_half_written_run_is_refused(tmp_path):
    folder = written(tmp_path / "half", finish=False)
    assert read_json(folder / "manifest.json")["status"] == "running"
    assert len(list(read_jsonl(folder / "traces.jsonl"))) == 2
    with pytest.raises(DataError, match=r"run half: expected a finished run, found status running\. Run it again"):
        RunDir(folder)


@pytest.mark.parametrize("error", [ValueError("no\nluck"), KeyboardInterrupt()])
def test_a_run_that_raises_says_so(tmp_path, error):
    with pytest.raises(type(error)), RunWriter(tmp_path, {}, "") as writer:
        writer.add(TRACE, VERDICT)
        raise error
    manifest = read_json(tmp_path / "manifest.json")
    assert (manifest["status"], manifest["error"]) == ("failed", str(error))
    with pytest.raises(DataError, match="found status failed"):
        RunDir(tmp_path)


def test_folders_count_up_and_are_never_shared(tmp_path):
    root = tmp_path / "new" / "runs"
    assert new_folder(root, "abc").name == "abc-1"
    (root / "abc-7").mkdir()
    (root / "abc-x").mkdir()
    (root / "abcd-9").mkdir()
    assert new_folder(root, "abc").name == "abc-8"
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_folder(root, "t"), range(40)))
    assert len(set(made)) == 40


def test_a_runs_folder_that_is_a_file_is_one_line(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(StoreError, match=r"Set paths\.runs or RAGBENCH_RUNS to a writable folder"):
        new_folder(tmp_path / "runs", "abc")


def test_equal_runs_are_equal_bytes(tmp_path):
    one, two = written(tmp_path / "a" / "run"), written(tmp_path / "b" / "run")
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes(), path.name


def test_a_manifest_is_never_seen_half(tmp_path, monkeypatch):
    folder = written(tmp_path / "run")
    before = (folder / "manifest.json").read_bytes()

    def torn(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", torn)
    with pytest.raises(OSError, match="No space left"):
        RunWriter(folder, {"started": "later"}, "")
    assert (folder / "manifest.json").read_bytes() == before
    assert json.loads(before)["status"] == "finished"
