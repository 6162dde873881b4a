"""`ragbench baseline`: promote a run that later ones are held against, and show what is promoted."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import add_json, say, say_json

if TYPE_CHECKING:
    from pathlib import Path

    from ragbench.gate.side import Side


def arguments(parser: argparse.ArgumentParser) -> None:
    """The action and what it needs."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = actions.add_parser("set", help="make a run the baseline of its eval set; commit the file it names")
    made.add_argument("run", help="path, run id, or latest")
    made.add_argument("overrides", nargs="*", metavar="key=value", help="gate.measures=[…]: keep these measures too")
    shown = actions.add_parser("show", help="what the baselines hold")
    shown.add_argument("eval_set", nargs="?", help="name of an eval set (default: all)")
    shown.add_argument("overrides", nargs="*", metavar="key=value", help="gate.baselines=FOLDER")
    add_json(parser)
    for action in (made, shown):
        add_json(action, default=argparse.SUPPRESS)


def execute(args: argparse.Namespace) -> int:
    """Promote or show."""
    return _set(args) if args.action == "set" else _show(args)


def _set(args: argparse.Namespace) -> int:
    from ragbench.run.compose import compose
    from ragbench.run.gating import promote

    path, side, former = promote(args.run, compose(args.overrides).data)
    told = facts(path, side)
    if args.json:
        say_json(told | {"former": facts(path, former)["measures"] if former else None})
        return 0
    for line in lines(told, former):
        say(line)
    say("Commit it: later runs are held against this file.")
    return 0


def _show(args: argparse.Namespace) -> int:
    from ragbench.errors import DataError
    from ragbench.gate.baseline import baseline_path, baselines, read_baseline
    from ragbench.gate.options import gate_options
    from ragbench.run.compose import compose

    named = args.eval_set if args.eval_set and "=" not in args.eval_set else None
    overrides = [*([args.eval_set] if args.eval_set and named is None else []), *args.overrides]
    folder = gate_options(compose(overrides).data["gate"]).baselines
    paths = [baseline_path(folder, named)] if named else baselines(folder)
    found = [(path, side) for path in paths if (side := read_baseline(path)) is not None]
    if not found:
        hint = "Promote a run that you have looked at: ragbench baseline set RUN"
        thing = f"baseline of {named}" if named else "baseline"
        raise DataError(thing, expected=str(paths[0] if named else folder / "<eval set>.json"), found="none", hint=hint)
    if args.json:
        say_json([facts(path, side) for path, side in found])
        return 0
    for path, side in found:
        for line in lines(facts(path, side), None):
            say(line)
    return 0


def facts(path: Path, side: Side) -> dict[str, Any]:
    """What a baseline is of, and the mean and number of questions of each measure, FAILED as the worst value."""
    from ragbench.gate.options import gated_measure
    from ragbench.gate.pairs import worst_mean
    from ragbench.records.score import Status

    measures = {
        name: {
            "mean": worst_mean(gated_measure(name), column),
            "n": sum(status is not Status.NOT_APPLICABLE for status, _ in column.values()),
        }
        for name, column in side.columns.items()
    }
    return {"path": str(path), **side.facts, "n_questions": len(side.categories), "measures": measures}


def lines(told: dict[str, Any], former: Side | None) -> list[str]:
    """A baseline for people; with the means of the former one beside its own."""
    from pathlib import Path

    from ragbench.compare.table import number
    from ragbench.report.gate_words import printable

    old = facts(Path(told["path"]), former)["measures"] if former else {}
    eval_set, judge = told["eval_set"], told["judge"].get("title") or "none"
    head = f"{eval_set['name']}/{eval_set['version']} split {eval_set['split']}, {told['n_questions']} questions"
    asked = eval_set.get("questions")
    part = f" (a part, of {asked['of']})" if asked else ""
    found = [
        f"baseline: {told['path']}",
        "  " + printable(f"{head}{part}, {str(eval_set['lock'])[:19]}"),
        "  " + printable(f"run {told['run_id']}, {told['label']}, {told['started']}, judge {judge}"),
    ]
    for name, row in told["measures"].items():
        if row["mean"] is None:
            continue
        was = f"  (was {number(old[name]['mean'])})" if name in old and old[name]["mean"] is not None else ""
        found.append(f"  {name:<28} {number(row['mean']):>6}  n {row['n']}{was}")
    return found
