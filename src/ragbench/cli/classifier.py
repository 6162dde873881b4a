"""`ragbench classifier`: train a small model that says what kind of question a question is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import add_json, note, note_fallback, say, say_json

if TYPE_CHECKING:
    from ragbench.query.classifier.label_model import LabelModel
    from ragbench.run.label_training import Trained

_SHOWN = 10
_TEST_HELP = "figures of the finished model on the rows of this split too"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The sub-command and what it needs."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    train = verbs.add_parser("train", help="fit a model to labelled questions and say how it does on held-out folds")
    train.add_argument("data", nargs="+", metavar="DATA", help="eval set folders or .jsonl, .json, .csv files")
    train.add_argument("--label", default="complexity", help="field with the label; dots lead into objects")
    train.add_argument("--text", help="field with the text (default: question, text or query)")
    train.add_argument("--group", help="field whose equal values are never parted by a fold (a conversation)")
    train.add_argument("--name", help="what the model says: complexity, category or answerable (default: the label)")
    train.add_argument("--split", help="rows to train on: dev, test or all (default: dev where rows have a split)")
    train.add_argument("--test-split", help=_TEST_HELP)
    train.add_argument("--out", type=Path, help="file of the model (default: NAME_model.json)")
    train.add_argument("--folds", type=int, default=5)
    train.add_argument("--strength", type=float, default=30.0, help="inverse of the penalty's weight (default 30)")
    train.add_argument("--simple-cost", type=float, default=2.0, help="of a complex question taken for a simple one")
    train.add_argument("--abstain-cost", type=float, default=0.5, help="of an abstention, where an error costs 1")
    train.add_argument("--no-form", action="store_true", help="vectors alone, without counts of the text's form")
    train.add_argument("overrides", nargs="*", help=argparse.SUPPRESS)
    add_json(parser)
    add_json(train, default=argparse.SUPPRESS)


def execute(args: argparse.Namespace) -> int:
    """Train, write the file and print its figures."""
    from ragbench.core.store import Store
    from ragbench.run.build import experiment
    from ragbench.run.label_fit import learner
    from ragbench.run.label_training import measured, train, with_test, write_model
    from ragbench.run.labelled_data import Columns, read_labelled
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session

    learner()
    overrides = [item for item in args.data if "=" in item and not Path(item).exists()]
    settings = _settings(args)
    sources = [Path(item) for item in args.data if item not in overrides]
    every = read_labelled(sources, Columns(args.label, args.text, args.group))
    asked = experiment(["generator=none", "judge=none", *overrides, *args.overrides])
    note_fallback([asked])
    name = args.name or args.label
    out = args.out or Path(f"{name.replace('.', '_')}_model.json")
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        embedder = session.open_embedder(asked.pipeline.embedder)
        trained = train(every.of_split(args.split), name, embedder, settings)
        content = dict(trained.content)
        model = write_model(out, content)
        if args.test_split:
            others = every.of_split(args.test_split)
            content = with_test(content, args.test_split, measured(model, others, embedder, settings))
            model = write_model(out, content)
        session.progress.close()
    _tell(args, out, content, trained, model)
    return 0


def _settings(args: argparse.Namespace) -> Any:
    from math import isfinite

    from ragbench.errors import ConfigError
    from ragbench.query.classifier.model import check_cost, check_share
    from ragbench.run.label_fit import Costs, Settings

    check_cost("--simple-cost", args.simple_cost)
    check_share("--abstain-cost", args.abstain_cost)
    if args.folds < 2:
        raise ConfigError("--folds", expected="2 or more", found=str(args.folds))
    if not (isfinite(args.strength) and args.strength > 0):
        raise ConfigError("--strength", expected="a number above 0", found=str(args.strength))
    costs = Costs(simple=args.simple_cost, abstain=args.abstain_cost)
    return Settings(strength=args.strength, form=not args.no_form, folds=args.folds, costs=costs)


def _tell(args: argparse.Namespace, out: Path, content: dict[str, Any], trained: Trained, model: LabelModel) -> None:
    about = content["about"]
    if args.json:
        told = {"out": str(out), "about": about, "threshold": model.threshold, "held_out": trained.figures}
        say_json(told | ({"test": content["test"]} if "test" in content else {}))
        return
    for reason, n in about["left_out"].items():
        note(f"note: {n} rows left out: {reason}")
    say(f"{about['rows']} rows, {len(model.labels)} labels of {args.label}; threshold {model.threshold:.2f}")
    _figures(f"held-out folds ({args.folds})", trained.figures)
    if "test" in content:
        _figures(f"split {args.test_split}", content["test"])
    say(f"wrote {out}")
    if model.label in ("complexity", "category", "answerable"):
        say(f"use it: ragbench run classifier=model classifier.{model.label}={out}")


def _figures(title: str, told: Any) -> None:
    sure = told["with_abstention"]
    say(
        f"{title}: accuracy {told['accuracy']:.3f} (commonest label {told['commonest']:.3f}), ",
    )
    say(f"  macro-F1 {told['macro_f1']:.3f}, mean cost {told['cost']:.3f}")
    right = "n/a" if sure["accuracy_decided"] is None else f"{sure['accuracy_decided']:.3f}"
    say(f"  abstaining: decides {sure['decided']:.3f}, right where it does {right}, mean cost {sure['cost']:.3f}")
    for name in ("complex_as_simple", "auroc", "balanced_accuracy"):
        if name in told:
            say(f"  {name.replace('_', ' ')} {told[name]:.3f}")
    for one in told["curve"]:
        right = "n/a" if one["accuracy_decided"] is None else f"{one['accuracy_decided']:.3f}"
        say(f"  at threshold {one['threshold']:.1f}: decides {one['decided']:.3f}, right {right}")
    for label, row in told.get("per_label", {}).items():
        precision = "n/a" if row["precision"] is None else f"{row['precision']:.3f}"
        rates = f"precision {precision}  recall {row['recall']:.3f}  F1 {row['f1']:.3f}"
        say(f"  {label:<16} {row['rows']:>4} rows  {rates}")
    labels = list(told.get("confusion", {}))
    if 0 < len(labels) <= _SHOWN:
        say(f"  said as {', '.join(labels)}:")
        for label in labels:
            say(f"  gold {label:<16} " + " ".join(f"{told['confusion'][label][other]:>4}" for other in labels))
