"""`ragbench diagnose`: where each lost question of a run was lost, the proof, and what to change."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import add_json, note, say_json

if TYPE_CHECKING:
    from ragbench.evaluate.diagnose import Diagnosis
    from ragbench.run.diagnosis import RunDiagnosis
    from ragbench.run.proof import Proof
    from ragbench.run.session import Session
    from ragbench.run.tried import Suggestion

_TRIED = 6


def arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and how far to go."""
    parser.add_argument("run", help="path, run id or latest")
    parser.add_argument("--question", metavar="ID", help="the whole story of one question")
    parser.add_argument(
        "--prove", action=argparse.BooleanOptionalAction, default=None,
        help="ask the lost questions again with the gold put in where they were lost (default: where no stage asks a "
        "language model)",
    )  # fmt: skip
    parser.add_argument(
        "--try",
        action="store_true",
        dest="trying",
        help="ask them again under each suggested change, and say which helped",
    )
    parser.add_argument("--most", type=int, default=_TRIED, metavar="N", help="changes tried (default: %(default)s)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Diagnose it; print the tables, or JSON."""
    from ragbench.cli.diagnosis_told import tell, tell_one
    from ragbench.core.store import Store
    from ragbench.errors import ConfigError
    from ragbench.run.compose import compose
    from ragbench.run.diagnosis import read_diagnosis
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session
    from ragbench.run_dir.read import find_run

    if args.most < 1:
        raise ConfigError("--most", expected="at least 1", found=str(args.most))
    if args.trying and args.question:
        raise ConfigError("diagnose", expected="--question or --try", found="both")
    places = compose([]).data["paths"]
    with Session(Store(Path(places["store"])), Progress(quiet=args.json)) as session:
        found = read_diagnosis(find_run(args.run, Path(places["runs"])), session.store)
        asked = [found.one(args.question)] if args.question else found.lost
        proofs, unproved = _proofs(found, session, places, asked, args.prove)
        trials = _trials(found, session, proofs, args.most) if args.trying else []
        session.progress.close()
    kept = _kept(found, proofs) if not args.question and not unproved and found.cases else ""
    if args.json:
        say_json(_json(found, asked, proofs, unproved, trials, bool(args.question)))
    elif args.question:
        tell_one(found, asked[0], proofs, unproved)
    else:
        tell(found, proofs, unproved, trials, args.trying)
    if kept:
        note(kept)
    return 0


def _proofs(
    found: RunDiagnosis, session: Session, places: Mapping[str, Any], asked: list[Diagnosis], wished: bool | None
) -> tuple[dict[str, Proof], str]:
    """The proofs of the asked questions that are lost; and why there are none."""
    from ragbench.errors import RagbenchError
    from ragbench.evaluate.losses import Loss
    from ragbench.run.diagnosis import experiment_of
    from ragbench.run.proof import asks_models, prove

    lost = [(found.cases[one.question_id], one) for one in asked if one.loss is not Loss.OK and found.cases]
    if wished is False or not lost:
        return {}, "not asked for (--no-prove)" if wished is False else found.unread
    try:
        experiment = experiment_of(found, places)
        if wished is None and asks_models(experiment):
            return {}, "it would ask language models again; --prove does"
        return prove(experiment, session, lost), ""
    except RagbenchError as error:
        return {}, " ".join(str(error).split())


def _kept(found: RunDiagnosis, proofs: Mapping[str, Proof]) -> str:
    """Keep the proof of all lost questions beside the run, for its report; a line that says what became of it."""
    from ragbench.run_dir import layout
    from ragbench.run_dir.proof import KeptProof, keep_proofs

    rows = {
        one.question_id: KeptProof(one.loss.value, proof.put_in, proof.state.value, proof.then or "", proof.answer)
        for one in found.lost
        if (proof := proofs.get(one.question_id)) is not None
    }
    try:
        keep_proofs(found.run, rows)
    except OSError as error:
        return f"the proof could not be kept in {found.run.folder / layout.PROOF}: {error.strerror}"
    return f"proof kept: {found.run.folder / layout.PROOF} (shown by ragbench report {found.run.run_id})"


def _trials(found: RunDiagnosis, session: Session, proofs: Mapping[str, Proof], most: int) -> list[dict[str, Any]]:
    from ragbench.errors import DataError
    from ragbench.run.tried import base_overrides, suggestions, trials, weights_of
    from ragbench.run_dir.foreign import foreign_facts

    if foreign_facts(found.run) is not None:
        raise DataError(f"--try of run {found.run.run_id}", expected="a run of ours", found="a foreign run")
    if base_overrides(found) is None:
        hint = "Run it again with this version; finished stages are reused."
        raise DataError(f"run {found.run.run_id}", expected="its overrides noted", found="none", hint=hint)
    offered = suggestions(found, weights_of(found, proofs))
    return [trial.to_json() for trial in trials(found, session, offered[:most])]


def _json(
    found: RunDiagnosis,
    asked: list[Diagnosis],
    proofs: Mapping[str, Proof],
    unproved: str,
    trials: list[dict[str, Any]],
    single: bool,
) -> dict[str, Any]:
    from dataclasses import asdict

    from ragbench.run.tried import suggestions, weights_of

    questions = [
        asdict(one) | {"proof": asdict(proofs[one.question_id]) if one.question_id in proofs else None} for one in asked
    ]
    if single:
        return questions[0] | {"unproved": unproved}
    return {
        "run_id": found.run.run_id,
        "counts": found.counts,
        "waterfall": [asdict(level) for level in found.levels],
        "by_category": found.by_category,
        "stands_out": asdict(found.category) if found.category else None,
        "questions": questions,
        "unproved": unproved,
        "unread": found.unread,
        "blind": list(found.blind),
        "suggestions": [_suggestion(one) for one in suggestions(found, weights_of(found, proofs))],
        "trials": trials,
    }


def _suggestion(one: Suggestion) -> dict[str, Any]:
    from ragbench.text.terminal import command

    return {
        "loss": one.loss.value,
        "change": list(one.change),
        "overrides": list(one.overrides),
        "command": command(["ragbench", "run", *one.overrides]),
    }
