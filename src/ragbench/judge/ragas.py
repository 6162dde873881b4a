"""The metrics of RAGAS, asked through our own models, memory and embedder."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, RagbenchError, UserError
from ragbench.judge import ragas_library, ragas_prompts
from ragbench.judge.base import Judge, OpenJudge
from ragbench.judge.claims import without_citations
from ragbench.judge.counted import CountedAsker
from ragbench.judge.llm import ROLE, need_model
from ragbench.judge.ragas_library import MetricEmbedder, MetricLlm, finished, verdicts_of
from ragbench.judge.ragas_metrics import METRICS, RELEVANCY, Sample, arguments, measure_of, told_unasked
from ragbench.llm.base import Asker, Llm
from ragbench.llm.calls import ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.request_key import model_name
from ragbench.records.question import Question
from ragbench.records.score import NO_REFERENCE, NO_RELEVANCY, ClaimState, ClaimVerdict, JudgedValue, Status, Verdict
from ragbench.records.trace import Answer, PackedContext


@dataclass(frozen=True, kw_only=True)
class RagasJudge(Judge):
    """Computes metrics of RAGAS 0.4.3 (extra `ragas`), each under a name of its own (`answer/ragas_faithfulness`).

    English questions are asked about with RAGAS' own prompts, Chinese ones with Chinese prompts of the same tasks. A
    metric that cannot be computed, or of which a reply left something out, is FAILED alone; none becomes 0 or NaN.

    Args:
        llm: the model.
        metrics: those wanted, of `faithfulness`, `response_relevancy`, `context_precision`, `context_recall`,
            `factual_correctness`.
        strictness: questions that response relevancy has written for each answer, at least 1. At temperature 0 they are
            the same one.
        max_tokens: longest reply, at least 1; one that is cut off is FAILED.
    """

    VERSION: ClassVar[int] = 1
    NAME: ClassVar[str] = f"ragas-{ragas_library.RELEASE}"

    llm: Llm | None
    metrics: tuple[str, ...]
    strictness: int
    max_tokens: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", tuple(self.metrics))
        unknown = [str(name) for name in self.metrics if name not in METRICS]
        if unknown or not self.metrics:
            found = ", ".join(unknown) or "none"
            raise ConfigError("judge.metrics", expected=f"some of {', '.join(METRICS)}", found=found)
        for name in ("strictness", "max_tokens"):
            if getattr(self, name) < 1:
                raise ConfigError(f"judge.{name}", expected="1 or more", found=str(getattr(self, name)))

    @property
    def title(self) -> str:
        """Name, release of RAGAS and the model."""
        return self.NAME if self.llm is None else f"{self.NAME} {model_name(self.llm)}"

    @property
    def uses_embedder(self) -> bool:
        """Whether response relevancy is wanted."""
        return RELEVANCY in self.metrics

    @property
    def measures(self) -> tuple[str, ...]:
        """One for each metric."""
        return tuple(measure_of(name) for name in self.metrics)

    def llm_calls(self, blocks: int) -> int:
        """The calls of each metric: of context precision one a block, of response relevancy `strictness`."""
        fixed = sum(METRICS[name].calls + blocks * METRICS[name].a_context for name in self.metrics)
        return fixed + (self.strictness if RELEVANCY in self.metrics else 0)

    def identity(self) -> dict[str, Any]:
        """The release of RAGAS and the Chinese prompts."""
        return {"ragas": ragas_library.RELEASE, "prompts": ragas_prompts.identity()}

    def check(self) -> None:
        """Raise ConfigError where there is no model, MissingExtra where RAGAS is not installed."""
        need_model(self.llm, "ragas")
        ragas_library.check_installed()

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenJudge]:
        """Import RAGAS and open the model; nothing is asked. Raises ConfigError where either cannot be, and where
        response relevancy has no embedder."""
        model = need_model(self.llm, "ragas")
        library = ragas_library.load()
        if self.uses_embedder and tools.embedder is None:
            hint = "Leave response_relevancy out of judge.metrics."
            raise ConfigError("judge=ragas", expected="an embedder", found="none is open", hint=hint)
        embedder = MetricEmbedder(tools.embedder) if tools.embedder is not None else None
        with ExitStack() as stack:
            models = tools.models or stack.enter_context(ModelCalls(tools.store))
            yield RagasWorker(self, library, models.asker(model, ROLE), embedder)


class RagasWorker:
    """An open RagasJudge; threads may share it."""

    def __init__(self, stage: RagasJudge, library: Any, asker: Asker, embedder: MetricEmbedder | None) -> None:
        self._stage, self._library, self._asker, self._embedder = stage, library, asker, embedder

    def judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        """See `OpenJudge.judge`. `claims` are the statements of faithfulness, `reference_in_context` those of context
        recall, `reference_in_answer` those of factual correctness, as far as these are computed."""
        sample = Sample(
            question.question,
            "" if answer.refused else without_citations(answer.text).strip(),
            tuple(block.text for block in context.blocks if block.text.strip()),
            question.reference if question.answerable else "",
        )
        asker, values, shown = CountedAsker(self._asker), [], {}
        for name in self._stage.metrics:
            value, replies = self._value(name, sample, asker)
            values.append(value)
            shown[name] = _statements(replies[-1]) if value.status is Status.SCORED and replies else ()
        broken = [f"{one.measure}: {one.why}" for one in values if one.status is Status.FAILED]
        return Verdict(
            question.id,
            self._stage.title,
            claims=shown.get("faithfulness", ()),
            reference_in_answer=shown.get("factual_correctness", ()),
            reference_in_context=shown.get("context_recall", ()),
            error=broken[0] if broken else None,
            omitted=(NO_RELEVANCY, NO_REFERENCE),
            usage=dict(asker.spent),
            values=tuple(values),
        )

    def _value(self, name: str, sample: Sample, asker: CountedAsker) -> tuple[JudgedValue, Sequence[Any]]:
        """A metric of an answer, and the replies behind it."""
        known = told_unasked(name, sample)
        if known is not None:
            return known, ()
        measure = measure_of(name)
        try:
            value, replies = self._asked(name, sample, asker)
        except (UserError, MissingEntry) as error:
            return JudgedValue(measure, Status.FAILED, None, " ".join(str(error).split())), ()
        except RagbenchError:
            raise
        except Exception as error:  # whatever a metric raises is its own failure; the other metrics go on
            return JudgedValue(measure, Status.FAILED, None, f"{type(error).__name__}: {error}"), ()
        if not math.isfinite(value):
            return JudgedValue(measure, Status.FAILED, None, f"ragas gives {value}"), ()
        return JudgedValue(measure, Status.SCORED, round(value, 6), _words(replies)), replies

    def _asked(self, name: str, sample: Sample, asker: CountedAsker) -> tuple[float, Sequence[Any]]:
        one, options = METRICS[name], {}
        if name == RELEVANCY:
            options = {"embeddings": self._embedder, "strictness": self._stage.strictness}
        language = ragas_prompts.language_for(sample.user_input)
        llm = MetricLlm(asker, f"ragas_{name}", language, self._stage.max_tokens)
        metric = getattr(self._library, one.kind)(llm=llm, **options)
        ragas_prompts.translate(metric, one.prompts, language)
        result = finished(metric.ascore(**arguments(name, sample)))
        return float(result.value), llm.replies


def _statements(reply: Any) -> tuple[ClaimVerdict, ...]:
    """The judged statements of a reply as claims; a mark of 0 says that they cannot be inferred, not that they are
    contradicted."""
    marks = {1: ClaimState.SUPPORTED, 0: ClaimState.NOT_ENOUGH}
    return tuple(ClaimVerdict(one.statement, marks[_mark(one)]) for one in verdicts_of(reply))


def _mark(statement: Any) -> int:
    return int(next(value for _, value in statement if isinstance(value, int)))


def _words(replies: Sequence[Any]) -> str:
    """What a value rests on: how many statements (of the answer, then of the reference, where both are checked) or
    passages were marked 1, or the questions that were written."""
    lists = [told for told in map(verdicts_of, replies) if told]
    if lists:
        return ", ".join(f"{sum(map(_mark, told))} of {len(told)} statements" for told in lists)
    marks = [_mark(one) for one in replies]
    if hasattr(replies[-1], "question"):
        evasive = " (called evasive)" if all(marks) else ""
        return f"written back: {' / '.join(one.question for one in replies)}{evasive}"
    return f"{sum(marks)} of {len(marks)} passages"
