"""Which runtime runs the offline embedder here, and the encoder it gives.

The order of `auto` is int8, q4, numpy. What failed once on this machine (a build that cannot be written, an
instruction set that gives wrong products) is remembered beside the built models and passed over, with a word in the
log. A full or read-only disk is remembered for this process only.
"""

from __future__ import annotations

import importlib.util
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from ragbench.core.file_hash import models_dir, store_root, write_atomically
from ragbench.core.fingerprint import fingerprint
from ragbench.core.stage import library_version
from ragbench.core.store import Store
from ragbench.core.workers import Floats
from ragbench.embedder import e5_onnx
from ragbench.embedder.e5_file import SHA256, E5File
from ragbench.embedder.e5_numpy import NumpyEncoder
from ragbench.errors import ConfigError, StoreError

RUNTIMES = ("auto", "int8", "q4", "fp32", "numpy")
_IN_ORDER = ("int8", "q4", "numpy")
_WITHOUT_ONNX = "numpy"
_MIN_COSINE = 0.97
"""Least cosine of a runtime's mean state to numpy's on a probe; int8 has about .997, a wrong product far less."""

_RECORD = "unusable.json"
_failed_in_process: dict[str, dict[str, str]] = {}

_log = logging.getLogger(__name__)


class Encoder(Protocol):
    """Runs the network on one text. May be called from several threads."""

    def hidden(self, embeddings: Floats) -> Floats:
        """Last hidden states [tokens, hidden] of word vectors [tokens, hidden]."""
        ...


@dataclass(frozen=True, slots=True)
class OpenEncoder:
    """An encoder and the runtime it really is."""

    encoder: Encoder
    runtime: str


class UnusableRuntime(Exception):
    """A runtime that cannot be built, loaded or trusted here."""


def resolve(runtime: str, cache_dir: str) -> str:
    """The runtime that `open_encoder` would take, without building or loading anything."""
    if runtime != "auto":
        return runtime
    return next(name for name in _IN_ORDER if not _obstacle(name, cache_dir))


def open_encoder(file: E5File, runtime: str, cache_dir: str) -> OpenEncoder:
    """Build where needed, load, and fall back along the chain when `runtime` is `auto`.

    Raises ConfigError when a runtime named explicitly cannot run.
    """
    if runtime != "auto":
        obstacle = _obstacle(runtime, cache_dir, remembered=False)
        if not obstacle:
            try:
                return OpenEncoder(_load(file, runtime, cache_dir), runtime)
            except UnusableRuntime as error:
                obstacle = str(error)
        hint = "Choose pipeline.embedder.runtime=auto to take the best one that runs."
        raise ConfigError(
            f"pipeline.embedder.runtime={runtime}", expected="a runtime that runs here", found=obstacle, hint=hint
        )
    for name in _IN_ORDER:
        obstacle = _obstacle(name, cache_dir)
        if not obstacle:
            try:
                encoder = _load(file, name, cache_dir)
            except UnusableRuntime as error:
                obstacle = str(error)
                _remember_failure(name, error, cache_dir)
            else:
                return OpenEncoder(encoder, name)
        _log.warning("embedder e5_small: runtime %s cannot be used here (%s); trying the next one", name, obstacle)
    raise ConfigError("embedder e5_small", expected="a runtime that runs here", found="none of int8, q4 and numpy runs")


def _obstacle(runtime: str, cache_dir: str, remembered: bool = True) -> str:
    """Why a runtime cannot be used, as far as a look at installed packages and remembered failures tells."""
    if runtime == _WITHOUT_ONNX:
        return ""
    if importlib.util.find_spec("onnxruntime") is None:
        return "the package onnxruntime is not installed"
    if importlib.util.find_spec("onnx") is None and not _is_built(runtime, cache_dir):
        return "the package onnx, needed once to build the model, is not installed"
    return _failures(cache_dir).get(_failure_key(runtime), "") if remembered else ""


def _is_built(runtime: str, cache_dir: str) -> bool:
    root = store_root(cache_dir)
    return root.is_dir() and Store(root).path("models", _model_key(runtime)).is_dir()


def _load(file: E5File, runtime: str, cache_dir: str) -> Encoder:
    if runtime == _WITHOUT_ONNX:
        return NumpyEncoder(file)

    def build(folder: Path) -> None:
        e5_onnx.write_encoder(file, folder / "model.onnx", runtime)
        _prove(file, OnnxEncoder(folder / "model.onnx"))

    about = {"model": "multilingual-e5-small", "runtime": runtime}
    try:
        folder = Store(store_root(cache_dir)).get_or_build("models", _model_key(runtime), build, about)
        return OnnxEncoder(folder / "model.onnx")
    except (OSError, StoreError):
        raise  # a full or read-only disk is no fault of the runtime: another one would give other numbers
    except Exception as error:  # whatever onnx and onnxruntime raise: they have no common base class
        reason = str(error).strip().splitlines()
        raise UnusableRuntime(f"{type(error).__name__}: {reason[0] if reason else ''}") from error


class OnnxEncoder:
    """An onnxruntime session on one core; several calls may run at once."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Threads inside one product change the last bits of q4 and spin while they wait: texts run side by side.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def hidden(self, embeddings: Floats) -> Floats:
        """Last hidden states [tokens, hidden] of word vectors [tokens, hidden]."""
        states: Floats = self._session.run(["hidden"], {"embeddings": embeddings})[0]
        return states


def _prove(file: E5File, encoder: Encoder, reference: Callable[[E5File], Encoder] = NumpyEncoder) -> None:
    """Compare a new build with numpy on a fixed sequence of tokens; raises UnusableRuntime when it is off."""
    probe = file.word_vectors(np.arange(5, 250_000, 8009, dtype=np.int64))
    with one_blas_thread():
        ours, theirs = (run.hidden(probe).mean(axis=0, dtype=np.float64) for run in (encoder, reference(file)))
    cosine = float(ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs)))
    if not cosine >= _MIN_COSINE:
        raise UnusableRuntime(f"its vectors are wrong on this processor: cosine {cosine:.3f} to the numpy runtime")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep numpy's products on one thread each, in the whole process; texts run side by side instead.

    On a busy machine the threads of a small product wait for each other far longer than they work.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1):
        yield


def _model_key(runtime: str) -> str:
    tools = [library_version("onnx"), library_version("onnxruntime")] if runtime == "int8" else []
    return fingerprint("e5-small encoder", SHA256, e5_onnx.BUILD, runtime, tools)


def _failure_key(runtime: str) -> str:
    return f"{runtime} onnxruntime {library_version('onnxruntime')} build {e5_onnx.BUILD}"


def _failures(cache_dir: str) -> dict[str, str]:
    return {**_recorded(cache_dir), **_failed_in_process.get(str(models_dir(cache_dir)), {})}


def _recorded(cache_dir: str) -> dict[str, str]:
    try:
        known = json.loads((models_dir(cache_dir) / _RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in known.items()} if isinstance(known, dict) else {}


def _remember_failure(runtime: str, error: UnusableRuntime, cache_dir: str) -> None:
    folder = models_dir(cache_dir)
    _failed_in_process.setdefault(str(folder), {})[_failure_key(runtime)] = str(error)
    if isinstance(error.__cause__, MemoryError):
        return
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        known = {**_recorded(cache_dir), _failure_key(runtime): str(error)}
        write_atomically(folder / _RECORD, json.dumps(known, indent=1, sort_keys=True))
