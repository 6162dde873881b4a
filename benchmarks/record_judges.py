"""Record what judges that ask a language model, RAGAS' metrics among them, say of planted answers: `make record`.

Answers of six kinds in each language whose truth is known, over short passages that a hash locks, so that a recording
depends on no index, no generator and no machine. Each reply is kept in the store at once and in the cassettes soon
after; a recording that was broken off goes on where it was.

    python benchmarks/record_judges.py [--minutes M] [--language zh] [--kind K] [--judge J] [--out FILE] [key=value …]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.agreement.planted_answers import SETS, planted_answers
from ragbench.agreement.records import LabelledAnswer
from ragbench.core.codec import write_json
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.judge.ragas_metrics import METRICS
from ragbench.llm.ledger import now_counts
from ragbench.records.question import Question
from ragbench.records.score import ClaimState, Verdict
from ragbench.records.trace import Answer, ContextBlock, PackedContext
from ragbench.run.build import experiment
from ragbench.run.judge_check import shipped_texts
from ragbench.run.session import Session

KINDS = ("supported", "paraphrased", "merged", "number_swapped", "entity_swapped", "negated")
"""The first three are true, the others are not."""

OWN = "llm"
ORDER = ("faithfulness", "context_recall", "response_relevancy", OWN, "context_precision", "factual_correctness")
"""What is recorded, in this order: metrics of RAGAS and our own judge, those with the fewest calls first."""


@dataclass(frozen=True)
class Case:
    """A planted answer as a run would hand it to a judge."""

    known: LabelledAnswer
    question: Question
    context: PackedContext
    answer: Answer


def chosen(answers: Sequence[LabelledAnswer]) -> list[LabelledAnswer]:
    """Of each language and kind the answer with the fewest characters to read, no question twice."""
    found: list[LabelledAnswer] = []
    for language in ("zh", "en"):
        for kind in KINDS:
            asked = {one.group for one in found}
            rest = [one for one in answers if (one.language, one.kind) == (language, kind) and one.group not in asked]
            found.append(min(rest, key=lambda one: (sum(map(len, one.passages)) + len(one.answer), one.id)))
    return found


def cases(session: Session) -> list[Case]:
    """The chosen answers with question, reference and passages."""
    questions: dict[str, Question] = {}
    for name in SETS:
        eval_set = session.eval_set(experiment([f"eval_set={name}", "generator=none", "judge=none"]))
        questions.update((one.id, one) for one in eval_set.questions)
    planted = planted_answers(lambda name: shipped_texts(name, session.store)).answers
    return [_case(one, questions[one.group]) for one in chosen(planted)]


def _case(one: LabelledAnswer, asked: Question) -> Case:
    blocks = tuple(
        ContextBlock(number, f"passage-{number}", 0, len(text), (), text, 0)
        for number, text in enumerate(one.passages, start=1)
    )
    question = Question(one.id, one.question, reference=asked.reference)
    return Case(one, question, PackedContext(blocks), Answer(one.answer))


def judging(
    session: Session, known: Sequence[Case], overrides: Sequence[str], names: Sequence[str] = ORDER
) -> Iterator[tuple[str, Case, Verdict]]:
    """The verdicts on all cases, judge by judge: prompts of one kind share their beginning."""
    for name in names:
        wanted = ("judge=llm",) if name == OWN else ("judge=ragas", f"judge.metrics=[{name}]")
        made = experiment(["generator=none", *wanted, *overrides])
        models = session.models(made)
        embedder = session.open_embedder(made.pipeline.embedder) if made.judge.uses_embedder else None
        with made.judge.open(Tools(session.store, embedder, models)) as judge:
            for one in known:
                yield name, one, judge.judge(one.question, one.context, one.answer)
        models.flush()


def told(name: str, verdict: Verdict) -> Mapping[str, Any]:
    """What is compared of a verdict: the value of a metric of RAGAS, the states of our own judge."""
    if name in METRICS:
        [value] = verdict.values
        return {"status": value.status.value, "value": value.value, "why": value.why}
    states = [one.state.value for one in verdict.claims]
    supported = bool(states) and all(one is ClaimState.SUPPORTED for one in (c.state for c in verdict.claims))
    return {"error": verdict.error, "states": states, "relevancy": verdict.relevancy, "supported": supported}


def main() -> int:
    """Parse, record, say what was asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    parser.add_argument("--language", choices=["zh", "en"], help="record the answers of this language alone")
    parser.add_argument(
        "--kind", choices=KINDS, action="append", help="record answers of this kind alone; may be given again"
    )
    parser.add_argument("--judge", choices=ORDER, action="append", help="ask this judge alone; may be given again")
    parser.add_argument("--out", type=Path, help="write what the judges said to this file")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="such as llm=gguf")
    options = parser.parse_args()
    model = [] if any(one.startswith("llm=") for one in options.overrides) else ["llm=gguf"]
    overrides = [*model, "calls.mode=record", "calls.concurrency=1", *options.overrides]
    made = experiment(["generator=none", "judge=llm", *overrides])
    deadline, found = time.monotonic() + 60 * options.minutes, dict[str, dict[str, Any]]()
    with Session(Store(made.places.store)) as session:
        known = [
            one
            for one in cases(session)
            if options.language in (None, one.known.language) and one.known.kind in (options.kind or KINDS)
        ]
        try:
            for name, case, verdict in judging(session, known, overrides, options.judge or ORDER):
                found.setdefault(name, {})[case.known.id] = said = told(name, verdict)
                print(f"{name} {case.known.id} {said}", flush=True)
                if time.monotonic() > deadline:
                    print("time is over; run it again to go on")
                    return 0
        except UserError as error:
            print(f"\n{error}", file=sys.stderr)
            return 2
        finally:
            models = session.models(made)
            models.flush()
            print(now_counts(models.ledger.state()))
    if options.out is not None:
        write_json(options.out, found)
    print("recorded", made.calls.cassettes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
