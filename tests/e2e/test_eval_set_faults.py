"""Eval-set folders as people have them: incomplete, empty, broken in part."""

from __future__ import annotations

import json

import pytest

from tests.e2e.world import DOCUMENTS, OFFLINE, QUESTIONS, local, tiny_set, write_set

ASKED = (*OFFLINE, "variant=bm25")


def one_line(text: str) -> bool:
    """Whether an error is one line."""
    return len(text.strip().splitlines()) == 1


@pytest.fixture
def folder(here):
    """A whole set to damage."""
    return tiny_set(here / "set")


def remove_corpus(folder):
    for path in sorted((folder / "corpus").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (folder / "corpus").rmdir()


def empty_corpus(folder):
    remove_corpus(folder)
    (folder / "corpus").mkdir()


def useless_corpus(folder):
    empty_corpus(folder)
    (folder / "corpus" / "blank.txt").write_text("  \n\n ")
    (folder / "corpus" / "picture.png").write_bytes(b"\x89PNG")
    (folder / "corpus" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")


def no_questions(folder):
    (folder / "questions.jsonl").unlink()


def empty_questions(folder):
    (folder / "questions.jsonl").write_text("\n")


def questions_not_utf8(folder):
    (folder / "questions.jsonl").write_bytes("年假".encode("gb18030"))


def a_file_for_a_corpus(folder):
    empty_corpus(folder)
    (folder / "corpus").rmdir()
    (folder / "corpus").write_text("text")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (remove_corpus, "no corpus"),
        (empty_corpus, "expected at least one document with text, found no files"),
        (useless_corpus, "1 failed, 1 empty, 1 of unknown kind"),
        (no_questions, "no questions.jsonl"),
        (empty_questions, "expected at least one question, found none"),
        (questions_not_utf8, "expected UTF-8"),
        (a_file_for_a_corpus, "corpus"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "plan", "sweep"])
def test_a_set_that_cannot_be_used_is_one_line(cli, folder, damage, words, verb):
    damage(folder)
    code = 1 if verb == "sweep" and damage not in (remove_corpus, no_questions) else 2
    out = cli(verb, *local(folder), *ASKED, code=code)
    assert words in out.err
    if verb != "sweep":
        assert one_line(out.err)


def test_a_failing_file_beside_good_ones_is_reported(cli, folder):
    corpus = folder / "corpus"
    (corpus / "坏文件.pdf").write_bytes(b"%PDF-1.4 broken")
    (corpus / "empty.md").write_text(" \n")
    (corpus / "photo.jpg").write_bytes(b"\xff\xd8")
    out = cli("run", *local(folder), *ASKED)
    found = out.manifest["corpus"]
    assert found["documents"] == len(DOCUMENTS)
    ((path, reason),) = found["failures"]
    assert path == "坏文件.pdf"
    assert reason
    assert found["empty"] == ["empty.md"]
    assert found["skipped"] == ["photo.jpg"]
    assert out.summary["metrics"]["retrieval/recall@5"]["n_scored"] == 8
    warm = cli("run", *local(folder), *ASKED)
    assert warm.manifest["corpus"] == found
    checked = cli("eval-set", "check", folder)
    assert "file not used: 坏文件.pdf" in checked.out
    assert "of unknown kind: photo.jpg" in checked.out
    assert "without text: empty.md" in checked.out


def test_all_faults_of_the_questions_come_at_once(cli, here):
    rows = [dict(row) for row in QUESTIONS]
    rows[0]["evidence"] = [{"doc": "报销.txt", "quote": "没有这句话"}]
    rows[1]["evidence"] = [{"doc": "nowhere.md", "quote": "x"}]
    folder = write_set(here / "set", DOCUMENTS, rows)
    located = cli("run", *local(folder), *ASKED, code=2)
    assert "zh-1 evidence[0]: 报销.txt does not hold “没有这句话”" in located.err
    assert "zh-2 evidence[0]: document 'nowhere.md' is not in the corpus" in located.err
    rows[2]["id"] = rows[3]["id"]
    rows[4]["category"] = "riddle"
    write_set(here / "set", DOCUMENTS, rows)
    read = cli("run", *local(folder), *ASKED, code=2)
    assert "line 4 (zh-4): id zh-4 was already used in line 3" in read.err
    assert "line 5 (en-1): category: expected one of lookup" in read.err
    assert "zh-1 evidence[0]: 报销.txt does not hold “没有这句话”" in read.err
    rows[0]["difficulty"] = "so-so"
    write_set(here / "set", DOCUMENTS, rows)
    both = cli("eval-set", "check", here / "set", "--json", code=2).json["problems"]
    assert any("difficulty: expected one of" in line for line in both)
    assert any("报销.txt does not hold “没有这句话”" in line for line in both), "a fault of form hides no quote"


def test_a_split_without_questions_is_an_error(cli, here):
    folder = write_set(here / "set", DOCUMENTS, [row | {"split": "dev"} for row in QUESTIONS])
    out = cli("run", *local(folder), *OFFLINE[:-1], "variant=bm25", code=2)
    assert one_line(out.err)
    assert "split test of set/v0: expected at least one question, found none" in out.err


def test_a_frozen_set_that_was_edited_is_refused(cli, folder):
    before = cli("run", *local(folder), *ASKED).summary["eval_set"]
    cli("eval-set", "lock", folder)
    after = cli("run", *local(folder), *ASKED).summary["eval_set"]
    assert (before["frozen"], after["frozen"]) == (False, True)
    assert before["lock"] == after["lock"]
    with (folder / "questions.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(QUESTIONS[0] | {"id": "new"}) + "\n")
    (folder / "corpus" / "报销.txt").write_text("改过了", encoding="utf-8")
    out = cli("run", *local(folder), *ASKED, code=2)
    assert "questions.jsonl was changed" in out.err
    assert "corpus/报销.txt was changed" in out.err
