"""Several tiers of query classification: what one will not decide, the next is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.query.classifier.base import ABSTAINED, SIMPLE, Classifier, OpenClassifier, TrainedOn, Understood
from ragbench.query.classifier.model import check_cost, check_share
from ragbench.query.rules import RuleClassifier
from ragbench.records.question import Question, Turn

TIERS = ("rules", "model", "llm")


@dataclass(frozen=True, kw_only=True)
class TieredClassifier(Classifier):
    """Tiers in `order`; each decides or abstains, and the first that decides is recorded, for class and category apart.

    A rule's class counts where its expected cost, (1 - confidence) times `simple_cost` for `simple_lookup` and times 1
    for any other class, is at most `abstain_cost`: rules that are too often wrong leave the question to the next tier,
    and a complex question taken for a simple one weighs more. The last tier has no such check but its own threshold.
    What no tier decides stays undecided, which later stages take for the heavier path.

    Args:
        order: which tiers are asked, first to last; `llm` is passed over where it has no model.
        rules, model, llm: the tiers; one that is not in `order` may be null.
        simple_cost: what taking a complex question for a simple one costs, where any other error costs 1.
        abstain_cost: what leaving a question to the next tier costs.
    """

    VERSION: ClassVar[int] = 1

    order: tuple[str, ...]
    rules: Classifier | None
    model: Classifier | None
    llm: Classifier | None
    simple_cost: float
    abstain_cost: float

    def __post_init__(self) -> None:
        order = self.order
        if not isinstance(order, tuple) or not order or set(order) - set(TIERS) or len(set(order)) < len(order):
            expected = f"some of {', '.join(TIERS)}, each once"
            raise ConfigError("classifier.order", expected=expected, found=repr(order)[:60])
        for name in order:
            if not isinstance(getattr(self, name), Classifier):
                found = repr(getattr(self, name))[:60]
                raise ConfigError(
                    f"classifier.{name}", expected="a classifier, because classifier.order names it", found=found
                )
        check_cost("classifier.simple_cost", self.simple_cost)
        check_share("classifier.abstain_cost", self.abstain_cost)
        if self.abstain_cost is None:
            raise ConfigError("classifier.abstain_cost", expected="a number from 0 to 1", found="null")

    @property
    def tiers(self) -> tuple[Classifier, ...]:
        """Those that are asked, in their order."""
        every = [getattr(self, name) for name in self.order]
        return tuple(one for one in every if getattr(one, "llm", one) is not None)

    def recipe(self) -> dict[str, Any]:
        """As of any stage, without the tiers that are not asked."""
        plain = super().recipe()
        asked = [name for name in self.order if getattr(self, name) in self.tiers]
        dropped = {name: None for name in TIERS if name not in asked}
        plain["fields"] = {**plain["fields"], **dropped, "order": asked}
        return plain

    @property
    def uses_embedder(self) -> bool:
        """Where a tier does."""
        return any(one.uses_embedder for one in self.tiers)

    @property
    def says(self) -> frozenset[str]:
        """What any tier says."""
        return frozenset().union(*(one.says for one in self.tiers))

    def trained_on(self) -> Mapping[str, TrainedOn]:
        """Those of the tiers."""
        return {name: told for one in self.tiers for name, told in one.trained_on().items()}

    def check(self) -> None:
        """Raise ConfigError where no tier is left."""
        if not self.tiers:
            hint = "Choose one, as in llm=ollama, or add rules or model to classifier.order."
            raise ConfigError("classifier.order", expected="a tier besides llm", found="llm=none", hint=hint)

    def llm_calls(self, question: Question | None = None) -> int:
        """The most there can be: every tier's."""
        return sum(one.llm_calls(question) for one in self.tiers)

    @contextmanager
    def open(self, tools: Tools) -> Iterator[TieredWorker]:
        """Open the tiers; see theirs for what is raised."""
        self.check()
        with ExitStack() as stack:
            yield TieredWorker(self, [(one, stack.enter_context(one.open(tools))) for one in self.tiers])


class TieredWorker:
    """An open TieredClassifier."""

    def __init__(self, stage: TieredClassifier, tiers: Sequence[tuple[Classifier, OpenClassifier]]) -> None:
        self._stage, self._tiers = stage, tiers

    def classify(self, text: str, history: tuple[Turn, ...] = ()) -> Understood:
        """See `OpenClassifier.classify`; a tier is asked only for what is still undecided and what it says at all."""
        so_far = Understood(category_tier=ABSTAINED if "category" in self._stage.says else "")
        for stage, worker in self._tiers:
            if stage.says & _undecided(so_far):
                found = worker.classify(text, history)
                if stage is not self._tiers[-1][0] and not self._is_sure(found):
                    found = replace(found, complexity=None)
                so_far = _joined(so_far, found)
        return so_far

    def _is_sure(self, found: Understood) -> bool:
        """Whether a rule's class is worth more than asking on."""
        if found.confidence is None or found.tier != RuleClassifier.TIER:
            return True
        price = self._stage.simple_cost if found.complexity == SIMPLE else 1.0
        return (1 - found.confidence) * price <= self._stage.abstain_cost


def _undecided(so_far: Understood) -> set[str]:
    return {name for name in ("complexity", "category", "answerable") if getattr(so_far, name) is None}


def _joined(so_far: Understood, found: Understood) -> Understood:
    """What is known after a tier: what was decided before it stays."""
    changes: dict[str, Any] = {"spent": so_far.spent + found.spent}
    if so_far.complexity is None and found.complexity is not None:
        changes |= {"complexity": found.complexity, "tier": found.tier, "confidence": found.confidence}
    if so_far.category is None and found.category is not None:
        changes |= {"category": found.category, "category_tier": found.category_tier}
    if so_far.answerable is None:
        changes["answerable"] = found.answerable
    return replace(so_far, **changes)
