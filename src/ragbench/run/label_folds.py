"""Which fold a labelled row is held out with."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragbench.run.labelled_data import LabelledRow


def folds_of(rows: Sequence[LabelledRow], n_folds: int) -> NDArray[np.int64]:
    """The fold of each row, [n].

    Groups stay together. They are taken in the order of a hash of their name, each to the fold that has the fewest rows
    of its commonest label, the first of equal ones; so the folds depend on the rows alone, not on their order.
    """
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        labels[row.group][row.label] += 1
    held = [Counter[str]() for _ in range(n_folds)]
    fold: dict[str, int] = {}
    for group in sorted(labels, key=_place):
        counts = labels[group]
        commonest = min(counts, key=lambda label: (-counts[label], label))
        fold[group] = min(range(n_folds), key=lambda n: (held[n][commonest], held[n].total(), n))
        held[fold[group]].update(counts)
    return np.array([fold[row.group] for row in rows], dtype=np.int64)


def _place(group: str) -> str:
    return hashlib.sha256(group.encode("utf-8", "surrogatepass")).hexdigest()
