from __future__ import annotations

import pytest

from ragbench.core.workers import Tools
from ragbench.judge.claims import Claim
from ragbench.judge.evidence import Evidence
from ragbench.judge.likeness import LIKENESS, NOTHING_LIKE, ClaimLikeness, claim_embedder
from ragbench.judge.support import SupportModel, check_claim
from tests.unit.generator.fakes import WordEmbedder

ZH = "山脚下的小镇有三百多户人家，多数靠种柑橘为生。去年秋天修通了柏油路。"
EN = "The bakery opens at six and takes no cards. On Sundays it is closed."
MIXED = "HaloBus 4.2 默认保留日志 14 天。Quarantine 目录只在 Linux 上可用。"


@pytest.mark.parametrize(
    ("context", "same", "not_said"),
    [
        (ZH, "镇上的大部分居民以栽橘子谋生。", "镇上的诊所由两位医生轮流值班。"),
        (EN, "Customers have to bring cash to the bakery.", "The owner studied history in Vienna."),
        (MIXED, "HaloBus 4.2 的日志缺省存两周。", "HaloBus 4.2 的售价按用户数计算。"),
    ],
)
def test_other_words_for_the_same_are_more_alike_than_what_is_not_said(
    tools: Tools, context: str, same: str, not_said: str
) -> None:
    likeness, evidence = ClaimLikeness(tools.embedder), Evidence([(1, context)])
    near, far = likeness.of(same, evidence), likeness.of(not_said, evidence)
    assert near.values["rest_like"] > far.values["rest_like"]
    assert near.values["alike"] > far.values["alike"]
    assert near.nearest is evidence.passages[0] or near.nearest.text in context
    assert all(0.0 <= value <= 1.0 for found in (near, far) for value in found.values.values())


def test_only_words_that_are_not_there_count_as_rest(tools: Tools) -> None:
    found = ClaimLikeness(tools.embedder).of("On Sundays the bakery is closed.", Evidence([(1, EN)]))
    assert found.values["rest_like"] == 1.0 == found.values["soft_cover"]


@pytest.mark.parametrize(("claim", "context"), [("", EN), ("年假十天", ""), ("年假十天", "\n\n")])
def test_nothing_to_compare(tools: Tools, claim: str, context: str) -> None:
    assert ClaimLikeness(tools.embedder).of(claim, Evidence([(1, context)])) == NOTHING_LIKE
    assert set(NOTHING_LIKE.values) == set(LIKENESS)


def test_nothing_is_embedded_twice(tools: Tools) -> None:
    evidence = Evidence([(1, EN)])
    first = ClaimLikeness(tools.embedder).of("Cash only there.", evidence)
    before = tools.embedder.n_embedded
    assert ClaimLikeness(tools.embedder).of("Cash only there.", evidence) == first
    assert tools.embedder.n_embedded == before


def test_the_pipelines_embedder_serves_where_it_gives_the_same_vectors(tools: Tools) -> None:
    with claim_embedder(tools.store, tools.embedder) as same:
        assert same is tools.embedder
    with claim_embedder(tools.store, WordEmbedder()) as other:
        assert other.space == tools.embedder.space


def test_a_word_for_word_claim_needs_no_vectors(tools: Tools) -> None:
    before = tools.embedder.n_embedded
    found = check_claim(
        Claim("On Sundays it is closed.", 0, 24),
        Evidence([(1, EN)]),
        SupportModel.load(True),
        ClaimLikeness(tools.embedder),
    )
    assert (found.verdict.score, found.soft, tools.embedder.n_embedded) == (1.0, 1.0, before)


@pytest.mark.parametrize("vectors", [False, True])
def test_what_speaks_for_and_against_keeps_its_meaning(vectors: bool) -> None:
    weights = SupportModel.load(vectors).weights
    against = {
        "number_missing",
        "number_elsewhere",
        "rival",
        "name_missing",
        "negation_differs",
        "opposite",
        "longest_gap",
    }
    assert all(weight <= 0 if name in against else weight >= 0 for name, weight in weights.items())
    assert ("rest_like" in weights) is vectors
