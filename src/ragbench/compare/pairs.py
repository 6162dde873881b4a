"""Runs against a base: what was changed, what it did to each measure, and what can be said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.compare.contrast import BETTER, NOT_COMPARABLE, UNTESTED, WORSE, Asked, Contrast, contrasts_of, corrected
from ragbench.compare.contrast import named as named_contrasts
from ragbench.compare.headline import headline
from ragbench.compare.keys import Changes, changes
from ragbench.compare.same import Sameness, sameness
from ragbench.compare.side import Outcomes, Side, read_side, stored_outcomes
from ragbench.compare.table import WINDOW, judged, variant_names
from ragbench.compare.table import differing_keys as differing_keys_of
from ragbench.compare.turned import Turned, turned
from ragbench.compare.usable import unusable
from ragbench.measure.registry import measure
from ragbench.run_dir.read import RunDir

COSTS = ("cost/context_tokens", "cost/query_calls")
"""Looked at beside the headline measures where any run has them."""
BUDGET = "retrieval/recall_budget@2000"
"""What cuttings are compared by: k chunks of one are not as much text as k chunks of another."""

NOT_A_COMPARISON, TRADE, ALIKE = "not_a_comparison", "trade", "alike"
"""Verdicts beside `better` and `worse`, of B against A."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is compared: `metrics` (empty: the headline ones), only questions of `categories` (empty: all), with the
    `seed` of intervals and tests. `by_category` also makes a contrast for each category."""

    metrics: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    seed: int = 0
    by_category: bool = True


DEFAULT = Options()


@dataclass(frozen=True, eq=False)
class Pair:
    """B against A. `contrasts` are those over all questions, then those by category; corrected over the whole table of
    pairs. `verdict` is about quality over all questions; costs and categories stand in `up` and `down` too."""

    a: Side
    b: Side
    names: tuple[str, str]
    changes: Changes
    questions: tuple[str, ...]
    same: Sameness
    contrasts: tuple[Contrast, ...]
    turned: Turned

    @property
    def up(self) -> list[Contrast]:
        """What is better in B beyond chance."""
        return named_contrasts(self.contrasts, BETTER)

    @property
    def down(self) -> list[Contrast]:
        """What is worse in B beyond chance."""
        return named_contrasts(self.contrasts, WORSE)

    @property
    def verdict(self) -> str:
        """`better`, `worse`, `trade` (some measures up, some down), `alike`, or `not_a_comparison`."""
        if self.same.why:
            return NOT_A_COMPARISON
        up, down = ([one for one in found if is_quality(one)] for found in (self.up, self.down))
        return TRADE if up and down else BETTER if up else WORSE if down else ALIKE

    @property
    def at_budget(self) -> Contrast | None:
        """Recall at an equal budget of tokens, where the verdict is about other chunks and this cannot be told apart;
        None elsewhere."""
        if self.same.chunks or self.verdict not in (BETTER, WORSE, TRADE):
            return None
        known = {one.metric: one for one in self.contrasts if not one.category and one.found.mean is not None}
        found = known.get(BUDGET)
        return None if found is None or found.state in (BETTER, WORSE) else found

    @property
    def judge_below(self) -> bool:
        """Whether outcomes rest on a judge that is below its floor."""
        return any(unusable(one.summary, "diagnosis/right") == "judge_below" for one in (self.a, self.b))

    @property
    def trade_off(self) -> bool:
        """Whether anything is up and anything down: measures, costs and categories alike."""
        return bool(self.up and self.down)


def is_quality(one: Contrast) -> bool:
    """A measure of how good the run is, over all questions."""
    return not one.category and not one.metric.startswith("cost/")


def compare_runs(
    base: RunDir,
    others: Sequence[RunDir],
    options: Options = DEFAULT,
    outcomes: Callable[[RunDir], Outcomes] = stored_outcomes,
) -> list[Pair]:
    """Each of the others against the base; the correction is over all of them.

    The runs are of one lock and the same questions (`require_comparable`). Raises ConfigError for an unknown measure.
    """
    runs = [base, *others]
    metrics = wanted_metrics(runs, options)
    summaries = [run.summary for run in runs]
    names = variant_names(summaries, differing_keys_of([one.get("variant") or {} for one in summaries]))
    sides = [read_side(run, metrics, outcomes) for run in runs]
    left = sides[0]
    questions = tuple(k for k, name in left.categories.items() if not options.categories or name in options.categories)
    parts = [_asked(left, right, questions, metrics, options) for right in sides[1:]]
    found = corrected(contrasts_of([one for part in parts for one in part], options.seed))
    pairs = []
    for at, right in enumerate(sides[1:]):
        own, found = found[: len(parts[at])], found[len(parts[at]) :]
        changed = changes(left.run, right.run)
        pairs.append(
            Pair(
                a=left,
                b=right,
                names=(names[0], names[at + 1]),
                changes=changed,
                questions=questions,
                same=sameness(left, right, questions, changed),
                contrasts=tuple(own),
                turned=turned(left, right, questions, one_judge(left, right)),
            )
        )
    return pairs


def wanted_metrics(runs: Sequence[RunDir], options: Options) -> tuple[str, ...]:
    """The measures that are compared, each once."""
    if options.metrics:
        return tuple(dict.fromkeys(str(measure(name).name) for name in options.metrics))
    summaries = [run.summary for run in runs]
    present = {name for one in summaries for name, row in (one.get("metrics") or {}).items() if row.get("n_scored")}
    costs = [name for name in COSTS if name in present]
    return tuple(name for name in (*headline(summaries), *costs) if name != WINDOW)


def one_judge(a: Side, b: Side) -> bool:
    """Whether the same judge, set the same way, stands behind both."""
    manifests = [side.run.manifest.get("judge") for side in (a, b)]
    return manifests[0] == manifests[1] and (a.summary.get("judge") or {}) == (b.summary.get("judge") or {})


def _asked(a: Side, b: Side, questions: Sequence[str], metrics: Sequence[str], options: Options) -> list[Asked]:
    """The contrasts of one pair: over all questions, then by category where there are several."""
    same_judge, summaries = one_judge(a, b), (a.summary, b.summary)
    categories = sorted({a.categories[key] for key in questions})
    by = {name: [key for key in questions if a.categories[key] == name] for name in categories}
    found = []
    for category in ["", *(categories if options.by_category and len(categories) > 1 else [])]:
        for metric in metrics:
            left, right = a.columns[metric], b.columns[metric]
            of_questions = left.kind == "question"
            if category and not of_questions:
                continue
            subjects = by[category] if category else questions if of_questions else _subjects(a, b, metric)
            state, why = _excluded(metric, left.kind, same_judge, summaries)
            found.append(Asked(metric, category, left, right, subjects, state, why))
    return found


def _subjects(a: Side, b: Side, metric: str) -> list[str]:
    return list(dict.fromkeys((*a.columns[metric].values, *b.columns[metric].values)))


def _excluded(
    metric: str, kind: str, same_judge: bool, summaries: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> tuple[str, str]:
    if judged(metric) and not same_judge:
        return NOT_COMPARABLE, "judges"
    if kind == "variant":
        return UNTESTED, "one_figure"
    if metric.startswith("cost/") and metric.endswith("_ms"):
        return UNTESTED, "timing"
    why = next(filter(None, (unusable(one, metric) for one in summaries)), "")
    return (UNTESTED, why) if why else ("", "")


def judges_of(pair: Pair, metric: str) -> tuple[str, str]:
    """Who judged a measure in A and in B; empty: nobody."""
    name = metric.partition("/")[2]
    a, b = (str((side.summary.get("judge") or {}).get(name) or "") for side in (pair.a, pair.b))
    return a, b
