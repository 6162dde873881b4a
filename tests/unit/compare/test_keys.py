"""What counts as a changed key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.compare.keys import changes
from ragbench.compare.refuse import require_comparable, require_one_key
from ragbench.errors import ConfigError
from ragbench.run_dir.read import RunDir
from tests.unit.compare import NDCG, write_run


def pair(root: Path, a: dict[str, Any], b: dict[str, Any]) -> tuple[RunDir, RunDir]:
    scores = {NDCG: [0.5] * 4}
    return write_run(root, "a-1", scores, **a), write_run(root, "b-1", scores, **b)


def counted(root: Path, a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    return [one.key for one in changes(*pair(root, a, b)).keys if one.counted]


def test_a_root_value_counts_where_it_was_set_otherwise(tmp_path: Path) -> None:
    found = changes(*pair(tmp_path, {"variant": {"alpha": 0.3}, "roots": {"alpha": 0.3}}, {}))
    assert [(one.key, one.a, one.b, one.counted) for one in found.keys] == [("alpha", 0.3, 0.7, True)]
    assert found.words() == "alpha 0.3 → 0.7"


def test_a_default_that_another_choice_brings_along_is_told_and_not_counted(tmp_path: Path) -> None:
    other = {"variant": {"variant": "bm25", "retriever": "sparse", "alpha": None}}
    found = changes(*pair(tmp_path, other, {}))
    assert [(one.key, one.counted) for one in found.keys] == [("retriever", True), ("alpha", False), ("variant", False)]
    assert found.n == 1


def test_the_resolved_default_said_aloud_is_no_change(tmp_path: Path) -> None:
    assert counted(tmp_path, {"roots": {"alpha": 0.7}}, {}) == []


def test_an_explicit_leaf_counts_once(tmp_path: Path) -> None:
    key = "pipeline.retriever.scale"
    a = {"variant": {key: "zscore"}, "pipeline": {"retriever": {"scale": "zscore", "alpha": 0.7}}}
    assert counted(tmp_path, a, {"pipeline": {"retriever": {"scale": "minmax", "alpha": 0.7}}}) == [key]


def test_a_leaf_that_only_a_file_changed_is_found(tmp_path: Path) -> None:
    a, b = ({"pipeline": {"retriever": {"scale": scale}}} for scale in ("zscore", "minmax"))
    assert counted(tmp_path, a, b) == ["pipeline.retriever.scale"]


def test_a_root_value_is_not_counted_again_in_its_slot_nor_is_a_place(tmp_path: Path) -> None:
    a, b = (
        {
            "variant": {"alpha": alpha},
            "roots": {"alpha": alpha},
            "pipeline": {"retriever": {"alpha": alpha}, "embedder": {"cache_dir": f"/{name}", "n": 1}},
        }
        for alpha, name in ((0.3, "a-1"), (0.5, "b-1"))
    )
    assert counted(tmp_path, a, b) == ["alpha"]


def test_one_and_one_point_nought_are_one_value_and_true_is_not_one(tmp_path: Path) -> None:
    assert counted(tmp_path, {"pipeline": {"x": {"n": 1}}}, {"pipeline": {"x": {"n": 1.0}}}) == []
    assert counted(tmp_path / "t", {"pipeline": {"x": {"n": 1}}}, {"pipeline": {"x": {"n": True}}}) == ["pipeline.x.n"]


def test_judges_and_code_stand_beside(tmp_path: Path) -> None:
    found = changes(
        *pair(
            tmp_path,
            {"summary": {"judge": {"faithfulness": "llm-1"}}, "manifest": {"judge": {"name": "llm"}, "provenance": {"git": {"commit": "a" * 40}}}},
            {"manifest": {"provenance": {"git": {"commit": "b" * 40}}}},
        )
    )  # fmt: skip
    assert found.n == 0
    assert [one.key for one in found.beside] == ["judge", "judge settings", "code"]


def test_more_than_one_key_is_refused_in_one_line_that_names_them(tmp_path: Path) -> None:
    a, b = pair(tmp_path, {"variant": {"alpha": 0.3, "k": 3}, "roots": {"alpha": 0.3, "k": 3}}, {})
    with pytest.raises(ConfigError) as told:
        require_one_key(a, [b])
    assert "found 2: alpha 0.3 → 0.7, k 3 → 5" in str(told.value) and "--multi" in str(told.value)
    assert "\n" not in str(told.value) and told.value.exit_code == 2


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"name": "policy_zh", "lock": "sha256:ffff", "split": "test"}, "lock sha256:ffff"),
        ({"lock": "sha256:" + "ab" * 8, "split": "dev"}, "split dev"),
        ({"lock": "sha256:" + "ab" * 8, "split": "test", "questions": {"n": 2, "of": 9, "key": "x"}}, "2 of 9"),
    ],
)
def test_other_locks_and_other_questions_are_refused(tmp_path: Path, facts: dict[str, Any], said: str) -> None:
    a, b = pair(tmp_path, {}, {"summary": {"eval_set": facts}})
    with pytest.raises(ConfigError, match="b-1") as told:
        require_comparable([a, b])
    assert said in str(told.value)


def test_one_run_is_no_comparison(tmp_path: Path) -> None:
    a, _ = pair(tmp_path, {}, {})
    with pytest.raises(ConfigError, match="two or more different runs"):
        require_comparable([a])
