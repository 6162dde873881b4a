"""A GGUF file, with a double of its engine; and with the real one where RAGBENCH_GGUF names a file."""

from __future__ import annotations

import hashlib
import importlib.machinery
import os
import sys
import types
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.llm.gguf import GgufModel
from ragbench.llm.refusals import ContextOverflow
from ragbench.llm.request_key import request_key
from ragbench.llm.structured import read_object

from .doubles import request

CONTENT = b"GGUF\x03\x00weights"
SHA = hashlib.sha256(CONTENT).hexdigest()
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": False}


class Engine:
    """What is used of xllamacpp. `answers` are given out in turn."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.params: list[Any] = []
        self.asked: list[dict[str, Any]] = []

    def module(self) -> types.ModuleType:
        engine = self

        class Server:
            def __init__(self, params: Any) -> None:
                engine.params.append(params)

            def handle_chat_completions(self, body: dict[str, Any]) -> Any:
                engine.asked.append(body)
                return engine.answers.pop(0)

        def common_params() -> Any:
            parts = {name: types.SimpleNamespace() for name in ("model", "cpuparams", "cpuparams_batch")}
            return types.SimpleNamespace(**parts)

        found = types.ModuleType("xllamacpp")
        found.__spec__ = importlib.machinery.ModuleSpec("xllamacpp", None)
        found.__dict__.update(Server=Server, CommonParams=common_params)
        return found


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    found = Engine()
    monkeypatch.setitem(sys.modules, "xllamacpp", found.module())
    return found


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., GgufModel]:
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    (tmp_path / "m.gguf").write_bytes(CONTENT)

    def stage(**changed: Any) -> GgufModel:
        fields: dict[str, Any] = {
            "model": "tiny", "context": 512, "temperature": 0, "seed": 0, "reuse_prompt": True,
            "path": str(tmp_path / "m.gguf"), "threads": 3,
        }  # fmt: skip
        return GgufModel(**{**fields, **changed})

    return stage


def answer(text: str, **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 8, "completion_tokens": 2}
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop", **more}], "usage": usage}


def test_it_asks_the_engine(engine: Engine, make: Callable[..., GgufModel]) -> None:
    top = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.3}]
    engine.answers = [
        answer("<think>x</think>Yes", logprobs={"content": [{"token": "Yes", "top_logprobs": top}]}),
        answer('{"q": "x"}'),
    ]
    with make().open() as worker:
        assert not engine.params, "nothing is loaded before something is asked"
        reply = worker.ask(request(logprobs=True))
        assert read_object(worker.ask(request(schema=SCHEMA)), SCHEMA) == {"q": "x"}
    assert (reply.text, reply.first) == ("Yes", {"Yes": -0.1, "No": -2.3})
    assert (reply.prompt_tokens, reply.completion_tokens, reply.calls) == (8, 2, 1)
    params = engine.params[0]
    assert (params.cpuparams.n_threads, params.cpuparams_batch.n_threads, params.n_ctx) == (3, 3, 512)
    assert len(engine.params) == 1
    assert engine.asked[0]["top_logprobs"] == 20 and engine.asked[0]["max_tokens"] == 9
    assert engine.asked[1]["response_format"]["type"] == "json_schema"


def test_what_the_engine_refuses(engine: Engine, make: Callable[..., GgufModel]) -> None:
    long = {
        "code": 400,
        "message": "request (40 tokens) exceeds the available context size",
        "type": "exceed_context_size_error",
    }
    engine.answers = [{"error": long}, answer(""), {"what": 1}]
    with make().open() as worker:
        for kind, message in ((ContextOverflow, "Send less"), (DataError, "with text"), (DataError, "a reply")):
            with pytest.raises(kind, match=message) as caught:
                worker.ask(request())
            assert caught.value.calls == 1


def test_the_model_is_its_name_and_hash_wherever_it_lies(make: Callable[..., GgufModel], tmp_path: Path) -> None:
    (tmp_path / "other.gguf").write_bytes(CONTENT)
    same = make(path=str(tmp_path / "other.gguf"), threads=1)
    absent = make(path=None, sha256=SHA)
    prints = {one.fingerprint() for one in (make(), same, absent, make(sha256=SHA))}
    assert len(prints) == 1
    assert request_key(make().recipe(), request()) == request_key(absent.recipe(), request())
    (tmp_path / "other.gguf").write_bytes(CONTENT + b"!")
    assert same.fingerprint() not in prints
    assert str(tmp_path) not in str(make().recipe())


def test_what_cannot_be_opened(engine: Engine, make: Callable[..., GgufModel], tmp_path: Path) -> None:
    (tmp_path / "not.gguf").write_bytes(b"PK\x03\x04")
    wrong = [
        (make(path=None), "RAGBENCH_GGUF"),
        (make(path=str(tmp_path / "gone.gguf")), "No such file"),
        (make(path=str(tmp_path / "not.gguf")), "which is none"),
        (make(sha256="0" * 64), "expected SHA-256 0000"),
    ]
    for model, message in wrong:
        with pytest.raises(ConfigError, match=message), model.open():
            pass
    with pytest.raises(ConfigError, match=r"llm.threads"):
        make(threads=0)


def test_without_the_engine_the_extra_is_named(make: Callable[..., GgufModel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"ragbench\[gguf\]"), make().open():
        pass


@pytest.mark.slow
def test_a_real_model_answers_in_the_asked_form() -> None:
    path = os.environ.get("RAGBENCH_GGUF")
    if not path or find_spec("xllamacpp") is None:
        pytest.skip("needs a GGUF file (RAGBENCH_GGUF) and the extra gguf")
    model = GgufModel(model="real", context=1024, temperature=0, seed=0, reuse_prompt=False, path=path)
    with model.open() as worker:
        found = read_object(
            worker.ask(request("Translate to English: 年假有几天？", max_tokens=60, schema=SCHEMA)), SCHEMA
        )
        first = worker.ask(request("Is Paris in France? Yes or No.", logprobs=True)).first
        with pytest.raises(ContextOverflow):
            worker.ask(request("word " * 3000))
    assert found["q"] and first
