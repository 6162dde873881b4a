"""`ragbench compare`: runs beside each other, the change first, then what differs beyond chance."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.cli.output import add_json, say_json

if TYPE_CHECKING:
    from ragbench.compare.pairs import Options
    from ragbench.run_dir.read import RunDir


def arguments(parser: argparse.ArgumentParser) -> None:
    """The runs, and what of them is compared."""
    parser.add_argument(
        "run", nargs="+", help="path, run id, latest, or a sweep for all its runs; the first is the base"
    )
    parser.add_argument("--to", metavar="RUN", help="compare all with this run instead of the first")
    parser.add_argument("--multi", action="store_true", help="compare runs that differ in more than one key")
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="only this measure (docs/measures.md); repeatable",
    )
    parser.add_argument(
        "--category", action="append", default=[], metavar="NAME", help="only questions of this category; repeatable"
    )
    parser.add_argument("--seed", type=int, default=0, help="of intervals and tests (default 0)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Compare each run with the base; one pair in full, several as a table of verdicts."""
    from ragbench.compare.document import document
    from ragbench.compare.pairs import compare_runs
    from ragbench.sink.compare_table import print_pairs

    base, others, one_sweep = _chosen(args.run, args.to)
    options = _options(args, base, len(others) == 1)
    _check([base, *others], args.multi or one_sweep)
    pairs = compare_runs(base, others, options, _outcomes if len(others) == 1 else _stored)
    say_json(document(pairs, options)) if args.json else print_pairs(pairs)
    return 0


def _chosen(names: Sequence[str], to: str | None) -> tuple[RunDir, list[RunDir], bool]:
    """The base, the others, and whether all are runs of one sweep, whose table may differ in any number of keys."""
    from ragbench.run.compose import compose
    from ragbench.run_dir.read import find_run, finished_runs

    runs = Path(compose([]).data["paths"]["runs"])
    folders = list(dict.fromkeys(find_run(name, runs).resolve() for name in names))
    found = {run.folder: run for folder in folders for run in finished_runs(folder)}
    given = [] if to is None else finished_runs(find_run(to, runs).resolve())
    if len(given) > 1 or (to is not None and not given):
        from ragbench.errors import ConfigError

        raise ConfigError("--to", expected="one run", found=f"{to}, a sweep of {len(given)} runs")
    base = given[0] if given else next(iter(found.values()), None)
    if base is None:
        from ragbench.errors import DataError

        raise DataError(f"sweep {names[0]}", expected="a finished run in it", found="none")
    of_sweep = len(folders) == 1 and len(found) > 1 and base.folder in found
    return base, [run for folder, run in found.items() if folder != base.folder], of_sweep


def _check(runs: Sequence[RunDir], many_keys: bool) -> None:
    from ragbench.compare.refuse import require_comparable, require_one_key

    require_comparable(runs)
    if not many_keys:
        require_one_key(runs[0], runs[1:])


def _options(args: argparse.Namespace, base: RunDir, by_category: bool) -> Options:
    """Raises ConfigError for a category that the runs do not have, naming those they have."""
    from ragbench.compare.pairs import Options
    from ragbench.errors import ConfigError

    known = sorted({question.category for question in base.questions.values()})
    unknown = [name for name in args.category if name not in known]
    if unknown:
        raise ConfigError("--category", expected=f"one of {', '.join(known)}", found=unknown[0])
    if args.seed < 0:
        raise ConfigError("--seed", expected="a whole number of at least 0", found=str(args.seed))
    return Options(tuple(args.metric), tuple(args.category), args.seed, by_category)


def _outcomes(run: RunDir) -> dict[str, tuple[str, str]]:
    """With the reasons, which are found by diagnosing again."""
    from ragbench.report.lost import outcomes
    from ragbench.run.texts import run_texts

    return outcomes(run, run_texts(run))


def _stored(run: RunDir) -> dict[str, tuple[str, str]]:
    from ragbench.compare.side import stored_outcomes

    return dict(stored_outcomes(run))
