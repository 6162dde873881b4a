"""The encoder of multilingual-e5-small in numpy: needs no onnxruntime, and is the reference for the others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ragbench.core.workers import Floats
from ragbench.embedder.e5_file import E5File


@dataclass(frozen=True, slots=True)
class _Layer:
    """Matrices [inputs, outputs], biases and norm weights of one layer."""

    qkv: Floats
    qkv_bias: Floats
    out: Floats
    out_bias: Floats
    norm: tuple[Floats, Floats]
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats
    last_norm: tuple[Floats, Floats]


class NumpyEncoder:
    """BERT forward pass over one text, in float32 (86 MB of matrices)."""

    def __init__(self, file: E5File) -> None:
        self._shape = file.shape
        hidden = file.shape.hidden
        self._positions = file.floats("emb.pos").reshape(-1, hidden) + file.floats("emb.type")[:hidden]
        self._norm = (file.floats("emb.ln.w"), file.floats("emb.ln.b"))
        self._layers = [_read_layer(file, f"l{number}.") for number in range(file.shape.n_layers)]

    def hidden(self, embeddings: Floats) -> Floats:
        """Last hidden states [tokens, hidden] of word vectors [tokens, hidden]."""
        x = self._normalise(embeddings + self._positions[: len(embeddings)], self._norm)
        for layer in self._layers:
            mixed = self._attention(x, layer) @ layer.out + layer.out_bias
            x = self._normalise(x + mixed, layer.norm)
            inner = _gelu(x @ layer.inner + layer.inner_bias)
            x = self._normalise(x + (inner @ layer.outer + layer.outer_bias), layer.last_norm)
        return x

    def _attention(self, x: Floats, layer: _Layer) -> Floats:
        heads = self._shape.n_heads
        size = self._shape.hidden // heads
        joint = (x @ layer.qkv + layer.qkv_bias).reshape(len(x), 3, heads, size).transpose(1, 2, 0, 3)
        scores = joint[0] @ joint[1].transpose(0, 2, 1) * np.float32(1 / math.sqrt(size))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Floats = (scores @ joint[2]).transpose(1, 0, 2).reshape(len(x), -1)
        return mixed

    def _normalise(self, x: Floats, weights: tuple[Floats, Floats]) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        scaled: Floats = centred / np.sqrt(variance + np.float32(self._shape.epsilon)) * weights[0] + weights[1]
        return scaled


def _gelu(x: Floats) -> Floats:
    from scipy.special import erf

    y: Floats = x * np.float32(0.5) * (1 + erf(x * np.float32(math.sqrt(0.5))))
    return y


def _read_layer(file: E5File, at: str) -> _Layer:
    hidden, feed = file.shape.hidden, file.shape.feed_forward

    def matrix(name: str, rows: int, columns: int) -> Floats:
        return file.matrix(f"{at}{name}.w", rows, columns).T

    def bias(name: str) -> Floats:
        return file.floats(f"{at}{name}.b")

    def norm(name: str) -> tuple[Floats, Floats]:
        return file.floats(f"{at}{name}.w"), bias(name)

    return _Layer(
        qkv=np.ascontiguousarray(np.concatenate([matrix(name, hidden, hidden) for name in "qkv"], axis=1)),
        qkv_bias=np.concatenate([bias(name) for name in "qkv"]),
        out=matrix("ao", hidden, hidden),
        out_bias=bias("ao"),
        norm=norm("aln"),
        inner=matrix("fi", feed, hidden),
        inner_bias=bias("fi"),
        outer=matrix("fo", hidden, feed),
        outer_bias=bias("fo"),
        last_norm=norm("oln"),
    )
