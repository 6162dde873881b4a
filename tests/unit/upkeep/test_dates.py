"""Dates of documents."""

from __future__ import annotations

import datetime

import pytest

from ragbench.upkeep.dates import document_date, read_day


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("２０２４年３月５日", "2024-03-05"),
        ("2024-03-05T10:20:30+08:00", "2024-03-05"),
        ("5 March 2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("2024年2月", "2024-02-29"),
        ("2024", "2024-12-31"),
        (2023, "2023-12-31"),
        ("20260101", "2026-01-01"),
        (20260131, "2026-01-31"),
        ("2024年", "2024-12-31"),
        ("修订于 2024年3月5日", "2024-03-05"),
    ],
)
def test_what_is_read(value, day):
    assert read_day(value) == datetime.date.fromisoformat(day)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "soon",
        "2024-02-31",
        "3月5日",
        True,
        1.5,
        [2024],
        {"y": 2024},
        "Q3 2024",
        7,
        "15/01/2026",
        "2026-02-30",
        "20260230",
        "202601012",
    ],
)
def test_what_is_no_date(value):
    assert read_day(value) is None


def test_the_first_name_that_can_be_read_counts():
    assert document_date({"date": "2020-01-01", "Updated": "2024-05-06"}, "2026-01-01").source == "updated"
    assert document_date({"Last-Updated": "never", "date": "2020-01-01"}, "2026-01-01").source == "date"
    assert document_date({"发布日期": "2021年4月1日"}, "2026-01-01").day == datetime.date(2021, 4, 1)
    plain = document_date({"date": "tomorrow"}, "2026-01-01")
    assert (plain.day, plain.source) == (datetime.date(2026, 1, 1), "file")


def test_what_could_not_be_read_is_told():
    dated = document_date({"updated": "15/01/2026", "date": "2026-02-30", "created": ""}, "2026-01-01")
    assert dated.source == "file" and dated.unread == (("updated", "15/01/2026"), ("date", "2026-02-30"))
    dated = document_date({"updated": "bald", "date": 20260101, "created": "?"}, "2026-03-01")
    assert dated.source == "date" and dated.unread == (("updated", "bald"),)
    assert document_date({"date": "2026-01-01"}, "2026-03-01").unread == ()
