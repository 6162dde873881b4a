"""JSON files become one line a leaf."""

from __future__ import annotations

import json

import pytest

from ragbench.corpus.load_json import load_json
from ragbench.errors import DataError


def lines(value: object) -> str:
    return load_json(json.dumps(value, ensure_ascii=False).encode()).parts[0][0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            {"供应商": [{"编号": "V-1", "交期": 12}, {"编号": "V-2"}]},
            "供应商[0].编号: V-1\n供应商[0].交期: 12\n\n供应商[1].编号: V-2",
        ),
        (
            {"metrics": {"lag": [1, 2.5, None, True]}},
            "metrics.lag[0]: 1\nmetrics.lag[1]: 2.5\nmetrics.lag[2]: null\nmetrics.lag[3]: true",
        ),
        ({"a.b": {"c d": "x\ny"}, "e": {}, "f": []}, '"a.b"."c d": x y\ne: {}\nf: []'),
        ([["a"], ["b"]], "[0][0]: a\n\n[1][0]: b"),
        ("text 文", "text 文"),
        (3, "3"),
    ],
)
def test_flattening(value, expected):
    assert lines(value) == expected


@pytest.mark.parametrize("data", [b"{", b'{"a": 1} x', b"[" * 100_000, b"9" * 10_000])
def test_what_is_not_json_is_an_error(data):
    with pytest.raises(DataError, match="JSON"):
        load_json(data)


def test_empty_and_bom():
    assert load_json(b" ").parts[0][0] == ""
    assert load_json('\ufeff{"title": "T"}'.encode()).title == "T"
