"""The one spelling of a measure's name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ragbench.errors import ConfigError

LAYERS = ("chunks", "query", "retrieval", "ranking", "answer", "cost")
_SPELLING = re.compile(r"(?:([a-z]+)/)?([a-z][a-z0-9_]*)(?:@([1-9][0-9]*))?")


@dataclass(frozen=True, slots=True, order=True)
class MeasureName:
    """`layer/measure@k`: parses and prints to the same text.

    `layer` is empty for foreign runs (`ndcg@10`), `k` None for a measure without cut-off.
    """

    layer: str
    measure: str
    k: int | None = None

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, text: str) -> MeasureName:
        """Read a name; raises ConfigError that says how names are spelt."""
        found = _SPELLING.fullmatch(text)
        if found is None or (found[1] is not None and found[1] not in LAYERS):
            raise ConfigError(
                f"measure {text!r}",
                expected="layer/measure or layer/measure@k, such as retrieval/recall@5",
                hint=f"Layers: {', '.join(LAYERS)}.",
            )
        return cls(found[1] or "", found[2], int(found[3]) if found[3] else None)

    def __str__(self) -> str:
        layer = f"{self.layer}/" if self.layer else ""
        cut = f"@{self.k}" if self.k is not None else ""
        return f"{layer}{self.measure}{cut}"

    @property
    def mlflow(self) -> str:
        """The spelling for MLflow, which refuses `@`."""
        return str(self).replace("@", "_at_")
