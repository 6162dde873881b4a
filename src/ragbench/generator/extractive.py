"""The best-supported sentences of the context, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ragbench.core.fingerprint import fingerprint
from ragbench.core.workers import TextEmbedder, Tools
from ragbench.errors import ConfigError
from ragbench.generator import messages
from ragbench.generator.base import OpenGenerator
from ragbench.generator.choose import Scored, choose, needs_several, wants_number
from ragbench.generator.compose import compose
from ragbench.generator.late_match import LateMatch
from ragbench.generator.policy import RefusingGenerator, refusal
from ragbench.generator.refusal import Calibration, features_of
from ragbench.generator.support import LexicalMatch, Unit, lexical_match, units
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext
from ragbench.text.language import answers_in_chinese
from ragbench.text.quantities import quantities

CANDIDATES = 20
SHORT_LIST = 300
SCORED_CHARACTERS = 400


@dataclass(frozen=True, kw_only=True)
class ExtractiveGenerator(RefusingGenerator):
    """Quotes up to `max_sentences` sentences of the context with their citations; deterministic.

    `scorer` ranks sentences: `lexical` by idf-weighted share of the question's words, `maxsim` by that and the
    late-interaction similarity of token vectors over the 20 best by words. One sentence answers;
    more are taken where the question asks for more than one thing and each adds words of the question.
    `refuse_below` in [0, 1]: the calibrated probability that the context answers (`refusal_model.json`) under which
    it refuses; 0 never refuses while there is a context. What `RefusingGenerator` refuses is refused before that; the
    probability is told all the same.
    """

    VERSION: ClassVar[int] = 4

    scorer: Literal["maxsim", "lexical"]
    max_sentences: int
    refuse_below: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scorer not in ("maxsim", "lexical"):
            raise ConfigError("pipeline.generator.scorer", expected="maxsim or lexical", found=repr(self.scorer))
        if not isinstance(self.max_sentences, int) or isinstance(self.max_sentences, bool) or self.max_sentences < 1:
            found = repr(self.max_sentences)
            raise ConfigError("pipeline.generator.max_sentences", expected="a whole number of at least 1", found=found)
        if isinstance(self.refuse_below, bool) or not 0 <= self.refuse_below <= 1:
            raise ConfigError(
                "pipeline.generator.refuse_below", expected="a number from 0 to 1", found=repr(self.refuse_below)
            )

    def identity(self) -> dict[str, Any]:
        """Hash of the shipped weights that decide a refusal."""
        model = Calibration.load(self.scorer)
        return {"refusal": fingerprint(model.bias, dict(model.weights))}

    @property
    def uses_embedder(self) -> bool:
        """Whether sentences are compared by token vectors."""
        return self.scorer == "maxsim"

    @property
    def uses_tokens(self) -> bool:
        """As `uses_embedder`."""
        return self.uses_embedder

    @property
    def threshold(self) -> float | None:
        """`refuse_below`."""
        return self.refuse_below

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenGenerator]:
        """Take the embedder. Raises ConfigError where `maxsim` has none."""
        if self.uses_embedder and tools.embedder is None:
            raise ConfigError(
                "pipeline.generator.scorer=maxsim",
                expected="an embedder with token vectors",
                found="none is open",
                hint="Use pipeline.generator.scorer=lexical, which needs no model.",
            )
        yield _Quoting(self, tools.embedder if self.uses_embedder else None, Calibration.load(self.scorer))


class _Quoting:
    def __init__(self, stage: ExtractiveGenerator, embedder: TextEmbedder | None, calibration: Calibration) -> None:
        self._stage = stage
        self._late = LateMatch(embedder) if embedder is not None else None
        self._calibration = calibration

    def answer(self, question: Question, context: PackedContext) -> Answer:
        pool = units(context, SHORT_LIST)
        if not pool:
            return refusal(messages.NO_CONTEXT, question, 0.0)
        scored, match = candidates(question.question, pool, self._late)
        confidence = self._calibration.probability(
            features_of(scored, match.covered, answers_in_chinese(question.question))
        )
        reason = self._stage.against(context)
        if reason is None and confidence < self._stage.refuse_below:
            reason = messages.LOW_SUPPORT
        if reason is not None:
            return refusal(reason, question, confidence)
        several = self._stage.max_sentences if needs_several(question.question) else 1
        chosen = choose(scored, several, match.weights)
        text, citations = compose([item.unit for item in chosen], context, question.question)
        return Answer(text, citations=citations, confidence=confidence)


def candidates(question: str, pool: Sequence[Unit], late: LateMatch | None) -> tuple[list[Scored], LexicalMatch]:
    """The 20 best units by words (ties: reading order), scored; and the word match of the whole pool."""
    match = lexical_match(question, pool)
    order = sorted(range(len(pool)), key=lambda number: (-match.scores[number], number))[:CANDIDATES]
    scores = late.scores(question, [_with_surroundings(pool[number]) for number in order]) if late else None
    counts = wants_number(question)
    scored = [
        Scored(
            unit=pool[number],
            lexical=match.scores[number],
            late=scores[place] if scores else None,
            number=counts and bool(quantities(pool[number].text)),
            found=match.found[number],
        )
        for place, number in enumerate(order)
    ]
    return scored, match


def _with_surroundings(unit: Unit) -> str:
    """What is compared: the sentence behind the words it stands under, which name its topic."""
    return f"{unit.around} {unit.text}".strip()[:SCORED_CHARACTERS]
