from __future__ import annotations

import importlib.util
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragbench.embedder import e5_runtime
from ragbench.embedder.e5_file import E5File
from ragbench.embedder.e5_numpy import NumpyEncoder
from ragbench.embedder.e5_small import E5Small
from ragbench.errors import ConfigError


def without(*packages: str) -> Callable[[str], Any]:
    real = importlib.util.find_spec
    return lambda name, *rest: None if name in packages else real(name, *rest)


def breaking(*precisions: str, error: Exception) -> Callable[..., None]:
    real = e5_runtime.e5_onnx.write_encoder

    def write(file: E5File, path: Path, precision: str) -> None:
        if precision in precisions:
            raise error
        real(file, path, precision)

    return write


@pytest.mark.parametrize(
    ("absent", "expected"), [((), "int8"), (("onnx",), "numpy"), (("onnxruntime",), "numpy"), (("torch",), "int8")]
)
def test_auto_takes_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absent: tuple[str, ...], expected: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without(*absent))
    assert e5_runtime.resolve("auto", str(tmp_path)) == expected


def test_a_built_model_needs_no_onnx(cache_dir: str, int8: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without("onnx"))
    assert e5_runtime.resolve("auto", cache_dir) == "int8"


def test_auto_falls_back_and_says_so(
    tmp_path: Path, weights: E5File, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(e5_runtime.e5_onnx, "write_encoder", breaking("int8", error=RuntimeError("no such kernel")))
    with caplog.at_level(logging.WARNING):
        opened = e5_runtime.open_encoder(weights, "auto", str(tmp_path))
    assert opened.runtime == "q4"
    assert "int8 cannot be used here (RuntimeError: no such kernel)" in caplog.text
    assert json.loads((tmp_path / "models" / "unusable.json").read_text())
    monkeypatch.undo()
    monkeypatch.setattr(e5_runtime, "_failed_in_process", {})
    assert e5_runtime.resolve("auto", str(tmp_path)) == "q4"
    assert e5_runtime.open_encoder(weights, "auto", str(tmp_path)).runtime == "q4"
    (tmp_path / "models" / "unusable.json").unlink()
    assert e5_runtime.resolve("auto", str(tmp_path)) == "int8"


def test_numpy_is_the_last_resort(
    tmp_path: Path, weights: E5File, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(e5_runtime.e5_onnx, "write_encoder", breaking("int8", "q4", error=RuntimeError("x")))
    assert e5_runtime.open_encoder(weights, "auto", str(tmp_path)).runtime == "numpy"
    assert caplog.text.count("cannot be used here") == 2


def test_a_full_disk_is_no_fault_of_a_runtime(tmp_path: Path, weights: E5File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_runtime, "_failed_in_process", {})
    monkeypatch.setattr(e5_runtime.e5_onnx, "write_encoder", breaking("int8", error=OSError(28, "No space left")))
    with pytest.raises(OSError, match="No space left"):  # and no other runtime, which would give other numbers
        e5_runtime.open_encoder(weights, "auto", str(tmp_path))
    assert not (tmp_path / "models" / "unusable.json").exists()
    assert e5_runtime.resolve("auto", str(tmp_path)) == "int8"


def test_a_build_with_wrong_products_is_not_kept(
    tmp_path: Path, weights: E5File, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(NumpyEncoder):
        def hidden(self, embeddings: Any) -> Any:
            return super().hidden(embeddings)[:, ::-1]

    real = e5_runtime._prove
    monkeypatch.setattr(e5_runtime, "_prove", lambda file, encoder: real(file, encoder, Wrong))
    with pytest.raises(ConfigError, match="vectors are wrong on this processor"):
        e5_runtime.open_encoder(weights, "q4", str(tmp_path))
    assert not list(tmp_path.rglob("model.onnx"))


def test_an_explicit_runtime_does_not_fall_back(
    tmp_path: Path, weights: E5File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without("onnxruntime"))
    with pytest.raises(ConfigError, match=r"embedder.runtime=int8: .*onnxruntime is not installed.*runtime=auto"):
        e5_runtime.open_encoder(weights, "int8", str(tmp_path))


def test_a_damaged_build_is_built_again(tmp_path: Path, weights: E5File) -> None:
    e5_runtime.open_encoder(weights, "q4", str(tmp_path))
    (model,) = tmp_path.rglob("model.onnx")
    model.write_bytes(model.read_bytes()[:-1000])
    encoder = e5_runtime.open_encoder(weights, "q4", str(tmp_path)).encoder
    assert np.isfinite(encoder.hidden(weights.word_vectors(np.arange(4, dtype=np.int64)))).all()


def test_identity_loads_nothing(make: Callable[..., E5Small], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_runtime, "_load", lambda *_: pytest.fail("loaded"))
    identity = make(runtime="auto", cache_dir=str(tmp_path / "new")).identity()
    assert identity["runtime"] == identity["precision"] == "int8"
    assert len(identity["model_sha256"]) == 64
    assert not (tmp_path / "new").exists()
