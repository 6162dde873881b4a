"""Eval sets of a study: shipped, imported once, missing."""

from __future__ import annotations

import pytest

from ragbench.core.store import Store
from ragbench.errors import DataError
from ragbench.experiment.sets import local_set, prepare
from ragbench.experiment.study import AskedSet
from ragbench.report.experiment_words import Words
from tests.e2e.world import tiny_set


class Importer:
    """Writes a tiny set and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked = []

    def __call__(self, words, target) -> None:
        self.asked.append(words)
        tiny_set(target)


ASKED = [AskedSet("far", recipe=("squad", "far/x.json", "--unit", "article"))]


def test_a_shipped_set_needs_nothing(tmp_path) -> None:
    ready, missing = prepare([AskedSet("policy_zh")], Store(tmp_path / "s"), Importer())
    assert not missing
    assert ready[0].overrides["eval_set.name"] == "policy_zh"


def test_a_set_that_is_not_there_is_missing(tmp_path) -> None:
    ready, missing = prepare([AskedSet("nowhere")], Store(tmp_path / "s"), Importer())
    assert not ready and missing[0].why == "absent"


def test_without_a_data_folder_outside_sets_are_missing(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("RAGBENCH_DATA", raising=False)
    _, (missing,) = prepare(ASKED, Store(tmp_path / "s"), Importer())
    assert (missing.why, missing.detail) == ("unset", "far/x.json")
    assert Words("en").missing(vars_of(missing)).startswith("far: left out and counted as missing; RAGBENCH_DATA")
    monkeypatch.setenv("RAGBENCH_DATA", str(tmp_path))
    assert prepare(ASKED, Store(tmp_path / "s"), Importer())[1][0].why == "absent"


def vars_of(missing):
    return {"name": missing.name, "why": missing.why, "detail": missing.detail}


def test_an_outside_set_is_imported_once_for_one_content(tmp_path, monkeypatch) -> None:
    (tmp_path / "data" / "far").mkdir(parents=True)
    source = tmp_path / "data" / "far" / "x.json"
    source.write_text("{}", encoding="utf-8")
    monkeypatch.setenv("RAGBENCH_DATA", str(tmp_path / "data"))
    importer = Importer()
    (first,), _ = prepare(ASKED, Store(tmp_path / "s"), importer)
    (again,), _ = prepare(ASKED, Store(tmp_path / "s"), importer)
    assert first == again
    assert importer.asked == [["squad", str(source), "--unit", "article"]]
    assert first.overrides["eval_set.name"] == "far"
    source.write_text("{ }", encoding="utf-8")
    (changed,), _ = prepare(ASKED, Store(tmp_path / "s"), importer)
    assert changed.overrides["eval_set.path"] != first.overrides["eval_set.path"]
    assert len(importer.asked) == 2


def test_an_import_that_fails_is_told_and_tried_again(tmp_path, monkeypatch) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "x.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("RAGBENCH_DATA", str(tmp_path))

    def refuse(words, target) -> None:
        raise DataError("x.json", expected="questions", found="none")

    _, (missing,) = prepare(ASKED, Store(tmp_path / "s"), refuse)
    assert (missing.why, missing.detail) == ("failed", "x.json: expected questions, found none")
    assert prepare(ASKED, Store(tmp_path / "s"), Importer())[0]


def test_a_folder_of_ones_own(tmp_path) -> None:
    found = local_set(str(tiny_set(tmp_path / "mine")))
    assert (found.name, found.overrides["eval_set"]) == ("mine", "local")
    with pytest.raises(DataError):
        local_set(str(tmp_path / "none"))


def rows_of(folder, dev, test):
    import json

    rows = [
        {"id": f"{split}{n}", "question": "?", "split": split, "answerable": False}
        for split, size in dev_and_test(dev, test)
        for n in range(size)
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def dev_and_test(dev, test):
    return (("dev", dev), ("test", test))


def test_splits_count_when_somebody_made_them_large_enough(tmp_path) -> None:
    folder = tiny_set(tmp_path / "mine")
    for dev, test, own in ((20, 20, True), (19, 20, False), (20, 19, False)):
        rows_of(folder, dev, test)
        assert local_set(str(folder)).own_splits is own
    rows_of(folder, 20, 20)
    (folder / "IMPORTED").write_text("{}", encoding="utf-8")
    assert not local_set(str(folder)).own_splits, "an import draws splits by hashes"
    (folder / "IMPORTED").unlink()
    (folder / "questions.jsonl").write_bytes(b"\xff")
    assert not local_set(str(folder)).own_splits, "what is wrong with its rows is told where it is run"


def test_shipped_sets_have_splits_of_their_own(tmp_path) -> None:
    ready, _ = prepare([AskedSet("policy_zh"), AskedSet("product_en")], Store(tmp_path / "s"), Importer())
    assert [one.own_splits for one in ready] == [True, True]
