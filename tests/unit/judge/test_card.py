from __future__ import annotations

import pytest

from ragbench.judge.card import brief, cannot_tell, card_key, read_card, shipped_card, standings, write_card
from ragbench.judge.floor import FLOOR
from ragbench.judge.none import NoneJudge
from ragbench.judge.offline import OfflineJudge

PARTS = ("claims", "answers")


def card(**bounds: float):
    parts = {
        part: {"by_language": {lang: {"n": 9, "balanced_accuracy": 0.9, "bound": b} for lang, b in bounds.items()}}
        for part in PARTS
    }
    return {"version": 1, "key": "k", "judge": "x", "people": {}, "noise": None, **parts}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_verdict_needs_the_bound_in_its_language(language: str) -> None:
    assert cannot_tell(card(zh=0.8, en=FLOOR), [language]) == ()
    assert f"below its floor in {language}: lower bound 0.740" in cannot_tell(card(**{language: 0.74}), [language])[0]
    assert cannot_tell(card(), [language]) == (f"the judge was not checked in {language}",)
    assert "ragbench judge check" in cannot_tell(None, [language])[0]


def test_mixed_questions_need_both_and_the_weaker_part_decides() -> None:
    assert [one.language for one in standings(card(zh=0.8, en=0.8), ["mixed"])] == ["en", "zh"]
    weak = card(zh=0.9)
    weak["answers"]["by_language"]["zh"]["bound"] = 0.5
    assert standings(weak, ["zh"])[0].bound == 0.5
    weak["answers"]["by_language"] = {}
    assert standings(weak, ["zh"])[0].bound is None


def test_the_shipped_card_is_that_of_the_shipped_judge(tmp_path) -> None:
    for semantic in (True, False):
        found = read_card(OfflineJudge(semantic=semantic), tmp_path)
        assert found is not None and found["judge"] == OfflineJudge.NAME and found["sample"] is None
    assert set(found["people"]) == {"begin_wow", "nc_faithbench", "mtrag_human_eval", "ragchecker_meta", "nc_ocnli"}
    assert all(one["data"].startswith("sha256:") for one in found["people"].values())
    assert shipped_card("another") is None is read_card(NoneJudge(), tmp_path)


def test_a_card_measured_here_comes_first_and_another_form_is_no_card(tmp_path) -> None:
    judge = OfflineJudge(semantic=False)
    own = card(zh=0.9) | {"key": card_key(judge)}
    write_card(own, tmp_path)
    assert read_card(judge, tmp_path) == own
    write_card(own | {"version": 0}, tmp_path)
    assert read_card(judge, tmp_path) is None


def test_what_a_run_shows_of_it() -> None:
    found = brief(card(zh=0.7, en=0.9), ["en"])
    assert found["planted"]["answers"] == {"en": {"n": 9, "balanced_accuracy": 0.9, "bound": 0.9}}
    assert found["cannot_tell"] == [] and found["floor"] == FLOOR
    assert brief(None, ["zh"])["cannot_tell"] and brief(None, ["zh"])["people"] == []
