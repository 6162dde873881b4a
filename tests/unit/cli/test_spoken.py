"""An answer printed while it is written."""

from __future__ import annotations

import pytest

from ragbench.cli.spoken import Spoken


def printed(capsys: pytest.CaptureFixture[str], *tries: list[str]) -> str:
    spoken = Spoken()
    for pieces in tries:
        spoken.begin()
        for piece in pieces:
            spoken.hear(piece)
    spoken.end()
    return capsys.readouterr().out


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
