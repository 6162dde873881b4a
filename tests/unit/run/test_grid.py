"""Overrides and grids in Hydra's grammar."""

import pytest

from ragbench.errors import ConfigError
from ragbench.run.compose import compose
from ragbench.run.grid import axes, check_form, expand, quote


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


@pytest.mark.parametrize("item", ["chunk_size", "", "=", "=3", " =3", "--json"])
def test_what_is_no_override_is_told(item):
    for check in (check_form, lambda text: expand([text]), lambda text: compose([text])):
        with pytest.raises(ConfigError, match="expected key=value"):
            check(item)


@pytest.mark.parametrize("item", ["k=3", "k=", "~judge", "+x=1", "++x=1", "measures=[a,b]"])
def test_the_forms_of_an_override(item):
    check_form(item)


def test_a_list_in_quotes_or_brackets_is_one_value():
    assert expand(["eval_set.name='a,b'", "measures=[a,b]"]) == [("eval_set.name='a,b'", "measures=[a,b]")]
    assert axes(["eval_set.name='a,b'", "measures=[a,b]", "k=1,2"]) == ["k"]


@pytest.mark.parametrize("option", ["ollama", "deepseek", "gguf"])
def test_the_judges_own_model_is_chosen_among_those_of_llm(option):
    chosen = compose(["judge=llm", "llm=ollama", f"judge_llm={option}", "judge_llm.model=own"])
    of_llm = compose([f"llm={option}", "llm.model=own"]).data["llm"]
    assert chosen.data["judge"]["llm"] == of_llm, "nothing of the stages' model is mixed in"
    assert chosen.choices["judge_llm"] == option
    assert chosen.data["llm"]["model"] == "qwen2.5:7b"


@pytest.mark.parametrize("more", [[], ["judge_llm=none"]])
def test_else_the_judge_asks_the_model_of_the_stages(more):
    data = compose(["judge=llm", "llm=ollama", "llm.model=both", *more]).data
    assert data["judge"]["llm"] == data["llm"]
    assert data["llm"]["model"] == "both"
    assert compose(["judge=llm", *more]).data["judge"]["llm"] is None


def test_a_grid_may_vary_the_judges_model():
    points = expand(["judge=llm", "judge_llm=ollama,deepseek"])
    assert [compose(point).data["judge"]["llm"]["model"] for point in points] == ["qwen2.5:7b", "deepseek-chat"]
