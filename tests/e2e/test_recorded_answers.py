"""What is made of recorded replies of a small model – answers checked, answers judged – without model, key or network."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.run.build import experiment
from ragbench.run.session import Session
from tests.ragas_model import needs_ragas

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "recorded_judges.json"
REPLAY = ("llm=gguf", "calls.mode=replay")
COSINE = 0.02
"""How far a cosine may lie from the recorded one: int8 vectors depend on the processor."""


def _script(name: str) -> ModuleType:
    """A file of `benchmarks/`."""
    spec = importlib.util.spec_from_file_location(f"recorded_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


EFFECT, JUDGES = _script("grounding_effect"), _script("record_judges")
EXPECTED: dict[str, dict[str, Any]] = read_json(GOLDEN)


@pytest.fixture(scope="module", autouse=True)
def no_network() -> Iterator[None]:
    """No connection at all, no key, no model file."""

    def refuse(self: socket.socket, address: Any) -> Any:
        raise AssertionError(f"a replay connects to {address}")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, refuse)
        patch.setenv("RAGBENCH_GGUF", "/nowhere/model.gguf")
        for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="module")
def session(no_network: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(Store(tmp_path_factory.mktemp("store"))) as shared:
        yield shared


def test_the_check_of_claims_does_what_the_docs_say(session: Session) -> None:
    found = EFFECT.every_mode(session)
    counts = {mode: [one["answers"], one["false_answers"], one["unsupported"]] for mode, one in found.items()}
    assert counts == {"off": [13, 3, 0], "flag": [13, 3, 12], "drop": [6, 3, 12], "refuse": [6, 3, 12]}
    assert found["off"]["correctness"] == found["flag"]["correctness"] == pytest.approx(0.119, abs=5e-4)
    told = (ROOT / "docs" / "refusal.md").read_text(encoding="utf-8").replace("−", "-")
    for mode in ("drop", "refuse"):
        one = found[mode]
        assert f"{one['difference']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" in told
        assert f"| `{mode}` | {one['answers']} | {one['false_answers']} | the same | {one['correctness']:.3f} |" in told
    assert (
        f"{found['flag']['unsupported']} of {found['flag']['claims']}, in {found['flag']['with_unsupported']} answers"
        in told
    )
    assert 0 < found["off"]["check_cpu_ms"] < 5000


def test_the_judged_answers_are_of_each_kind_and_language(session: Session) -> None:
    cases = JUDGES.cases(session)
    assert [(one.known.language, one.known.kind) for one in cases] == [
        (language, kind) for language in ("zh", "en") for kind in JUDGES.KINDS
    ]
    assert len({one.known.group for one in cases}) == len(cases)
    assert sum(bool(one.known.supported) for one in cases) == len(cases) // 2
    assert all(one.question.reference for one in cases)


@needs_ragas
@pytest.mark.parametrize("name", EXPECTED["planted"])
def test_a_metric_of_ragas_gives_the_recorded_numbers(session: Session, models: str, name: str) -> None:
    known = [one for one in JUDGES.cases(session) if one.known.id in EXPECTED["planted"][name]]
    told = JUDGES.judging(session, known, (*REPLAY, models), [name])
    expected = {
        key: one | {"value": pytest.approx(one["value"], abs=COSINE if name == "response_relevancy" else 1e-6)}
        for key, one in EXPECTED["planted"][name].items()
    }
    assert {one.known.id: JUDGES.told(of, verdict) for of, one, verdict in told} == expected
    assert {one.known.language for one in known} == {"zh", "en"}
    assert {one.known.supported for one in known} == {True, False}


@needs_ragas
def test_what_is_not_recorded_is_failed_and_names_its_request(session: Session) -> None:
    known = [one for one in JUDGES.cases(session) if one.known.kind == "negated"][:1]
    [(_, _, verdict)] = JUDGES.judging(session, known, REPLAY, ["context_recall"])
    assert [one.status.value for one in verdict.values] == ["failed"]
    assert "replay of a judge call (prompt ragas_context_recall/" in (verdict.error or "")


def test_our_own_judge_gives_the_recorded_verdicts(session: Session) -> None:
    assert own_verdicts(session) == EXPECTED["pinned"]


def own_verdicts(session: Session) -> dict[str, Any]:
    """What `judge=llm` says of the recorded answers over pinned contexts that are no refusals."""
    contexts = {key: context for found in EFFECT.pinned().values() for key, context in found.items()}
    made = experiment(["generator=chat", "judge=llm", *REPLAY])
    found = {}
    with made.judge.open(Tools(session.store, None, session.models(made))) as judge:
        for one in EFFECT.answered(session, "off", REPLAY[:1]):
            if one.said:
                verdict = judge.judge(one.question, contexts[one.question.id], one.answer)
                found[one.question.id] = JUDGES.told(JUDGES.OWN, verdict)
    return found
