"""Which of two readings of a PDF page is the sounder, and words divided at line ends."""

from __future__ import annotations

import pytest

from ragbench.corpus.hyphens import join_divided
from ragbench.corpus.line_numbers import without_line_numbers
from ragbench.corpus.page_text import agreement, better, reading, wrong_characters

SOUND = [
    "年假五天，第Ⅳ章 10 μm 的 Δx。",
    "Five days’ leave, “naïve” façade, µ-law.",
    "AI-2024-03 号文 text-embedding-v3",
    "블록체인 기술",
]


@pytest.mark.parametrize("text", SOUND)
def test_real_text_looks_right(text):
    assert wrong_characters(text) == 0
    assert better(text, text).text is text


@pytest.mark.parametrize(
    ("text", "least"),
    [("\ufffd\ufffd", 2), ("a(cid:19)b", 8), ("ӝ߸ࣿചীࠁې", 5), ("묾푷 칺몮", 3), ("ϲΒϴΒhabibi", 10), ("x\x01y", 1)],
)
def test_mojibake_is_counted(text, least):
    assert wrong_characters(text) >= least


@pytest.mark.parametrize(
    ("typed", "drawn"),
    [
        ("年度报告年度报告年度报告年度报告", "年度报告"),
        ("ANHUI LTD.ANHUI LTD.ANHUI LTD.", "ANHUI LTD."),
        ("私\nは\n冬\nの\n餌\nを", "私は冬の餌を"),
        ("HandgunLong Gun*Other 0103,532", "Handgun Long Gun *Other 0 103,532"),
        ("ӝ߸ࣿചীࠁې ӝ߸ࣿ", "기술변화에 따른"),
        ("", "text 文"),
        ("only a part of", "only a part of what there is on the page, 文字"),
    ],
)
def test_the_drawn_text_is_taken_where_the_typed_one_is_broken(typed, drawn):
    assert better(typed, drawn).text == drawn


@pytest.mark.parametrize(
    ("typed", "drawn"),
    [
        ("料号　24　12 000 小时", "料号　24 12 000 小时"),
        ("金额    终审人", "金额 终审人"),
        ("حَبيبي habibi حَبيبي", "ϲΒϴΒhabibi يبيبَح"),
        ("head\nfoot\na\nb\nc\nd\ne\nf\ng\nh", "head foot\na\nb\nc\nd\ne\nf\ng\nh"),
        ("text 文", ""),
        ("a whole page of text", "another page, that is"),
    ],
)
def test_the_typed_text_is_kept_otherwise(typed, drawn):
    assert better(typed, drawn).text == typed


def test_agreement_and_shares():
    assert agreement("ﬁ a", "fia") == 1.0
    assert agreement("", "") == 1.0 and agreement("a", "") == 0.0
    assert agreement("abcd", "abef") == 0.5
    assert reading("").wrong == 0.0
    assert reading("\ufffdabc").wrong == 0.25
    assert reading("0000000000 ......... ــــــــــ").wrong == 0.0


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("an adip-\niscing elit\nend", "an adipiscing\nelit\nend"),
        ("a sam-\nple, of\nx", "a sample,\nof\nx"),
        ("Fuß-\nball spielen", "Fußball\nspielen"),
        ("soft\u00ad\nware 软件", "software\n软件"),
        ("well-known, and well-\nknown so", "well-known, and well-known\nso"),
        ("E-\n4012", "E-\n4012"),
        ("A-\nbc", "A-\nbc"),
        ("pre-\nRaphaelite", "pre-\nRaphaelite"),
        ("pre- \nand postwar", "pre- \nand postwar"),
        ("state-of-the-\nart", "state-of-the-\nart"),
        ("2018–\n23 年假-\n五天", "2018–\n23 年假-\n五天"),
        ("- \nitem", "- \nitem"),
        ("", ""),
    ],
)
def test_divided_words(page, expected):
    assert join_divided([page]) == [expected]


def test_numbers_of_lines_go_and_figures_stay():
    numbers = "\n".join(map(str, range(1, 26)))
    assert without_line_numbers(f"{numbers}\nIN THE COURT\nbody 正文") == "IN THE COURT\nbody 正文"
    for page in ("\n".join(map(str, range(1, 10))), "1\n3\n5\n7\n9\n11\n13\n15\n17\n19\n21", "text", ""):
        assert without_line_numbers(page) == page
