"""The query layer from the recordings in `cassettes/`: no model, no key, no network."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.llm.cassettes import MissingEntry
from ragbench.run.build import experiment
from ragbench.run.session import Session

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 40
"""Questions of a set for which a stage must be recorded at least, where it asks about so many."""
REPLAY = ("llm=gguf", "calls.mode=replay", "questions=48")
BARE = ("retriever=sparse", "chunk_unit=chars", "generator=none", "judge=none", "sink=files")


def _recorder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recorder_of_query_calls", ROOT / "benchmarks" / "record.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECORDER = _recorder()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No connection at all, no key, no model file."""

    def refuse(self: socket.socket, address: Any) -> Any:
        raise AssertionError(f"a replay connects to {address}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setenv("RAGBENCH_GGUF", "/nowhere/model.gguf")
    for name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(Store(tmp_path_factory.mktemp("store"))) as shared:
        yield shared


@pytest.mark.parametrize("name", RECORDER.SETS)
@pytest.mark.parametrize("chosen", RECORDER.STAGES, ids=" ".join)
def test_each_stage_plans_its_questions_from_recordings(
    session: Session, chosen: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    made = experiment([f"eval_set={name}", *chosen, *REPLAY, f"calls.cassettes={tmp_path}"])
    wanted = RECORDER.wanted_of(session.eval_set(made).of_split(made.split), chosen)
    lacking, unusable = [], []
    with ExitStack() as stack:
        planned = RECORDER.planner(made.pipeline, Tools(session.store, None, session.models(made)), stack)
        for question in wanted:
            try:
                unusable += [question.id] * planned(question)
            except MissingEntry:
                lacking.append(question.id)
    n = len(wanted) - len(lacking)
    assert n >= min(FEWEST, len(wanted)), f"recorded for {n} of {len(wanted)} questions: make record"
    assert len(unusable) < n, "no reply can be used"


def test_the_recorded_questions_are_those_of_the_number(session: Session) -> None:
    for name in RECORDER.SETS:
        made = experiment([f"eval_set={name}", *REPLAY[2:]])
        questions = session.eval_set(made).of_split("test")
        assert list(made.questions_of(session.eval_set(made))) == list(RECORDER.wanted_of(questions, ()))
        assert len(made.questions_of(session.eval_set(made))) == RECORDER.N


def test_a_run_replays_in_full(cli, here) -> None:
    out = cli("run", "query=step_back", *REPLAY, *BARE)
    assert out.summary["cost"]["models"]["query"]["calls"] == 48
    assert out.manifest["stages"]["models"]["query"] == {
        "asks": 48, "sent": 0, "sent_tokens": 0, "stored": 0, "replayed": 48, "failed": 0, "refused": 0,
    }  # fmt: skip
    assert out.summary["health"] == [] and out.summary["metrics"]["retrieval/recall@5"]["n_failed"] == 0
    assert out.summary["eval_set"]["questions"]["n"] == 48


def test_what_is_not_recorded_is_one_line(cli, here) -> None:
    out = cli("run", "query=step_back", *REPLAY[:2], "questions=50", *BARE, code=3)
    said = [line for line in out.err.splitlines() if line.startswith("cannot tell")]
    assert len(said) == 1
    assert said[0].startswith("cannot tell: replay: ") and "of 50 questions lack a recording; first pz-" in said[0]
    assert "expected an entry in the cassettes" in said[0]
    assert sum("MissingEntry" in line for line in out.summary["health"]) > 1


@pytest.mark.parametrize(
    ("name", "right", "calls"), [("policy_zh", 27, 44), ("product_en", 23, 44)], ids=lambda value: str(value)
)
def test_the_third_tier_is_as_right_as_the_docs_say(cli, here, name, right, calls) -> None:
    alone = cli("run", f"eval_set={name}", "classifier=llm", *REPLAY, *BARE).summary["metrics"]
    tiers = cli("run", f"eval_set={name}", "classifier=tiered", "classifier.order=[rules,llm]", *REPLAY, *BARE)
    found = tiers.summary["metrics"]
    assert alone["query/complexity_accuracy"]["mean"] == pytest.approx(right / 48)
    assert found["query/complexity_accuracy"]["mean"] == pytest.approx(right / 48)
    assert found["cost/query_calls"]["mean"] == pytest.approx(calls / 48)


def test_an_experiment_replays_and_leaves_out_what_is_not_recorded(cli, here) -> None:
    study = {
        "claim": {"en": "Step-back helps.", "zh": "上位问题有帮助。"},
        "base": {"retriever": "sparse", "chunk_unit": "chars", "generator": "none", "judge": "none"},
        "vary": {"variants": {"plain": {"query": "none"}, "back": {"query": "step_back"}, "ways": {"flow": "adaptive"}}},
        "baseline": "plain",
        "eval_sets": ["policy_zh", "product_en"],
        "metrics": ["ranking/recall@5"],
        "verdict": [
            {"rule": "not_worse_than", "a": name, "b": "plain", "metric": "ranking/recall@5", "margin": 1, "needs": {"llm": ["gguf"]}}
            for name in ("back", "ways")
        ],
    }  # fmt: skip
    (here / "experiments").mkdir()
    (here / "experiments" / "replayed.yaml").write_text(yaml.safe_dump(study, allow_unicode=True), encoding="utf-8")
    out = cli("experiment", "replayed", *REPLAY, "sink=files")
    folder = next(line for line in out.out.splitlines() if line.startswith("experiment: ")).partition(": ")[2]
    found = read_json(Path(folder) / "experiment.json")
    assert [check["outcome"] for check in found["checks"]] == ["confirmed", "cannot_tell"]
    assert [one["variant"] for one in found["unrecorded"]] == ["ways", "ways"]
    assert {point["variant"] for point in found["points"]} == {"plain", "back"}
    assert [one["questions"]["n"] for one in found["sets"]] == [48, 48]
    assert sum("not recorded, left out: " in line for line in out.out.splitlines()) == 2
    assert out.out.splitlines()[-1].endswith("ways is left out: not recorded (policy_zh, product_en)")
    assert "a replay lacks recordings" in (Path(folder) / "experiment.md").read_text(encoding="utf-8")
    assert "48 of 160 questions" in (Path(folder) / "report.html").read_text(encoding="utf-8")
