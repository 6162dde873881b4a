"""A folder becomes documents, failures, skipped and empty files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from ragbench.core.fingerprint import text_hash
from ragbench.corpus import limits, loader
from ragbench.corpus.loader import CorpusLoader, raw_hashes, warnings_of
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


@pytest.mark.parametrize("name", ["制度" * 16, "folder" * 16, "制度 rules" * 10], ids=["zh", "en", "mixed"])
@pytest.mark.parametrize("hidden", ["", "."])
def test_a_path_that_is_too_long_is_one_failure_and_the_rest_goes_on(tmp_path, name, hidden):
    fill(tmp_path, {"a.txt": "年假 five", "z/b.txt": "b"})
    inside = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):  # no call takes such a path whole
        os.mkdir(name, dir_fd=inside)
        inside, above = os.open(name, os.O_RDONLY, dir_fd=inside), inside
        os.close(above)
    for inner in ("deep.txt", f"{hidden}folder"):
        os.mkdir(inner, dir_fd=inside)
    os.close(inside)
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["a.txt", "z/b.txt"]
    ((path, reason),) = loaded.failures
    assert path.startswith(name)
    assert "too long" in reason
    assert list(raw_hashes(tmp_path)) == ["a.txt", "z/b.txt"]


@pytest.mark.parametrize("name", ["制度.md", "self.md", "制度 rules", "noise"], ids=["zh", "en", "mixed", "no_suffix"])
def test_links_in_a_circle_are_a_failure_each_and_the_rest_goes_on(tmp_path, name):
    fill(tmp_path, {"a.txt": "年假 five"})
    (tmp_path / name).symlink_to(name)
    (tmp_path / "to.md").symlink_to("fro.md")
    (tmp_path / "fro.md").symlink_to("to.md")
    (tmp_path / "into.md").symlink_to(f"{name}/deeper.md")
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["a.txt"]
    assert dict(loaded.failures) == dict.fromkeys(
        sorted([name, "to.md", "fro.md", "into.md"]), "a link that leads back to itself"
    )
    assert list(raw_hashes(tmp_path)) == ["a.txt"]


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


def test_a_folder_that_cannot_be_read_is_a_failure(tmp_path, monkeypatch):
    fill(tmp_path, {"a.txt": "a", "closed/b.txt": "b"})
    plain = os.scandir

    def refuse(path="."):
        if os.fspath(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return plain(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert CorpusLoader().load(tmp_path).failures == (("closed", "a folder that cannot be read: Permission denied"),)


def test_a_file_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 2**20)
    fill(tmp_path, {"a.txt": "a", "just.txt": "x" * 2**20, "over.txt": "x" * (2**20 + 1)})
    loaded = CorpusLoader().load(tmp_path)
    assert [document.doc_id for document in loaded.documents] == ["a.txt", "just.txt"]
    assert loaded.failures[0][1].startswith("over.txt: expected at most 1 MiB, found 1 MiB")


def test_no_more_than_the_limit_is_read(tmp_path, monkeypatch):
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            assert 0 <= size < 1000
            return b"x" * size

    path = fill(tmp_path, {"a.txt": "a"}) / "a.txt"
    monkeypatch.setattr(limits, "MAX_BYTES", 500)
    monkeypatch.setattr(Path, "open", lambda *args: Endless())
    with pytest.raises(DataError, match="at most"):
        loader.load_file("a.txt", path)


def test_a_large_text_is_read_in_bounded_memory(tmp_path):
    """Short lines are the worst case: as a list they take fifteen times their size."""
    (tmp_path / "a.txt").write_bytes(b"ab cd\n\n\n3\t 4\n" * 700_000)
    probe = (
        "import resource, sys; from pathlib import Path; from ragbench.corpus.loader import load_file\n"
        "load_file('w.txt', Path(sys.argv[2])); before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "document = load_file('a.txt', Path(sys.argv[1]))\n"
        "print(len(document.text), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)"
    )
    (tmp_path / "w.txt").write_text("warm")
    command = [sys.executable, "-c", probe, str(tmp_path / "a.txt"), str(tmp_path / "w.txt")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    length, grown = map(int, done.stdout.split())
    size = (tmp_path / "a.txt").stat().st_size
    assert length > 0.8 * size
    assert grown < 6 * size


def test_undecodable_characters_are_told(tmp_path):
    fill(tmp_path, {"a.txt": ("年假五天。" * 500).encode() + b"\xff", "b.txt": "fine"})
    warnings = warnings_of(CorpusLoader().load(tmp_path).documents)
    assert warnings == [("a.txt", "1 character could not be decoded (U+FFFD)")]


def test_progress_tells_bytes_and_files(tmp_path):
    told = []
    CorpusLoader().load(fill(tmp_path, {"a.txt": "12345", "b.txt": "1"}), lambda *said: told.append(said))
    assert told == [(0, 6, "a.txt"), (5, 6, "b.txt")]
