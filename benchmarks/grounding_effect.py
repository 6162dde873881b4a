"""What checking claims before an answer leaves does to the recorded answers, and what it costs.

The answers are those of `generator=chat` in the cassettes, over pinned contexts; no model is asked and nothing is
searched. A refusal counts as 0 in correctness.

    python benchmarks/grounding_effect.py [llm=gguf] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ragbench.assets import shipped
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.eval_set.pinned import read_pinned
from ragbench.generator.grounding import MODES, grounded
from ragbench.judge.support import SupportModel
from ragbench.measure.answer.text import f1, units
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext
from ragbench.run.build import experiment
from ragbench.run.session import Session
from ragbench.stats.paired import paired_difference

SETS = ("policy_zh", "product_en")
SEED = 0


@dataclass(frozen=True)
class Answered:
    """A question and its answer; None: the recorded reply was of no use."""

    question: Question
    answer: Answer | None

    @property
    def said(self) -> bool:
        """Whether anything was answered."""
        return self.answer is not None and not self.answer.refused

    @property
    def correctness(self) -> float:
        """Token F1 with the reference; 0 where nothing was answered."""
        if self.answer is None or self.answer.refused:
            return 0.0
        return f1(units(self.answer.text), units(self.question.reference))


def pinned() -> dict[str, dict[str, PackedContext]]:
    """The contexts of each set by question id."""
    return {name: read_pinned(shipped("cassettes") / "contexts" / f"{name}.jsonl") for name in SETS}


def answered(session: Session, mode: str, overrides: Sequence[str]) -> list[Answered]:
    """The recorded answers of both sets, in the order of their questions' ids."""
    found = []
    for name in SETS:
        key = f"pipeline.generator.grounding={mode}"
        made = experiment([f"eval_set={name}", "generator=chat", key, "calls.mode=replay", *overrides])
        questions = {one.id: one for one in session.eval_set(made).questions}
        contexts = pinned()[name]
        with made.pipeline.generator.open(Tools(session.store, None, session.models(made))) as generator:
            for key, context in contexts.items():
                try:
                    answer = generator.answer(asked(questions[key]), context)
                except UserError:
                    answer = None
                found.append(Answered(questions[key], answer))
    return found


def figures(rows: Sequence[Answered], plain: Sequence[Answered]) -> dict[str, Any]:
    """What a mode makes of the answers, beside `plain`, which were not checked."""
    answerable = [at for at, one in enumerate(rows) if one.question.answerable]
    gain = paired_difference([rows[at].correctness - plain[at].correctness for at in answerable], SEED)
    checks = [one.answer.grounding for one in rows if one.answer is not None and one.answer.grounding is not None]
    return {
        "questions": len(rows),
        "answers": sum(one.said for one in rows),
        "false_answers": sum(one.said for one in rows if not one.question.answerable),
        "checked": len(checks),
        "claims": sum(one.claims for one in checks),
        "unsupported": sum(len(one.unsupported) for one in checks),
        "with_unsupported": sum(bool(one.unsupported) for one in checks),
        "correctness": sum(rows[at].correctness for at in answerable) / len(answerable),
        "difference": gain.mean,
        "low": gain.low,
        "high": gain.high,
        "n": len(answerable),
    }


def cost_ms(rows: Sequence[Answered], contexts: Mapping[str, PackedContext]) -> float:
    """Processor milliseconds that checking an answer takes at first sight, the median; the weights are in memory."""
    SupportModel.load()
    spent = []
    for one in rows:
        if one.answer is not None and one.said:
            started = time.process_time()
            grounded(one.answer, one.question.question, contexts[one.question.id], "flag")
            spent.append((time.process_time() - started) * 1000)
    return median(spent)


def every_mode(session: Session, overrides: Sequence[str] = ("llm=gguf",)) -> dict[str, dict[str, Any]]:
    """The figures of each mode; that of `off` has the cost of a check beside it."""
    plain = answered(session, "off", overrides)
    contexts = {key: context for found in pinned().values() for key, context in found.items()}
    cost = cost_ms(plain, contexts)
    rows = {mode: answered(session, mode, overrides) for mode in MODES}
    told = {mode: figures(found, plain) for mode, found in rows.items()}
    told["off"]["check_cpu_ms"] = cost
    return told


def main() -> int:
    """Replay, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="such as llm=gguf")
    options = parser.parse_args()
    overrides = options.overrides or ["llm=gguf"]
    with Session(Store(experiment(["generator=none", "judge=none"]).places.store)) as session:
        found = every_mode(session, overrides)
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    for mode, one in found.items():
        cost = f"; a check takes {one['check_cpu_ms']:.0f} ms of processor time" if "check_cpu_ms" in one else ""
        print(
            f"{mode:<7} {one['answers']} of {one['questions']} answered, {one['false_answers']} of them falsely; "
            f"{one['unsupported']} of {one['claims']} claims unsupported, in {one['with_unsupported']} of "
            f"{one['checked']} answers; correctness {one['correctness']:.3f} "
            f"({one['difference']:+.3f} [{one['low']:+.3f}, {one['high']:+.3f}], n {one['n']}){cost}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
