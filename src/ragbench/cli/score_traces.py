"""Traces of another system, scored and made a run directory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.cli.output import note, say, say_json
from ragbench.errors import ConfigError

_MEASURED = ("split", "judge", "seed", "questions", "corpus", "calls", "llm", "allowed_targets", "paths")
"""Keys that say how a run is measured."""


def score_traces(args: argparse.Namespace, measures: Sequence[str] | None) -> int:
    """Write the run; print the tables and its path, or the summary as JSON. Exit code 3 where its figures are no
    result."""
    import hashlib

    from ragbench.core.store import Store
    from ragbench.evaluate.health import folded
    from ragbench.run.build import experiment
    from ragbench.run.foreign import ForeignRun, write_foreign
    from ragbench.run.foreign_rows import read_rows
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session

    _check(args)
    asked = experiment(_overrides(args))
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        rows = read_rows(args.traces, session.eval_set(asked).questions)
        digest = hashlib.sha256(args.traces.read_bytes()).hexdigest()
        made = ForeignRun(args.traces, "traces", args.label or args.traces.stem, digest, rows, args.k)
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


def _check(args: argparse.Namespace) -> None:
    others = {"RUN": args.run, "--trec": args.trec, "--qrels": args.qrels, "--trec-run": args.trec_run}
    given = [name for name, value in {**others, "--trec-qrels": args.trec_qrels}.items() if value is not None]
    if given:
        raise ConfigError("score", expected="--traces alone", found=f"{', '.join(given)} too")
    if args.eval_set is None:
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
