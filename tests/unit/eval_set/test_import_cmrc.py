"""Import of CMRC's own format."""

import pytest

from ragbench.errors import DataError

CONTEXTS = [
    {
        "context_id": "T_1",
        "title": "海燕号",
        "context_text": "海燕号由青山船厂建造，载重三百吨。它在1921年下水，1921年秋天首航。",
        "qas": [
            {"query_id": "T_1_0", "query_text": "谁造的？", "answers": ["青山船厂", "青山船厂建造", "青山船厂"]},
            {"query_id": "T_1_1", "query_text": "哪年下水？", "answers": ["1921年"]},
            {"query_id": "T_1_2", "query_text": "船长是谁？", "answers": ["李船长"]},
            {"query_id": "T_1_3", "query_text": "载重？", "answers": ["载重三百吨", "三百公吨"]},
            {"query_id": "T_1_4", "query_text": " ", "answers": ["三百吨"]},
            {"query_id": "T_1_5", "query_text": "空的？", "answers": []},
        ],
    },
    {
        "context_id": "T_2",
        "context_text": "Petrel 号的 engine 是 diesel 的。",
        "qas": [{"query_id": "T_2_0", "query_text": "What engine?", "answers": ["diesel"]}],
    },
]


def test_answers_are_located_and_three_answers_are_one_group(imported, written):
    found = imported("cmrc", written("trial.json", CONTEXTS))
    assert found.quotes("T_1_0") == [["青山船厂", "青山船厂建造"]]
    assert found.quotes("T_1_1") == [["1921年", "1921年"]]
    assert found.quotes("T_1_3") == [["载重三百吨"]]
    assert found.quotes("T_2_0") == [["diesel"]]
    assert list(found.documents) == ["T_1.txt", "T_2.txt"]
    assert found.questions["T_1_0"].reference == "青山船厂"
    assert (found.questions["T_1_0"].language, found.questions["T_2_0"].language) == ("zh", "en")
    assert found.reasons("noted") == {"the quote stands at several places: each is accepted": ["T_1_1"]}
    assert found.reasons("dropped") == {"the quote is not in the document": ["T_1_3"]}
    assert found.reasons("rejected") == {
        "the quote is not in the document": ["T_1_2"],
        "the question has no text": ["T_1_4"],
        "its answers are no list of texts": ["T_1_5"],
    }


def test_an_answer_that_stands_everywhere_is_no_evidence(imported, written):
    context = {"context_id": "T", "context_text": "的" * 9 + "船。", "qas": [
        {"query_id": "many", "query_text": "什么字？", "answers": ["的"]},
        {"query_id": "one", "query_text": "什么？", "answers": ["船"]},
    ]}  # fmt: skip
    found = imported("cmrc", written("trial.json", [context]))
    assert list(found.questions) == ["one"]
    assert found.reasons("rejected") == {"the quote stands at several places": ["many"]}


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a\x00b", "长" * 300, "NUL", ".hidden", "a/../b", "t_1"])
def test_an_id_that_is_no_file_name_is_refused_by_row(imported, written, name):
    rows = [CONTEXTS[0], CONTEXTS[1] | {"context_id": name}]
    found = imported("cmrc", written("trial.json", rows))
    assert list(found.documents) == ["T_1.txt"]
    ((_, ids),) = found.reasons("unread").items()
    assert len(ids) == 1
    assert ids[0].startswith("context 1: ")
    assert "\x00" not in ids[0]
    assert len(ids[0]) < 120


def test_another_kind_of_file_is_one_line(imported, written):
    with pytest.raises(DataError, match="ragbench eval-set import squad"):
        imported("cmrc", written("dev.json", {"version": "1", "data": []}))
    with pytest.raises(DataError, match="expected one"):
        imported("cmrc", written("a.json", CONTEXTS), written("b.json", CONTEXTS))
    with pytest.raises(DataError, match="found a folder"):
        imported("cmrc", written("a.json", CONTEXTS).parent)
