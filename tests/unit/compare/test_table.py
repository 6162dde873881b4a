"""Best only where intervals lie apart; names from what differs; nothing compared across locks or judges."""

from __future__ import annotations

from typing import Any

from ragbench.compare.headline import headline
from ragbench.compare.table import Cell, compare_table, mark_best, number, saturated, variant_names


def cell(mean: float | None, half: float = 0.05) -> Cell:
    return Cell(mean, None, None, 0, 0) if mean is None else Cell(mean, mean - half, mean + half, 20, 0)


def marks(*means: float | None, higher: bool = True, half: float = 0.05) -> list[str]:
    return [one.mark for one in mark_best([cell(mean, half) for mean in means], higher)]


def summary(run_id: str, mean: float | None, lock: str = "a", judge: str = "j", **variant: Any) -> dict[str, Any]:
    rows = {
        name: {"mean": mean, "low": (mean or 0) - 0.01, "high": (mean or 0) + 0.01, "n_scored": 9}
        for name in ("ranking/mrr", "answer/faithfulness")
    }
    return {
        "run_id": run_id,
        "variant": variant,
        "eval_set": {"lock": lock},
        "judge": {"faithfulness": judge},
        "metrics": rows,
    }


def test_a_clear_leader_is_best_and_overlapping_ones_are_tied() -> None:
    assert marks(0.5, 0.9, 0.6) == ["", "best", ""]
    assert marks(0.5, 0.9, 0.85) == ["", "tied", "tied"]
    assert marks(0.8, 0.9) == ["tied", "tied"], "intervals that touch are not apart"
    assert marks(0.799, 0.9) == ["", "best"]


def test_what_looks_equal_is_never_best() -> None:
    assert marks(0.00937, 0.00908, higher=False, half=0.0) == ["tied", "tied"]
    assert marks(0.0104, 0.0096, 0.5, higher=False, half=0.0) == ["tied", "tied", ""]
    assert marks(0.012, 0.009, higher=False, half=0.0) == ["", "best"]


def test_lower_is_better_where_the_measure_says_so() -> None:
    assert marks(0.5, 0.9, higher=False) == ["best", ""]


def test_what_cannot_be_compared_has_no_mark() -> None:
    assert marks(0.9) == [""]
    assert marks(None, 0.9) == ["", ""]
    assert marks(None, 0.9, 0.1) == ["", "best", ""]
    no_interval = [Cell(0.9, None, None, 1, 0), cell(0.1)]
    assert [one.mark for one in mark_best(no_interval, True)] == ["tied", "tied"], (
        "without an interval nothing is clear"
    )


def test_different_locks_are_never_marked_and_different_judges_only_where_nothing_is_judged() -> None:
    locks = compare_table([summary("a", 0.9, lock="a"), summary("b", 0.1, lock="b")])
    parts = compare_table(
        [summary("x", 0.2), summary("y", 0.9) | {"eval_set": {"lock": "a", "questions": {"key": "k"}}}]
    )
    assert parts.one_lock and not parts.one_part and not any(c.mark for line in parts.lines for c in line.cells)
    assert not locks.one_lock and not any(c.mark for line in locks.lines for c in line.cells)
    judges = compare_table([summary("a", 0.9, judge="x"), summary("b", 0.1, judge="y")])
    shown = dict(zip(judges.measures, judges.lines[0].cells))
    assert not judges.one_judge
    assert (shown["ranking/mrr"].mark, shown["answer/faithfulness"].mark) == ("best", "")


def test_names_say_what_differs_and_leave_out_what_the_preset_settles() -> None:
    runs = [
        summary("a", 0.1, variant="bm25", retriever="sparse", chunk_size=200),
        summary("b", 0.1, variant="bm25", retriever="sparse", chunk_size=None),
        summary("c", 0.1, variant="hybrid", retriever="hybrid", chunk_size=200),
    ]
    table = compare_table(runs)
    assert [line.name for line in table.lines] == [
        "bm25, chunk_size=200",
        "bm25, chunk_size=default",
        "hybrid, chunk_size=200",
    ]
    assert table.differing == ("retriever", "chunk_size", "variant")


def test_equal_variants_are_told_apart_by_run() -> None:
    assert variant_names([summary("a-1", 0.1, variant="x"), summary("a-2", 0.1, variant="x")], ()) == [
        "x (a-1)",
        "x (a-2)",
    ]


def test_runs_of_several_eval_sets_are_named_by_the_set() -> None:
    runs = [summary(one, 0.1, variant="bm25") | {"eval_set": {"name": one, "lock": one}} for one in ("政策", "product")]
    assert variant_names(runs, ()) == ["bm25, 政策", "bm25, product"]


def test_a_long_key_is_told_by_its_last_part_where_that_says_enough() -> None:
    scale, k, root = "pipeline.retriever.scale", "pipeline.reranker.k", "k"
    runs = [summary("a", 0.1, **{scale: "minmax"}), summary("b", 0.1, **{scale: "zscore"})]
    assert variant_names(runs, (scale,)) == ["scale=minmax", "scale=zscore"]
    runs = [summary("a", 0.1, **{k: 1, root: 3}), summary("b", 0.1, **{k: 2, root: 5})]
    assert variant_names(runs, (k, root)) == [f"{k}=1, k=3", f"{k}=2, k=5"]


def test_nothing_gives_an_empty_table() -> None:
    table = compare_table([])
    assert (table.measures, table.lines) == ((), ())
    assert compare_table([{}]).measures == ()


def test_recall_before_reranking_is_shown_only_where_something_is_reranked() -> None:
    row = {"mean": 0.5}
    same = {"metrics": {"retrieval/recall@5": row, "ranking/recall@5": row, "retrieval/mrr": row, "ranking/mrr": row}}
    moved = {"metrics": {**same["metrics"], "ranking/mrr": {"mean": 0.6}}}
    assert "retrieval/recall@5" not in headline([same])
    assert "retrieval/recall@5" in headline([same, moved])


def test_what_stands_for_answers_and_for_recall_of_short_lists() -> None:
    """Evidence in the context where nobody answers; recall of the deepest list that all runs have."""
    row, evidence = {"mean": 0.5}, "answer/evidence_in_context"
    recall = {f"ranking/recall@{k}": row for k in (1, 3, 5, 10)}
    silent = {"metrics": {**recall, evidence: {"mean": 0.4}}}
    assert headline([silent]) == ("ranking/recall@5", evidence)
    whole = {"metrics": {**recall, evidence: row}}
    assert headline([whole]) == ("ranking/recall@5",), "the same figure twice"
    assert evidence in headline([whole, silent])
    spoken = {"metrics": {**recall, evidence: row, "answer/correctness_f1": row}}
    assert headline([spoken, silent]) == ("ranking/recall@5", "answer/correctness_f1")
    short = {"metrics": dict.fromkeys(("ranking/recall@1", "ranking/recall@3", evidence, "answer/correctness_f1"), row)}
    assert headline([short, spoken])[0] == "ranking/recall@3" and evidence in headline([short, spoken])
    one = {"metrics": {"ranking/recall@1": row}}
    assert headline([one, short])[0] == "ranking/recall@1"
    assert headline([]) == () and headline([{}, short])[0] != "ranking/recall@1"


def test_figures_and_saturation() -> None:
    assert [number(v) for v in (None, 0, 0.12345, -3.2, 41.55, 12345.6)] == [
        "–",
        "0.000",
        "0.123",
        "-3.200",
        "41.5",
        "12,346",
    ]
    assert saturated([1.0] * 19 + [0.0]) and not saturated([1.0] * 18 + [0.0, 0.0]) and not saturated([])
