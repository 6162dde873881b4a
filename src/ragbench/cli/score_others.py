"""Traces or a TREC run of another system, scored and made a run directory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import note, say, say_json
from ragbench.errors import ConfigError

if TYPE_CHECKING:
    from ragbench.run.experiment import Experiment
    from ragbench.run.foreign_placed import ForeignRun
    from ragbench.run.session import Session

_K = 10
"""Documents of a TREC run that count as given to a reader, where it is not said."""
_MEASURED = ("split", "judge", "seed", "questions", "corpus", "calls", "llm", "allowed_targets", "paths")
"""Keys that say how a run is measured."""


def score_others(args: argparse.Namespace, measures: Sequence[str] | None) -> int:
    """Write the run; print the tables and its path, or the summary as JSON. Exit code 3 where its figures are no
    result."""
    from ragbench.core.store import Store
    from ragbench.evaluate.health import folded
    from ragbench.run.build import experiment
    from ragbench.run.foreign import write_foreign
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session

    _check(args)
    asked = experiment(_overrides(args))
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        made = _of_traces(args, asked, session) if args.traces is not None else _of_trec(args, asked, session)
        done = write_foreign(made, asked, session, measures)
        session.progress.close()
    for line in _notes(done.summary["foreign"]):
        note(f"note: {line}")
    if args.json:
        say_json(done.summary)
    else:
        from ragbench.sink.console import print_run

        print_run(done.summary)
        say(f"run: {done.folder}")
    for line in folded(done.health):
        note(f"cannot tell: {line}")
    return 3 if done.health else 0


def _of_traces(args: argparse.Namespace, asked: Experiment, session: Session) -> ForeignRun:
    from ragbench.run.foreign_placed import ForeignRun
    from ragbench.run.foreign_rows import read_rows

    rows = read_rows(args.traces, session.eval_set(asked).questions)
    return ForeignRun(args.traces, "traces", args.label or args.traces.stem, _digest(args.traces), rows, args.k)


def _of_trec(args: argparse.Namespace, asked: Experiment, session: Session) -> ForeignRun:
    from ragbench.run.foreign_placed import ForeignRun
    from ragbench.run.foreign_trec import qrels_set, trec_rows
    from ragbench.trec.read import Order, read_qrels, read_run

    run = read_run(args.trec, Order(args.order))
    if args.qrels is not None:
        judged = qrels_set(read_qrels(args.qrels).grades, run, args.qrels)
        known, names = judged[0].questions, list(judged[1])
    else:
        from ragbench.eval_set.original_ids import read_original_ids

        judged, eval_set = None, session.eval_set(asked)
        known = eval_set.questions
        names = [*session.corpus(asked).by_id(), *read_original_ids(eval_set.folder).values()]
    rows = trec_rows(run, args.trec, known, names)
    return ForeignRun(args.trec, "trec", args.label or args.trec.stem, _digest(args.trec), rows, args.k or _K, judged)


def _digest(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(args: argparse.Namespace) -> None:
    own = "--traces" if args.traces is not None else "--trec"
    others = {"RUN": args.run, "--trec-run": args.trec_run, "--trec-qrels": args.trec_qrels}
    others |= {"--trec": args.trec, "--qrels": args.qrels} if args.traces is not None else {}
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ConfigError("score", expected=f"{own} alone", found=f"{', '.join(given)} too")
    if args.trec is not None and (args.qrels is None) == (args.eval_set is None):
        found = "neither" if args.qrels is None else "both"
        raise ConfigError("--trec", expected="--qrels, or --eval-set with its evidence", found=found)
    if args.traces is not None and args.eval_set is None:
        hint = "ragbench score --traces FILE --eval-set NAME; ragbench ls eval_set lists them."
        raise ConfigError("--traces", expected="--eval-set, the set they answer", found="none", hint=hint)
    for one in args.measured:
        if one.lstrip("+~").partition("=")[0].partition(".")[0] not in _MEASURED:
            found = f"{one}, which a system that is not ours does not have"
            raise ConfigError("--with", expected=f"keys of {', '.join(_MEASURED)}", found=found)
    if args.k is not None and args.k < 1:
        raise ConfigError("--k", expected="at least 1", found=str(args.k))


def _overrides(args: argparse.Namespace) -> list[str]:
    """The configuration that says how it is measured; the variant in it is not read."""
    if args.eval_set is None:
        return ["variant=bm25", "judge=none", *args.measured]
    name, _, version = str(args.eval_set).partition("/")
    if Path(args.eval_set).is_dir():
        chosen = ["eval_set=local", f"eval_set.path={_quoted(str(args.eval_set))}"]
    else:
        chosen = [f"eval_set={name}", *([f"eval_set.version={version}"] if version else [])]
    return ["variant=bm25", *chosen, *args.measured]


def _quoted(text: str) -> str:
    inner = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"


def _notes(facts: Mapping[str, Any]) -> Iterator[str]:
    """What was left out, or could not be placed."""
    if facts["n_absent"]:
        yield f"questions of the split without a line: {facts['n_absent']}; they count as worst"
    if facts["n_other_split"]:
        yield f"lines of questions outside the split: {facts['n_other_split']}, left out"
    if facts["n_outside"]:
        named = " · ".join(facts["outside"])
        yield f"contexts not found in the corpus: {facts['n_outside']} of {facts['n_contexts']}, as: {_line(named)}"
    if facts["n_spaced"]:
        yield f"texts found but for white space: {facts['n_spaced']}"
    if facts["n_several"]:
        yield f"texts that stand more than once, taken where they stand first: {facts['n_several']}"
    if facts["n_duplicates"]:
        yield f"contexts that a question lists again, dropped: {facts['n_duplicates']}"
    if facts["n_blank"]:
        yield f"blank contexts, dropped: {facts['n_blank']}"
    if not facts["answers"]:
        yield "no line has an answer: answers are not measured"
    elif not facts["refusals"]:
        yield "no line says whether its answer refuses (refused): refusals are not measured"


def _line(text: str) -> str:
    from ragbench.text.terminal import one_line

    return one_line(text, 160)
