"""`ragbench experiment`: a claim put to the test on several eval sets; the verdict is the last line."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json

if TYPE_CHECKING:
    from ragbench.errors import DataError
    from ragbench.experiment.plan import Planned
    from ragbench.experiment.sets import MissingSet, ReadySet
    from ragbench.experiment.study import Study


def arguments(parser: argparse.ArgumentParser) -> None:
    """The experiment, and overrides of everything but what it varies."""
    parser.add_argument("name", nargs="?", help="a file of experiments/, or its path; without one they are listed")
    add_overrides(parser)
    parser.add_argument("--index", action="store_true", help="run nothing; write the page of all verdicts so far")
    parser.add_argument("--to", default="reports", metavar="DIR", help="where --index writes (reports)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Run every variant on every eval set, print the checks, and the verdict as the last line."""
    if args.index:
        return _index(args)
    if args.name is None:
        return _list(args)
    from ragbench.core.rows import to_row
    from ragbench.core.store import Store
    from ragbench.experiment.conduct import conduct
    from ragbench.experiment.plan import given_overrides, make_plan
    from ragbench.experiment.read_study import load_study
    from ragbench.report.experiment_words import Words
    from ragbench.run.compose import compose
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session

    study = load_study(args.name)
    given = given_overrides(study, args.overrides)
    own = {key: given.pop(key) for key in list(given) if key.partition(".")[0] == "eval_set"}
    store = Store(Path(compose([f"{key}={value}" for key, value in given.items()]).data["paths"]["store"]))
    sets, missing = _sets(study, own, store)
    for one in missing:
        note(f"note: {Words('en').missing(to_row(one))}")
    if not sets:
        return _nothing(args, missing)
    planned = make_plan(study, sets, given)
    told = note if args.json else say
    _announce(study, planned, sets)
    with Session(store, Progress(quiet=args.json)) as session:
        done = conduct(study, planned, missing, session, told)
        session.progress.close()
    for line in [*session.notes(), *done.warnings]:
        note(f"note: {line}")
    _print(args, done.found, done.folder)
    return 1 if done.failed else 0


def _sets(study: Study, own: Mapping[str, str], store: object) -> tuple[list[ReadySet], list[MissingSet]]:
    """The sets of the file, or those that `eval_set=NAME` or `eval_set=local eval_set.path=DIR` choose instead."""
    from ragbench.core.store import Store
    from ragbench.experiment.sets import local_set, prepare
    from ragbench.experiment.study import AskedSet

    assert isinstance(store, Store)
    if own.get("eval_set.path"):
        return [local_set(own["eval_set.path"])], []
    name = own.get("eval_set")
    asked = [one for one in study.sets if name in (None, one.name)] or [AskedSet(str(name))]
    ready, missing = prepare(asked, store, _import)
    if name is not None and not ready:  # chosen by hand: that it is not there is no verdict
        raise _not_there(study, str(name), missing[0])
    return ready, missing


def _not_there(study: Study, name: str, missing: MissingSet) -> DataError:
    """Why the one set that was asked for cannot be used, and what helps."""
    from ragbench.errors import DataError
    from ragbench.experiment.sets import DATA_VARIABLE

    known = [one.name for one in study.sets]
    thing, where = f"eval set {name}", f"{DATA_VARIABLE} names the folder of public data."
    if name not in known:
        expected = f"a set of the experiment ({', '.join(known)}) or of your own"
        return DataError(thing, expected=expected, found=missing.detail)
    if missing.why == "unset":
        hint = f"export {DATA_VARIABLE}=DIR"
        return DataError(
            thing,
            expected=f"{missing.detail} in the folder of {DATA_VARIABLE}",
            found=f"{DATA_VARIABLE} is not set",
            hint=hint,
        )
    if missing.why == "absent":
        return DataError(thing, expected=missing.detail, found="no such file or folder", hint=where)
    return DataError(thing, expected="one that can be imported", found=missing.detail, hint=where)


def _import(words: Sequence[str], target: Path) -> None:
    """Make an eval set as `ragbench eval-set import` does; what it prints is not shown."""
    from ragbench.cli import eval_set
    from ragbench.errors import DataError

    parser = argparse.ArgumentParser(prog="eval-set")
    eval_set.arguments(parser)
    options = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    line = ["import", *words[:options], str(target), *words[options:]]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            eval_set.execute(parser.parse_args(line))
    except SystemExit as leave:
        last = (said.getvalue().strip().splitlines() or ["refused"])[-1]
        raise DataError(f"import {' '.join(words)}", expected="a recipe of eval-set import", found=last) from leave


def _announce(study: Study, planned: Planned, sets: Sequence[ReadySet]) -> None:
    note_fallback([point.experiment for point in planned.points.values()])
    for line in planned.notes:
        note(f"note: {line}")
    note(
        f"{study.name}: {len(planned.points)} points on {len(sets)} eval set{'s' if len(sets) != 1 else ''} "
        f"({', '.join(one.name for one in sets)}), baseline {study.baseline}"
    )


def _nothing(args: argparse.Namespace, missing: Sequence[MissingSet]) -> int:
    from ragbench.core.rows import to_row

    names = ", ".join(one.name for one in missing)
    said = f"verdict: cannot tell — no eval set is there (missing: {names})"
    say_json({"verdict": "cannot_tell", "missing": [to_row(one) for one in missing]}) if args.json else say(said)
    return 0


def _print(args: argparse.Namespace, found: Mapping[str, object], folder: Path) -> None:
    from ragbench.report.experiment import overlap_lines, trade_line
    from ragbench.report.experiment_means import means_lines
    from ragbench.report.experiment_words import Words

    if args.json:
        say_json(found)
        return
    words = Words("en")
    for line in means_lines(found, words):
        say(line)
    for line in overlap_lines(found, words):
        say(line)
    for row in found["trade_offs"]:  # type: ignore[attr-defined]
        say(f"trade-off: {trade_line(row, words)}")
    for check in found["checks"]:  # type: ignore[attr-defined]
        say(f"check: {words.check_line(check)}")
    say(f"experiment: {folder}")
    if (folder / "report.html").is_file():
        say(f"report: {folder / 'report.html'}")
    say(words.verdict_line(found))


def _index(args: argparse.Namespace) -> int:
    """The page and the table of all verdicts; `name` is an override here, if there is one."""
    from ragbench.experiment.index import index_rows
    from ragbench.report.experiment_index import counts_line, index_markdown, write_index
    from ragbench.report.experiment_words import Words
    from ragbench.run.compose import compose

    words = Words("en")
    data = compose([*([args.name] if args.name else []), *args.overrides]).data
    rows, lang, folder = index_rows(Path(data["paths"]["runs"])), str(data["report"]["lang"]), Path(args.to)
    page = write_index(rows, folder / "experiments.html", lang)
    table = folder / "experiments.md"
    table.write_text(index_markdown(rows, lang), encoding="utf-8", newline="\n")
    if args.json:
        told = ("name", "claim", "status", "written", "why", "where")
        say_json([{key: row[key] for key in told if key in row} for row in rows])
        return 0
    for row in rows:
        say(f"{row['name']:>16}  {words('index_' + row['status'])}")
    say(counts_line(rows, words))
    say(f"table: {table}")
    say(f"index: {page}")
    return 0


def _list(args: argparse.Namespace) -> int:
    from ragbench.experiment.read_study import load_study, names

    studies = [load_study(name) for name in names()]
    if args.json:
        say_json([{"name": one.name, "claim": dict(one.claim)} for one in studies])
        return 0
    for one in studies:
        say(f"{one.name:>16}  {one.claim['en']}")
    return 0
