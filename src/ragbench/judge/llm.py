"""A language model that reads the context and says of each claim whether it is supported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, UserError
from ragbench.judge import llm_prompts
from ragbench.judge.base import Judge, OpenJudge
from ragbench.judge.claims import split_claims, without_citations
from ragbench.judge.counted import CountedAsker
from ragbench.judge.llm_replies import Labels, read_labels
from ragbench.llm.base import Asker, ChatRequest, Llm, Reply
from ragbench.llm.calls import ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.request_key import model_name
from ragbench.records.question import Question
from ragbench.records.score import NO_REFERENCE, NO_RELEVANCY, ClaimState, ClaimVerdict, Verdict
from ragbench.records.trace import Answer, PackedContext

ROLE = "judge"
"""What its calls are counted under."""


def need_model(llm: Llm | None, judge: str) -> Llm:
    """The model of the judge of that name. Raises ConfigError where there is none."""
    if llm is None:
        hint = "Choose one, as in llm=ollama, or judge_llm=ollama for the judge alone."
        raise ConfigError(f"judge={judge}", expected="a language model", found="llm=none", hint=hint)
    return llm


_TOKENS_A_CLAIM = 40
_SPARE_TOKENS = 64
Passages = Sequence[tuple[int, str]]


@dataclass(frozen=True, kw_only=True)
class LlmJudge(Judge):
    """Asks a model about all claims of an answer in one call: supported, contradicted or not enough, the passage that
    decides, and how far they address the question (relevancy: 1 fully, 0.5 partly, 0 not).

    A claim without a usable label is an error; a call that fails, or a reply in which nothing can be read, is the
    verdict's error. Claims against an empty context are not enough and a refusal makes no claims: neither is a call.

    Args:
        llm: the model.
        reference: whether the claims of the reference are checked too, in the answer and in the context: two more
            calls an answer. Without it completeness and context recall are not judged.
    """

    VERSION: ClassVar[int] = 1
    NAME: ClassVar[str] = "llm-1"

    llm: Llm | None
    reference: bool

    @property
    def title(self) -> str:
        """Name, version and the model."""
        return self.NAME if self.llm is None else f"{self.NAME} {model_name(self.llm)}"

    def llm_calls(self, blocks: int) -> int:
        """One, or three with the reference."""
        return 3 if self.reference else 1

    def of_claims(self) -> LlmJudge:
        """Without the reference, which other calls are about."""
        return replace(self, reference=False)

    def identity(self) -> dict[str, Any]:
        """The version of the prompts."""
        return dict(llm_prompts.IDENTITY)

    def check(self) -> None:
        """Raise ConfigError where there is no model."""
        need_model(self.llm, "llm")

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenJudge]:
        """Open the model; nothing is asked. Raises ConfigError where there is none, or its key is missing."""
        model = need_model(self.llm, "llm")
        with ExitStack() as stack:
            models = tools.models or stack.enter_context(ModelCalls(tools.store))
            asker = models.asker(model, ROLE)
            yield LlmWorker(self, Sampled(asker, tools.sample) if tools.sample else asker)


@dataclass(frozen=True)
class Sampled:
    """An asker whose replies are kept under the number of a sample, so that a repeated question is asked anew."""

    asker: Asker
    sample: int

    def ask(self, request: ChatRequest) -> Reply:
        """See `Asker.ask`."""
        return self.asker.ask(replace(request, sample=self.sample))


class LlmWorker:
    """An open LlmJudge; threads may share it."""

    def __init__(self, stage: LlmJudge, asker: Asker) -> None:
        self._stage, self._asker = stage, asker

    def judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        """See `OpenJudge.judge`."""
        return _Case(self._stage, self._asker, question, context, answer).verdict()


class _Case:
    """One answer under judgement, and what it has cost so far."""

    def __init__(
        self, stage: LlmJudge, asker: Asker, question: Question, context: PackedContext, answer: Answer
    ) -> None:
        self._stage, self._asker, self._question = stage, CountedAsker(asker), question
        self._said = "" if answer.refused else answer.text
        self._passages = [(block.citation, block.text) for block in context.blocks if block.text.strip()]

    def verdict(self) -> Verdict:
        omitted = () if self._stage.reference else (NO_REFERENCE,)
        empty = Verdict(self._question.id, self._stage.title, omitted=omitted)
        try:
            found = self._judged(empty)
        except (UserError, MissingEntry) as error:  # this answer's failure, counted as FAILED; the others go on
            found = replace(empty, error=" ".join(str(error).split()))
        return replace(found, usage=dict(self._asker.spent))

    def _judged(self, empty: Verdict) -> Verdict:
        claims, relevancy = self._check(self._said, self._passages, addresses=True)
        unread = () if claims and self._passages else (NO_RELEVANCY,)
        found = replace(empty, claims=claims, relevancy=relevancy, omitted=(*unread, *empty.omitted))
        if not self._stage.reference:
            return found
        reference = self._question.reference
        stated = [(1, without_citations(self._said))] if self._said.strip() else []
        return replace(
            found,
            reference_in_answer=self._check(reference, stated)[0] if stated else (),
            reference_in_context=self._check(reference, self._passages)[0],
        )

    def _check(
        self, text: str, passages: Passages, addresses: bool = False
    ) -> tuple[tuple[ClaimVerdict, ...], float | None]:
        """The claims of a text against passages, and its relevancy where that was asked for and told."""
        claims = split_claims(text)
        if not claims or not passages:
            unread = ClaimState.NOT_ENOUGH
            return tuple(ClaimVerdict(one.text, unread, start=one.start, end=one.end) for one in claims), None
        labels = self._ask([claim.text for claim in claims], passages, addresses)
        verdicts = [
            ClaimVerdict(claim.text, state, start=claim.start, end=claim.end, block=block)
            for claim, (state, block) in zip(claims, labels.claims, strict=True)
        ]
        return tuple(verdicts), labels.relevancy

    def _ask(self, claims: Sequence[str], passages: Passages, addresses: bool) -> Labels:
        schema = llm_prompts.schema(len(claims), addresses)
        request = ChatRequest(
            messages=llm_prompts.check(self._question.question, passages, claims, addresses),
            max_tokens=_SPARE_TOKENS + _TOKENS_A_CLAIM * len(claims),
            schema=schema,
            prompt=llm_prompts.NAME,
        )
        reply = self._asker.ask(request)
        labels = read_labels(reply, schema, len(claims), [number for number, _ in passages])
        if all(state is ClaimState.ERROR for state, _ in labels.claims):
            found = repr(" ".join(reply.text.split())[:100])
            raise DataError("reply of the judge's model", expected=f"verdicts on {len(claims)} claims", found=found)
        return labels
