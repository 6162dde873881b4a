"""Overrides, grids and the errors they give."""

import pytest

from ragbench.errors import ConfigError
from ragbench.run.compose import compose, options
from ragbench.run.grid import axes, expand, quote


def test_a_preset_sets_slots_and_the_command_line_wins():
    assert compose(["variant=bm25"]).choices["retriever"] == "sparse"
    assert compose(["variant=bm25", "retriever=dense"]).choices["retriever"] == "dense"
    assert compose(["retriever=dense", "variant=bm25"]).choices["retriever"] == "dense"


def test_root_values_reach_the_slots():
    data = compose(["chunk_size=321", "overlap=10%", "alpha=0.3", "k=7"]).data
    assert data["pipeline"]["splitter"]["chunk_size"] == 321
    assert data["pipeline"]["splitter"]["overlap"] == "10%"
    assert data["pipeline"]["retriever"]["alpha"] == 0.3
    assert data["pipeline"]["flow"]["k"] == 7


def test_reranker_none_is_the_option_and_not_null():
    assert compose(["reranker=none"]).choices["reranker"] == "none"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("chunk_sise=3", "Did you mean chunk_size?"),
        ("retreiver=sparse", "Did you mean retriever?"),
        ("retriever=spars", "Did you mean sparse?"),
        ("pipeline.retriever.alhpa=1", "alhpa"),
        ("chunk_size=200,500", "ragbench sweep"),
        ("eval_set=local", "eval_set.path"),
    ],
)
def test_a_mistake_gives_one_helpful_line(override, words):
    with pytest.raises(ConfigError) as caught:
        compose([override])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", ["年假有多少天？", "a，b", "你好, world", "with (parens)", "x=y", "路径/文 件", 'say "hi"', "50%", "$HOME"]
)
def test_any_text_can_be_a_value(value):
    composed = compose([f"eval_set.name={value}"])
    assert composed.data["eval_set"]["name"] == value or "," in value


def test_values_of_the_grammar_stay_as_they_are():
    for item in ("k=3", "alpha=0.5", "measures=[retrieval/recall@5]", "a=1,2", "x='quoted, text'"):
        assert quote(item) == item or "@" in item


def test_a_grid_is_the_product_first_key_outermost():
    assert expand(["k=1,2", "variant=bm25", "alpha=range(0,1,0.5)"]) == [
        ("k=1", "variant=bm25", "alpha=0.0"),
        ("k=1", "variant=bm25", "alpha=0.5"),
        ("k=2", "variant=bm25", "alpha=0.0"),
        ("k=2", "variant=bm25", "alpha=0.5"),
    ]
    assert axes(["k=1,2", "variant=bm25"]) == ["k"]
    assert expand([]) == [()]


def test_options_come_with_a_line_of_description():
    found = options("variant")
    assert {"bm25", "dense", "hybrid", "hybrid_rerank"} <= found.keys()
    assert all(found.values())


def test_the_users_configs_come_first(tmp_path, monkeypatch):
    (tmp_path / "configs" / "variant").mkdir(parents=True)
    text = "# @package _global_\n# Mine.\ndefaults:\n  - override /retriever: sparse\nchunk_size: 77\n"
    (tmp_path / "configs" / "variant" / "我的.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "configs" / "variant" / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    composed = compose(["variant=mine"])
    assert composed.data["chunk_size"] == 77
    assert composed.choices["retriever"] == "sparse"
    assert options("variant")["mine"] == "Mine."
    assert "hybrid" in options("variant")
