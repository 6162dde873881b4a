"""Windows around evidence, and the borders of chunks in them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.report.borders import (
    LONGEST,
    MOST_WINDOWS,
    Piece,
    Pieces,
    Segment,
    Window,
    repeated_share,
    segments,
    windows_of,
)

TEXTS = {
    "zh": "第一章 年假\n员工满一年的，年休假为5天；满十年的为10天。\n\n第二章 病假\n病假超过两个月的，当年不再享受年假。\n",
    "en": "Chapter 1 Leave\nAfter one year staff get 5 days of leave.\n\nChapter 2 Sickness\nTwo months of it end the claim.\n",
    "mixed": "如何重置 API Key😀?\n在 Settings → Security 点击 Rotate Key，𠮷旧 Key 24h 后失效。\n\n备份 (backup)\n每6小时一次。\n",
}
LANGUAGES = pytest.mark.parametrize("lang", list(TEXTS))


def whole(text: str, *marks: tuple[int, int]) -> Window:
    return Window("d", 0, len(text), len(text), marks, (0,), text)


def question(*items: EvidenceItem) -> Question:
    groups = tuple(EvidenceGroup(f"g{number}", (item,)) for number, item in enumerate(items))
    return Question("q", "?", groups=groups)


def shown(text: str, found: Sequence[Segment]) -> list[tuple[str, tuple[int, ...]]]:
    return [(text[one.start : one.end], one.chunks) for one in found if one.start < one.end]


@LANGUAGES
def test_segments_cut_at_every_border_and_lose_no_visible_character(lang: str) -> None:
    text = TEXTS[lang]
    draw = random.Random(7)
    for _ in range(200):
        starts = sorted(draw.sample(range(len(text) - 1), draw.randint(0, 6)))
        pieces = [Piece(n, s, draw.randint(s + 1, len(text))) for n, s in enumerate(starts)]
        found = segments(whole(text), pieces)
        covered = [one for segment in found for one in range(segment.start, segment.end)]
        assert covered == sorted(set(covered)), "segments ascend and share nothing"
        assert all(text[at].isspace() for at in set(range(len(text))) - set(covered))
        for segment in found:
            for at in range(segment.start, segment.end):
                assert segment.chunks == tuple(one.number for one in pieces if one.start <= at < one.end)


@LANGUAGES
def test_borders_are_told_where_membership_changes(lang: str) -> None:
    text = TEXTS[lang]
    pieces = [Piece(0, 0, 20), Piece(1, 15, 30), Piece(2, 30, 36)]
    found = segments(whole(text), pieces)
    begun, ended = [n for one in found for n in one.begun], [n for one in found for n in one.ended]
    assert begun == [0, 1, 2] and ended == [0, 1, 2]
    over = next(one for one in found if len(one.chunks) == 2)
    assert over.chunks == (0, 1) and 15 <= over.start < over.end <= 20
    assert found[-1].start == found[-1].end == len(text), "the last segment carries the borders at the end"


def test_blanks_between_chunks_are_no_uncovered_text_and_visible_text_is() -> None:
    text = "one line\n\nsecond line\nthird\n"
    found = segments(whole(text), [Piece(0, 0, 8), Piece(1, 10, 21)])
    assert shown(text, found) == [("one line", (0,)), ("second line", (1,)), ("third", ())]
    assert found[1].ended == (0,) and found[1].begun == (1,)
    assert found[2].ended == (1,) and found[2].begun == ()


def test_indentation_stays_and_blank_lines_at_the_edges_go() -> None:
    text = "a\n \n  indented\n\n"
    assert shown(text, segments(whole(text), [Piece(0, 1, len(text))])) == [("a", ()), ("  indented", (0,))]


def test_parents_have_borders_of_their_own_and_may_overlap() -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    pieces = [Piece(0, 0, 5, (0, 12)), Piece(1, 5, 10, (0, 12)), Piece(2, 10, 20, (8, 20))]
    found = segments(whole(text), pieces)
    assert [one.entered for one in found if one.entered] == [((0, 12),), ((8, 20),)]
    assert [one.left for one in found if one.left] == [((0, 12),), ((8, 20),)]
    assert shown(text, found)[-1] == ("uvwxyz", ())


def test_chunks_that_reach_beyond_the_window_begin_at_its_edge() -> None:
    window = Window("d", 10, 20, 40, ((12, 15),), (0,), "klmnopqrst")
    found = segments(window, [Piece(4, 0, 14), Piece(5, 14, 40)])
    assert [(one.start, one.end, one.begun, one.ended) for one in found] == [
        (10, 14, (4,), ()),
        (14, 20, (5,), (4,)),
        (20, 20, (), (5,)),
    ]


def test_without_a_text_nothing_is_taken_for_blank() -> None:
    window = Window("d", 0, 10, 10, (), (0,), None)
    assert [(one.start, one.end) for one in segments(window, [Piece(0, 2, 4)])] == [(0, 2), (2, 4), (4, 10), (10, 10)]


def test_no_chunk_at_all() -> None:
    found = segments(whole("text"), [])
    assert shown("text", found) == [("text", ())] and not any(one.begun or one.ended for one in found)


@LANGUAGES
def test_a_window_holds_its_evidence_in_code_points(lang: str) -> None:
    text = TEXTS[lang] * 30
    quote = text[700:725]
    windows, more = windows_of(question(EvidenceItem("d", 700, 725)), {"d": text})
    (window,) = windows
    assert more == 0 and window.text == text[window.start : window.end] and window.length == len(text)
    (low, high), *_ = window.marks
    assert window.text is not None and window.text[low - window.start : high - window.start] == quote
    assert window.start == 0 or text[window.start - 1] == "\n", "it begins at a line"


def test_near_evidence_shares_a_window_far_evidence_does_not() -> None:
    text = "x" * 20_000
    near = [EvidenceItem("d", 1000, 1010), EvidenceItem("d", 1200, 1250)]
    windows, _ = windows_of(question(*near, EvidenceItem("d", 9000, 9010)), {"d": text})
    assert [(one.marks, one.groups) for one in windows] == [
        (((1000, 1010), (1200, 1250)), (0, 1)),
        (((9000, 9010),), (2,)),
    ]


def test_windows_are_bounded_and_what_is_left_out_is_counted() -> None:
    text = "长" * 90_000
    items = [EvidenceItem("d", 4000 * n, 4000 * n + 10) for n in range(MOST_WINDOWS + 3)]
    windows, more = windows_of(question(*items), {"d": text})
    assert len(windows) == MOST_WINDOWS and more == 3
    (long,), _ = windows_of(question(EvidenceItem("d", 500, 60_000)), {"d": text})
    assert long.end - long.start == LONGEST and long.marks == ((500, long.end),)


def test_whole_documents_and_impossible_intervals_have_no_window() -> None:
    items = [EvidenceItem("d", whole=True), EvidenceItem("d", 3, 99), EvidenceItem("d", 4, 4)]
    assert windows_of(question(*items), {"d": "short"}) == ([], 0)
    (gone,), _ = windows_of(question(EvidenceItem("gone", 3, 99)), {})
    assert gone.text is None and gone.marks == ((3, 99),)


def test_pieces_are_found_by_place_whatever_their_lengths() -> None:
    pieces = Pieces([Piece(2, 50, 60), Piece(0, 0, 100), Piece(1, 10, 20)])
    assert [one.number for one in pieces.within(15, 55)] == [0, 1, 2]
    assert [one.number for one in pieces.within(20, 50)] == [0]
    assert [one.number for one in pieces.within(100, 120)] == []
    assert Pieces([]).within(0, 9) == []


def test_what_stands_in_more_than_one_chunk_counts_once() -> None:
    assert repeated_share({"d": [(0, 10), (5, 15), (6, 12)], "e": [(0, 5)]}) == pytest.approx(7 / 20)
    assert repeated_share({"d": [(0, 10), (10, 20)]}) == 0
    assert repeated_share({}) is None
