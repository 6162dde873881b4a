"""Documents that are too old go, stay out, and come back when they change."""

from __future__ import annotations

import datetime

import pytest

from ragbench.errors import ConfigError, DataError
from ragbench.upkeep.prune import prune
from ragbench.upkeep.told import unread_lines
from ragbench.upkeep.verify import verify
from tests.unit.upkeep.world import World

TODAY = datetime.date(2026, 7, 1)
OLD = "---\nupdated: 2026-01-01\n---\n# 旧制度\n\n旧的年假规定 uid0009。\n"


@pytest.fixture
def aged(tmp_path):
    world = World(tmp_path)
    world.write("old.md", OLD, day="2026-06-30")
    world.write("by file.txt", "old by its file uid0008", day="2025-12-31")
    world.write("fresh.txt", "fresh 新的", day="2026-06-01")
    world.write("border.txt", "exactly 180 days", day="2026-01-02")
    world.update()
    return world


def taken(world, **how):
    return prune(world.place(), how.pop("days", 180), how.pop("today", TODAY), **{"apply": True} | how)


def test_a_dry_run_names_them_and_changes_nothing(aged):
    before = aged.hashes()
    done = taken(aged, apply=False)
    assert [(one.doc_id, one.day, one.days, one.source) for one in done.aged] == [
        ("by file.txt", "2025-12-31", 182, "file"),
        ("old.md", "2026-01-01", 181, "updated"),
    ]
    assert done.written is None and done.n_documents == 4 and aged.hashes() == before


def test_they_go_from_both_sides_and_stay_out(aged):
    n_before = len(aged.worker.embedded)
    done = taken(aged)
    assert done.written.removed == 2
    assert aged.found("uid0009 uid0008 年假") == set()
    assert verify(aged.place()).findings == ()
    for _ in range(2):
        assert aged.statuses() == {
            "old.md": "expired", "by file.txt": "expired", "border.txt": "unchanged", "fresh.txt": "unchanged",
        }  # fmt: skip
        assert aged.update(apply=None).written.built == ()
    assert len(aged.worker.embedded) == n_before
    assert taken(aged).aged == ()


def test_touched_and_encoded_anew_it_stays_out(aged):
    taken(aged)
    aged.write("old.md", OLD, "utf-16", day="2026-07-01")
    assert aged.statuses()["old.md"] == "expired"
    aged.update()
    assert aged.statuses()["old.md"] == "expired" and aged.found("uid0009") == set()


@pytest.mark.parametrize(
    "text", [OLD.replace("规定", "办法"), OLD.replace("2026-01-01", "2026-06-30")], ids=["text", "date"]
)
def test_changed_it_comes_back(aged, text):
    taken(aged)
    aged.write("old.md", text)
    assert aged.statuses()["old.md"] == "new"
    aged.update()
    assert aged.found("uid0009") == {"old.md"}


def test_a_deleted_one_is_forgotten(aged):
    taken(aged)
    aged.delete("old.md")
    aged.update()
    assert "old.md" not in aged.statuses()
    aged.write("old.md", OLD)
    assert aged.statuses()["old.md"] == "new"


def test_a_rebuild_takes_them_in_again(aged):
    taken(aged)
    aged.update(rebuild=True)
    assert aged.found("uid0009") == {"old.md"}


def test_never_all_of_them_and_no_negative_age(aged):
    before = aged.hashes()
    with pytest.raises(DataError, match="at least one document to be left"):
        taken(aged, days=0, today=datetime.date(2030, 1, 1))
    with pytest.raises(ConfigError, match="--max-age-days"):
        taken(aged, days=-1)
    assert aged.hashes() == before


def test_a_date_to_come_is_not_old(aged):
    aged.write("future.md", "---\ndate: 2031-01-01\n---\n未来")
    aged.update()
    assert "future.md" not in [one.doc_id for one in taken(aged, apply=False, days=0).aged]


def test_a_broken_index_is_not_pruned(aged):
    (aged.root / "live" / "heads" / "dense.json").unlink()
    with pytest.raises(DataError, match="the dense side is missing"):
        taken(aged)


def test_dates_that_cannot_be_read_are_told(aged):
    aged.write("odd.md", "---\ndate: 15/01/2026\n---\n另一个 text", day="2026-06-30")
    aged.write("plain.md", "---\ndate: 20260101\n---\n紧凑 compact", day="2026-06-30")
    aged.update()
    done = taken(aged, apply=False)
    assert [(one.doc_id, one.name, one.value, one.day, one.source) for one in done.unread] == [
        ("odd.md", "date", "15/01/2026", "2026-06-30", "file")
    ]
    assert "plain.md" in {one.doc_id for one in done.aged} and "odd.md" not in {one.doc_id for one in done.aged}
    assert "odd.md  date: 15/01/2026; the day of its file counts, 2026-06-30" in "\n".join(unread_lines(done.unread))
