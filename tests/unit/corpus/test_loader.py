"""A folder becomes documents, failures, skipped and empty files."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from ragbench.core.fingerprint import text_hash
from ragbench.corpus.loader import CorpusLoader, raw_hashes
from ragbench.corpus.rows import from_row, to_row
from ragbench.errors import DataError


def fill(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_order_ids_and_hashes(tmp_path):
    fill(tmp_path, {"b.txt": "two", "a/制度.md": "# 一\n文", "a/Z.TXT": "zed", "c.log": "年假".encode("gb18030")})
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["a/Z.TXT", "a/制度.md", "b.txt", "c.log"]
    assert loaded.documents[3].text == "年假"
    assert all(document.content_hash == text_hash(document.text) for document in loaded.documents)
    assert list(raw_hashes(tmp_path)) == [document.doc_id for document in loaded.documents]


def test_nothing_is_lost_silently(tmp_path):
    files = {
        "ok.txt": "x",
        "scan.pdf": b"",
        "bad.docx": b"zip?",
        "bad.json": "{",
        "pic.png": b"\x89PNG",
        "blank.txt": " \n\n",
        "zero.md": b"",
        ".hidden/a.txt": "x",
        ".DS_Store": "x",
        "~$ok.docx": "x",
        "binary.txt": bytes(range(256)) * 40,
    }
    loaded = CorpusLoader().load(fill(tmp_path, files))
    assert [document.doc_id for document in loaded.documents] == ["ok.txt"]
    assert [path for path, _ in loaded.failures] == ["bad.docx", "bad.json", "binary.txt", "scan.pdf"]
    assert all(reason and "\n" not in reason for _, reason in loaded.failures)
    assert loaded.skipped == (".DS_Store", ".hidden", "pic.png", "~$ok.docx")
    assert loaded.empty == ("blank.txt", "zero.md")


def test_links(tmp_path):
    outside = fill(tmp_path / "out", {"secret.txt": "secret"})
    folder = fill(tmp_path / "in", {"a.txt": "a", "sub/b.txt": "b"})
    (folder / "escape.txt").symlink_to(outside / "secret.txt")
    (folder / "escaped_dir").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / "broken.txt").symlink_to(folder / "none.txt")
    (folder / "inside.txt").symlink_to(folder / "a.txt")
    loaded = CorpusLoader().load(folder)
    assert [document.doc_id for document in loaded.documents] == ["a.txt", "inside.txt", "sub/b.txt"]
    assert [path for path, _ in loaded.failures] == ["broken.txt", "escape.txt", "escaped_dir", "loop"]
    assert "leaves the corpus folder" in dict(loaded.failures)["escape.txt"]
    assert set(raw_hashes(folder)) == {"a.txt", "inside.txt", "sub/b.txt"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(fill(tmp_path, {"a.txt": "a"}) / "pipe.txt")
    assert CorpusLoader().load(tmp_path).failures == (("pipe.txt", "not a regular file"),)


def test_names_equal_after_nfc_are_refused_both(tmp_path):
    composed, apart = "é.txt", unicodedata.normalize("NFD", "é.txt")
    fill(tmp_path, {"a.txt": "a", composed: "1", apart: "2"})
    if len(list(tmp_path.iterdir())) < 3:
        pytest.skip("the file system keeps one of the names only")
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["a.txt"]
    assert [path for path, _ in loaded.failures] == [composed]


def test_an_unreadable_file_fails_alone(tmp_path, monkeypatch):
    fill(tmp_path, {"a.txt": "a", "b.txt": "b"})
    plain = Path.open

    def refuse(self, *args, **kwargs):
        if self.name == "b.txt":
            raise PermissionError(13, "Permission denied")
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    assert CorpusLoader().load(tmp_path).failures == (("b.txt", "cannot be read: Permission denied"),)
    assert raw_hashes(tmp_path)["b.txt"] == "unreadable"


@pytest.mark.parametrize("files", [{}, {"a.png": b"x"}, {"a.txt": "  "}, {"a.pdf": b""}])
def test_no_usable_document_is_an_error_that_says_why(tmp_path, files):
    with pytest.raises(DataError, match="at least one document"):
        CorpusLoader().load(fill(tmp_path, files))


def test_a_missing_folder_or_a_file_is_an_error(tmp_path):
    for path in (tmp_path / "none", fill(tmp_path, {"a.txt": "a"}) / "a.txt"):
        with pytest.raises(DataError, match="expected a folder"):
            CorpusLoader().load(path)


def test_rows_round_trip_and_detect_another_text(tmp_path):
    fill(
        tmp_path,
        {
            "a.md": "---\ntitle: 表\ndate: 2024-01-01\n---\n# A\n\n## B\ntext",
            "b.json": '{"k": ["v"]}',
            "c.txt": "\u2028x",
        },
    )
    for document in CorpusLoader().load(tmp_path).documents:
        assert from_row(to_row(document)) == document
        with pytest.raises(DataError, match="another text"):
            from_row(to_row(document) | {"text": "other"})
    with pytest.raises(DataError, match="doc_type"):
        from_row({"doc_id": "x", "text": ""})


def test_two_loads_are_equal(tmp_path):
    fill(tmp_path, {"a.md": "# A\n", "b.html": "<p>x</p>", "c.txt": "c"})
    assert CorpusLoader().load(tmp_path) == CorpusLoader().load(tmp_path)
