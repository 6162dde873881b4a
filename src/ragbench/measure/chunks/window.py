"""What of the chunks does not fit the embedder's window."""

from __future__ import annotations

from ragbench.measure.base import Finding, Outcome, not_applicable
from ragbench.measure.case import VariantCase
from ragbench.measure.provided import WindowUse
from ragbench.records.score import Status

_BECAME = {"window_mean": "averaged over windows", "truncate": "lost"}


def over_window(variant: VariantCase) -> Outcome:
    """Searched texts of chunks longer than the embedder's window ÷ all, in [0, 1]; n/a where no embedder reads them.

    Equal texts are counted each time. Source: methods.md §3 (overflow).
    """
    use = variant.corpus.window
    return _share(use, use.over, use.texts, "texts") if use is not None else _no_vectors()


def over_window_chars(variant: VariantCase) -> Outcome:
    """Characters behind the first window ÷ characters of all searched texts, in [0, 1]; n/a as `over_window`.

    The words beside the value say what became of them: averaged over windows, or lost.
    """
    use = variant.corpus.window
    return _share(use, use.beyond, use.characters, "characters") if use is not None else _no_vectors()


def _share(use: WindowUse, part: int, whole: int, what: str) -> Outcome:
    if not whole:
        return not_applicable("there are no chunks")
    became = f", {_BECAME.get(use.overflow, use.overflow)}" if part else ""
    return Finding(Status.SCORED, part / whole, f"{part} of {whole} {what} beyond {use.max_tokens} tokens{became}")


def _no_vectors() -> Finding:
    return not_applicable("the variant has no index of vectors")
