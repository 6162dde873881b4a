"""From configuration to experiment: what is allowed, what is checked, how a variant is named."""

import pytest

from ragbench.errors import ConfigError, Problems, RagbenchError
from ragbench.judge.none import NoneJudge
from ragbench.run.build import build, experiment, instantiate
from ragbench.run.compose import compose
from ragbench.splitter.fixed import FixedSplitter

FIXED = {"_target_": "ragbench.splitter.fixed.FixedSplitter", "chunk_size": 9, "chunk_unit": "chars", "overlap": 0}


def test_a_node_becomes_its_stage():
    assert instantiate(FIXED, "x", ["ragbench."]) == FixedSplitter(chunk_size=9, chunk_unit="chars", overlap=0)
    assert instantiate([FIXED, 3, {"a": None}], "x", ["ragbench."])[1:] == (3, {"a": None})


@pytest.mark.parametrize(
    ("target", "allowed", "words"),
    [
        ("os.system", ["ragbench."], "expected a class below ragbench."),
        ("ragbench_evil.Stage", ["ragbench."], "expected a class below"),
        ("ragbench_evil.Stage", ["ragbench"], "expected a class below"),
        ("builtins.dict", ["builtins"], "expected a stage class"),
        ("ragbench.core.store.Store", ["ragbench."], "expected a stage class"),
        ("ragbench.core.nix.Nix", ["ragbench."], "expected an importable class"),
        ("ragbench.core.store.Nix", ["ragbench."], "expected an importable class"),
        ("ragbench", ["ragbench."], "expected a class below"),
    ],
)
def test_only_stages_below_allowed_prefixes_are_made(target, allowed, words):
    with pytest.raises(ConfigError, match=words):
        instantiate({"_target_": target}, "x", allowed)


def test_a_target_inside_a_field_is_checked_too():
    with pytest.raises(ConfigError, match=r"x\.chunk_size\._target_: expected a class below"):
        instantiate(FIXED | {"chunk_size": {"_target_": "os.system"}}, "x", ["ragbench."])


def test_unknown_and_missing_fields_name_those_there_are():
    with pytest.raises(
        ConfigError, match=r"x\.size: expected one of chunk_size, chunk_unit, overlap, found no such field"
    ):
        instantiate(FIXED | {"size": 3}, "x", ["ragbench."])
    with pytest.raises(ConfigError, match="missing 2 required keyword-only arguments"):
        instantiate({"_target_": FIXED["_target_"], "chunk_size": 3}, "x", ["ragbench."])


def test_a_prefix_may_stand_alone_or_in_a_list():
    for given in ("allowed_targets=tests.e2e", "allowed_targets=[tests.e2e,other]"):
        with pytest.raises(RagbenchError, match=r"below ragbench\., tests\.e2e"):
            experiment([given, "pipeline.reranker._target_=nobody.X"])


def test_all_misfits_come_together():
    with pytest.raises(Problems) as caught:
        experiment(["k=0", "seed=x", "context=page", "pipeline.packer.budget=0", "splitter=whole", "chunk_size=9"])
    assert len(caught.value.problems) == 5
    with pytest.raises(Problems):
        experiment(["k=0", "measures=[a/b,c]"])


def test_a_knob_nobody_has_is_an_error_unless_a_grid_brings_it():
    composed = compose(["splitter=whole", "chunk_size=9"])
    with pytest.raises(RagbenchError, match=r"chunk_size: the chosen splitter \(whole\) has no such knob"):
        build(composed)
    assert build(composed, lenient=True).fingerprint() == experiment(["splitter=whole"]).fingerprint()


def test_a_variant_is_named_by_its_choices_and_not_by_places():
    made = experiment(
        [
            "variant=bm25",
            "k=3",
            "pipeline.sparse.b=0.5",
            "paths.runs=here",
            "sink=files",
            "report.lang=zh",
            "eval_set=product_en",
        ]
    )
    shown = made.variant
    assert (shown["variant"], shown["retriever"], shown["k"], shown["pipeline.sparse.b"]) == (
        "bm25",
        "sparse",
        3,
        "0.5",
    )
    assert not {"paths.runs", "sink", "report.lang", "eval_set"} & shown.keys()
    assert made.lang == "zh"
    assert made.places.runs.name == "here"


def test_places_sinks_and_language_are_no_part_of_the_fingerprint():
    base = experiment([]).fingerprint()
    for same in ("paths.runs=x", "paths.store=x", "sink=files", "report.lang=zh", "allowed_targets=[x]"):
        assert experiment([same]).fingerprint() == base
    for other in (
        "k=6",
        "seed=1",
        "split=dev",
        "judge=none",
        "measures=[ranking/mrr]",
        "eval_set=product_en",
        "generator=none",
    ):
        assert experiment([other]).fingerprint() != base


def test_a_judge_may_give_more_than_its_default_measures():
    found = experiment(["judge=offline", "measures=[default,answer/support]"])
    assert found.measures[-1] == "answer/support" and found.measures.count("answer/support") == 1
    with pytest.raises(RagbenchError, match="answer/support: expected a measure that the judge gives"):
        experiment(["judge=llm", "llm=ollama", "measures=[answer/support]"])


def test_no_judge_judges_nothing():
    assert isinstance(experiment(["judge=none"]).judge, NoneJudge)
    assert not experiment(["judge=none"]).judged
    assert experiment(["judge=offline"]).judged


@pytest.mark.parametrize(
    ("overrides", "label"),
    [
        ([], "hybrid"),
        (["variant=bm25", "eval_set=product_en", "split=all", "sink=files"], "bm25"),
        (["retriever=sparse", "k=3"], "hybrid retriever=sparse k=3"),
        (["variant=dense", "pipeline.packer.budget=900", "judge=none"], "dense pipeline.packer.budget=900"),
    ],
)
def test_a_run_is_named_by_what_ran(overrides, label):
    assert experiment(overrides).label == label


def test_a_variant_tells_root_values_as_they_came_to_be() -> None:
    told = experiment(["variant=hybrid"]).variant
    assert told["chunk_size"] == experiment(["variant=hybrid"]).pipeline.splitter.chunk_size
    assert told["alpha"] == experiment(["variant=hybrid"]).pipeline.retriever.alpha
    assert None not in (told["chunk_size"], told["overlap"], told["alpha"])
    assert experiment(["variant=bm25"]).variant["alpha"] is None, "keyword search has no such weight"
    assert experiment(["variant=hybrid", "splitter=whole"]).variant["chunk_size"] is None
