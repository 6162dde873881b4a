"""A diagnosis in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import note, say

if TYPE_CHECKING:
    from ragbench.evaluate.diagnose import Diagnosis
    from ragbench.run.diagnosis import RunDiagnosis
    from ragbench.run.proof import Proof

WIDTH = 100


def tell(
    found: RunDiagnosis, proofs: Mapping[str, Proof], unproved: str, trials: list[dict[str, Any]], tried: bool
) -> None:
    """Print the waterfall, the categories, the main symptoms with commands, and what tried changes did."""
    from rich.markup import escape

    from ragbench.sink.console import console
    from ragbench.sink.diagnosis_tables import category_table, proof_cells, waterfall_table
    from ragbench.text.terminal import one_line

    out, counts = console(WIDTH), found.counts
    facts = found.run.summary.get("eval_set") or {}
    split = f", split {facts.get('split')}" if facts.get("split") else ""
    head = (
        f"run {found.run.run_id}: {sum(counts.values())} questions of {facts.get('name')}/{facts.get('version')}{split}"
    )
    out.print(escape(one_line(head, WIDTH)))
    rows = [(one.loss.value, proofs[one.question_id]) for one in found.lost if one.question_id in proofs]
    cells = proof_cells([(name, proof.state, proof.then.value if proof.then else "") for name, proof in rows])
    out.print(waterfall_table(found.levels, counts, cells))
    out.print(category_table(found.by_category))
    for line in _remarks(found, proofs, unproved):
        out.print(escape(line), style="dim")
    if line := _stands_out(found):
        out.print(escape(line), style="bold")
    _tell_symptoms(found, proofs)
    if tried:
        _tell_trials(found, trials)


def _remarks(found: RunDiagnosis, proofs: Mapping[str, Proof], unproved: str) -> Iterator[str]:
    from ragbench.text.terminal import one_line

    if proofs:
        yield "proof: asked again with the gold put in at that layer, everything after it as configured. proved:"
        yield "then right; of a loss by the generator: wrong with the evidence alone, or beside the whole of it"
    elif found.lost:
        yield one_line(f"not proved: {unproved}")
    if found.unread:
        yield one_line(f"reasons and proof cannot be told: {found.unread}")
    for part in found.blind:
        yield f"this run does not show {part}"
    if found.stored and not found.unread:
        stored = " · ".join(f"{name} {n}" for name, n in found.stored.items())
        yield one_line(f"the run's own summary has, by the rules of the version that made it: {stored}")


def _stands_out(found: RunDiagnosis) -> str:
    from ragbench.text.terminal import one_line

    one = found.category
    if one is None:
        return ""
    wrong, told = found.misrouted(one.category)
    routed = f"; {wrong} of {told} were taken for another class than labelled" if told else ""
    return one_line(
        f"{one.category} loses {one.lost} of {one.n}, all others together {one.lost_others} of {one.n_others}: look "
        f"first at the class its questions are taken for and where that routes them{routed}"
    )


def _tell_symptoms(found: RunDiagnosis, proofs: Mapping[str, Proof]) -> None:
    from ragbench.evaluate.advice import ADVICE
    from ragbench.run.tried import LOSSES, base_overrides, suggestions, weights_of
    from ragbench.text.terminal import command, folded

    weights = weights_of(found, proofs)
    offered = suggestions(found, weights)
    for loss in sorted(weights, key=lambda one: -weights[one])[:LOSSES]:
        n = found.counts[loss]
        more = f" and {weights[loss] - n} of those lost before" if weights[loss] > n else ""
        say()
        told = [f"{loss} ({n}{more}): {ADVICE[loss].symptom}"]
        reasons = " · ".join(f"{why} ({n})" for why, n in found.reasons(loss))
        told += [reasons] if reasons else []
        for number, line in enumerate([*told, f"change: {ADVICE[loss].change}"]):
            for at, part in enumerate(folded(line, WIDTH - 4)):
                say(("  " if number else "") + ("  " if at else "") + part)
        for one in offered:
            if one.loss is loss:
                words = one.overrides if base_overrides(found) is not None else one.change
                say("  " + command(["ragbench", "run", *words], WIDTH - 2).replace("\n", "\n  "))


def _tell_trials(found: RunDiagnosis, rows: list[dict[str, Any]]) -> None:
    from rich.markup import escape

    from ragbench.sink.console import console
    from ragbench.sink.diagnosis_tables import trial_table
    from ragbench.text.terminal import one_line

    out = console(WIDTH)
    say()
    if not rows:
        say("nothing to try: no suggestion makes another variant that can be composed here")
        return
    out.print(trial_table(rows))
    for row in rows:
        if row["failed"]:
            out.print(escape(one_line(f"{' '.join(row['overrides'])} could not run: {row['failed']}")))
    split = str((found.run.summary.get("eval_set") or {}).get("split"))
    other = {"test": "split=dev", "dev": "split=test"}.get(split, "questions that were not used here")
    note(
        f"warning: {len(rows)} changes were compared on the very questions they are to repair; choosing among them is "
        f"tuning. Confirm the choice on {other}."
    )


def tell_one(found: RunDiagnosis, one: Diagnosis, proofs: Mapping[str, Proof], unproved: str) -> None:
    """Print the story of one question, the verdict and the proof."""
    from ragbench.evaluate.losses import Loss
    from ragbench.sink.question_story import story
    from ragbench.text.terminal import one_line

    case = found.cases.get(one.question_id)
    if case is None:
        say(one_line(f"{one.question_id}: {one.loss}; the rest cannot be told: {found.unread}"))
        return
    for line in story(case):
        say(line)
    say(f"{'verdict':<11}" + one_line(f"{one.loss}{': ' + one.why if one.why else ''}"))
    for group in one.lost:
        say(" " * 11 + one_line(f"{group.group}: {group.loss} ({group.why})"))
    proof = proofs.get(one.question_id)
    if proof is not None:
        where = f", gold put in at {proof.put_in}" if proof.put_in else ""
        say(f"{'proof':<11}" + one_line(f"{proof.state}{where}: {proof.why}"))
        if proof.answer:
            say(" " * 11 + one_line(f"then answered: {proof.answer}", WIDTH - 11))
    elif one.loss is not Loss.OK:
        say(f"{'proof':<11}" + one_line(f"none: {unproved}"))
