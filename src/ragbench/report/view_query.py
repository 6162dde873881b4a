"""What query understanding said, cost and changed, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.compare.table import number, signed
from ragbench.measure.query.classification import ABSTAINED
from ragbench.records.question import COMPLEXITIES
from ragbench.report.labels import Labels
from ragbench.report.numbers import milliseconds, share
from ragbench.report.view_query_examples import Examples
from ragbench.report.view_stages import comparison, gain_cell

View = dict[str, Any]
Table = Mapping[str, Any]
KINDS = ("complexity", "category")
TIERS = ("rules", "model", "llm")


def query_view(summary: Mapping[str, Any], examples: Examples, labels: Labels) -> View | None:
    """The section on query understanding; None for a run that predicts and transforms nothing, or does not tell."""
    query = summary.get("query") or {}
    kinds = [
        _labelled(kind, query[kind], labels) | {"seen": _seen(kind, query, labels)} for kind in KINDS if query.get(kind)
    ]
    downstream = query.get("downstream")
    if not kinds and not downstream:
        return None
    moved: Table = downstream or {}
    return {
        "kinds": kinds,
        "cost": _cost(query.get("cost") or {}, labels),
        "part": _part(downstream, labels) if downstream else None,
        "by_class": _by_class(downstream, labels) if downstream else None,
        "n_moved": _moved(downstream, labels) if downstream else [],
        "seen": _seen("answerable", query, labels),
        "examples": [
            {
                "kind": kind,
                "title": labels(f"q_{kind}", n=len(rows), of=moved[f"n_{kind}"]),
                "rows": [_gains(row, labels) for row in rows],
                "others": others,
                "n_others": labels("q_others", n=len(others)),
            }
            for kind, rows, others in _shown(moved, examples, labels)
        ],
    }


def query_parts(summary: Mapping[str, Any], examples: Examples, labels: Labels) -> View:
    """`query`, the section, and `oracle`, what the top of the page must say."""
    return {"oracle": oracle_note(summary, labels), "query": query_view(summary, examples, labels)}


def oracle_note(summary: Mapping[str, Any], labels: Labels) -> str:
    """What a run with an oracle must say of itself; empty for any other."""
    slots = summary.get("oracle") or ()
    return labels("q_oracle", slots=labels("s_comma").join(map(labels.stage, slots))) if slots else ""


def _labelled(kind: str, table: Table, labels: Labels) -> View:
    confusion: Mapping[str, Mapping[str, int]] = table["confusion"]
    names = sorted(confusion, key=_class_place)
    rows = [name for name in names if sum(confusion[name].values())]
    columns = [name for name in names if name in rows or any(confusion[row][name] for row in rows)]
    return {
        "id": kind,
        "title": labels(f"q_{kind}_title"),
        "facts": [
            (labels("q_accuracy"), _with_interval(table)),
            (labels("q_macro_f1"), number(table["macro_f1"])),
            (labels("q_labelled"), f"{table['labelled']:,} / {table['n']:,}"),
        ],
        "columns": [labels.query_class(name) for name in columns],
        "rows": [
            {
                "name": labels.query_class(row),
                "n": sum(confusion[row].values()),
                "cells": [_count(confusion[row], row, name) for name in columns],
            }
            for row in rows
        ],
        "tiers": [_tier(name, table["tiers"][name], labels) for name in _in_order(table["tiers"])],
    }


def _seen(label: str, query: Table, labels: Labels) -> str:
    """What must be said of a model that was trained on questions of the run; empty: it was not."""
    rows = [row for row in query.get("not_held_out") or () if row["label"] == label]
    return labels("q_seen", **{key: rows[0][key] for key in ("n", "of", "data", "split")}) if rows else ""


def _count(row: Mapping[str, int], was: str, called: str) -> View:
    n, total = row[called], sum(row.values())
    return {"n": n, "kind": _kind(was, called) if n else "", "share": share(n / total) if n else ""}


def _kind(was: str, called: str) -> str:
    return "right" if was == called else "undecided" if called == ABSTAINED else "error"


def _class_place(name: str) -> tuple[int, str]:
    """Complexity classes in their own order, other labels by name, abstentions last."""
    if name == ABSTAINED:
        return len(COMPLEXITIES) + 1, name
    return COMPLEXITIES.index(name) if name in COMPLEXITIES else len(COMPLEXITIES), name


def _in_order(tiers: Mapping[str, Any]) -> list[str]:
    """Tiers as they are asked, others behind them."""
    return sorted(tiers, key=lambda tier: (TIERS.index(tier) if tier in TIERS else len(TIERS), tier))


def _tier(name: str, row: Table, labels: Labels) -> View:
    return {
        "name": labels.query_class(name),
        "n": f"{row['n']:,}",
        "share": share(row["share"]),
        "width": 100 * row["share"],
        "accuracy": "–" if name == ABSTAINED else number(row["accuracy"]),
        "interval": "–" if name == ABSTAINED or row["low"] is None else f"{number(row['low'])} – {number(row['high'])}",
        "labelled": f"{row['labelled']:,}",
        "calls": "–" if row["calls"] is None else f"{row['calls']:.3g}",
    }


def _with_interval(table: Table) -> str:
    if table["low"] is None:
        return number(table["accuracy"])
    return f"{number(table['accuracy'])} ({number(table['low'])} – {number(table['high'])})"


def _cost(cost: Table, labels: Labels) -> list[tuple[str, str]]:
    if not cost.get("n"):
        return []
    each, ms = cost["per_question"], cost.get("ms") or {}
    facts = [
        (labels("q_calls"), f"{each['calls']:.3g}"),
        (labels("q_tokens"), labels("unknown") if each["tokens"] is None else f"{each['tokens']:,.4g}"),
        (labels("q_searches"), f"{each['searches']:.3g}"),
    ]
    if ms:
        facts.append((labels("e_ms"), f"{milliseconds(ms.get('p50'))} · {milliseconds(ms.get('p95'))}"))
    if cost["fallbacks"]:
        why = labels("s_stop").join(f"{reason} ({n})" for reason, n in cost["fallback_reasons"])
        facts.append((labels("q_fallbacks"), f"{cost['fallbacks']:,}{f' · {why}' if why else ''}"))
    return facts


def _part(table: Table, labels: Labels) -> View:
    names = list(table["measures"])
    titles = {
        "id": "query",
        "title": labels("q_downstream"),
        "before": labels("q_typed"),
        "after": labels("q_searched"),
    }
    return titles | comparison(table, names[:2], labels)


def _by_class(table: Table, labels: Labels) -> View | None:
    rows = table["by_class"]
    if not rows:
        return None
    names = list(rows[0]["measures"])
    shown = [names[0], "mrr", names[-1]]
    return {
        "shown": [labels.measure(name) for name in shown],
        "rows": [
            {
                "called": labels.query_class(row["called"]),
                "was": labels.query_class(row["was"]),
                "kind": _kind(row["was"], row["called"]),
                "n": row["n"],
                "small": row["small"],
                "cells": [gain_cell(row["measures"][name]) for name in shown],
            }
            for row in rows
        ],
    }


def _moved(table: Table, labels: Labels) -> list[tuple[str, list[str]]]:
    """How many gained and lost, with their ids as far as the run tells them."""
    found = []
    for kind in ("helpful", "harmful"):
        n, ids = table[f"n_{kind}"], [row["id"] for row in table[kind]]
        said = labels(f"q_n_{kind}", n=n)
        found.append((said if len(ids) == n else labels("q_first", said=said, k=len(ids)), ids))
    return found


def _shown(table: Table, examples: Examples, labels: Labels) -> list[tuple[str, list[View], list[str]]]:
    """The examples of each kind, and the ids of the others that the run tells."""
    rows = {kind: shown for kind, shown in examples.rows(labels).items() if shown}
    ids = {kind: {row["id"] for row in shown} for kind, shown in rows.items()}
    return [(kind, rows[kind], [row["id"] for row in table[kind] if row["id"] not in ids[kind]]) for kind in rows]


def _gains(row: View, labels: Labels) -> View:
    moved = row["moved"]
    names: Sequence[str] = [name for name in moved if name != "id"]
    gains = [f"{labels.measure(name)} {signed(moved[name])}" for name in names[:2]]
    return row | {"gains": labels("s_comma").join(gains)}
