import pytest

from ragbench.errors import ConfigError
from ragbench.query.multi_query import MultiQuery
from ragbench.query.rag_fusion import RagFusionQuery
from tests.unit.query.models import MODEL, OTHER, QUESTIONS, planned, texts


def stage(**changed) -> RagFusionQuery:
    return RagFusionQuery(
        **({"classifier": None, "rewriter": None, "llm": MODEL, "n": 3, "variant_weight": 0.5} | changed)
    )


@pytest.mark.parametrize("language", QUESTIONS)
def test_forms_are_added_up_over_all_routes(language: str) -> None:
    requests = planned(stage(), QUESTIONS[language], f'["{OTHER[language]}"]')[1]
    assert texts(requests) == [QUESTIONS[language], OTHER[language]]
    assert [(one.join, one.weight, one.routes) for one in requests] == [("flat", 1.0, ()), ("flat", 0.5, ())]


def test_variants_are_those_of_multi_query() -> None:
    other = MultiQuery(classifier=None, rewriter=None, llm=None, n=3, ranking="rrf")
    for text in QUESTIONS.values():
        assert texts(planned(stage(llm=None), text)[1]) == texts(planned(other, text)[1])


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", 0), ("n", None), ("variant_weight", -1), ("variant_weight", float("nan")), ("variant_weight", True)],
)
def test_settings_are_checked(name: str, value) -> None:
    with pytest.raises(ConfigError, match=f"pipeline.query.{name}: expected"):
        stage(**{name: value})


@pytest.mark.parametrize("changed", [{"n": 2}, {"variant_weight": 1}, {"llm": None}])
def test_every_setting_is_in_the_fingerprint(changed) -> None:
    assert stage(**changed).fingerprint() != stage().fingerprint()
