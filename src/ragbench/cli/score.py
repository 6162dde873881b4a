"""`ragbench score`: other measures for a stored run, foreign runs and traces, or a run as TREC files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.cli.output import add_json, note, say, say_json

if TYPE_CHECKING:
    from ragbench.run.rescore import StoredRun

MEASURES = (
    "ndcg@5", "ndcg@10", "map", "mrr", "r_precision", "recall@5", "recall@10", "recall@100", "precision@5", "hit@5",
)  # fmt: skip
"""Of a foreign run where none are named."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """A run of ours, or a TREC run with its qrels."""
    parser.add_argument("run", nargs="?", help="path, run id or latest: score its stored traces again")
    parser.add_argument(
        "--measures",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="measures of docs/measures.md (default: the run's)",
    )
    foreign = parser.add_argument_group("a foreign run")
    foreign.add_argument("--trec", type=Path, metavar="RUN", help="a TREC run file, plain or gzip")
    foreign.add_argument("--qrels", type=Path, metavar="Q", help="its judgements: TREC qrels, or BEIR's three columns")
    foreign.add_argument(
        "--order", choices=("score", "rank"), default="score",
        help="score: as trec_eval does, then by id, both descending; rank: by the column rank",
    )  # fmt: skip
    foreign.add_argument(
        "--mean-over", choices=("gold", "all", "run"), default="gold",
        help="gold: queries with a relevant document, absent ones count 0; all: all of the qrels (trec_eval -c); "
        "run: those in both files (trec_eval)",
    )  # fmt: skip
    _others(parser)
    ours = parser.add_argument_group("a run as TREC files, for other tools to check")
    ours.add_argument("--trec-run", type=Path, metavar="OUT", help="write the rankings here")
    ours.add_argument("--trec-qrels", type=Path, metavar="OUT", help="write what is relevant here")
    ours.add_argument(
        "--unit", choices=("chunk", "document"), help="what is ranked (default: document where all evidence is)"
    )
    ours.add_argument(
        "--ids", choices=("original", "document"), default="original",
        help="original: the ids of an imported set's source, for its own qrels; document: our names",
    )  # fmt: skip
    ours.add_argument("--layer", choices=("ranking", "retrieval"), default="ranking", help="after or before reranking")
    add_json(parser)


def _others(parser: argparse.ArgumentParser) -> None:
    others = parser.add_argument_group(
        "another system made a run that compare, gate, diagnose and report read",
        "--traces FILE or --trec RUN with --eval-set NAME, or --trec RUN --qrels Q --as-run",
    )
    others.add_argument("--as-run", action="store_true", help="make the TREC run a run directory")
    others.add_argument("--traces", type=Path, metavar="FILE", help="JSON Lines: id or question, contexts, answer")
    others.add_argument("--eval-set", metavar="NAME", help="the set they answer: a name, name/version or a folder")
    others.add_argument(
        "--with", nargs="+", action="extend", default=[], dest="measured", metavar="key=value",
        help="how it is measured, as overrides of ragbench run: split=all judge=none",
    )  # fmt: skip
    others.add_argument("--k", type=int, metavar="N", help="contexts that the generator read (default: all; TREC: 10)")
    others.add_argument("--label", help="name of the system (default: the file's)")


def execute(args: argparse.Namespace) -> int:
    """Score or write; a table of measures, or JSON with the value of each query."""
    from ragbench.errors import ConfigError

    if args.traces is not None or (args.trec is not None and (args.as_run or args.eval_set is not None)):
        from ragbench.cli.score_others import score_others

        return score_others(args, _names(args.measures))
    exports = args.trec_run is not None or args.trec_qrels is not None
    if (args.run is None) == (args.trec is None):
        hint = "ragbench score RUN, or --trec RUN --qrels Q, or --traces FILE --eval-set NAME"
        raise ConfigError(
            "score", expected="a run of ours or a foreign one", found="none" if args.run is None else "both", hint=hint
        )
    if (args.trec is None) != (args.qrels is None):
        raise ConfigError("score", expected="--trec and --qrels together", found="only one of them")
    if exports and (args.trec is not None or args.measures):
        raise ConfigError("score", expected="a run of ours alone with --trec-run and --trec-qrels", found="more")
    names = _names(args.measures)
    if args.trec is not None:
        from ragbench.cli.score_foreign import score_foreign

        return score_foreign(args, names or MEASURES)
    return _export(args) if exports else _rescore(args, names)


def _names(given: Sequence[str] | None) -> list[str] | None:
    """Names parted by blanks or commas, each once."""
    if given is None:
        return None
    return list(dict.fromkeys(name for part in given for name in part.split(",") if name))


def _rescore(args: argparse.Namespace, names: list[str] | None) -> int:
    from ragbench.compare.table import judged
    from ragbench.evaluate.health import folded
    from ragbench.run.rescore import rescore
    from ragbench.sink.console import console, layer_table
    from ragbench.sink.judge_lines import judge_lines

    with _opened(args.run) as stored:
        evaluation = rescore(stored, names)
    metrics = evaluation.to_json()["metrics"]
    if args.json:
        block = evaluation.table.questions
        for at, measure in enumerate(block.measures):
            column = block.values[:, at].tolist()
            values = {query: None if value != value else value for query, value in zip(block.subjects, column)}
            metrics[measure.name]["per_query"] = values
        say_json(metrics)
    else:
        out = console()
        out.print(layer_table({"metrics": metrics}, out.is_terminal))
        for line in judge_lines(stored.run.summary) if any(map(judged, metrics)) else ():
            out.print(line, markup=False)
    for line in folded(evaluation.health):
        note(f"cannot tell: {line}")
    return 0


@contextmanager
def _opened(name: str) -> Iterator[StoredRun]:
    from ragbench.core.store import Store
    from ragbench.run.compose import compose
    from ragbench.run.rescore import open_run
    from ragbench.run_dir.read import find_run

    places = compose([]).data["paths"]
    store = Store(Path(places["store"]))
    try:
        yield open_run(find_run(name, Path(places["runs"])), store)
    finally:
        store.close()


def _export(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from ragbench.run.trec_export import default_unit, export

    with _opened(args.run) as stored:
        unit = args.unit or default_unit(stored)
        made = export(stored, unit, args.layer, (args.trec_run, args.trec_qrels), args.ids)
    if args.json:
        files = {"trec_run": args.trec_run, "trec_qrels": args.trec_qrels}
        say_json({name: None if path is None else str(path) for name, path in files.items()} | asdict(made))
        return 0
    if args.trec_run is not None:
        say(f"{args.trec_run}: {made.entries} {unit}s of {made.queries} questions with evidence, {args.layer}")
        if made.changed:
            say(f"  {made.changed} scores changed, so that tools that sort by them keep the order")
    if args.trec_qrels is not None:
        say(f"{args.trec_qrels}: {made.qrels} judgements of {unit}s")
        if made.unsatisfied:
            say(
                f"  {made.unsatisfied} questions have no relevant {unit}: average over all (trec_eval -c), they count 0"
            )
    return 0
