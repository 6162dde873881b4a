"""Turns, windows over them, and documents that only look like conversations."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import ConfigError
from ragbench.splitter.dialogue import DialogueSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.splitter.turn_marks import turn_marks
from ragbench.testing.splitter_contract import make

DATA = Path(os.environ.get("RAGBENCH_DATA", Path(__file__).resolve().parents[3] / "../shared/data"))


def splitter(size=500, overlap=0, smallest=0, turns=6, repeated=1, most=None):
    return DialogueSplitter(
        chunk_size=size, overlap=overlap, chunk_unit="chars", min_size=smallest, turns=turns, overlap_turns=repeated, max_turn=most
    )  # fmt: skip


def texts(text, kind="text", **knobs):
    document = make(text, kind)
    return [document.text[span.start : span.end] for span in splitter(**knobs).spans(document)]


@pytest.mark.parametrize(
    "turns",
    [
        ["Li: Hello there!", "Wu: Hi. How are you?", "Li: Fine, thanks."],
        ["小李：在吗？", "贺敏（服务台）：在的，请讲。", "小李：打不开！"],
        ["小李: 在吗？", "Wu Hao: yes, VPN is down。", "小李: OK, 谢谢！"],
        ["[10:02] Li: hello", "[10:03] Wu: hi", "[10:04] Li: bye"],
        ["10:02 小李: 在吗", "10:02 小王: 在", "10:03 小李: +1"],
        ["[2024-03-01 10:02:33] Li: a", "[2024-03-01 10:03:00] Wu: b", "[2024-03-01 10:04:00] Li: c"],
        ["2024-03-01 10:02 小李\n在吗\n很急", "2024-03-01 10:03 小王\n在", "2024-03-01 10:05 小李\n好了"],
        ["小李 2024/3/1 10:02:33\n在吗", "小王 2024/3/1 10:03:05\n在\n\n请讲", "小李 2024/3/1 10:04:00\n好"],
        ["12/03/2024, 10:02 - Li Na: hello", "12/03/2024, 10:03 - Bob: hi", "12/03/2024, 10:04 - Li Na: bye"],
        ["Speaker A (10:02)\nHello.", "Speaker B (10:03)\nHi.", "Speaker A (10:05)\nBye."],
        ["Speaker A (00:01:02): Hello.", "Speaker B (00:01:09): Hi.", "Speaker A (00:02:00): Bye."],
        ["上午10:02 小李\n在吗", "上午10:03 小王\n在", "下午1:00 小李\n好"],
        ["**Li:** Hello there!", "**Wu:** Hi. How are you?", "**Li:** Fine, thanks."],
        ["**Li**: Hello there!", "**Wu**: Hi. How are you?", "**Li**: Fine, thanks."],
        ["> Li: Hello there!", "> Wu: Hi. How are you?", "> Li: Fine, thanks."],
    ],
)
def test_one_turn_a_chunk(turns):
    assert texts("\n".join(turns), turns=1, repeated=0) == turns
    assert texts("\n\n".join(turns), "md", turns=1, repeated=0) == turns
    assert texts("\n".join(turns)) == ["\n".join(turns)]


def chat(n_turns):
    return [f"{'小李' if n % 2 else 'Wu'}: 第{n}句话。 Line {n}!\n  再说一句" for n in range(n_turns)]


@pytest.mark.parametrize(
    ("turns", "repeated", "windows"),
    [
        (6, 1, [(0, 6), (5, 11), (10, 13)]),
        (6, 0, [(0, 6), (6, 12), (12, 13)]),
        (6, 2, [(0, 6), (4, 10), (8, 13)]),
        (4, 3, [(first, first + 4) for first in range(10)]),
        (1, 0, [(first, first + 1) for first in range(13)]),
        (12, 1, [(0, 12), (11, 13)]),
        (13, 1, [(0, 13)]),
        (50, 49, [(0, 13)]),
    ],
)
def test_windows(turns, repeated, windows):
    said = chat(13)
    found = texts("\n".join(said), turns=turns, repeated=repeated)
    assert found == ["\n".join(said[first:last]) for first, last in windows]


def test_a_short_rest_joins_the_last_window():
    said = [*chat(6), "Li: ok", "Wu: 👍"]
    assert len(texts("\n".join(said), smallest=0)) == 2
    assert texts("\n".join(said), smallest=20) == ["\n".join(said)]


def test_text_before_and_between_turns():
    said = chat(4)
    assert texts("Time: 20260506_12:00\n" + "\n".join(said), smallest=40)[0].startswith("Time: 20260506_12:00\nWu: ")
    opening = "群名：IT服务台互助群。\n" + "以下为导出的记录，" * 10 + "完。"
    found = texts(opening + "\n" + "\n".join(said), size=60, smallest=10)
    assert found[-1] == "\n".join(said)
    assert "".join(found[:-1]).replace("\n", "") == opening.replace("\n", "")
    assert all(len(chunk) <= 60 for chunk in found[:-1])


def test_headings_and_day_lines_stay_with_the_turn_below():
    said = chat(6)
    text = "\n".join([*said[:2], "", "=== 2024-11-19 星期二", *said[2:4], "", "2024年11月20日", "", *said[4:]])
    found = texts(text, turns=2, repeated=0)
    assert found == [
        "\n".join(said[:2]),
        "=== 2024-11-19 星期二\n" + "\n".join(said[2:4]),
        "2024年11月20日\n\n" + "\n".join(said[4:]),
    ]
    text = "\n\n".join([*said[:2], "## 次日 next day", *said[2:4], "## 总结\n\n会议结束，各自落实。", *said[4:]])
    assert texts(text, "md", turns=2, repeated=0) == [
        "\n\n".join(said[:2]),
        "## 次日 next day\n\n" + "\n\n".join(said[2:4]),
        "## 总结\n\n会议结束，各自落实。",
        "\n\n".join(said[4:]),
    ]


def test_one_who_speaks_once_has_a_turn():
    said = ["Li: Who comes?", "Wu: I do!", "Max: Me too.", "Li: Fine!", "Wu: Until then."]
    assert texts("\n".join(said), turns=1, repeated=0) == said


def test_a_list_inside_a_turn_opens_none():
    said = [
        "Li: What shall I cook?",
        "Wu: Try these:\nBreakfast: oatmeal\nLunch: rice\nDinner: soup",
        "Li: Thanks!",
        "Wu: Sure.",
    ]
    assert texts("\n".join(said), turns=1, repeated=0) == said


@pytest.mark.parametrize(
    "text",
    [
        "Name: Alice Smith\nRole: engineer\n\nName: Bob Jones\nRole: manager\n\nName: Carl\nRole: intern",
        "姓名：张三\n部门：研发\n\n姓名：李四\n部门：销售\n\n姓名：王五\n部门：人事",
        "注意：须事先审批！\n说明：见附件。\n注意：不得跨年！\n说明：另行通知。",
        "Colour: red\nSize: big\nColour: blue\nSize: small\nColour: green\nSize: big",
        "Q: How many days?\nA: Five.\nQ: Who approves?\nA: Your manager.\nQ: When?\nA: In May.",
        "2024-03-01 10:02:33 INFO: service started.\n2024-03-01 10:02:34 ERROR: failed!\n2024-03-01 10:02:35 INFO: retry.",
        "09:00 Opening\n10:00 Keynote\n11:00 Coffee\n12:00 Workshop\n13:00 Lunch",
        "See http://a.example for more.\nhttp://b.example: mirror.\nhttp://c.example",
        "- Fixed: a bug.\n- Added: a knob.\n- Fixed: another bug.\n- Added: another knob.",
        "Li: hello there!\n" + "About something else.\n" * 9 + "Wu: hi!\n" + "More.\n" * 9 + "Li: bye!\nWu: bye!",
        "```\nLi: a!\nWu: b!\nLi: c!\nWu: d!\n```\n\n" + "Prose. " * 20,
        "Li: Hello there!\nWu: Hi!",
        "Li: One!\nLi: Two!\nLi: Three!",
        "",
    ],
)
def test_a_document_that_is_no_conversation_is_cut_as_by_recursive(text):
    for overlap in (0, 5):
        plain = RecursiveSplitter(chunk_size=40, overlap=overlap, chunk_unit="chars", min_size=4)
        document = make(text, "md")
        assert splitter(40, overlap, 4).spans(document) == plain.spans(document)


def test_long_windows_are_flagged_and_long_turns_cut_on_demand():
    said = ["Li: Tell me!", "Wu: " + "这是一个很长的故事，" * 15 + "完。", "Li: Wow!", "Wu: Yes!", "Li: Bye!"]
    text = "\n".join(said)
    assert [span.flags for span in splitter(60).spans(make(text))] == [("atomic",)]
    assert [span.flags for span in splitter(60, most=1000).spans(make(text))] == [("atomic",)]
    found = texts(text, size=60, most=100)
    assert (found[0], found[-1]) == (said[0], "\n".join(said[2:]))
    assert "".join(found[1:-1]) == said[1].replace("\n", "")
    assert all(len(chunk) <= 60 for chunk in found)


@pytest.mark.parametrize(
    ("knobs", "name"),
    [
        ({"turns": 0}, "turns"),
        ({"turns": 1.5}, "turns"),
        ({"turns": True, "repeated": 0}, "turns"),
        ({"repeated": -1}, "overlap_turns"),
        ({"repeated": 6}, "overlap_turns"),
        ({"turns": 1, "repeated": 1}, "overlap_turns"),
        ({"most": 0}, "max_turn"),
    ],
)
def test_impossible_knobs(knobs, name):
    with pytest.raises(ConfigError, match=rf"pipeline\.splitter\.{name}"):
        splitter(**knobs)


@pytest.mark.parametrize(
    "piece",
    [
        "a:", "a: ", "a:\n", "a: b\n", "a: b!\nb: c!\n", "Q:", "10:02", "10:02 ", "[10:02] a: b\n", "10:02 a\n", "a 10:02\n", "a (10:02)\n",
        "1/1/1", "a ", "（", "a（", "**a**: ", "：", "2024-01-01\n", "=== ", "\n", "#", "长",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["text", "md"])
def test_hostile_text_takes_linear_time(piece, kind):
    document = make(piece * (100_000 // len(piece)), kind)
    started = time.process_time()
    splitter().spans(document)
    assert time.process_time() - started < 5


def test_five_times_the_text_takes_no_more_than_six_times_as_long():
    def seconds(n_turns):
        document = make("\n".join(chat(n_turns)), "text")
        started = time.process_time()
        splitter().spans(document)
        return time.process_time() - started

    seconds(1000)
    assert seconds(50_000) < 5 * 6 * max(seconds(10_000), 0.02), "with a margin of 5 for a loaded machine"


@pytest.mark.data
def test_chat_logs_have_as_many_turns_as_lines_with_a_name():
    folder = DATA / "lihua_world/data"
    if not folder.is_dir():
        pytest.skip(f"no {folder}; set RAGBENCH_DATA")
    found = expected = 0
    for document in CorpusLoader().load(folder).documents:
        names = [line.partition(":")[0] for line in document.text.split("\n") if ": " in line and line[:5] != "Time:"]
        if len(names) > 2:
            expected += sum(names.count(name) > 1 for name in names)
            found += sum(mark.unit for mark in turn_marks(document))
    assert expected > 3000
    assert 0.99 < found / expected < 1.02
