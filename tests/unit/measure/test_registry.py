"""The registry, and the page made from it."""

from pathlib import Path

import pytest

from ragbench.errors import ConfigError
from ragbench.evaluate.defaults import default_measures, default_names
from ragbench.measure.name import LAYERS, MeasureName
from ragbench.measure.page import measure_tables
from ragbench.measure.registry import measure, measures, registry

PAGE = Path(__file__).parents[3] / "docs" / "measures.md"


def test_every_measure_is_documented_as_the_registry_has_it():
    page = PAGE.read_text(encoding="utf-8")
    assert measure_tables() in page, "run python -m ragbench.measure.page and put its tables into docs/measures.md"
    for family in registry().values():
        assert f"| `{family.spelling}` | {family.definition}" in page


def test_names_belong_to_a_layer_and_definitions_are_one_line():
    for name, family in registry().items():
        assert MeasureName.parse(name).layer in LAYERS
        assert family.definition and "\n" not in family.definition and len(family.definition) < 110


def test_a_misspelt_measure_gets_its_nearest_names():
    with pytest.raises(ConfigError, match=r"retrieval/recall@k"):
        measure("retrieval/recal@5")


@pytest.mark.parametrize("text", ["retrieval/recall", "retrieval/mrr@5", "ndcg@10", "answer/nothing"])
def test_a_missing_needless_or_unknown_part_is_refused(text):
    with pytest.raises(ConfigError):
        measure(text)


def test_defaults_exist_are_distinct_and_can_do_without_a_judge():
    names = default_names()
    assert len(set(names)) == len(names)
    assert [one.name for one in default_measures()] == list(names)
    assert not any(one.judged for one in default_measures(()))
    assert [one.name for one in measures(["retrieval/mrr", "retrieval/mrr"])] == ["retrieval/mrr"]


def test_lower_is_better_has_its_worst_at_the_top():
    for name in ("answer/false_answer", "answer/false_refusal", "query/abstained", "retrieval/neither@5"):
        one = measure(name)
        assert not one.higher_is_better and one.worst == 1.0
