"""A judge that needs no key: the support score of each claim."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.judge.answer_support import SUPPORT, answer_support
from ragbench.judge.base import Judge, OpenJudge
from ragbench.judge.claims import split_claims, without_citations
from ragbench.judge.evidence import Evidence
from ragbench.judge.likeness import ClaimLikeness
from ragbench.judge.relevancy import Relevancy, relevancy_model
from ragbench.judge.support import Checked, SupportModel, check_claim
from ragbench.records.question import Question
from ragbench.records.score import ClaimVerdict, Verdict
from ragbench.records.trace import Answer, PackedContext


@dataclass(frozen=True, kw_only=True)
class OfflineJudge(Judge):
    """Claims of the answer against the packed context by words, numbers, names, opposites and negation: a *support
    score*.

    It measures support by wording; paraphrase and inference beyond the words are near chance (`docs/judge.md` has the
    figures). `semantic` adds the cosine of question and answer to the relevancy; claims need no model either way.
    """

    VERSION: ClassVar[int] = 4
    NAME: ClassVar[str] = "offline-4"

    semantic: bool

    @property
    def uses_embedder(self) -> bool:
        """Whether relevancy has its cosine."""
        return self.semantic

    @property
    def further_measures(self) -> tuple[str, ...]:
        """The support score of the whole answer."""
        return (SUPPORT,)

    def of_claims(self) -> OfflineJudge:
        """Without the cosine, which relevancy alone reads."""
        return replace(self, semantic=False)

    def identity(self) -> dict[str, Any]:
        """Hash of the shipped weights."""
        model = SupportModel.load()
        answer = (model.answer.bias, dict(model.answer.weights))
        weights = (model.bias, dict(model.weights), model.threshold, answer)
        return {"models": fingerprint(weights, dict(relevancy_model()))}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenJudge]:
        """Take the embedder. Raises ConfigError where `semantic` has none."""
        if self.semantic and tools.embedder is None:
            raise ConfigError(
                "judge.semantic=true",
                expected="an embedder",
                found="none is open",
                hint="Use judge.semantic=false, which needs no model.",
            )
        yield Judging(self.NAME, tools.embedder if self.semantic else None)


class Judging:
    """An open offline judge; with `likeness` by words and token vectors."""

    def __init__(self, name: str, embedder: TextEmbedder | None, likeness: ClaimLikeness | None = None) -> None:
        self._name, self._likeness = name, likeness
        self._relevancy = Relevancy(embedder)
        self._model = SupportModel.load(likeness is not None)

    def judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        """See `OpenJudge.judge`."""
        try:
            return self._judge(question, context, answer)
        except Exception as error:  # one answer that cannot be judged is a FAILED cell and no end of the run
            return Verdict(question.id, self._name, error=f"{type(error).__name__}: {error}")

    def _judge(self, question: Question, context: PackedContext, answer: Answer) -> Verdict:
        evidence = Evidence([(block.citation, block.text) for block in context.blocks])
        said = "" if answer.refused else answer.text
        checked = self._checked(said, evidence)
        claims, soft = tuple(one.verdict for one in checked), [one.soft for one in checked]
        return Verdict(
            question.id,
            self._name,
            claims=claims,
            relevancy=self._relevancy.of(question.question, said) if said.strip() else None,
            reference_in_answer=self._check(question.reference, Evidence([(None, without_citations(said))]))
            if said.strip()
            else (),
            reference_in_context=self._check(question.reference, evidence),
            values=(answer_support(without_citations(said), claims, evidence, self._model.answer, soft),),
        )

    def _check(self, text: str, evidence: Evidence) -> tuple[ClaimVerdict, ...]:
        return tuple(one.verdict for one in self._checked(text, evidence))

    def _checked(self, text: str, evidence: Evidence) -> list[Checked]:
        return [check_claim(claim, evidence, self._model, self._likeness) for claim in split_claims(text)]
