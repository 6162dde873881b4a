from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from ragbench.agreement.check import Check, Plan
from ragbench.agreement.judged import outcome_of
from ragbench.agreement.measured import measured_set
from ragbench.agreement.noise import noise
from ragbench.agreement.planted_answers import PlantedSet
from ragbench.agreement.records import LabelledAnswer, LabelledSet, Outcome, Preference
from ragbench.core.workers import Tools
from ragbench.judge.base import Judge
from ragbench.judge.card import cannot_tell
from ragbench.judge.floor import planted_claims
from ragbench.records.score import ClaimState, ClaimVerdict, JudgedValue, Status, Verdict

SAYS_OVERALL = JudgedValue("answer/support", Status.SCORED, 0.3)
TEXT = {"zh": ("年假五天。", "年假十天。"), "en": ("Five days of leave.", "Ten days of leave.")}
TRUE_CLAIMS = {claim.claim for claim in planted_claims() if claim.supported}
ANSWERS = tuple(
    LabelledAnswer(
        f"{language}-{n}", f"g{n}", language, "supported" if n % 2 else "number_swapped", "?", (TEXT[language][0],),
        TEXT[language][1 - n % 2], supported=bool(n % 2), on_topic=True if n % 2 else None,
    )
    for language in TEXT
    for n in range(20)
)  # fmt: skip
REFUSALS = tuple(LabelledAnswer(f"{one}-r", "r", one, "refusal", "?", ("x",), "…", claims_nothing=True) for one in TEXT)
PLANTED = PlantedSet((*ANSWERS, *REFUSALS), "sha256:0")


@dataclass(frozen=True, kw_only=True)
class Says(Judge):
    """Decides by whether the answer stands in the passage; `kind` makes it a worse judge."""

    kind: str = "right"

    @contextmanager
    def open(self, tools: Tools) -> Iterator[Says]:
        yield self if self.kind != "moody" else Says(kind=("right", "yes")[tools.sample % 2])

    def judge(self, question, context, answer):
        if self.kind == "raises":
            raise RuntimeError("no\nanswer")
        if answer.text == "…":
            return Verdict(question.id, "x")
        true = self.kind == "yes" or answer.text in TRUE_CLAIMS or answer.text in context.blocks[0].text
        state = ClaimState.SUPPORTED if true else ClaimState.NOT_ENOUGH
        return Verdict(question.id, "x", claims=(ClaimVerdict(answer.text, state),), relevancy=0.5)


def card_of(kind: str, **plan):
    check = Check(Says(kind=kind), Tools(None), Plan(**plan), lambda *_: None)
    return check.card(PLANTED, [], None)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_perfect_judge_may_gate(language: str) -> None:
    card = card_of("right")
    answers = card["answers"]["by_language"][language]
    assert answers["balanced_accuracy"] == answers["bound"] == 1.0
    assert {kind: row["right"] for kind, row in answers["kinds"].items()} == {
        "supported": 1.0, "number_swapped": 1.0, "refusal": 1.0,
    }  # fmt: skip
    assert cannot_tell(card, [language]) == ()


@pytest.mark.parametrize(("kind", "value"), [("yes", 0.5), ("raises", 0.0)])
def test_a_constant_or_failing_judge_may_not(kind: str, value: float) -> None:
    card = card_of(kind)
    for language in TEXT:
        assert card["answers"]["by_language"][language]["balanced_accuracy"] == value
    assert len(cannot_tell(card, ["zh", "en"])) == 2 == len(cannot_tell(card, ["mixed"]))
    assert card["answers"]["by_language"]["zh"]["n_errors"] == (21 if kind == "raises" else 0)


def test_a_part_is_even_and_never_gates() -> None:
    card = card_of("right", sample=6)
    kinds = card["answers"]["by_language"]["zh"]["kinds"]
    assert {kind: row["n"] for kind, row in kinds.items()} == {"supported": 1, "number_swapped": 1, "refusal": 1}
    assert "part" in cannot_tell(card, ["zh"])[0]
    assert card_of("right", sample=6) == card


def test_repeated_runs_show_the_judges_own_noise() -> None:
    assert card_of("right", repeats=3)["noise"] == {"repeats": 3, "n": 42, "changed": 0.0, "spread": 0.0}
    moody = card_of("moody", repeats=2)["noise"]
    assert (moody["changed"], moody["spread"]) == (pytest.approx(20 / 42, abs=1e-6), 0.5)
    assert card_of("right")["noise"] is None is noise([[Outcome()]])


def test_threads_change_nothing() -> None:
    assert card_of("right", threads=4) == card_of("right")


def test_parts_are_read_by_where_claims_begin() -> None:
    one = LabelledAnswer("a", "a", "en", "k", "?", ("x",), "Yes. No.", False, parts=((0, 4, True), (5, 8, False)))

    class Two:
        def judge(self, question, context, answer):
            said = (ClaimState.SUPPORTED, ClaimState.NOT_ENOUGH)
            return Verdict("a", "x", claims=tuple(ClaimVerdict("c", s, start=5 * n) for n, s in enumerate(said)))

    found = outcome_of(Two(), one)
    assert (found.share, found.supported, found.parts) == (0.5, False, (True, False))


def test_errors_are_wrong_and_no_claims_are_left_out() -> None:
    answers = tuple(
        LabelledAnswer(str(n), str(n), "en", "k", "?", ("a word",), "word", supported=n % 2 == 0) for n in range(6)
    )
    known = LabelledSet("s", "S", "x", "sha256:0", answers, people={"kappa": 0.5})
    said = [Outcome(1, 1.0, 0.9), Outcome(1, 0.0, 0.1), Outcome(error="x"), Outcome(error="x"), Outcome(), Outcome()]
    found = measured_set(known, said)
    rows = {row["measure"]: row for row in found["rows"]}
    assert (found["n_errors"], found["n_no_claims"]) == (2, 2)
    assert rows["auroc"]["judge"]["value"] == 1.0 and rows["auroc"]["judge"]["n"] == 2
    assert rows["balanced_accuracy"]["judge"]["value"] == 0.5 and rows["balanced_accuracy"]["judge"]["n"] == 4
    assert rows["kappa"]["people"] == 0.5 and rows["auroc"]["overlap"]["value"] == 0.5


def test_preferences_compare_two_answers() -> None:
    answers = tuple(LabelledAnswer(str(n), str(n // 2), "en", "k", "?", ("a",), "a", reference="a") for n in range(6))
    pairs = tuple(
        Preference(2 * n, 2 * n + 1, dict.fromkeys(("correctness", "completeness", "overall"), n)) for n in range(3)
    )
    said = [Outcome(1, share, share, stated=share) for share in (0.5, 0.0, 0.5, 0.5, 0.0, 1.0)]
    found = measured_set(LabelledSet("s", "S", "x", "sha256:0", answers, pairs), said)
    assert [row["judge"]["value"] for row in found["rows"]] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("values", "score"), [((), 0.2), ((SAYS_OVERALL,), 0.3)])
def test_a_score_of_the_whole_answer_goes_before_those_of_its_claims(values, score: float) -> None:
    class Scored:
        def judge(self, question, context, answer):
            claims = tuple(ClaimVerdict("x", ClaimState.SUPPORTED, one) for one in (0.9, 0.2))
            return Verdict(question.id, "x", claims=claims, values=values)

    assert outcome_of(Scored(), ANSWERS[0]).score == score
