"""When a context is too little, or too little relevant, to answer from, whoever would write the answer."""

from __future__ import annotations

from dataclasses import dataclass

from ragbench.errors import ConfigError, DataError
from ragbench.generator import messages
from ragbench.generator.base import Generator
from ragbench.records.question import Question
from ragbench.records.trace import Answer, ContextBlock, PackedContext

THRESHOLDS = ("min_max", "min_mean")
REASONS = (messages.NO_CONTEXT, messages.FEW_CONTEXTS, messages.LOW_RELEVANCE, messages.LOW_MEAN_RELEVANCE)


@dataclass(frozen=True, kw_only=True)
class RefusingGenerator(Generator):
    """A generator that refuses, before it reads it, a context that the policy holds to be too little.

    Args:
        min_contexts: fewest blocks with text that are answered from, at least 1.
        min_max: least relevance of the best block, in [0, 1]; 0 is off.
        min_mean: least mean relevance of the blocks, in [0, 1]; 0 is off.

    The relevance of a block is the reranker's score of its best chunk. The thresholds read it as the probability that
    the chunk helps, so a variant may have them only where its scores are that (`Reranker.calibrated`).
    """

    min_contexts: int
    min_max: float
    min_mean: float

    def __post_init__(self) -> None:
        """Check the policy."""
        if not isinstance(self.min_contexts, int) or isinstance(self.min_contexts, bool) or self.min_contexts < 1:
            found = repr(self.min_contexts)
            raise ConfigError("pipeline.generator.min_contexts", expected="a whole number of at least 1", found=found)
        for name in THRESHOLDS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                expected = "a number from 0 (off) to 1"
                raise ConfigError(f"pipeline.generator.{name}", expected=expected, found=repr(value))

    @property
    def least_relevance(self) -> float | None:
        """`min_max`."""
        return self.min_max

    @property
    def relevance_thresholds(self) -> tuple[str, ...]:
        """Those that are on."""
        return tuple(name for name in THRESHOLDS if getattr(self, name) > 0)

    def against(self, context: PackedContext) -> str | None:
        """The reason to refuse the context, one of `REASONS`; None where it may be answered from.

        Of several reasons the first in the order: no block, too few, the best one, the mean. Raises DataError where a
        threshold is on and a block has no relevance from 0 to 1.
        """
        blocks = [block for block in context.blocks if block.text.strip()]
        if not blocks:
            return messages.NO_CONTEXT
        if len(blocks) < self.min_contexts:
            return messages.FEW_CONTEXTS
        if not self.relevance_thresholds:
            return None
        values = [_probability(block) for block in blocks]
        if max(values) < self.min_max:
            return messages.LOW_RELEVANCE
        return messages.LOW_MEAN_RELEVANCE if sum(values) / len(values) < self.min_mean else None


def _probability(block: ContextBlock) -> float:
    value = block.relevance
    if value is None or not 0 <= value <= 1:
        raise DataError(
            f"relevance of block {block.citation}",
            expected="a probability from 0 to 1, as pipeline.generator.min_max and min_mean read it",
            found="none" if value is None else f"{value:g}",
            hint="Set both to 0, or have the reranker calibrated (ragbench calibrate).",
        )
    return value


def refusal(reason: str, question: Question, confidence: float | None = None) -> Answer:
    """A refusal in the language of the question."""
    text = messages.refusal_message(reason, question.question)
    return Answer(text, refused=True, reason=reason, confidence=confidence)
