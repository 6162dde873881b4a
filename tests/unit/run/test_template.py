"""Configurations filled in from a template are those that OmegaConf resolves."""

import copy

import pytest
from omegaconf import OmegaConf

from ragbench.run.compose import Composer
from ragbench.run.grid import expand
from ragbench.run.template import Templates, template

GRIDS = [
    ["variant=hybrid", "alpha=0,0.3,1,null", "k=3,5", "eval_set=policy_zh"],
    ["pipeline.retriever=choice({fusion:alpha,scale:zscore},{fusion:rrf})", "chunk_size=200,500", "overlap=0,10%"],
    ["variant=bm25,dense", "splitter=fixed,recursive", "chunk_size=100,200", "overlap=auto"],
    ["measures=choice([default],[retrieval/mrr,ranking/mrr])", "split=dev,test", "allowed_targets=[a,b]"],
    ["pipeline.retriever.weights={dense:1,sparse:2}", "pipeline.retriever.rrf_k=10,60", "seed=0,1"],
    ["packer=relevance,edges", "pipeline.packer.budget=1000,2000", "pipeline.packer.window=4096,null"],
    ['eval_set=local', 'eval_set.path="/tmp/年假","/tmp/b c"'],
]  # fmt: skip


def resolved_by_omegaconf(monkeypatch, points):
    with monkeypatch.context() as patch:
        patch.setattr(Templates, "filled", lambda *_: None)
        composer = Composer()
        return [composer.compose(point) for point in points]


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid[0])
def test_a_filled_template_is_what_omegaconf_resolves(grid, monkeypatch):
    points = expand(grid)
    used = []
    real = Templates.filled

    def noted(*args):
        used.append(real(*args))
        return used[-1]

    monkeypatch.setattr(Templates, "filled", noted)
    composer = Composer()
    found = [composer.compose(point) for point in [*points, *points]]
    assert any(one is not None for one in used), "no template was used"
    expected = resolved_by_omegaconf(monkeypatch, points)
    for ours, theirs in zip(found, [*expected, *expected], strict=True):
        assert ours.data == theirs.data
        assert ours.yaml() == theirs.yaml()
        assert list(ours.data) == list(theirs.data)


def filled(text, values):
    base = OmegaConf.create(text)
    made = template(copy.deepcopy(base), list(values))
    return None if made is None else made.filled(list(values.values()))


def test_a_value_stands_at_every_place_that_names_it_and_is_a_copy_there():
    found = filled("{a: 1, b: {c: '${a}', d: ['${a}', x]}}", {"a": [1, 2]})
    assert found == {"a": [1, 2], "b": {"c": [1, 2], "d": [[1, 2], "x"]}}
    assert found["a"] is not found["b"]["c"]


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1, b: 'x-${a}'}",
        "{a: 1, b: {'1': x}, c: '${b.${a}}'}",
        "{a: 1, b: '${oc.env:X,${a}}'}",
        "{a: 1, b: '${oc.decode:${a}}'}",
    ],
)
def test_what_cannot_be_put_in_whole_is_left_to_omegaconf(text):
    assert filled(text, {"a": 2}) is None


@pytest.mark.parametrize("overrides", [["alpha=${k}", "alpha=${k}"], ["k=???", "k=???"], ["alpah=1", "alpah=1"]])
def test_errors_and_interpolations_are_as_without_templates(overrides, monkeypatch):
    def outcome(composer, item):
        try:
            return composer.compose([item]).data
        except Exception as error:  # whatever is raised is compared
            return f"{type(error).__name__}: {error}"

    composer = Composer()
    found = [outcome(composer, item) for item in overrides]
    monkeypatch.setattr(Templates, "filled", lambda *_: None)
    assert found == [outcome(Composer(), item) for item in overrides]
