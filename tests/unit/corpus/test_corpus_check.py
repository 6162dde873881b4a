"""`ragbench corpus check` on folders as people have them."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest

from ragbench.cli import corpus as verb
from ragbench.cli.main import main
from ragbench.corpus.loader import CorpusLoader
from ragbench.corpus.parsed import Parsed
from ragbench.pipeline.offline import Corpus
from ragbench.run.session import Session
from ragbench.text.terminal import printable

FILES = {
    "制度/休假.md": "---\ntitle: 休假\n---\n# 年假\n五天".encode(),
    "b.txt": "年假 five days".encode("gb18030"),
    "c.csv": b"a,b\n1,2\n3,4,5\n",
    "d.docx": b"zip?",
    "e.txt": b"  \n",
    "f.bin": b"\x00",
}


def fill(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_a_row_for_every_file(tmp_path, capsys):
    assert main(["corpus", "check", str(fill(tmp_path, FILES)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["file"]: row for row in found["files"]}
    assert list(rows) == sorted(FILES)
    assert {name: row["status"] for name, row in rows.items()} == {
        "b.txt": "used",
        "c.csv": "used",
        "d.docx": "failed",
        "e.txt": "empty",
        "f.bin": "skipped",
        "制度/休假.md": "used",
    }
    assert rows["制度/休假.md"] == {
        "file": "制度/休假.md",
        "status": "used",
        "type": "md",
        "encoding": "utf-8",
        "characters": 7,
        "pages": None,
        "headings": 1,
        "title": "休假",
        "warnings": [],
        "running_lines": [],
    }
    assert rows["b.txt"]["encoding"] == "gb18030"
    assert rows["c.csv"]["warnings"] == ["row 3 has 3 cells, the table 2 columns"]
    assert "expected a Word file" in rows["d.docx"]["reason"]
    assert found["totals"] == {
        "used": 3,
        "failed": 1,
        "empty": 1,
        "skipped": 1,
        "characters": 7 + 12 + 84,
        "warnings": 1,
    }


def test_the_table_for_people(tmp_path, capsys):
    assert main(["corpus", "check", str(fill(tmp_path, FILES))]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0].split() == ["type", "encoding", "characters", "pages", "headings", "file"]
    assert lines[1].split() == ["text", "gb18030", "12", "-", "0", "b.txt"]
    assert "    ! row 3 has 3 cells, the table 2 columns" in lines
    assert any(line.startswith("    ! DOCX: expected a Word file") for line in lines)
    assert lines[-1] == "3 of 6 files used, 103 characters; 1 failed, 1 empty, 1 skipped; 1 warning"


@pytest.mark.parametrize("files", [{}, {"a.pdf": b""}, {"a.txt": b" "}, {"x.bin": b"1"}])
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_nothing_usable_is_exit_two_and_still_told(tmp_path, capsys, files, flags):
    assert main(["corpus", "check", str(fill(tmp_path, files)), *flags]) == 2
    out = capsys.readouterr().out
    assert all(name in out for name in files) and out.strip()


@pytest.mark.parametrize("head", ["员工手册", "Handbook", "HR 手册"], ids=["zh", "en", "mixed"])
def test_running_lines_that_a_pdf_lost_are_told(tmp_path, capsys, monkeypatch, head):
    removed = [f"{head} ×4", "1 ×5"]
    parsed = Parsed((("text", 1),), "pdf", metadata={"running_lines": removed})
    monkeypatch.setattr("ragbench.corpus.load_pdf.load_pdf", lambda data: parsed)
    fill(tmp_path, {"a.pdf": b"x", "b.md": b"---\nrunning_lines: [x]\n---\ntext"})
    assert main(["corpus", "check", str(tmp_path)]) == 0
    assert f"    - running lines left out: {head} ×4; 1 ×5" in capsys.readouterr().out.splitlines()
    assert main(["corpus", "check", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["files"]
    assert [row["running_lines"] for row in rows] == [removed, []]


def test_a_missing_folder_is_one_line(tmp_path, capsys):
    assert main(["corpus", "check", str(tmp_path / "none")]) == 2
    assert "expected a folder, found nothing" in capsys.readouterr().err


def test_hostile_names_do_not_reach_the_terminal(tmp_path, capsys):
    names = ["a\x1b[31mred.txt", "b\nused.txt", "c\u202etxt.exe.txt", "d\u00a0e.txt"]
    fill(tmp_path, dict.fromkeys(names, b"x"))
    fill(tmp_path, {"e\x1b]0;t\x07.pdf": b""})
    (tmp_path / os.fsdecode(b"\xff.txt")).write_bytes(b"x")
    assert main(["corpus", "check", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert not any(sign in out for sign in ("\x1b", "\x07", "\u202e", "\u00a0"))
    assert "a\\x1b[31mred.txt" in out and "b\\nused.txt" in out and "\\u202e" in out
    assert len(out.splitlines()) == 1 + 6 + 2 + 1


def test_printable_keeps_what_people_write():
    assert printable("制度 手册（2024）– café.pdf 😀") == "制度 手册（2024）– café.pdf 😀"


def test_a_long_load_tells_where_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(verb, "_QUIET_SECONDS", 0.0)
    assert main(["corpus", "check", str(fill(tmp_path, {"a.txt": b"x" * 2000, "b.txt": b"y"}))]) == 0
    assert capsys.readouterr().err.splitlines() == ["0 B of 2 kB read; now a.txt", "2 kB of 2 kB read; now b.txt"]
    monkeypatch.undo()
    assert main(["corpus", "check", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_a_run_notes_what_the_loaders_warned_of(tmp_path):
    documents = CorpusLoader().load(fill(tmp_path, FILES)).documents
    corpus = Corpus(key="k", folder=tmp_path, documents=documents)
    session = SimpleNamespace(_corpora={"k": corpus}, store=SimpleNamespace(repaired=["repaired"]))
    first, note = Session.notes(session)
    assert first == "repaired"
    assert note.startswith(
        f"1 warning on documents of {tmp_path} (ragbench corpus check shows them); the first: c.csv:"
    )
