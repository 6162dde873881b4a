"""The diagnosis against truth: a fault is planted in one layer, and that layer must be named and proved."""

from __future__ import annotations

import pytest

from ragbench.core.store import Store
from ragbench.run.session import Session
from tests.e2e.faults import FAULTS, FINDING, HEALTHY, classes_of, made_set, share_of
from tests.e2e.world import local

FEW = {"never refuses": 1}
"""Least affected questions, where they are not 40: only a handful is refused on its words."""
LATER = {"evidence cut": 0.8}
"""Least share proved, where it is not 0.9: a whole sentence among pieces of three words is not always found either."""
FAST = ("evidence cut", "bad rewrite", "reranker reversed")
WITHOUT_GOLD = {"never refuses", "context ignored", "wrong sentence"}
"""Faults whose affected questions are not all answerable: there is nothing to put in for the others."""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    base = [*HEALTHY, *local(made_set(folder / "set", 4)), f"paths.runs={folder / 'runs'}", f"paths.store={folder}/s"]
    with Session(Store(folder / "s")) as session:
        _, healthy = classes_of(base, session)
        yield base, healthy, session


@pytest.fixture(scope="module", params=["product_en", "policy_zh"])
def shipped(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    base = [*FINDING, f"eval_set={request.param}", f"paths.runs={folder / 'runs'}", f"paths.store={folder}/s"]
    with Session(Store(folder / "s")) as session:
        _, healthy = classes_of(base, session)
        yield base, healthy, session


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["evidence cut", "bad rewrite", "reranker reversed", "budget too small"])
def test_on_a_shipped_set_the_right_layer_is_named(shipped, fault):
    base, healthy, session = shipped
    found = share_of(base, fault, healthy, session)
    assert found.affected >= 50, "the fault does something"
    assert found.share >= 0.9, (fault, found.classes)


def test_the_healthy_variant_is_nearly_always_right(world):
    _, healthy, _ = world
    answerable = [found for one, found in healthy.items() if "off" not in one]
    assert len(answerable) == 60
    for language in ("zh", "en", "mixed"):
        own = [found for one, found in healthy.items() if one.startswith(language) and "off" not in one]
        assert own.count("ok") >= 18, (language, own)


@pytest.mark.parametrize("fault", [pytest.param(one, marks=() if one in FAST else pytest.mark.slow) for one in FAULTS])
def test_the_right_layer_is_named_and_proved(world, fault):
    base, healthy, session = world
    found = share_of(base, fault, healthy, session)
    assert found.affected >= FEW.get(fault, 40), "the fault does something"
    assert found.share >= 0.9, (fault, found.classes)
    if fault not in WITHOUT_GOLD:
        assert found.proved >= LATER.get(fault, 0.9) * found.named, (fault, found)
