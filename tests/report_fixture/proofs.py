"""A kept proof of the run made by hand, one of each kind that fits its losses."""

from __future__ import annotations

from ragbench.run_dir.proof import KeptProof, keep_proofs
from ragbench.run_dir.read import RunDir
from tests.report_fixture.questions import HOSTILE

GOLD = {"chunk_cut": "chunks", "query": "query", "not_recalled": "retrieval", "ranked_out": "rerank", "packed_out": "packing"}  # fmt: skip
NONE = frozenset({"false_answer", "failed", "unjudged"})


def prove(run: RunDir) -> dict[str, KeptProof]:
    """Every other loss by retrieval proved, the others lost again later; what has no gold has none."""
    proofs = {}
    for number, (question_id, loss) in enumerate(run.summary["diagnosis_by_question"].items()):
        if loss in NONE:
            proofs[question_id] = KeptProof(loss, "", "no_gold")
        elif loss != "ok":
            put_in = GOLD.get(loss, "context")
            right = put_in != "context" and number % 2 == 0
            state = "proved" if right or put_in == "context" else "not_proved"
            proofs[question_id] = KeptProof(loss, put_in, state, "ok" if right else "unused", f"答案 {HOSTILE}")
    keep_proofs(run, proofs)
    return proofs
