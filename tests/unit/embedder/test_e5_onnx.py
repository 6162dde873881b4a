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


def test_eight_bits_are_those_of_onnxruntimes_own_quantisation(tmp_path: Path, weights: E5File) -> None:
    """One product of a matrix that has a row of zeros, one of denormals and ties at a half, through both."""
    onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
    quantization = pytest.importorskip("onnxruntime.quantization", reason="onnxruntime is not installed")
    matrix = weights.matrix("l0.ao.w", 384, 384)[:40].copy()
    matrix[3], matrix[5], matrix[7] = 0, 1e-40, np.linspace(-127, 127, 384).astype(np.float32).round() / 2
    matrix[8, 1:] = 0
    make = onnx.helper
    shapes = [
        make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", size]) for name, size in (("x", 384), ("y", 40))
    ]
    constant = onnx.numpy_helper.from_array(np.ascontiguousarray(matrix.T), "w")
    graph = make.make_graph([make.make_node("MatMul", ["x", "w"], ["y"])], "g", shapes[:1], shapes[1:], [constant])
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, tmp_path / "full.onnx")
    quantization.quantize_dynamic(
        tmp_path / "full.onnx", tmp_path / "theirs.onnx", weight_type=quantization.QuantType.QInt8, per_channel=True
    )
    theirs = onnx.load(tmp_path / "theirs.onnx").graph
    held = {one.name: onnx.numpy_helper.to_array(one) for one in theirs.initializer}
    values, scales = e5_onnx.eight_bit(matrix)
    assert np.array_equal(values.T, held["w_quantized"])
    assert np.array_equal(scales, held["w_scale"])
    assert not held["w_zero_point"].any()
    e5_onnx.write_encoder(weights, tmp_path / "model.onnx", "int8")
    ours = [node.op_type for node in onnx.load(tmp_path / "model.onnx").graph.node]
    at = ours.index("DynamicQuantizeLinear")
    assert ours[at : at + 5] == [node.op_type for node in theirs.node]
    assert ours.count("DynamicQuantizeLinear") == ours.count("MatMulInteger") == 4 * weights.shape.n_layers


def test_position_matters(weights: E5File) -> None:
    encoder = NumpyEncoder(weights)
    words = weights.word_vectors(np.array(IDS, np.int64))
    turned = encoder.hidden(words[::-1].copy())[::-1]
    assert not np.allclose(encoder.hidden(words), turned, atol=0.1)
