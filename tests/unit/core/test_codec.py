"""File formats."""

import numpy as np
import pytest

from ragbench.core.codec import dumps, loads, read_arrays, read_json, read_jsonl, write_arrays, write_json, write_jsonl

ROWS = [{"文": "年假", "x": 1.5, "list": [1, None]}, {"en": "a\nb\u2028c"}, {}]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_json_lines_come_back(tmp_path, name):
    write_jsonl(tmp_path / name, ROWS)
    assert list(read_jsonl(tmp_path / name)) == ROWS


def test_gzip_has_no_time_in_it(tmp_path):
    write_jsonl(tmp_path / "a.jsonl.gz", ROWS)
    write_jsonl(tmp_path / "b.jsonl.gz", ROWS)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_json_is_readable_and_keeps_order(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": "年假"})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "b": 1,\n  "a": "年假"\n}\n'
    assert read_json(tmp_path / "a.json") == {"b": 1, "a": "年假"}


def test_nan_becomes_null_and_numpy_is_understood():
    assert loads(dumps([float("nan"), np.float32(0.5), np.arange(2)])) == [None, 0.5, [0, 1]]


def test_arrays_come_back_and_objects_are_refused(tmp_path):
    write_arrays(tmp_path / "a.npz", x=np.arange(3), y=np.eye(2, dtype=np.float32))
    found = read_arrays(tmp_path / "a.npz")
    assert found["x"].tolist() == [0, 1, 2]
    assert found["y"].dtype == np.float32
    np.savez(tmp_path / "evil.npz", x=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"[Pp]ickle"):
        read_arrays(tmp_path / "evil.npz")
