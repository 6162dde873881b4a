"""A number is spread evenly, ids and files name questions, and results say which part of a split was asked."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError, DataError
from ragbench.eval_set.chosen import Chosen, asked_of, chosen_questions, spread, subset_facts
from ragbench.records.question import Question

SET = [Question(f"q-{n}", text) for n, text in enumerate(["年假几天？", "How long?", "release 是哪天", "差旅", "Why?"])]


def ids(chosen: Chosen) -> list[str]:
    return [one.id for one in chosen.of(SET, "split test of tiny/v1")]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, ["q-0", "q-1", "q-2", "q-3", "q-4"]),
        (1, ["q-0"]),
        (2, ["q-0", "q-2"]),
        (4, ["q-0", "q-1", "q-2", "q-3"]),
        (5, ["q-0", "q-1", "q-2", "q-3", "q-4"]),
        (500, ["q-0", "q-1", "q-2", "q-3", "q-4"]),
        ("q-3", ["q-3"]),
        (["q-4", "q-1", "q-4"], ["q-1", "q-4"]),
    ],
)
def test_what_is_asked_keeps_the_order_of_the_set(value, found) -> None:
    assert ids(chosen_questions(value)) == found


@pytest.mark.parametrize("text", ["q-3\n\n# later\nq-0 # 年假\n", "\ufeffq-0\r\nq-3\r\n"])
def test_a_file_has_one_id_a_line(tmp_path, text) -> None:
    path = tmp_path / "问题 ids.txt"
    path.write_bytes(text.encode())
    assert ids(chosen_questions(str(path))) == ["q-0", "q-3"]
    assert chosen_questions(str(path)) == chosen_questions(["q-3", "q-0"])


def test_ids_may_be_numbers_in_a_list() -> None:
    chosen = chosen_questions([7, "8"])
    assert [one.id for one in chosen.of([Question("7", "a"), Question("9", "b"), Question("8", "c")], "")] == ["7", "8"]


@pytest.mark.parametrize("value", [0, -3, True, 2.5, "", " ", [], [""], ["q-1", None], [True], {"n": 3}])
def test_what_names_no_question_is_refused(value) -> None:
    with pytest.raises(ConfigError, match="questions: expected a number of at least 1, a list of ids, or a file"):
        chosen_questions(value)


def test_an_empty_file_and_one_that_is_no_text_are_refused(tmp_path) -> None:
    path = tmp_path / "ids"
    path.write_text("# none\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="a file of ids"):
        chosen_questions(str(path))
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigError, match="a text file in UTF-8"):
        chosen_questions(str(path))


def test_ids_of_another_set_are_named() -> None:
    with pytest.raises(DataError, match="ids of split test of tiny/v1, found a, b, c and 1 more"):
        ids(Chosen(ids=("d", "c", "b", "a", "q-1")))


def test_a_part_is_told_and_all_of_it_is_none() -> None:
    assert subset_facts(SET, SET) is None
    part, other = subset_facts(SET[:2], SET), subset_facts(SET[1:3], SET)
    assert part is not None and other is not None
    assert (part["n"], part["of"]) == (2, 5)
    assert part["key"] != other["key"]
    assert asked_of({"split": "test", "questions": part}) != asked_of({"split": "test", "questions": other})
    assert asked_of({"split": "test", "questions": None}) == asked_of({"split": "test"}) != asked_of({"split": "dev"})
    assert asked_of(None) == asked_of({})


def test_spread_has_the_first_and_equal_distances() -> None:
    assert spread([], 3) == []
    assert spread(list(range(10)), 3) == [0, 3, 6]
    assert spread(list(range(160)), 48)[:4] == [0, 3, 6, 10]
