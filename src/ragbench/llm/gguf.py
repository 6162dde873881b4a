"""A GGUF file that runs in this process on llama.cpp (package xllamacpp, extra `gguf`); nothing leaves the machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from ragbench.core.file_hash import file_hash, models_dir
from ragbench.errors import ConfigError, DataError, MissingExtra, UserError
from ragbench.llm.base import ChatRequest, Llm, Reply
from ragbench.llm.chat_reply import first_tokens, said
from ragbench.llm.endpoint import sendable
from ragbench.llm.offers import Offers
from ragbench.llm.refusals import Address, refusal
from ragbench.llm.usage import Usage

TOP_LOGPROBS = 20
_MAGIC = b"GGUF"


@dataclass(frozen=True, kw_only=True)
class GgufModel(Llm):
    """Which file to run, and how.

    The model is told by its name and the file's SHA-256, wherever the file lies: a recording made with it can be
    replayed where there is none. `sha256` is what the file must hash to; null takes that of the file as it is.
    `context` is the longest prompt and reply together, in tokens. `reuse_prompt` keeps what was computed for a
    beginning that prompts share: faster, but a reply may then depend on those before it in its last decimals. Which
    release of llama.cpp runs it is no part of a reply's key.
    """

    model: str
    context: int
    temperature: float
    seed: int
    reuse_prompt: bool
    path: str | None = field(default=None, compare=False)
    sha256: str | None = field(default=None, compare=False)
    threads: int = field(default=2, compare=False)

    def __post_init__(self) -> None:
        for name in ("context", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"llm.{name}", expected="1 or more", found=str(getattr(self, name)))

    def identity(self) -> dict[str, Any]:
        """The SHA-256 of the file. Raises ConfigError where neither the file nor its hash is known."""
        return {"sha256": self.sha256 or file_hash(self._file(), models_dir())}

    def _file(self) -> Path:
        hint = "Set llm.path or the environment variable RAGBENCH_GGUF to a .gguf file."
        if not self.path:
            raise ConfigError("llm.path", expected="a GGUF file", found="none", hint=hint)
        path = Path(self.path).expanduser()
        try:
            with path.open("rb") as handle:
                magic = handle.read(len(_MAGIC))
        except OSError as error:
            raise ConfigError(
                "llm.path", expected="a GGUF file", found=f"{path} ({error.strerror})", hint=hint
            ) from None
        if magic != _MAGIC:
            raise ConfigError("llm.path", expected="a GGUF file", found=f"{path}, which is none", hint=hint)
        return path

    @contextmanager
    def open(self) -> Iterator[GgufWorker]:
        """Check the file; it is loaded when something is asked. Raises ConfigError for another file than the one
        expected, MissingExtra without xllamacpp."""
        from importlib.util import find_spec

        path = self._file()
        if find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", "gguf", f"llm {self.model}")
        found = file_hash(path, models_dir())
        if self.sha256 and found != self.sha256.lower():
            hint = "For another file set llm.sha256=null and llm.model to its name."
            raise ConfigError(f"llm.path {path}", expected=f"SHA-256 {self.sha256}", found=found, hint=hint)
        yield GgufWorker(self, path)


class GgufWorker:
    """An open GgufModel; threads may share it, and it answers one after the other."""

    def __init__(self, stage: GgufModel, path: Path) -> None:
        self._stage, self._path = stage, path
        self._lock, self._offers = Lock(), Offers()
        self._server: Any = None

    def ask(self, request: ChatRequest) -> Reply:
        """One reply; the time counts from when the model is free. Raises ContextOverflow and Refused as a server would,
        DataError for an empty reply."""
        with self._lock:
            server = self._loaded()
            started = time.perf_counter()
            answer = server.handle_chat_completions(self._body(request))
            ms = (time.perf_counter() - started) * 1000
        error = answer.get("error") if isinstance(answer, dict) else None
        if error:
            raise _counted(self._refused(error), Usage())
        usage = Usage()
        usage.note(answer)
        try:
            found = said(answer)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise _counted(DataError(self._thing, expected="a reply", found=str(answer)[:200]), usage) from None
        first = first_tokens(answer) if request.logprobs else None
        if not found.text and not first:
            shown = sendable(found.raw[:200]) or "an empty one"
            raise _counted(DataError(self._thing, expected="a reply with text", found=shown), usage)
        return Reply(sendable(found.text), sendable(found.raw), first, ms=ms, **usage.counts())

    @property
    def _thing(self) -> str:
        return f"GGUF model {self._stage.model}"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        stage = self._stage
        body = self._offers.body(request) | {"temperature": stage.temperature, "seed": stage.seed}
        body["cache_prompt"] = stage.reuse_prompt
        return body | ({"logprobs": True, "top_logprobs": TOP_LOGPROBS} if request.logprobs else {})

    def _refused(self, error: Any) -> UserError:
        told = error if isinstance(error, dict) else {"message": str(error)}
        code = told.get("code")
        text = f"{told.get('type', '')} {told.get('message', '')}".strip()
        status = code if isinstance(code, int) and 400 <= code < 600 else 400
        return refusal(status, text, Address(self._stage.model, "GGUF model", "llm.path", ""))

    def _loaded(self) -> Any:
        """The model in memory; loading it is no call's time."""
        if self._server is None:
            import xllamacpp

            stage, params = self._stage, xllamacpp.CommonParams()
            params.model.path = str(self._path)
            params.n_ctx, params.n_parallel, params.n_gpu_layers = stage.context, 1, 0
            # Both: with the default of the second, prompts would be read by as many threads as there are cores.
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = stage.threads
            params.verbosity = 0
            params.warmup = False
            try:
                self._server = xllamacpp.Server(params)
            except Exception as error:  # what the engine raises has no common class
                raise ConfigError(
                    f"llm.path {self._path}", expected="a model that loads", found=str(error)[:200]
                ) from error
        return self._server


def _counted(error: UserError, usage: Usage) -> UserError:
    error.calls = 1
    usage.on(error)
    return error
