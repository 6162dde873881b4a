from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.agreement.human_sets import READERS, human_sets
from ragbench.errors import DataError


@pytest.mark.data
def test_the_published_sets_are_read(data_dir: Path) -> None:
    found = {one.name: one for one in human_sets(data_dir)}
    assert list(found) == list(READERS)
    assert {name: len(one.answers) for name, one in found.items()} == {
        "begin_wow": 3263, "nc_faithbench": 406, "mtrag_human_eval": 225, "ragchecker_meta": 314, "nc_ocnli": 885,
    }  # fmt: skip
    assert len(found["ragchecker_meta"].pairs) == 157
    assert sum(one.supported for one in found["nc_ocnli"].answers) == 277
    for one in found.values():
        assert len({answer.id for answer in one.answers}) == len(one.answers)
        assert one.data.startswith("sha256:")
    people = {name: one.people for name, one in found.items()}
    assert people["begin_wow"] == {}
    assert people["nc_ocnli"]["kappa"] == pytest.approx(0.821, abs=0.001)
    assert people["mtrag_human_eval"]["spearman"] == pytest.approx(0.470, abs=0.001)


@pytest.mark.data
def test_one_set_may_be_named_alone(data_dir: Path) -> None:
    assert [one.name for one in human_sets(data_dir / "nc_ocnli")] == ["nc_ocnli"]


def test_a_folder_without_sets_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected a folder with one of begin_wow"):
        human_sets(tmp_path)
    (tmp_path / "nc_ocnli").mkdir()
    with pytest.raises(DataError, match=r"expected files dev\*\.json, found none"):
        human_sets(tmp_path)
    (tmp_path / "nc_ocnli" / "dev.json").write_text('{"sentence1": "x"}', encoding="utf-8")
    with pytest.raises(DataError, match="files of nc_ocnli as published"):
        human_sets(tmp_path)
