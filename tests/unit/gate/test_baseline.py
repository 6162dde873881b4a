from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbench.errors import DataError
from ragbench.gate.baseline import baseline_path, baselines, read_baseline, write_baseline
from tests.unit.gate.sides import CORRECT, RECALL, side

SIDE = side({RECALL: [1.0, 0.5, "n/a", "failed"], CORRECT: [1 / 3, 0.1 + 0.2, 0.0, "n/a"]}, ["查询", "a|b", "c", "d"])


def test_what_is_written_is_read_back_to_the_bit(tmp_path: Path) -> None:
    path = write_baseline(SIDE, baseline_path(tmp_path / "baselines", "policy_zh"))
    assert path == tmp_path / "baselines" / "policy_zh.json"
    assert read_baseline(path) == SIDE
    before = path.read_bytes()
    write_baseline(SIDE, path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["policy_zh.json"]


def test_a_question_is_a_line_so_that_a_diff_shows_which_changed(tmp_path: Path) -> None:
    text = write_baseline(SIDE, tmp_path / "b.json").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith('    "q3"'))
    assert json.loads("{" + line + "}") == {
        "q3": {"category": "d", "scores": {RECALL: "failed", CORRECT: "n/a"}},
    }
    assert text.endswith("}\n") and "查询" in text


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("政策 问答", "政策_问答.json"),
        ("../../etc/x", "_.._etc_x.json"),
        ("..", "_.json"),
        ("a/b", "a_b.json"),
        ("a\nb", "a_b.json"),
    ],
)
def test_a_baseline_lies_in_its_folder_whatever_its_set_is_called(tmp_path: Path, name: str, file: str) -> None:
    assert baseline_path(tmp_path, name) == tmp_path / file


def test_no_file_is_no_baseline(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "x.json") is None
    assert baselines(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("find", "put"),
    [
        ('"version": 1,', '"version": 2,'),
        ("{", "<<<<<<< HEAD\n{"),
        ('"failed"', '"passed"'),
        ('"failed"', '"scored"'),
        ('"failed"', "null"),
        ('"failed"', "true"),
        ('"failed"', "1e999"),
        ('"eval_set": {', '"eval_sets": {'),
    ],
)
def test_a_file_that_was_changed_by_hand_is_named(tmp_path: Path, find: str, put: str) -> None:
    path = write_baseline(SIDE, tmp_path / "b.json")
    path.write_text(path.read_text(encoding="utf-8").replace(find, put, 1), encoding="utf-8")
    with pytest.raises(DataError, match="ragbench baseline set RUN") as error:
        read_baseline(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_a_lone_surrogate_does_not_stop_it(tmp_path: Path) -> None:
    odd = side({RECALL: [1.0]}, ["\ud800"])
    found = read_baseline(write_baseline(odd, tmp_path / "b.json"))
    assert found is not None and list(found.categories.values()) == ["\ufffd"]
