"""From a folder of documents to a first report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbench.core.codec import read_jsonl

FAST = ("variant=bm25", "sink=files", "judge=none", "generator=none")


def folder_of(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


FILES = {
    "制度/考勤.md": "# 考勤\n\n## 补卡\n\n忘记打卡的，当月可以补卡三次。\n\n## 请假\n\n请假须提前一天在系统里提交申请。\n",
    "guide/backup.html": "<h1>Backup</h1><h2>Restore</h2><p>Stop the node before you restore a snapshot.</p>",
    "mixed notes.txt": "上线前请确认 Kubernetes 版本不低于 1.27，并打开 feature flag。",
    "broken.pdf": "not a pdf",
    "picture.png": "x",
}


@pytest.mark.parametrize("link", [[], ["--link"]])
def test_documents_to_report_in_three_commands(cli, here, link, monkeypatch):
    docs = folder_of(FILES, here / "my documents")
    out = cli("init", "project", "--corpus", docs, *link).out
    assert "3 documents, 1 could not be read, 1 of unknown kind, 4 drafted questions" in out
    assert "broken.pdf" in out
    monkeypatch.chdir(here / "project")
    assert "4 questions on 3 documents, all evidence located" in cli("eval-set", "check", "my_documents").out
    run = cli("run", "eval_set=my_documents", *FAST)
    assert run.summary["n_questions"] == 4
    assert run.summary["metrics"]["retrieval/recall@5"]["mean"] == 1
    assert Path(cli("report", "latest").out.split("report: ")[1].strip()).is_file()
    readme = Path("README.md").read_text(encoding="utf-8")
    for line in readme.splitlines():
        if line.startswith("ragbench corpus check"):
            cli(*line.split("#")[0].split()[1:])


def test_without_documents_there_are_two_examples(cli, here, monkeypatch):
    found = cli("init", "demo", "--json").json
    assert (found["eval_set"], found["documents"], found["questions"]) == ("my_docs", 2, 4)
    monkeypatch.chdir(here / "demo")
    cli("run", "eval_set=my_docs", *FAST)


def test_nothing_is_overwritten(cli, here):
    (here / "p").mkdir()
    (here / "p" / "README.md").write_text("mine", encoding="utf-8")
    assert "README.md: expected no such file yet" in cli("init", "p", code=2).err
    assert (here / "p" / "README.md").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in (here / "p").iterdir()] == ["README.md"]
    cli("init", "q")
    assert "one that exists" in cli("init", "q", code=2).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["p", "--corpus", "nowhere"], "corpus nowhere: expected a folder"),
        (["p", "--name", "../x"], "--name: expected letters"),
        (["p", "--name", "年假"], "--name: expected letters"),
        (["p", "--questions", "-1"], "--questions: expected a number"),
        (["docs/inside", "--corpus", "docs"], "a folder outside the documents"),
    ],
)
def test_what_cannot_be_is_one_line(cli, here, arguments, words):
    folder_of({"docs/a.md": "# A\n\nA sentence that is long enough.\n"}, here)
    err = cli("init", *arguments, code=2).err
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(path.name for path in here.iterdir()) == ["docs"]
    assert [path.name for path in (here / "docs").iterdir()] == ["a.md"]


def test_a_folder_named_in_chinese_gets_a_name(cli, here):
    folder_of({"员工手册/a.md": "# 甲\n\n这里有一句足够长的话可以引用。\n"}, here)
    found = cli("init", "p", "--corpus", "员工手册", "--questions", "0", "--json").json
    assert (found["eval_set"], found["questions"]) == ("my_docs", 0)
    assert read_jsonl(here / "p/eval_sets/my_docs/v1/questions.jsonl") == [] or not list(
        read_jsonl(here / "p/eval_sets/my_docs/v1/questions.jsonl")
    )
    assert json.loads(json.dumps(found["written"]))[0].endswith("v1")
