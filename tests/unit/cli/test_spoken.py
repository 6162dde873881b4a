"""An answer told while it is written: as lines, and as JSON Lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragbench.cli.events import Events
from ragbench.cli.spoken import Lines, json_lines
from ragbench.records.trace import Answer, Citation, ContextBlock, PackedContext, Trace


def printed(capsys: pytest.CaptureFixture[str], *tries: list[str]) -> str:
    events = Events(Lines())
    for pieces in tries:
        events.begin()
        for piece in pieces:
            events.hear(piece)
    events.done(Trace("q"))
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("done      after ")
    return "".join(out.splitlines(keepends=True)[:-1])


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["年假", "十天。", "[1]"], "writes    年假十天。[1]\n"),
        (["<th", "ink>hm", " hm</thi", "nk>\n\nTen ", "days"], "writes    Ten days\n"),
        (["NO", "_ANS", "WER"], ""),
        (["No", ", ten days."], "writes    No, ten days.\n"),
        (["a < b", " <t", "ag>"], "writes    a < b <tag>\n"),
        ([], ""),
    ],
)
def test_thoughts_and_the_word_of_refusal_are_left_out(
    capsys: pytest.CaptureFixture[str], pieces: list[str], shown: str
) -> None:
    assert printed(capsys, pieces) == shown


def test_a_second_try_begins_a_new_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, ["Ten d"], ["Ten days."]) == "writes    Ten d\nwrites    Ten days.\n"


BLOCKS = (
    ContextBlock(1, "手册.md", 10, 40, (0,), "年假十天。", 6),
    ContextBlock(2, "rules.md", 0, 20, (1,), "Ten days.", 4),
)
CONTEXT = PackedContext(BLOCKS, tokens=10, budget=100)
SAID = {
    "zh": (["年假十天", "。[", "1]餐补[7", "]。", "再说一次[1]。"], "年假十天。[1]餐补。再说一次[1]。"),
    "en": (["Ten days ", "[1", "] a year, [7]", " as said [1]."], "Ten days [1] a year, as said [1]."),
    "mixed": (["annual leave 十天[", "1]", "，[7] days again[1]。"], "annual leave 十天[1]， days again[1]。"),
}


def told(pieces: list[str], answer: Answer | None, error: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """The events of one question."""
    found: list[tuple[str, dict[str, Any]]] = []
    events = Events(lambda event, what: found.append((event, dict(what))))
    events.found(CONTEXT, {"pack": 1.5})
    if pieces:
        events.begin()
    for piece in pieces:
        events.hear(piece)
    events.done(Trace("q", answer=answer, error=error, timings_ms={"pack": 1.5}))
    return found


@pytest.mark.parametrize("language", SAID)
def test_what_was_found_comes_first_and_a_citation_with_its_mark(language: str) -> None:
    pieces, text = SAID[language]
    events = told(pieces, Answer(text))
    names = [event for event, _ in events]
    assert names[:4] == ["retrieval", "timing", "timing", "content"] and names[-1] == "done"
    assert [one["number"] for one in events[0][1]["blocks"]] == [1, 2]
    assert [what["stage"] for event, what in events if event == "timing"] == ["retrieval", "first_words"]
    heard = ""
    cited = []
    for event, what in events:
        heard += what["text"] if event == "content" else ""
        if event == "citation":
            cited.append((what["number"], what["doc"]))
            assert f"[{what['number']}]" in heard
    assert heard == "".join(pieces)
    assert cited == [(1, "手册.md"), (7, None)], "each number once, in the order of the text"
    first = names.index("citation")
    assert "[1]" in "".join(what["text"] for _, what in events[:first] if "text" in what)
    assert "content" in names[first:], "it is told before the rest of the words"
    assert events[-1][1]["answer"]["text"] == text


def test_an_answer_of_which_nothing_was_heard_comes_whole_with_its_citations() -> None:
    answer = Answer("年假十天。[2]", citations=(Citation(0, 5, 2, "rules.md", 0, 20), Citation(0, 5, None)))
    events = told([], answer)
    assert [event for event, _ in events] == ["retrieval", "timing", "content", "citation", "done"]
    assert events[2][1] == {"text": answer.text, "whole": True}
    assert events[3][1] == {"number": 2, "doc": "rules.md", "start": 0, "end": 20}


def test_a_failure_ends_with_its_error() -> None:
    events = told([], None, "UserError: no key")
    assert [event for event, _ in events] == ["retrieval", "timing", "done"]
    assert (events[-1][1]["answer"], events[-1][1]["error"]) == (None, "UserError: no key")


def test_events_are_lines_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    json_lines("content", {"text": "年\n假 \u2028<b>"})
    json_lines("again", {})
    lines = capsys.readouterr().out.split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        {"event": "content", "text": "年\n假 \u2028<b>"},
        {"event": "again"},
    ]


def test_lines_for_people_name_what_was_found_and_what_is_cited(capsys: pytest.CaptureFixture[str]) -> None:
    events = Events(Lines())
    events.found(CONTEXT, {"pack": 1.5})
    events.begin()
    for piece in ("Ten days [2]", " a year [9].", ""):
        events.hear(piece)
    events.done(Trace("q", answer=Answer("Ten days [2] a year.")))
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(("time ", "done "))]
    assert lines == [
        "found     2 blocks, 10 of 100 tokens",
        "  [1] 手册.md:10-40",
        "  [2] rules.md:0-20",
        "writes    Ten days [2]",
        "cites     [2] rules.md:0-20",
        "writes    a year [9].",
        "cites     [9] no passage",
    ]
