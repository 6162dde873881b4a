"""What a gate found, as a value: outcome, reasons, measures, categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from ragbench.gate.loss import Loss


class Outcome(StrEnum):
    """What is said of a gate or of one test of it. `SHOWN` decides nothing, `NONE` has nothing to test."""

    PASS = "pass"  # noqa: S105 - no password
    REGRESSION = "regression"
    CANNOT_TELL = "cannot_tell"
    UNCONFIRMED = "unconfirmed"
    TOO_FEW = "too_few"
    SHOWN = "shown"
    NONE = "not_applicable"


EXIT_CODES: Mapping[Outcome, int] = {Outcome.PASS: 0, Outcome.REGRESSION: 1, Outcome.CANNOT_TELL: 3}


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that is said of a gate: `code` names the sentence (`report/text/gate.<language>.json`), `values` fill
    it in."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One measure. `before` and `now` are means with FAILED as the worst value over all questions of a side, `floor` is
    its absolute floor, if any.

    `appeared` and `vanished` are questions it did not apply to on one side alone. `failed` counts FAILED cells before
    and now. `saturated` says of which sides at least 95 % have the best value. `reasons` say why it is not a plain
    pass.
    """

    measure: str
    higher_is_better: bool
    judged: bool
    outcome: Outcome
    before: float | None
    now: float | None
    loss: Loss
    floor: float | None = None
    appeared: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    failed: tuple[int, int] = (0, 0)
    saturated: tuple[bool, bool] = (False, False)
    reasons: tuple[Reason, ...] = ()

    @property
    def means(self) -> tuple[float | None, float | None]:
        """The two means that the loss lies between: of the pairs, where there are any."""
        return (self.loss.before, self.loss.now) if self.loss.n else (self.before, self.now)


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One measure in one category; `p` is Holm's over all category tests, None where nothing was tested."""

    category: str
    measure: str
    outcome: Outcome
    loss: Loss
    p: float | None = None


@dataclass(frozen=True)
class GateResult:
    """A gate. `reasons` say why nothing could be compared; then there are no rows. `notes` is what stands beside it:
    what differs, and warnings. `judge_card` is the card of the run's judge in short (`ragbench.judge.card.brief`)."""

    outcome: Outcome
    eval_set: str
    run_id: str
    baseline: Mapping[str, Any]
    options: Mapping[str, Any]
    reasons: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()
    rows: tuple[Row, ...] = ()
    categories: tuple[CategoryRow, ...] = ()
    judge: str = ""
    judge_card: Mapping[str, Any] | None = None

    @property
    def exit_code(self) -> int:
        """0 pass, 1 regression, 3 cannot tell."""
        return EXIT_CODES[self.outcome]

    def to_json(self) -> dict[str, Any]:
        """As `ragbench gate --json` prints it."""
        return asdict(self) | {"exit_code": self.exit_code}
