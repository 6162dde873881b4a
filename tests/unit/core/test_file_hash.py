from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from ragbench.core import file_hash as module
from ragbench.core.file_hash import file_hash, folder_hash, models_dir, use_store


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "models"


def test_hash_is_sha256_and_is_remembered(tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights")
    expected = hashlib.sha256(b"weights").hexdigest()
    assert file_hash(path, memory) == expected

    def refuse(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(module.hashlib, "file_digest", refuse)
    assert file_hash(path, memory) == expected


def test_a_changed_file_is_read_again(tmp_path: Path, memory: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights")
    first = file_hash(path, memory)
    path.write_bytes(b"weighty")
    os.utime(path, ns=(1, 1))
    assert file_hash(path, memory) != first


@pytest.mark.parametrize("garbage", [b"", b"{", b"[1, 2]", b'{"x": 3}', b"\xff\xfe"])
def test_a_broken_memory_is_ignored(tmp_path: Path, memory: Path, garbage: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights")
    memory.mkdir()
    (memory / "sha256.json").write_bytes(garbage)
    assert file_hash(path, memory) == hashlib.sha256(b"weights").hexdigest()


def test_a_memory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(b"weights")
    (tmp_path / "file").write_text("")
    assert file_hash(path, tmp_path / "file" / "models") == hashlib.sha256(b"weights").hexdigest()


def test_folder_hash_sees_names_and_contents(tmp_path: Path, memory: Path) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.bin").write_bytes(b"1")
    first = folder_hash(folder, memory)
    (folder / ".cache").mkdir()
    (folder / ".cache" / "lock").write_bytes(b"x")
    assert folder_hash(folder, memory) == first
    (folder / "sub" / "a.bin").rename(folder / "sub" / "b.bin")
    assert folder_hash(folder, memory) != first


def test_place_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_used", {})
    monkeypatch.delenv("RAGBENCH_STORE", raising=False)
    assert models_dir() == Path(".ragbench/store/models")
    monkeypatch.setenv("RAGBENCH_STORE", "/elsewhere")
    assert models_dir() == Path("/elsewhere/models")
    use_store(Path("/named"))
    assert models_dir() == Path("/named/models")
    assert models_dir("/given") == Path("/given/models")
