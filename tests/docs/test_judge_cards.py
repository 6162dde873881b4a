"""What docs/judge.md prints of a shipped card is what the card holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragbench.judge.base import Judge
from ragbench.judge.card import Card, cannot_tell, card_key, shipped_card
from ragbench.judge.offline import OfflineJudge
from ragbench.judge.offline_vectors import OfflineVectorsJudge

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "judge.md").read_text(encoding="utf-8")
ALONE, BESIDE = PAGE.split("## The offline judge, checked")[1].split("## With token vectors (experimental)")
BESIDE = BESIDE.split("## Held-out sources")[0]
JUDGES: Mapping[str, Judge] = {"offline-4": OfflineJudge(semantic=True), "offline-5": OfflineVectorsJudge()}
NAMES = {"auroc": "AUROC", "balanced_accuracy": "balanced accuracy", "kappa": "κ"}


@pytest.fixture(scope="module")
def cards() -> dict[str, Card]:
    found = {name: shipped_card(card_key(judge)) for name, judge in JUDGES.items()}
    assert all(found.values()), "the card of a judge with other weights is not shipped"
    return {name: card for name, card in found.items() if card is not None}


def told(figure: Mapping[str, float] | None, signed: bool = False) -> str:
    if figure is None:
        return "–"
    text = "{value:.3f} [{low:.3f}, {high:.3f}]".format(**figure).replace("-", "−")
    return f"+{text}" if signed and figure["value"] >= 0 else text


def cells(line: str) -> list[str]:
    return [cell.strip(" *") for cell in line.strip("|").split("|")]


def rows(part: str, heading: str) -> list[list[str]]:
    """The rows of the table under a heading row."""
    lines = part[part.index(heading) :].splitlines()[2:]
    return [cells(line) for line in lines[: next(at for at, line in enumerate(lines) if not line.startswith("|"))]]


def figures(card: Card) -> list[tuple[int, str, Mapping[str, Any]]]:
    """Number of answers, name of the figure as the page has it, and the row of the card."""
    return [
        (row["judge"]["n"], NAMES.get(row["measure"], row["measure"].replace("spearman", "Spearman,")), row)
        for one in card["people"].values()
        for row in one["rows"]
    ]


@pytest.mark.parametrize("name", JUDGES)
def test_a_shipped_card_is_of_the_whole_check_and_below_the_floor(cards: dict[str, Card], name: str) -> None:
    card = cards[name]
    assert (card["judge"], card["sample"]) == (name, None) and card["noise"]["repeats"] >= 2
    assert len(card["people"]) == 5 and len(cannot_tell(card, ["mixed"])) == 2
    assert {one["data"] for one in card["people"].values()} == {
        one["data"] for one in cards["offline-4"]["people"].values()
    }


def test_the_human_labels_of_the_default_judge(cards: dict[str, Card]) -> None:
    page = rows(ALONE, "| human labels | n |")
    known = figures(cards["offline-4"])
    assert len(page) == len(known)
    for (_, n, name, judge, overlap, ahead, people), (count, figure, row) in zip(page, known, strict=True):
        assert (int(n), judge, ahead) == (count, told(row["judge"]), told(row["lead"], True))
        assert name.startswith(figure.rstrip(",")), name
        assert overlap == ("–" if row["overlap"] is None else f"{row['overlap']['value']:.3f}")
        assert people == ("–" if row["people"] is None else f"{row['people']:.3f}")


def test_the_human_labels_of_both_judges_beside_each_other(cards: dict[str, Card]) -> None:
    page = rows(BESIDE, "| | n | figure |")
    both = list(zip(*(figures(cards[name]) for name in JUDGES), strict=True))
    assert len(page) == len(both)
    for (_, n, name, words, vectors, overlap, ahead), ((count, figure, one), (_, _, other)) in zip(
        page, both, strict=True
    ):
        assert (int(n), words, vectors) == (count, told(one["judge"]), told(other["judge"]))
        assert name.startswith(figure.rstrip(",")), name
        assert overlap == ("–" if other["overlap"] is None else f"{other['overlap']['value']:.3f}")
        assert ahead == told(other["lead"], True)


def test_the_planted_answers_of_both_judges_beside_each_other(cards: dict[str, Card]) -> None:
    page = {name: told_of for name, *told_of in rows(BESIDE, "| | zh | en |")}
    for place, language in enumerate(("zh", "en")):

        def pair(read: Any, language: str = language) -> str:
            return " → ".join(read(cards[name], language) for name in JUDGES)

        def planted(part: str) -> Any:
            return lambda card, of: "{balanced_accuracy:.3f} ({bound:.3f})".format(**card[part]["by_language"][of])

        def auroc(field: str, signed: bool = False) -> Any:
            return lambda card, of: told(card["answers"]["by_language"][of]["rows"][0][field], signed)

        assert page["planted answers: AUROC"][place] == pair(auroc("judge"))
        assert page["ahead of word overlap, paired"][place] == pair(auroc("lead", True))
        assert page["planted answers: balanced accuracy (lower bound)"][place] == pair(planted("answers"))
        assert page["planted claims: balanced accuracy (lower bound)"][place] == pair(planted("claims"))
        for kind in ("paraphrased", "exaggerated", "entity_swapped", "off_topic"):
            (row,) = [cells for name, cells in page.items() if name.startswith(f"`{kind}`")]
            assert row[place] == pair(
                lambda card, of, kind=kind: f"{card['answers']['by_language'][of]['kinds'][kind]['right']:.2f}"
            )


def test_the_shares_of_each_kind_of_the_default_judge(cards: dict[str, Card]) -> None:
    page = rows(ALONE, "| kind | truth |")
    seen = 0
    for name, _, *told_of in page:
        kind = name.split("`")[1] if name.startswith("`") else ""
        for language, cell in zip(("zh", "en"), told_of, strict=True):
            known = cards["offline-4"]["answers"]["by_language"][language]["kinds"].get(kind)
            if known is not None:
                seen += 1
                assert cell.replace("*", "") == f"{known['right']:.2f} (n {known['n']})", kind
    assert seen == 24
