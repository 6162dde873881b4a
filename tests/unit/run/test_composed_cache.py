"""What Hydra composed comes back as it was, and is made anew when a file of configurations changed."""

import pytest
from omegaconf import OmegaConf

from ragbench.run import compose as composing
from ragbench.run import composed_cache
from ragbench.run.compose import Composer
from ragbench.run.composed_cache import forget

CASES = [["variant=hybrid"], ["variant=bm25", "k=3", "chunk_size=200"], ["reranker=logistic_fusion", "index=chroma"]]


@pytest.fixture
def composed(monkeypatch):
    """Choices that Hydra really composed, of those that no test before has composed."""
    forget()
    real, seen = composing._composed, []

    def noted(structural):
        seen.append(structural)
        return real(structural)

    monkeypatch.setattr(composing, "_composed", noted)
    return seen


@pytest.mark.parametrize("overrides", CASES, ids=lambda case: case[0])
def test_a_stored_configuration_is_the_composed_one(overrides, tmp_path, composed):
    (tmp_path / "store").mkdir()
    given = [*overrides, f"paths.store={tmp_path / 'store'}"]
    first = Composer().compose(given)
    forget()
    second = Composer().compose(given)
    assert len(composed) == 1
    assert first == second and first.yaml() == second.yaml()
    with pytest.raises(Exception, match="no such key"):
        Composer().compose([*given, "alpah=1"])


def test_a_damaged_file_is_made_anew(tmp_path, composed):
    (tmp_path / "store").mkdir()
    given = ["variant=bm25", f"paths.store={tmp_path / 'store'}"]
    first = Composer().compose(given)
    for path in (tmp_path / "store" / "composed").iterdir():
        path.write_text('{"config": 1', encoding="utf-8")
    forget()
    assert Composer().compose(given) == first
    assert len(composed) == 2


@pytest.mark.parametrize("overrides", CASES, ids=lambda case: case[0])
def test_a_process_composes_once_with_or_without_a_store(overrides, tmp_path, composed):
    given = [*overrides, f"paths.store={tmp_path / 'store'}"]
    first = Composer().compose(given)
    values = Composer().compose([*given, "context=3", "report.lang=zh"])
    assert values.data["context"] == 3 and values.data != first.data
    (tmp_path / "store").mkdir()
    assert Composer().compose(given) == first, "what is set in one configuration is not in the next"
    assert len(composed) == 1
    forget()
    assert Composer().compose(given) == first
    assert len(composed) == 1, "a store that came later has it too"


def test_only_so_many_are_kept(tmp_path, composed, monkeypatch):
    monkeypatch.setattr(composed_cache, "_KEPT", 2)
    for retriever in ("sparse", "dense", "hybrid", "sparse"):
        Composer().compose([f"retriever={retriever}", f"paths.store={tmp_path / 'none'}"])
    assert len(composed) == 4


def test_without_a_store_nothing_is_written(tmp_path):
    Composer().compose(["variant=bm25", f"paths.store={tmp_path / 'none'}"])
    assert not (tmp_path / "none").exists()


def test_a_changed_configuration_file_is_read(tmp_path, monkeypatch, composed):
    (tmp_path / "configs" / "variant").mkdir(parents=True)
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)
    for depth in (60, 70):
        text = f"# @package _global_\ndefaults:\n  - override /retriever: sparse\npool_depth: {depth}\n"
        (tmp_path / "configs" / "variant" / "own.yaml").write_text(text, encoding="utf-8")
        given = ["variant=own", f"paths.store={tmp_path / 'store'}"]
        assert [Composer().compose(given).data["pool_depth"] for _ in range(2)] == [depth, depth]
    assert len(composed) == 2


def test_variables_of_the_environment_are_read_each_time(tmp_path, monkeypatch):
    (tmp_path / "store").mkdir()
    for value in ("true", "false"):
        monkeypatch.setenv("RAGBENCH_REUSE", value)
        assert Composer().compose([f"paths.store={tmp_path / 'store'}"]).data["reuse"] == value
    assert OmegaConf.has_resolver("oc.env")
