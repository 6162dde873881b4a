"""What the kept proof of a run says of its lost questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ragbench.report.labels import FINE, Labels
from ragbench.run_dir.proof import KeptProof, kept_proofs
from ragbench.run_dir.read import RunDir

_ANSWER = 2000


def proofs_of(run: RunDir, outcomes: Mapping[str, str]) -> dict[str, KeptProof] | None:
    """The kept proofs of questions that are lost where the proof took them to be; None: the run was not proved."""
    kept = kept_proofs(run)
    if kept is None:
        return None
    return {name: one for name, one in kept.items() if outcomes.get(name) == one.loss and one.loss not in FINE}


def proof_row(proofs: Mapping[str, KeptProof] | None, question_id: str) -> list[Any] | None:
    """`[state, where the gold was put in, class with it, answer with it]` for the page."""
    one = (proofs or {}).get(question_id)
    if one is None:
        return None
    answer = one.answer if len(one.answer) <= _ANSWER else one.answer[: _ANSWER - 1] + "…"
    return [one.state, one.put_in, one.then, answer]


def proof_words(proved: Iterable[KeptProof], labels: Labels) -> str:
    """How the proof of some lost questions went; empty without any."""
    rows = list(proved)
    states = Counter(one.state for one in rows)
    tried = len(rows) - states["no_gold"]
    if not tried:
        return labels("proof_no_gold") if rows else ""
    later = Counter(one.then for one in rows if one.state == "not_proved" and one.then and one.then not in FINE)
    said = [labels("proof_of", n=states["proved"], of=tried)]
    said += [labels("proof_later", n=n, name=labels.outcome(name)) for name, n in later.most_common(3)]
    if states["not_reproduced"]:
        said.append(labels("proof_not_again", n=states["not_reproduced"]))
    return " · ".join(said)
