"""A context of which a given share is noise: how many of each, from where, and in which order."""

import pytest

from ragbench.errors import ConfigError
from ragbench.flow.noisy import NoisyFlow
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from tests.unit.flow.test_one_shot import TEXTS
from tests.unit.flow.test_oracle import CHUNKS, GoldBench

GOLD = [number for number, chunk in enumerate(CHUNKS) if chunk.doc_id == "b.md"]


def packed(noise, question, k=5):
    bench = GoldBench()
    [trace] = NoisyFlow(k=k, recall_k=8, pool_depth=20, noise=noise).run([question], bench)
    assert trace.error is None
    return next(seen for name, seen in bench.asked if name == "pack")


def asked(text="how?", **more):
    return Question("q", text, groups=(EvidenceGroup("g", (EvidenceItem("b.md", whole=True),)),), **more)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("noise", "n"), [(0, 0), (0.2, 1), (0.4, 2), (0.5, 3), (0.8, 4), (1, 5)])
def test_so_many_of_k_hold_nothing_of_the_evidence(language, noise, n):
    found = packed(noise, asked(TEXTS[language]))
    assert (len(found), len(set(found) - set(GOLD))) == (5, n)
    assert set(found) & set(GOLD) == set(GOLD[: 5 - n])
    assert set(found) - set(GOLD) == set([6, 4, 2, 0, 8][:n]), "the best ranked that hold none"


def test_the_noise_that_was_gathered_for_a_question_is_taken_first_of_all():
    assert set(packed(0.4, asked(metadata={"noise": ["a.md", "gone.md"]}))) == {*GOLD[:3], 0, 2}


def test_few_chunks_with_evidence_are_filled_up():
    few = Question("q", "how?", groups=(EvidenceGroup("g", (EvidenceItem("b.md", 0, 9),)),))
    assert set(packed(0.4, few)) == {1, 7, 6, 5, 4}
    assert set(packed(0, Question("q", "how?", answerable=False))) == {7, 6, 5, 4, 3}


def test_the_order_is_one_for_a_question_and_not_that_of_the_evidence():
    orders = {packed(0.4, Question(f"q{n}", "x", groups=asked().groups))[0] in GOLD for n in range(20)}
    assert orders == {True, False}
    assert packed(0.4, asked()) == packed(0.4, asked())


def test_a_share_is_a_number_from_0_to_1():
    assert NoisyFlow(k=3, recall_k=8, pool_depth=20, noise=0.5).reads_gold
    for wrong in (-0.1, 1.1, True):
        with pytest.raises(ConfigError, match=r"pipeline\.flow\.noise: expected a number from 0 to 1"):
            NoisyFlow(k=3, recall_k=8, pool_depth=20, noise=wrong)
