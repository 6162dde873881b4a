"""What a study reads of a run directory."""

from __future__ import annotations

from types import SimpleNamespace

from ragbench.experiment.readings import read_run, sign_of
from ragbench.experiment.study import is_derived
from tests.unit.experiment import RECALL, TOKENS


def run(rows=(), chunks=((0, 9), (9, 20)), packer="relevance", **splitter):
    fields = {"splitter": {"fields": {"chunk_size": 9} | splitter}, "packer": {"stage": packer}}
    scores = [{"measure": m, "kind": "question", "subject": s, "status": state, "value": v} for m, s, state, v in rows]
    return SimpleNamespace(
        run_id="r-1",
        manifest={"pipeline": {"fields": fields}, "keys": {"chunks": "k"}},
        questions={
            name: SimpleNamespace(language="zh", category="lookup", split="test", history=(), complexity=None)
            for name in ("a", "b", "c")
        },
        chunk_rows=lambda: [{"doc_id": "d", "start": start, "end": end, "hash": "x"} for start, end in chunks],
        scores=lambda: iter(scores),
        summary={"metrics": {}},
    )


def test_a_failed_question_has_the_worst_value_and_what_does_not_apply_has_none() -> None:
    rows = [(RECALL, "a", "scored", 1), (RECALL, "b", "failed", None), (RECALL, "c", "n/a", None)]
    column = read_run(run(rows), [RECALL]).columns[RECALL]
    assert (dict(column.values), column.n_failed) == ({"a": 1.0, "b": 0.0}, 1)


def test_a_failed_cost_has_no_worst_value() -> None:
    column = read_run(run([(TOKENS, "a", "failed", None), (TOKENS, "b", "scored", 7)]), [TOKENS]).columns[TOKENS]
    assert (dict(column.values), column.n_failed) == ({"b": 7.0}, 1)


def test_other_measures_are_not_read_and_missing_ones_are_empty() -> None:
    found = read_run(run([("retrieval/mrr", "a", "scored", 1)]), [RECALL])
    assert [name for name in found.columns if not is_derived(name)] == [RECALL] and not found.columns[RECALL].values


def test_a_chunk_set_is_its_spans() -> None:
    plain = read_run(run(), [])
    assert read_run(run(chunk_size=10), []).chunks == plain.chunks
    assert read_run(run(chunks=((0, 8), (8, 20))), []).chunks != plain.chunks
    assert read_run(run(chunk_size=10), []).rest == plain.rest
    assert read_run(run(packer="edges"), []).rest != plain.rest
    assert plain.n_chunks == 2


def test_overlap_is_that_of_the_children_where_there_are_any() -> None:
    assert read_run(run(), []).overlap is None
    assert read_run(run(overlap=5), []).overlap == 5
    children = {"stage": "splitter.RecursiveSplitter", "fields": {"overlap": 50}}
    assert read_run(run(children=children), []).overlap == 50


def test_saturation_needs_ninety_five_of_a_hundred() -> None:
    def column(n):
        rows = [(RECALL, f"q{at}", "scored", float(at < n)) for at in range(100)]
        return read_run(run(rows), [RECALL]).columns[RECALL]

    assert column(95).saturated and not column(94).saturated
    assert not read_run(run(), [RECALL]).columns[RECALL].saturated


def test_directions() -> None:
    assert (sign_of(RECALL), sign_of(TOKENS)) == (1, -1)
