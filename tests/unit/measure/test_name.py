import pytest

from ragbench.errors import ConfigError
from ragbench.measure.name import MeasureName


@pytest.mark.parametrize("text", ["retrieval/recall@5", "ndcg@10", "cost/total_ms", "chunks/size_p50", "map"])
def test_one_spelling_parses_and_prints(text):
    assert str(MeasureName.parse(text)) == text


def test_parts_and_mlflow_spelling():
    name = MeasureName.parse("ranking/ndcg@10")
    assert (name.layer, name.measure, name.k) == ("ranking", "ndcg", 10)
    assert name.mlflow == "ranking/ndcg_at_10"


@pytest.mark.parametrize(
    "text", ["", "Recall@5", "recall@", "recall@0", "recall@05", "other/recall@5", "recall@5 ", "a/b/c", "召回@5"]
)
def test_other_spellings_are_refused(text):
    with pytest.raises(ConfigError, match="layer/measure"):
        MeasureName.parse(text)
