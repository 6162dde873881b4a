from __future__ import annotations

import time

import pytest

from ragbench.generator.chat_reply import read_answer
from ragbench.records.trace import ContextBlock

BLOCKS = [ContextBlock(n, f"d{n}.md", 10 * n, 10 * n + 9, (n - 1,), "text", 3) for n in (1, 2, 3)]


def cited(reply: str) -> tuple[str, list[tuple[str, int | None]]]:
    found = read_answer(reply, BLOCKS)
    assert not found.refused
    return found.text, [(found.text[one.start : one.end], one.block) for one in found.citations]


@pytest.mark.parametrize(
    ("reply", "text", "citations"),
    [
        ("年假十天。[1]病假需要证明［2］。", "年假十天。[1]病假需要证明[2]。", [("年假十天。", 1), ("病假需要证明[2]。", 2)]),
        ("Ten days [1]. A note【2】.", "Ten days [1]. A note[2].", [("Ten days [1].", 1), ("A note[2].", 2)]),
        ("年假 leave 十天[１]。Overtime 按小时 [资料 3]。", "年假 leave 十天[1]。Overtime 按小时 [3]。",
         [("年假 leave 十天[1]。", 1), ("Overtime 按小时 [3]。", 3)]),
        ("According to [Source 2], x is 5.", "According to [2], x is 5.", [("According to [2], x is 5.", 2)]),
        ("Ten days. [1, 3]", "Ten days. [1][3]", [("Ten days.", 1), ("Ten days.", 3)]),
        ("十天。[1、2]", "十天。[1][2]", [("十天。", 1), ("十天。", 2)]),
        ("Ten days. [1-3]", "Ten days. [1][2][3]", [("Ten days.", 1), ("Ten days.", 2), ("Ten days.", 3)]),
        ("Ten [1] days [1].", "Ten [1] days [1].", [("Ten [1] days [1].", 1)]),
        ("[2] Ten days.\n[1] 病假。", "[2] Ten days.\n[1] 病假。", [("Ten days.", 2), ("病假。", 1)]),
        ("- 年假十天 [1]\n- sick leave\n  [2]", "- 年假十天 [1]\n- sick leave\n  [2]", [("年假十天", 1), ("sick leave", 2)]),
        ("Ten days.", "Ten days.", []),
    ],
)  # fmt: skip
def test_marks_become_citations_of_their_sentences(
    reply: str, text: str, citations: list[tuple[str, int | None]]
) -> None:
    assert cited(reply) == (text, citations)


@pytest.mark.parametrize(
    ("reply", "text", "citations"),
    [
        ("年假十天 [9]。", "年假十天。", [("年假十天。", None)]),
        ("年假十天。[6e41de58c4280097]", "年假十天。", [("年假十天。", None)]),
        ("Ten days [6E41DE58C4280097] a year [1].", "Ten days a year [1].", [("Ten days a year [1].", None), ("Ten days a year [1].", 1)]),
        ("编号 code [1234567890123456]", "编号 code [1234567890123456]", []),
        ("Ten days [1][7]. More [0].", "Ten days [1]. More.", [("Ten days [1].", 1), ("Ten days [1].", None), ("More.", None)]),
        ("十天 days [1, 8]", "十天 days [1]", [("十天 days", 1), ("十天 days", None)]),
    ],
)  # fmt: skip
def test_numbers_of_no_passage_are_counted_and_dropped(
    reply: str, text: str, citations: list[tuple[str, int | None]]
) -> None:
    assert cited(reply) == (text, citations)


@pytest.mark.parametrize(
    "reply", ["use `a[1]` 和 `b[2]`", "see\n```\nx[1] = y[9]\n```", "in [2024] 年", "[a] and [x1]"]
)
def test_what_is_no_mark_stays(reply: str) -> None:
    assert cited(reply) == (reply, [])


def test_a_citation_points_at_its_passage() -> None:
    (one,) = read_answer("十天 days [2]。", BLOCKS).citations
    assert (one.block, one.doc_id, one.doc_start, one.doc_end) == (2, "d2.md", 20, 29)


@pytest.mark.parametrize(
    "reply", ["NO_ANSWER", " `NO_ANSWER`。", "No_Answer.", "NO ANSWER", "NO\\_ANSWER", "资料没有提到年假。NO_ANSWER",
              "The passages [9] do not say. NO_ANSWER", "NO_ANSWER\n\n资料 [1] 只说了病假。"],
)  # fmt: skip
def test_the_agreed_word_is_a_refusal(reply: str) -> None:
    assert read_answer(reply, BLOCKS).refused


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("年假十天。[1] NO_ANSWER", "年假十天。[1]"),
        ("Ten days [1].\nNO_ANSWER", "Ten days [1]."),
        ("No answer is owed before 30 天.", "No answer is owed before 30 天."),
    ],
)
def test_an_answer_with_its_passage_is_none(reply: str, text: str) -> None:
    found = read_answer(reply, BLOCKS)
    assert (found.refused, found.text) == (False, text)


@pytest.mark.parametrize("reply", ["", " \n", "[9]", "[1]", "【8】［2］。", "**[1]**"])
def test_nothing_gives_nothing(reply: str) -> None:
    found = read_answer(reply, BLOCKS)
    assert (found.text, found.refused) == ("", False)


@pytest.mark.parametrize("piece", ["[", "[1", "[1,", " [ ", "[1] ", "`[1]", "```", "资料 ", "[1-", "年假。[1]"])
def test_long_replies_are_read_in_time(piece: str) -> None:
    started = time.process_time()
    read_answer(piece * 3000, BLOCKS)
    assert time.process_time() - started < 2
