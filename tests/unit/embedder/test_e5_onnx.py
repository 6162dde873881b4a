"""Every precision of the graph against the numpy forward pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragbench.embedder import e5_onnx
from ragbench.embedder.e5_file import E5File
from ragbench.embedder.e5_numpy import NumpyEncoder
from ragbench.embedder.e5_runtime import OnnxEncoder

IDS = [0, 46692, 12, 6, 124084, 4, 3221, 2]


@pytest.mark.parametrize(("precision", "worst"), [("fp32", 0.999999), ("q4", 0.999999), ("int8", 0.99)])
def test_states_agree_with_numpy(tmp_path: Path, weights: E5File, precision: str, worst: float) -> None:
    e5_onnx.write_encoder(weights, tmp_path / "model.onnx", precision)
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
    encoder, reference = OnnxEncoder(tmp_path / "model.onnx"), NumpyEncoder(weights)
    for n_tokens in (1, 8, 40):
        words = weights.word_vectors(np.resize(np.array(IDS, np.int64), n_tokens))
        ours, theirs = encoder.hidden(words), reference.hidden(words)
        assert ours.shape == theirs.shape == (n_tokens, 384)
        means = ours.mean(axis=0), theirs.mean(axis=0)
        assert means[0] @ means[1] / np.prod([np.linalg.norm(mean) for mean in means]) > worst


def test_position_matters(weights: E5File) -> None:
    encoder = NumpyEncoder(weights)
    words = weights.word_vectors(np.array(IDS, np.int64))
    turned = encoder.hidden(words[::-1].copy())[::-1]
    assert not np.allclose(encoder.hidden(words), turned, atol=0.1)
