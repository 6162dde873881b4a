from __future__ import annotations

from pathlib import Path

import pytest

from ragbench.errors import RagbenchError
from ragbench.gate.options import gate_options
from ragbench.run.compose import compose


def test_the_shipped_options_are_those_of_the_methods() -> None:
    found = gate_options(compose([]).data["gate"])
    assert (found.measures, found.margin, found.floors, found.min_pairs) == (None, 0.05, {}, 20)
    assert (found.categories, found.on_uncertain, found.baselines) == (True, "block", Path("baselines"))


def test_options_come_from_the_command_line() -> None:
    given = ["gate.measures=[default,ranking/ndcg@10]", "gate.floors={ranking/recall@5: 0.8}", "gate.on_uncertain=warn"]
    found = gate_options(compose(given).data["gate"])
    assert found.measures == ("default", "ranking/ndcg@10")
    assert found.floors == {"ranking/recall@5": 0.8} and found.on_uncertain == "warn"
    assert gate_options({"measures": "ranking/recall@5"}).measures == ("ranking/recall@5",)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"margin": 1.0}, "gate.margin: expected a number from 0"),
        ({"margin": float("nan")}, "gate.margin"),
        ({"margin": True}, "gate.margin"),
        ({"min_pairs": 1}, "gate.min_pairs"),
        ({"categories": "yes"}, "gate.categories"),
        ({"on_uncertain": "pass"}, "block or warn"),
        ({"baselines": " "}, "gate.baselines"),
        ({"measures": []}, "gate.measures"),
        ({"measures": ["ranking/recal@5"]}, "recal"),
        ({"measures": ["cost/total_ms"]}, "worst value"),
        ({"measures": ["chunks/boundary_quality"]}, "a measure of questions"),
        ({"floors": 0.8}, "gate.floors"),
        ({"floors": {"ranking/recall@5": 2}}, "from 0 to 1"),
        ({"floors": {"cost/total_ms": 1}}, "gate.floors: cost/total_ms"),
        ({"margins": 0.1}, "gate.margins"),
        (None, "gate"),
    ],
)
def test_what_cannot_be_used_is_named(section, told: str) -> None:
    with pytest.raises(RagbenchError) as error:
        gate_options(section)
    assert told in str(error.value) and "\n" not in str(error.value)


def test_an_unknown_option_is_an_error_of_the_configuration() -> None:
    with pytest.raises(RagbenchError, match=r"gate\.margn.*Did you mean gate\.margin"):
        compose(["gate.margn=0.1"])
