"""What progress prints, and when."""

from __future__ import annotations

from ragbench.run import progress
from ragbench.run.progress import Progress


def test_short_calls_one_after_the_other_are_no_long_one(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = Progress()
    for _ in range(50):
        now[0] += 1.0
        shown.step("embed", 1, 1)
    assert capsys.readouterr().err == ""


def test_long_work_tells_what_is_left(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = Progress()
    for done in range(0, 101, 10):
        shown.step("questions", done, 100)
        now[0] += 6.0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "questions: 20/100, 48 s left"
    assert lines[-1] == "questions: 100 in 60.0 s"
