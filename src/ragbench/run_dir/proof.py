"""The proof of a run's losses, kept in its folder for as long as the run is what was proved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench import __version__
from ragbench.core.codec import read_json, write_json
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

_PROVED = (layout.CONFIG, layout.QUESTIONS, layout.TRACES, layout.VERDICTS)
"""Files that decide what is proved."""


@dataclass(frozen=True, slots=True)
class KeptProof:
    """The proof of one lost question, as plain words: its class, where the gold was put in, what that says, the class
    of the answer with the gold put in (empty: not tried), and that answer."""

    loss: str
    put_in: str
    state: str
    then: str = ""
    answer: str = ""


def keep_proofs(run: RunDir, proofs: Mapping[str, KeptProof]) -> None:
    """Keep the proofs of all lost questions of a run, by id, beside it. Raises OSError where it cannot be written."""
    rows = {question_id: [one.loss, one.put_in, one.state, one.then, one.answer] for question_id, one in proofs.items()}
    write_json(run.folder / layout.PROOF, {"of": content_of(run), "ragbench": __version__, "proofs": rows})


def kept_proofs(run: RunDir) -> dict[str, KeptProof] | None:
    """The kept proofs by question; None where there are none, they cannot be read, or the run has changed since."""
    try:
        found = read_json(run.folder / layout.PROOF)
        if found["of"] != content_of(run):
            return None
        return {str(question_id): _kept(row) for question_id, row in found["proofs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def content_of(run: RunDir) -> str:
    """SHA-256 over what was asked, how, and what came of it."""
    digest = hashlib.sha256()
    for name in _PROVED:
        with (run.folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"sha256:{digest.hexdigest()}"


def _kept(row: Sequence[Any]) -> KeptProof:
    loss, put_in, state, then, answer = map(str, row)
    return KeptProof(loss, put_in, state, then, answer)
