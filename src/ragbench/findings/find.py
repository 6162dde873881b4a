"""All findings of a sweep, a part for each measure they are read on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.headline import CONTEXT, HEADLINE, tells_more
from ragbench.compare.table import judged, quality
from ragbench.eval_set.chosen import asked_of
from ragbench.findings.curve import curve
from ragbench.findings.effects import main_effect
from ragbench.findings.front import front
from ragbench.findings.leader import leader
from ragbench.findings.variant import Variant

EQUAL_K = "ranking/recall@5"
EQUAL_CONTEXT = "ranking/recall_budget@2000"
ANSWERS = "answer/correctness_f1"
KEPT = (EQUAL_K, EQUAL_CONTEXT, ANSWERS, CONTEXT)
"""What findings are read on unless told otherwise."""

Row = dict[str, Any]


def measures_for(summaries: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What findings are read on: recall at an equal context where variants cut differently, else at k = 5; then
    correctness of answers or, where none were written and variants cut alike, the evidence in the context. Without
    either, the first headline measure that has a mean."""
    cut = {(one.get("cost") or {}).get("n_chunks") for one in summaries}
    answers = CONTEXT if len(cut) == 1 and not _measured(summaries, ANSWERS) and tells_more(summaries) else ANSWERS
    wanted = (EQUAL_CONTEXT if len(cut) > 1 else EQUAL_K, answers)
    found = tuple(name for name in wanted if _measured(summaries, name))
    rest = (name for name in HEADLINE if quality(name) and _measured(summaries, name))
    return found or tuple(list(rest)[:1])


def comparable(summaries: Sequence[Mapping[str, Any]], measure: str) -> bool:
    """Whether runs were asked the same questions of one set and, where it shows, judged by one judge."""
    locks = {(one.get("eval_set") or {}).get("lock") for one in summaries}
    parts = {asked_of(one.get("eval_set")) for one in summaries}
    judges = {repr(sorted((one.get("judge") or {}).items())) for one in summaries}
    return len(locks) <= 1 and len(parts) <= 1 and (len(judges) <= 1 or not judged(measure))


def find(
    variants: Sequence[Variant], axes: Sequence[str], measures: Sequence[str], seed: int, base: Mapping[str, str] | None
) -> list[Row]:
    """For each measure: the best variant, the effect of each axis, the curve of each numeric one, and the front. `base`
    is where axes varied alone start from. A measure without two variants to compare is left out."""
    found = []
    for name in measures:
        best = leader(variants, name, seed)
        if best is None:
            continue
        effects = [main_effect(variants, axis, name, seed, (base or {}).get(axis)) for axis in axes]
        curves = [curve(variants, axis, name, seed) for axis in axes]
        told = {"effects": [one for one in effects if one], "curves": [one for one in curves if one]}
        found.append({"measure": name, "best": best, **told, "front": front(variants, name)})
    return found


def _measured(summaries: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(((one.get("metrics") or {}).get(name) or {}).get("mean") is not None for one in summaries)
