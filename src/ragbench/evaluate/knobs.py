"""The settings of a run that advice depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Knobs:
    """`variant` is how summary.json names the run (options by slot, root values), `pipeline` its resolved stages.

    What is not known is None, and advice that would need it is not given.
    """

    variant: Mapping[str, Any] = field(default_factory=dict)
    pipeline: Mapping[str, Any] = field(default_factory=dict)

    def option(self, slot: str) -> str:
        """The chosen option of a slot, or the class that stands there in its place; empty where it is not known."""
        chosen, target = str(self.variant.get(slot) or ""), str(self.of(slot, "_target_") or "")
        return target if target and not target.startswith(f"ragbench.{slot}.{chosen}.") else chosen

    def root(self, name: str) -> int | None:
        """A whole number of the root values."""
        return _whole(self.variant.get(name))

    def of(self, slot: str, name: str) -> Any:
        """A field of the stage in a slot."""
        stage = self.pipeline.get(slot)
        return stage.get(name) if isinstance(stage, Mapping) else None

    def whole(self, slot: str, name: str) -> int | None:
        """A field that is a whole number."""
        return _whole(self.of(slot, name))


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
