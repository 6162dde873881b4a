"""The section "What the change did": runs against the first of them, with the figures of `ragbench compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ragbench.compare.contrast import BETTER, NO_PAIRS, NOT_COMPARABLE, TOO_FEW, UNTESTED, WORSE, Contrast
from ragbench.compare.figures import detects, interval, p_value
from ragbench.compare.keys import Changes, plain
from ragbench.compare.pairs import ALIKE, NOT_A_COMPARISON, TRADE, Options, Pair, compare_runs, is_quality, judges_of
from ragbench.compare.refuse import require_comparable
from ragbench.compare.side import stored_outcomes
from ragbench.compare.table import number, signed
from ragbench.compare.turned import Turned
from ragbench.errors import ConfigError
from ragbench.report.labels import Labels
from ragbench.report.lost import outcomes
from ragbench.report.view_questions import TextOf
from ragbench.report.view_turned import TurnedPair
from ragbench.run_dir.read import RunDir

View = dict[str, Any]
NAMED = 4
"""Measures that a sentence names."""

TOLD = 2
"""Verdicts that a headline has room for."""


def pairs_view(runs: Sequence[RunDir], text_of: TextOf, labels: Labels) -> View | None:
    """The section as plain data: each run against the first; None where they may not be compared."""
    try:
        require_comparable(runs)
    except ConfigError:
        return None
    two = len(runs) == 2
    told = partial(outcomes, text_of=text_of) if two else stored_outcomes
    pairs = compare_runs(runs[0], runs[1:], Options(by_category=two), told)
    return {
        "base": {"name": pairs[0].names[0], "run_id": runs[0].run_id},
        "n": len(pairs[0].questions),
        "pairs": [_pair(pair, runs[0], labels) for pair in pairs],
    }


def _pair(pair: Pair, base: RunDir, labels: Labels) -> View:
    overall = [one for one in pair.contrasts if not one.category]
    told = [one for one in pair.contrasts if one.category and one.state in (BETTER, WORSE)]
    ends = [end for one in overall if _share(one) for end in (one.found.low, one.found.high) if end is not None]
    reach = max(map(abs, ends), default=0.0)
    return {
        "name": pair.names[1],
        "run_id": pair.b.run.run_id,
        "keys": [(one.key, plain(one.a), plain(one.b), one.counted) for one in pair.changes.keys],
        "changed": _changed(pair.changes, labels),
        "beside": [_beside(one.key, plain(one.a), plain(one.b), labels) for one in pair.changes.beside],
        "verdict": pair.verdict,
        "sentence": sentence(pair, labels),
        "trade_off": _trade_off(pair, labels),
        "rows": [_row(one, reach, labels) for one in overall],
        "categories": [_row(one, reach, labels) for one in told],
        "cautions": list(_cautions(pair, labels)),
        "found": TurnedPair("", pair.names, (base, pair.b.run), pair.turned),
        "turned": _turned(pair.turned, labels) | {"below": labels("cmp_below") if pair.judge_below else ""},
    }


def pairs_headline(found: View | None, labels: Labels) -> str:
    """The verdicts on the runs that can be told apart from the first, or that on two runs, whichever it is; empty
    where none of several can."""
    if found is None:
        return ""
    if len(found["pairs"]) == 1:
        return str(found["pairs"][0]["sentence"])
    told = [pair for pair in found["pairs"] if pair["verdict"] not in (ALIKE, NOT_A_COMPARISON)]
    if len(told) <= TOLD:
        return " ".join(pair["sentence"] for pair in told)
    counts = Counter(pair["verdict"] for pair in told)
    parts = [labels(f"cmp_told_{name}", n=counts[name]) for name in (BETTER, TRADE, WORSE) if counts[name]]
    return labels("cmp_told", n=len(found["pairs"]), a=found["base"]["name"], parts=labels("s_comma").join(parts))


def sentence(pair: Pair, labels: Labels) -> str:
    """The verdict in one sentence."""
    if pair.verdict == NOT_A_COMPARISON:
        return labels(f"cmp_same_{pair.same.why}")
    up, down = ([one for one in found if is_quality(one)] for found in (pair.up, pair.down))
    if pair.verdict == ALIKE:
        return labels("cmp_alike", a=pair.names[0], b=pair.names[1])
    if pair.verdict == TRADE:
        said = labels("cmp_trade", b=pair.names[1], up=_figures(up, labels), down=_figures(down, labels))
    else:
        figures = _figures(up or down, labels)
        said = labels(f"cmp_is_{pair.verdict}", a=pair.names[0], b=pair.names[1], figures=figures)
    return said + _at_budget(pair, labels)


def _at_budget(pair: Pair, labels: Labels) -> str:
    found = pair.at_budget
    return "" if found is None else labels("cmp_at_budget", measure=_named(found, labels), interval=interval(found))


def _changed(found: Changes, labels: Labels) -> str:
    return labels("cmp_keys", n=found.n)


def _beside(key: str, a: str, b: str, labels: Labels) -> str:
    name = labels(f"cmp_beside_{key.replace(' ', '_')}")
    return name if key == "judge settings" else labels("cmp_beside", name=name, a=a, b=b)


def _trade_off(pair: Pair, labels: Labels) -> str:
    if not pair.trade_off:
        return ""
    up, down = (_list([_named(one, labels) for one in found], labels) for found in (pair.up, pair.down))
    return labels("cmp_trade_off", up=up, down=down)


def _row(one: Contrast, reach: float, labels: Labels) -> View:
    found = one.found
    shown = one.state != NOT_COMPARABLE
    return {
        "measure": (
            labels.measure_in_list(one.metric), labels.layer(one.metric.partition("/")[0]), one.metric, one.better < 0
        ),
        "category": labels.group(one.category) if one.category else "",
        "a": number(one.a),
        "b": number(one.b),
        "difference": signed(found.mean) if shown else "–",
        "interval": interval(one) if shown else "",
        "bar": _bar(one, reach) if shown and _share(one) else None,
        "p": p_value(one.p_holm),
        "detects": detects(one),
        "n": one.counts.pairs,
        "turned": f"{one.counts.better} / {one.counts.worse}",
        "state": one.state,
        "says": labels(f"cmp_state_{one.state}"),
        "limit": labels(f"cmp_{one.limit}") if one.limit else "",
    }  # fmt: skip


def _share(one: Contrast) -> bool:
    return not one.metric.startswith("cost/") and one.found.low is not None and one.found.high is not None


def _bar(one: Contrast, reach: float) -> View | None:
    """Places of the interval and the difference from left to right, 0 in the middle; in percent."""
    low, mean, high = one.found.low, one.found.mean, one.found.high
    if not reach or low is None or mean is None or high is None:
        return None
    places = [min(100.0, max(0.0, 50 + 50 * value / reach)) for value in (low, mean, high)]
    return {"left": f"{places[0]:.2f}", "at": f"{places[1]:.2f}", "width": f"{places[2] - places[0]:.2f}"}


def _figures(found: Sequence[Contrast], labels: Labels) -> str:
    told = [(_named(one, labels), interval(one), p_value(one.p_holm)) for one in found]
    return _list([labels("cmp_figure", measure=name, interval=ends, p=p) for name, ends, p in told], labels)


def _named(one: Contrast, labels: Labels) -> str:
    name = labels.measure_in_list(one.metric)
    if one.category:
        name = labels("cmp_in", measure=name, category=labels.group(one.category))
    return f"{name} {signed(one.found.mean)}"


def _list(told: Sequence[str], labels: Labels) -> str:
    more = [labels("cmp_more", n=len(told) - NAMED)] if len(told) > NAMED else []
    return labels("s_comma").join([*told[:NAMED], *more])


def _cautions(pair: Pair, labels: Labels) -> Iterator[str]:
    """What may not be read out of the table, measures with one reason together."""
    groups: dict[str, list[str]] = {}
    for one in pair.contrasts:
        if not one.category:
            for text in _reasons(one, pair, labels):
                groups.setdefault(text, []).append(labels.measure_in_list(one.metric))
    for text, names in groups.items():
        yield labels("colon", name=labels("s_comma").join(names), text=text)
    if not pair.same.why and pair.same.rankings == pair.same.n:
        yield labels("cmp_rankings", n=pair.same.n)
    few = sum(one.state == TOO_FEW for one in pair.contrasts if one.category)
    if few:
        yield labels("cmp_few_cells", n=few, all=sum(bool(one.category) for one in pair.contrasts))


def _reasons(one: Contrast, pair: Pair, labels: Labels) -> Iterator[str]:
    counts = one.counts
    if one.state == NOT_COMPARABLE:
        a, b = (name or labels("none") for name in judges_of(pair, one.metric))
        yield labels("cmp_judges", a=a, b=b)
    elif one.state == UNTESTED:
        yield labels(f"cmp_{one.why}")
    elif one.state == NO_PAIRS:
        yield labels("cmp_no_pairs")
    elif one.state == TOO_FEW:
        yield labels("cmp_too_few", n=counts.changed)
    if one.limit:
        yield labels(f"cmp_{one.limit}")
    if counts.failed_a or counts.failed_b:
        yield labels("cmp_failed", a=counts.failed_a, b=counts.failed_b)
    if (counts.only_a or counts.only_b) and one.state != NOT_COMPARABLE:
        yield labels("cmp_alone", a=counts.only_a, b=counts.only_b)


def _turned(found: Turned, labels: Labels) -> View:
    if found.note:
        return {"note": labels(f"cmp_turned_{found.note}")}
    return {
        "note": "",
        "counts": labels(
            "cmp_turned", right=found.both_right, lost=found.both_lost, moved=found.moved, undecided=found.undecided
        ),
        "parts": [
            {
                "code": name,
                "n": len(rows),
                "name": labels(f"cmp_{name}", n=len(rows)),
                "by": labels("s_comma").join(f"{labels.outcome(loss)} {n}" for loss, n in found.reasons(rows).items()),
            }
            for name, rows in (("won", found.won), ("lost", found.lost))
        ],
    }
