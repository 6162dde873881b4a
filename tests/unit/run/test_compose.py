"""Overrides, grids and the errors they give."""

import pytest

from ragbench.errors import ConfigError
from ragbench.run.compose import compose, options


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
        ("hydra.run.dir=x", "one of Hydra's own, which nothing here reads"),
        ("+hydra.run.dir=x", "one of Hydra's own, which nothing here reads"),
        ("+k=3", "Write k=…."),
        ("+pipeline.splitter._target_=os.system", "Write pipeline.splitter._target_=…."),
        ("retreiver=sparse", "Did you mean retriever?"),
        ("+chunk_siz=100", "Did you mean chunk_size?"),
        ("++chunk_siz=100", "Did you mean chunk_size?"),
        ("+foo=1", "no such key"),
        ("retriever=spars", "Did you mean sparse?"),
        ("pipeline.retriever.alhpa=1", "alhpa"),
        ("chunk_size=200,500", "ragbench sweep"),
        ("eval_set=local", "eval_set.path"),
        ("splitter=null", "See ragbench ls."),
        ("judge=", "expected one of llm, none, offline, offline_vectors, ragas, found no such option"),
        ("alpha", "expected key=value, found no ="),
        ("=1", "expected key=value, found no key"),
    ],
)
def test_a_mistake_gives_one_helpful_line(override, words):
    with pytest.raises(ConfigError) as caught:
        compose([override])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_come_with_a_line_of_description():
    found = options("variant")
    assert {"bm25", "dense", "hybrid", "hybrid_rerank"} <= found.keys()
    assert all(found.values())


@pytest.mark.parametrize("name", ["plain", "我的 项目, v1", "100% [x] (y)"])
def test_the_users_configs_come_first(tmp_path, monkeypatch, name):
    tmp_path = tmp_path / name
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


@pytest.mark.parametrize(
    ("overrides", "own", "shared"),
    [
        (["pipeline.query.llm.model=one"], "one", "qwen2.5:7b"),
        (["pipeline.query.llm.model=one", "llm.model=两"], "one", "两"),
        (["llm.model=all"], "all", "all"),
    ],
)
def test_a_key_within_a_part_that_refers_to_a_group_changes_that_part_alone(overrides, own, shared):
    data = compose(["query=multi_query", "llm=ollama", *overrides, "llm.temperature=0.5"]).data
    assert data["llm"]["model"] == shared
    assert data["pipeline"]["query"]["llm"] == {**data["llm"], "model": own}


def test_an_unknown_key_within_such_a_part_is_told():
    with pytest.raises(ConfigError, match="no such key"):
        compose(["query=multi_query", "llm=ollama", "pipeline.query.llm.modle=x"])
