"""The encoder of multilingual-e5-small as an ONNX graph, written from the weights file without torch.

Input `embeddings` [tokens, hidden] are the word vectors of one text, output `hidden` [tokens, hidden] the last
layer's states: BERT, post-norm, exact GELU (Devlin et al. 2019). One text a call needs neither padding nor a mask.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbench.core.workers import Floats
from ragbench.embedder.e5_file import BLOCK, E5File

BUILD = 1
"""Goes up when the graph changes, so that a cached file of an older build is not used."""

_OPSET, _IR = 17, 9


def write_encoder(file: E5File, path: Path, precision: str) -> None:
    """Write the encoder as `path`.

    `fp32` holds float32 matrices; `q4` keeps the 4-bit weights as they are stored (`MatMulNBits`); `int8` quantises
    the matrices per output channel and the activations per call, to the bit as onnxruntime's `quantize_dynamic` does
    (QInt8, per_channel), which takes each channel by itself and so ten times as long.
    """
    import onnx

    onnx.save(_Graph(file, precision).model(), path)


def eight_bit(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Rows in whole numbers −127…127 [rows, columns], and the scale of each row [rows]; 1 for a row of zeros.

    The scale is the greatest magnitude over 127, so that zero stays zero (symmetric quantisation).
    """
    greatest = np.abs(matrix).max(axis=1)
    exact = 2 * greatest.astype(np.float64) / 254
    scales = np.where(exact < np.finfo(np.float32).tiny, 1, exact).astype(np.float32)
    return np.clip(np.rint(matrix / scales[:, None]), -128, 127).astype(np.int8), scales


class _Graph:
    """Collects the nodes and constants of one encoder."""

    def __init__(self, file: E5File, precision: str) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._from_array = helper, numpy_helper.from_array
        self._file, self._shape, self._precision = file, file.shape, precision
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def model(self) -> Any:
        """The finished model."""
        from onnx import TensorProto

        make = self._helper
        x = self._embed()
        for layer in range(self._shape.n_layers):
            x = self._layer(x, f"l{layer}.")
        self._node("Identity", [x], "hidden")
        sizes = ["tokens", self._shape.hidden]
        graph = make.make_graph(
            self._nodes,
            "e5",
            [make.make_tensor_value_info("embeddings", TensorProto.FLOAT, sizes)],
            [make.make_tensor_value_info("hidden", TensorProto.FLOAT, sizes)],
            list(self._constants.values()),
        )
        opsets = [make.make_opsetid("", _OPSET), make.make_opsetid("com.microsoft", 1)]
        return make.make_model(graph, opset_imports=opsets, ir_version=_IR)

    def _embed(self) -> str:
        """Word vectors + positions 0… + type 0, normalised."""
        hidden = self._shape.hidden
        added = self._file.floats("emb.pos").reshape(-1, hidden) + self._file.floats("emb.type")[:hidden]
        zero = self._constant("zero", np.array([0], np.int64))
        length = self._node("Shape", ["embeddings"], "length", start=0, end=1)
        places = self._node("Slice", [self._constant("positions", added), zero, length, zero], "places")
        return self._norm(self._node("Add", ["embeddings", places], "embedded"), "emb.ln")

    def _layer(self, x: str, at: str) -> str:
        hidden, feed = self._shape.hidden, self._shape.feed_forward
        mixed = self._linear(self._attention(x, at), [at + "ao"], hidden, hidden, at + "ao.y")
        x = self._norm(self._node("Add", [x, mixed], at + "a"), at + "aln")
        inner = self._gelu(self._linear(x, [at + "fi"], feed, hidden, at + "fi.y"), at)
        outer = self._linear(inner, [at + "fo"], hidden, feed, at + "fo.y")
        return self._norm(self._node("Add", [x, outer], at + "f"), at + "oln")

    def _attention(self, x: str, at: str) -> str:
        """softmax(QKᵀ/√d)·V over all heads; the three projections are one product."""
        heads, hidden = self._shape.n_heads, self._shape.hidden
        size = hidden // heads
        joint = self._linear(x, [at + name for name in "qkv"], hidden, hidden, at + "qkv")
        split = self._reshape(joint, "by_head", [-1, 3 * heads, size], at + "by_head")
        turned = self._node("Transpose", [split], at + "heads", perm=[1, 0, 2])
        parts = [at + "Q", at + "K", at + "V"]
        counts = self._constant("head_counts", np.array([heads] * 3, np.int64))
        self._nodes.append(self._helper.make_node("Split", [turned, counts], parts, axis=0))
        keys = self._node("Transpose", [parts[1]], at + "KT", perm=[0, 2, 1])
        scale = self._constant("scale", np.array(1 / math.sqrt(size), np.float32))
        scores = self._node("Mul", [self._node("MatMul", [parts[0], keys], at + "s"), scale], at + "scaled")
        shares = self._node("Softmax", [scores], at + "shares", axis=-1)
        mixed = self._node("MatMul", [shares, parts[2]], at + "mixed")
        return self._reshape(
            self._node("Transpose", [mixed], at + "rows", perm=[1, 0, 2]), "flat", [-1, hidden], at + "flat"
        )

    def _gelu(self, x: str, at: str) -> str:
        """x/2·(1 + erf(x/√2)), in the form onnxruntime fuses into one operator."""
        root = self._constant("root_two", np.array(math.sqrt(2), np.float32))
        one = self._constant("one", np.array(1, np.float32))
        half = self._constant("half", np.array(0.5, np.float32))
        erf = self._node("Erf", [self._node("Div", [x, root], at + "g1")], at + "g2")
        product = self._node("Mul", [x, self._node("Add", [erf, one], at + "g3")], at + "g4")
        return self._node("Mul", [product, half], at + "g5")

    def _linear(self, x: str, names: Sequence[str], rows: int, columns: int, out: str) -> str:
        """x·Wᵀ + b with the matrices of `names` stacked."""
        bias = self._constant(out + ".b", np.concatenate([self._file.floats(name + ".b") for name in names]))
        if self._precision == "q4":
            return self._node("Add", [self._four_bit_product(x, names, (rows, columns), out), bias], out)
        stacked = np.concatenate([self._file.matrix(name + ".w", rows, columns) for name in names])
        if self._precision == "int8":
            y = self._eight_bit_product(x, stacked, out)
        else:
            y = self._node("MatMul", [x, self._constant(out + ".w", stacked.T)], out + ".m")
        return self._node("Add", [y, bias], out)

    def _eight_bit_product(self, x: str, matrix: Floats, out: str) -> str:
        """Activations in steps of their range over 255, products of whole numbers, both scales put back at the end."""
        values, scales = eight_bit(matrix)
        steps, step, zero = x + ".steps", x + ".step", x + ".zero"
        self._nodes.append(self._helper.make_node("DynamicQuantizeLinear", [x], [steps, step, zero]))
        both = self._node("Mul", [step, self._constant(out + ".s", scales)], out + ".both")
        zeros = self._constant(out + ".z", np.zeros(len(values), np.int8))
        whole = self._node("MatMulInteger", [steps, self._constant(out + ".w", values.T), zero, zeros], out + ".whole")
        # 1 is ONNX's number for float32.
        return self._node("Mul", [self._node("Cast", [whole], out + ".cast", to=1), both], out + ".m")

    def _four_bit_product(self, x: str, names: Sequence[str], shape: tuple[int, int], out: str) -> str:
        stored = [self._file.quantised(name + ".w", *shape) for name in names]
        values = np.concatenate([part[0] for part in stored])
        scales = np.concatenate([part[1] for part in stored])
        # MatMulNBits holds neighbours in one byte, the weights file holds value i beside value i + 16.
        packed = (values[..., 0::2] | (values[..., 1::2] << 4)).astype(np.uint8)
        inputs = [x, self._constant(out + ".w", packed), self._constant(out + ".s", scales.reshape(-1))]
        facts = {"K": shape[1], "N": len(packed), "bits": 4, "block_size": BLOCK}
        # Level 1 multiplies in float32; the faster levels round activations to 8 bits.
        return self._node("MatMulNBits", inputs, out + ".m", domain="com.microsoft", accuracy_level=1, **facts)

    def _norm(self, x: str, name: str) -> str:
        weights = [self._constant(f"{name}.{part}", self._file.floats(f"{name}.{part}")) for part in "wb"]
        epsilon = self._shape.epsilon
        return self._node("LayerNormalization", [x, *weights], name + ".y", axis=-1, epsilon=epsilon)

    def _reshape(self, x: str, name: str, sizes: list[int], out: str) -> str:
        return self._node("Reshape", [x, self._constant("sizes." + name, np.array(sizes, np.int64))], out)

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        if name not in self._constants:
            self._constants[name] = self._from_array(np.ascontiguousarray(array), name)
        return name

    def _node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self._nodes.append(self._helper.make_node(kind, list(inputs), [output], **attributes))
        return output
