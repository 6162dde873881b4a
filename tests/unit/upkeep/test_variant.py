"""What an index is made with, and what two recipes differ in."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError
from ragbench.upkeep.variant import Variant, check_recipe, differences
from tests.unit.upkeep.world import composed


def variant(*overrides):
    asked = composed(overrides)
    return Variant(asked.pipeline, asked.loader)


@pytest.mark.parametrize(
    ("overrides", "slots", "sides"),
    [
        (("variant=hybrid",), {"embedder", "index", "sparse"}, ("sparse", "dense")),
        (("variant=dense",), {"embedder", "index"}, ("dense",)),
        (("variant=bm25",), {"sparse"}, ("sparse",)),
        (("variant=bm25", "splitter=semantic"), {"embedder", "sparse"}, ("sparse",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_only_what_the_content_depends_on_is_in_the_recipe(overrides, slots, sides):
    made = variant(*overrides)
    assert set(made.recipe()) - {"loader", "splitter", "chunking", "context"} == slots
    assert made.sides == sides


def test_what_only_questions_pass_through_is_free():
    other = variant(
        "variant=hybrid_rerank", "alpha=0.1", "k=3", "recall_k=7", "generator=none", "pipeline.packer.budget=99"
    )
    assert differences(variant("variant=hybrid").recipe(), other.recipe()) == []


def test_differences_name_the_field_and_both_values():
    made = variant("variant=hybrid", "chunk_size=200", "overlap=0").recipe()
    assert differences(made, variant("variant=hybrid", "chunk_size=300", "overlap=0").recipe()) == [
        "splitter.chunk_size 300, not 200"
    ]
    library = {
        **made,
        "sparse": {**made["sparse"], "libraries": {"jieba": "9", "bm25s": made["sparse"]["libraries"]["bm25s"]}},
    }
    assert differences(library, made) == ["sparse.libraries.jieba 0.42.1, not 9"]
    assert differences({**made, "chunking": -1}, made) == [f"chunking {made['chunking']}, not -1"]


def test_a_question_may_leave_out_a_side_but_not_ask_for_one_more():
    both, words = variant("variant=hybrid").recipe(), variant("variant=bm25")
    check_recipe("live", both, words, whole=False)
    with pytest.raises(ConfigError, match="embedder none, not"):
        check_recipe("live", both, words)
    with pytest.raises(ConfigError, match=r"found embedder .*, not none"):
        check_recipe("live", words.recipe(), variant("variant=hybrid"), whole=False)
