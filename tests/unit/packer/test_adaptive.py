from __future__ import annotations

from dataclasses import replace

import pytest

from ragbench.errors import ConfigError, RagbenchError
from ragbench.packer.adaptive import AdaptivePacker
from ragbench.packer.edges import EdgesPacker
from ragbench.packer.relevance import RelevancePacker
from ragbench.packer.summaries import SummariesPacker
from ragbench.packer.tokens import estimate_tokens
from ragbench.records.document import Chunk, Document
from ragbench.records.search import Ranked
from ragbench.records.trace import Asked
from ragbench.run.build import experiment
from tests.unit.packer.making import packer

CLASSES = {
    "simple_lookup": "simple", "comparison": "moderate", "ambiguous": "moderate", "multi_hop": "complex",
    "decomposable": "complex", "unknown": "complex",
}  # fmt: skip
KNOBS = {"classes": CLASSES, "simple_budget": 1500, "full": 1, "line_tokens": 50, "lines": "each"}
TEXTS = {"zh": "年假十天。病假五天。", "en": "Ten days. Five when sick.", "mixed": "年假 ten。Sick 五天。"}
LINES = {"full": 1, "line_tokens": 50, "lines": "each"}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(
    ("complexity", "as_"),
    [
        ("simple_lookup", packer(SummariesPacker, budget=1500, **LINES)),
        ("comparison", packer(EdgesPacker)),
        ("ambiguous", packer(EdgesPacker)),
        ("multi_hop", packer(RelevancePacker)),
        ("decomposable", packer(RelevancePacker)),
        (None, packer(RelevancePacker)),
        ("a class of another classifier", packer(RelevancePacker)),
    ],
)
def test_each_class_is_packed_its_way(language: str, complexity: str | None, as_) -> None:
    text = TEXTS[language]
    documents = {str(at): Document(str(at), text, "md", "sha256:0") for at in range(4)}
    chunks = [Chunk(f"{at}#0", at, str(at), 0, len(text), text, text) for at in range(4)]
    ranking = tuple(Ranked(at, 1.0 - at / 10, at + 1) for at in range(4))
    asked = Asked("？", complexity=complexity)
    found = packer(AdaptivePacker, **KNOBS).pack(ranking, chunks, documents, estimate_tokens, asked)
    assert found == as_.pack(ranking, chunks, documents, estimate_tokens, asked)


def test_a_simple_question_never_has_more_than_the_budget_of_all() -> None:
    small = packer(AdaptivePacker, **KNOBS, budget=900)
    assert small.pack((), [], {}, estimate_tokens, Asked("", complexity="simple_lookup")).budget == 900


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"classes": {"simple_lookup": "simple"}}, "classes"),
        ({"classes": {**CLASSES, "multi_hop": "heavy"}}, "multi_hop"),
        ({"simple_budget": 0}, "simple_budget"),
        ({"line_tokens": 0}, "line_tokens"),
        ({"full": -1}, "full"),
    ],
)
def test_bad_settings_are_named(bad, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        replace(packer(AdaptivePacker, **KNOBS), **bad)


def test_without_a_classifier_it_is_refused() -> None:
    with pytest.raises(RagbenchError, match="packer=adaptive"):
        experiment(["packer=adaptive", "classifier=none"])


def test_a_budget_that_the_window_never_leaves_is_refused() -> None:
    with pytest.raises(RagbenchError, match="the window of 8192 tokens leaves at most 5992"):
        experiment(["pipeline.packer.budget=8000"])
    wide = experiment(["pipeline.packer.budget=8000", "pipeline.packer.window=16384"])
    assert wide.pipeline.packer.budget == 8000
