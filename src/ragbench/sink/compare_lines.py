"""What a comparison says in lines: the change, the verdict, and what cannot be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbench.compare.contrast import NO_PAIRS, NOT_COMPARABLE, TOO_FEW, UNTESTED, Contrast
from ragbench.compare.figures import interval, p_value
from ragbench.compare.pairs import ALIKE, NOT_A_COMPARISON, TRADE, Pair, is_quality, judges_of
from ragbench.compare.table import signed
from ragbench.compare.turned import Turned

_NAMED = 4
_IDS = 12
UNTESTED_WHY = {
    "timing": "the machine's noise is in no interval",
    "one_figure": "one figure a run",
    "judge_below": "the judge is below its floor, or was never checked",
    "unhealthy": "a run is no result for it (ragbench run says why)",
    "fell_back": "query understanding fell back in a run",
}
_SAME = {
    "chunks": "only the cutting was changed, and both cut the corpus into the same chunks",
    "everything": "both rank, pack and answer every question the same",
}


def change_line(pair: Pair) -> str:
    """The configuration difference in one line, with what follows from it and what differs beside it."""
    keys = pair.changes.n
    follows = [one.words() for one in pair.changes.keys if not one.counted and one.key != "variant"]
    preset = [one.words() for one in pair.changes.keys if one.key == "variant"]
    line = f"changed ({keys} key{'s' if keys != 1 else ''}): {pair.changes.words()}"
    more = [*([f"preset {preset[0].removeprefix('variant ')}"] if preset else []), *follows]
    return line + (f"; with it: {', '.join(more)}" if more else "")


def beside_lines(pair: Pair) -> Iterator[str]:
    """What differs beside the variant, one line each."""
    for one in pair.changes.beside:
        if one.key == "judge settings":
            yield "note: the judges are set differently; judged measures cannot be compared"
        else:
            yield f"note: {one.words()} (no key of the variant)"


def verdict_line(pair: Pair) -> str:
    """One sentence: B is better, worse, both, or cannot be told apart from A, with the figures that say so."""
    verdict = pair.verdict
    if verdict == NOT_A_COMPARISON:
        return f"not a comparison: {_SAME[pair.same.why]}"
    up, down = ([one for one in found if is_quality(one)] for found in (pair.up, pair.down))
    others = [one for one in (*pair.up, *pair.down) if not is_quality(one)]
    if verdict == ALIKE:
        said = "A and B cannot be told apart on this set"
    elif verdict == TRADE:
        said = f"a trade-off: B is better in {_figures(up)}, worse in {_figures(down)}"
    else:
        said = f"B is {verdict}: {_figures(up or down)}"
    tail = "nothing else can be told apart" if verdict != ALIKE else ""
    beside = f"beside it: {_figures(others)}" if others else tail
    return "; ".join(filter(None, [said, _at_budget(pair), beside]))


def _at_budget(pair: Pair) -> str:
    found = pair.at_budget
    if found is None:
        return ""
    return (
        "the chunks differ, so that equal k is not equal text: at an equal budget they cannot be told apart, "
        f"{found.metric} {signed(found.found.mean)} {interval(found)}"
    )


def figures(one: Contrast) -> str:
    """`ranking/ndcg@10 +0.031 [0.012, 0.050], p 0.002`; a category stands behind the name."""
    name = f"{one.metric} in {one.category}" if one.category else one.metric
    return f"{name} {signed(one.found.mean)} {interval(one)}, p {p_value(one.p_holm)}"


def trade_off_lines(pair: Pair) -> list[str]:
    """What is up and what is down, by name; none where one side is empty."""
    if not pair.trade_off:
        return []
    up, down = (", ".join(_short(one) for one in found) for found in (pair.up, pair.down))
    return [f"trade-off: better {up}; worse {down}"]


def caution_lines(pair: Pair) -> Iterator[str]:
    """What may not be read out of the table, one line a reason."""
    overall = [one for one in pair.contrasts if not one.category]
    groups: dict[str, list[str]] = {}
    for one in overall:
        for reason in _reasons(one, pair):
            groups.setdefault(reason, []).append(one.metric)
    for reason, metrics in groups.items():
        yield f"{', '.join(metrics)}: {reason}"
    same = pair.same
    if not same.why and same.rankings == same.n:
        yield f"rankings are the same for all {same.n} questions: measures of retrieval are no comparison"
    few = [one for one in pair.contrasts if one.category and one.state == TOO_FEW]
    if few:
        cells = sum(bool(one.category) for one in pair.contrasts)
        yield f"by category: {len(few)} of {cells} figures rest on too few changed questions to be told apart"


def _reasons(one: Contrast, pair: Pair) -> Iterator[str]:
    counts = one.counts
    if one.state == NOT_COMPARABLE:
        a, b = (name or "nobody" for name in judges_of(pair, one.metric))
        yield f"not comparable, judged by {a} in A and {b} in B" + (" with other settings" if a == b else "")
    elif one.state == UNTESTED:
        yield f"not tested, {UNTESTED_WHY[one.why]}"
    elif one.state == NO_PAIRS:
        yield "no question has a value in both runs"
    elif one.state == TOO_FEW:
        yield f"too few questions changed to be told apart ({counts.changed})"
    if one.limit:
        end = "best" if one.limit == "ceiling" else "worst"
        yield f"{one.limit}: 95 % or more of both runs' values are the {end} there is, little can show"
    if counts.failed_a or counts.failed_b:
        yield f"FAILED in A {counts.failed_a}, in B {counts.failed_b}, counted as the worst value where there is one"
    if (counts.only_a or counts.only_b) and one.state != NOT_COMPARABLE:
        yield f"a value in A alone {counts.only_a}, in B alone {counts.only_b} (n/a in the other), left out"


def turned_lines(found: Turned, judge_below: bool = False) -> Iterator[str]:
    """Questions won and lost, by the layer that lost them, and their ids."""
    if judge_below and not found.note:
        yield "outcomes rest on a judge below its floor: read them one by one"
    if found.note:
        why = {"judges": "other judges decide them in A and B", "no_diagnosis": "a run has no diagnosis"}[found.note]
        yield f"questions won and lost: not told, {why}"
        return
    for name, rows in (("won", found.won), ("lost", found.lost)):
        by = " · ".join(f"{loss} {n}" for loss, n in found.reasons(rows).items())
        yield f"questions {name} by B: {len(rows)}{f' ({by})' if by else ''}"
        if rows:
            ids = ", ".join(row.question_id for row in rows[:_IDS])
            yield f"  {ids}{f' and {len(rows) - _IDS} more' if len(rows) > _IDS else ''}"
    yield (
        f"right in both {found.both_right}, lost in both {found.both_lost} ({found.moved} of them in another layer), "
        f"undecided {found.undecided}"
    )


def short_verdict(pair: Pair) -> str:
    """The verdict for a table of pairs: measures by name with their differences."""
    if pair.verdict == NOT_A_COMPARISON:
        return f"not a comparison: {_SAME[pair.same.why]}"
    if pair.verdict == ALIKE and not (pair.up or pair.down):
        return "cannot be told apart on this set"
    parts = [(word, found) for word, found in (("better", pair.up), ("worse", pair.down)) if found]
    return "; ".join(f"{word}: {_list([_short(one) for one in found])}" for word, found in parts)


def _figures(found: Sequence[Contrast]) -> str:
    return _list([figures(one) for one in found])


def _list(told: Sequence[str]) -> str:
    more = len(told) - _NAMED
    return ", ".join(told[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _short(one: Contrast) -> str:
    return f"{one.metric}{f' in {one.category}' if one.category else ''} {signed(one.found.mean)}"
