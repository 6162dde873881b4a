"""JSON files become one line a leaf."""

from __future__ import annotations

import json
import time

import pytest

from ragbench.corpus.load_json import load_json
from ragbench.corpus.load_jsonl import load_jsonl
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


@pytest.mark.parametrize("data", [b"{", b'{"a": 1} x', b"[" * 100_000])
def test_what_is_not_json_is_an_error(data):
    with pytest.raises(DataError, match="JSON"):
        load_json(data)


def test_json_lines_under_another_name_are_read_as_such():
    parsed = load_json('{"甲": 1}\n{"b": [2]}\n'.encode())
    assert parsed.parts[0][0] == "甲: 1\n\nb[0]: 2"
    assert parsed.warnings == ("more than one JSON value: read as JSON Lines",)


def test_empty_and_bom():
    assert load_json(b" ").parts[0][0] == ""
    assert load_json('\ufeff{"title": "T"}'.encode()).title == "T"


NAMES = pytest.mark.parametrize("name", ["价格", "price", "价格 net"], ids=["zh", "en", "mixed"])


@NAMES
@pytest.mark.parametrize(
    "number", ["1.10", "1e-7", "0.00001", "12345678901234567890.123", "1e400", "-0.0", "1.0E+2", "2.5", "7"]
)
def test_numbers_keep_their_spelling(name, number):
    shown = name if " " not in name else f'"{name}"'
    parsed = load_json(f'{{"{name}": {number}, "list": [{number}]}}'.encode())
    assert parsed.parts[0][0] == f"{shown}: {number}\nlist[0]: {number}"
    if abs(float(number)) < 2**53:  # others are no metadata
        assert parsed.metadata[name] == float(number) and type(parsed.metadata[name]) in (float, int)
        assert type(parsed.metadata["list"][0]) in (float, int)
    rows = f'{{"{name}": {number}}}\n'.encode() * 2
    assert load_jsonl(rows).parts[0][0] == f"{shown}: {number}\n\n{shown}: {number}"


@NAMES
def test_whole_numbers_of_any_length_stay_as_they_are_written(name):
    shown = name if " " not in name else f'"{name}"'
    digits = "7" * 5000
    parsed = load_json(f'{{"{name}": {digits}, "list": [-{digits}, 12, 1.10]}}'.encode())
    assert parsed.parts[0][0] == f"{shown}: {digits}\nlist[0]: -{digits}\nlist[1]: 12\nlist[2]: 1.10"
    assert name not in parsed.metadata
    rows = load_jsonl(f'{{"{name}": {digits}}}\n{{"{name}": 8}}\n'.encode())
    assert rows.parts[0][0] == f"{shown}: {digits}\n\n{shown}: 8" and rows.warnings == ()
    assert load_json(f'{{"a": {digits}}}\n{{"b": 2}}\n'.encode()).parts[0][0] == f"a: {digits}\n\nb: 2"


def test_the_time_for_digits_does_not_grow_with_their_square():
    def seconds(n):
        started = time.process_time()
        load_json(b'{"n": ' + b"7" * n + b"}")
        return time.process_time() - started

    seconds(10_000)
    assert seconds(4_000_000) < 5


def test_records_agree_in_a_number_however_it_is_spelled():
    assert load_json(b'[{"v": 1.10}, {"v": 1.1}]').metadata["v"] == 1.1


@NAMES
def test_a_name_that_stands_twice_is_told(name):
    told = (f"{name!r} stands twice in an object: the last value was read",)
    parsed = load_json(f'{{"{name}": 1, "x": [{{"{name}": 2, "{name}": 3}}], "{name}": 4}}'.encode())
    assert parsed.warnings == told and "x[0]" in parsed.parts[0][0]
    assert load_jsonl(f'{{"{name}": 1, "{name}": 2}}\n'.encode() * 3).warnings == told
    assert load_json(f'[{{"{name}": 1}}, {{"{name}": 2}}]'.encode()).warnings == ()
    many = ", ".join(f'"{name}{n}": 1, "{name}{n}": 2' for n in range(30))
    assert load_json(f"{{{many}}}".encode()).warnings[-1] == "10 more like these"
