"""Run and qrels files as others write them."""

import codecs
import gzip
import os
import random
import threading
from pathlib import Path

import pytest

from ragbench.errors import DataError
from ragbench.measure.ranking.trec import score_run
from ragbench.trec.read import Order, read_qrels, read_run

ROWS = [
    ("q1", "doc-a", 1, "14.2"),
    ("q1", "doc-b", 2, "3.5e-2"),
    ("问1", "制度/年假.md#3", 1, "1E+2"),
    ("问1", "mixed＿id　全角", 2, "-7"),
]


def run_text(rows=ROWS, gap=" ", end="\n"):
    return "".join(gap.join((q, "Q0", d, str(r), s, "他们的run")) + end for q, d, r, s in rows)


@pytest.fixture
def written(tmp_path):
    def write(data, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path

    return write


@pytest.mark.parametrize("gap", [" ", "\t", "  \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \n"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_run_in_any_white_space(written, gap, end, packed):
    data = run_text(gap=gap, end=end).encode("utf-8")
    found = read_run(written(gzip.compress(data, mtime=0) if packed else data))
    assert found.run == {
        "q1": {"doc-a": 14.2, "doc-b": 0.035},
        "问1": {"制度/年假.md#3": 100.0, "mixed＿id　全角": -7.0},
    }
    assert (found.tag, found.n_duplicates, found.reordered, found.n_comments) == ("他们的run", 0, (), 0)


def test_byte_order_mark_missing_last_newline_and_comments(written):
    text = "# made by a tool\n" + run_text().rstrip("\n")
    assert read_run(written(codecs.BOM_UTF8 + text.encode())).n_comments == 1
    found = read_run(written("#7 Q0 #a 1 2.5 t\n#8\n"))
    assert (found.run, found.n_comments) == ({"#7": {"#a": 2.5}}, 1)


def test_duplicates_keep_their_best_place_and_are_counted(written):
    rows = [("q", "a", 1, "1"), ("q", "b", 2, "2"), ("q", "a", 3, "3"), ("q", "a", 4, "0")]
    found = read_run(written(run_text(rows)))
    assert (found.run, found.n_duplicates) == ({"q": {"a": 3.0, "b": 2.0}}, 2)
    by_rank = read_run(written(run_text(rows)), Order.RANK)
    assert (by_rank.run, by_rank.n_duplicates) == ({"q": ["a", "b"]}, 2)


def test_order_by_rank_or_by_score_and_where_they_disagree(written):
    rows = [("q", "a", 2, "9"), ("q", "b", 1, "1"), ("q", "c", 2, "9"), ("p", "a", 0, "5"), ("p", "b", 1, "4")]
    path = written(run_text(rows))
    assert read_run(path, Order.RANK).run == {"q": ["b", "a", "c"], "p": ["a", "b"]}
    found = read_run(path)
    assert found.reordered == ("q",)
    qrels = {"q": {"b": 1}, "p": {"a": 1}}
    assert score_run(found.run, qrels, ["mrr"]).per_query["mrr"] == {"q": pytest.approx(1 / 3), "p": 1.0}
    assert score_run(read_run(path, Order.RANK).run, qrels, ["mrr"]).per_query["mrr"] == {"q": 1.0, "p": 1.0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q Q0 d 1 0.5\n", "line 1: expected 6 columns"),
        ("q Q0 d 1 0.5 t\nq Q0 my doc 2 0.4 t\n", "line 2: expected 6 columns"),
        ("q Q0 d 1 high t\n", r"line 1: expected a number as score \(column 5\), found “q Q0 d 1 high t”"),
        ("q Q0 d 1 nan t\n", "a number as score"),
        ("q Q0 d 1 1_0 t\n", "a number as score"),
        ("", "found no lines"),
        ("\n \n", "found no lines"),
        ("# only words\n", "found no row"),
        (b"q Q0 \xff 1 0.5 t\n", "ids in UTF-8"),
        (codecs.BOM_UTF16_LE + "q Q0 d 1 0.5 t".encode("utf-16-le"), "found UTF-16"),
        (gzip.compress(b"q Q0 d 1 0.5 t\n" * 50, mtime=0)[:-12], "damaged gzip"),
    ],
)
def test_a_fault_of_a_run_names_file_and_line(written, text, words):
    with pytest.raises(DataError, match=words) as caught:
        read_run(written(text))
    assert "file.txt" in str(caught.value)


def test_a_rank_is_only_needed_where_it_says_the_order(written):
    path = written("q Q0 d - 0.5 t\nq Q0 e 2.0 0.4 t\n")
    assert read_run(path).run == {"q": {"d": 0.5, "e": 0.4}}
    with pytest.raises(DataError, match=r"line 1: expected a whole number as rank"):
        read_run(path, Order.RANK)


def test_missing_files_and_folders(tmp_path):
    for path, words in ((tmp_path / "no", "no such file"), (tmp_path, "a folder")):
        for read in (read_run, read_qrels):
            with pytest.raises(DataError, match=words):
                read(path)


def test_qrels_with_graded_and_negative_labels(written):
    text = "q1 0 doc-a 2\nq1\t0\tdoc-b\t-1\r\n问1 Q0 制度/年假.md#3 1.0\n# end\n"
    found = read_qrels(written(text))
    assert found.grades == {"q1": {"doc-a": 2, "doc-b": -1}, "问1": {"制度/年假.md#3": 1}}
    assert (found.n_duplicates, found.conflicts, found.n_comments) == (0, (), 1)


@pytest.mark.parametrize("head", ["query-id\tcorpus-id\tscore\n", "", codecs.BOM_UTF8.decode() + "qid\tdid\tscore\n"])
def test_qrels_of_beir_have_three_columns_and_may_have_a_head(written, head):
    found = read_qrels(written(head + "a<::>1\tdoc one\t1\na<::>1\t第 二 篇\t0\n"))
    assert found.grades == {"a<::>1": {"doc one": 1, "第 二 篇": 0}}


def test_judgements_given_twice(written):
    found = read_qrels(written("q 0 a 1\nq 0 a 1\nq 0 b 0\nq 0 b 2\n"))
    assert found.grades == {"q": {"a": 1, "b": 0}}
    assert (found.n_duplicates, found.conflicts) == (2, (("q", "b"),))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("q 0 a 0.5\n", 1),
        ("q 0 a 1\nq 0 b yes\n", 2),
        ("query-id\tcorpus-id\tscore\nquery-id\tcorpus-id\tscore\n", 2),
        ("query-id\tcorpus-id\tscore\na\tb\trelevant\n", 2),
        ("a\tb\tscore\n", 1),
        ("a\tb\trelevant\nq\td\t1\n", 1),
        ("q 0 a yes\nq 0 b 1\n", 1),
        ("topic iter docno rel\nq 0 b 1\n", 1),
        ("q 0 a 1\nq 0 b 99999999999999999999\n", 2),
        ("q 0 a 1e300\n", 1),
        (f"q 0 a {'9' * 5000}\n", 1),
        ("q a\n", 1),
        ("a b c d e\n", 1),
    ],
)
def test_a_fault_of_qrels_names_file_and_line(written, text, line):
    with pytest.raises(DataError, match=rf"file.txt line {line}: expected TREC qrels"):
        read_qrels(written(text))


def test_a_bad_grade_is_named_as_one(written):
    with pytest.raises(DataError, match=r"the grade \(column 4\) a whole number of at most 64 bits, found “q 0 a one”"):
        read_qrels(written("q 0 a one\nq 0 b 1\n"))


@pytest.mark.parametrize(
    ("rows", "disagree"),
    [
        ([("q", "a", 1, "3"), ("q", "b", 2, "2"), ("q", "c", 3, "1")], False),
        ([("q", "c", 3, "1"), ("q", "a", 1, "3"), ("q", "b", 2, "2")], False),  # lines in another order
        ([("q", "a", 1, "1"), ("p", "x", 1, "1"), ("q", "b", 2, "5")], True),  # not neighbours in the file
        ([("q", "a", 1, "2"), ("q", "c", 3, "3"), ("q", "b", 2, "9")], True),  # each pair of neighbours rises or falls
        ([("q", "b", 1, "1"), ("q", "a", 2, "1")], False),
        ([("q", "a", 1, "1"), ("q", "b", 2, "1")], True),  # a tie that the id reverses
        ([("q", "a", 1, "1.00000001"), ("q", "b", 2, "1")], True),  # a tie in single precision
        ([("q", "文", 1, "1"), ("q", "z", 2, "1")], False),
        ([("q", "a", 1, "1"), ("q", "c", 1, "1"), ("q", "b", 2, "1")], True),  # equal ranks, then a smaller id above
        ([("q", "c", 1, "1"), ("q", "b", 1, "1"), ("q", "a", 2, "1")], False),
        ([("q", "a", 0, "1"), ("q", "b", 0, "2")], False),  # equal ranks say nothing
        ([("q", "a", 1, "2"), ("q", "b", 2, "1"), ("q", "b", 0, "0")], True),  # best rank, best score
    ],
)
def test_where_ranks_and_scores_disagree_is_told_of_the_whole_order(written, rows, disagree):
    rows = [("agreed", "z", 1, "1"), *rows]
    for order in Order:
        assert read_run(written(run_text(rows)), order).reordered == (("q",) if disagree else ())


def test_queries_that_disagree_are_those_that_sorting_one_by_one_finds(written):
    rng = random.Random(7)
    rows = [
        (f"q{q}", doc, rng.choice([n, n, n, rng.randrange(4)]), f"{5 - n + rng.choice([0, 0, 0, 2]):d}")
        for q in range(400)
        for n, doc in enumerate(rng.sample("abcdef文", 4))
    ]
    expected = []
    for query in dict.fromkeys(row[0] for row in rows):
        own = [(float(score), doc, rank) for q, doc, rank, score in rows if q == query]
        ranks = [rank for _, _, rank in sorted(own, reverse=True)]
        expected += [query] if ranks != sorted(ranks) else []
    assert 50 < len(expected) < 350
    assert read_run(written(run_text(rows))).reordered == tuple(expected)
    rng.shuffle(rows)
    assert set(read_run(written(run_text(rows))).reordered) == set(expected)


def test_ranks_that_are_no_numbers_are_left_out_of_the_comparison(written):
    path = written("q Q0 d - 0.1 t\nq Q0 e 1 0.4 t\nq Q0 f 99999999999999999999 0.5 t\nq Q0 g 2 0.3 t\n")
    assert read_run(path).reordered == ()


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_lines_that_end_in_carriage_returns_alone(written, read):
    lines = ["q Q0 a 1 2.5 t", "q Q0 b 2 1.5 t"] if read is read_run else ["q 0 a 1", "q 0 b 2"]
    one, other = (read(written(end.join(lines) + end)) for end in "\r\n")
    assert one == other


def test_pipes_are_read_and_an_empty_device_is_empty(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for data in (run_text().encode(), gzip.compress(run_text().encode())):
        writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
        writer.start()
        assert read_run(pipe).run.keys() == {"q1", "问1"}
        writer.join()
    with pytest.raises(DataError, match="found no lines"):
        read_run(Path(os.devnull))


@pytest.mark.parametrize("at", [0, 1, 4])
def test_blocks_of_many_lines_read_as_lines_one_by_one(written, monkeypatch, at):
    """A row that is not plain is read alone; the number of a bad line counts all blocks before it."""
    monkeypatch.setattr("ragbench.trec.blocks._SIZE", 64)
    rows = [f"q{n // 4} Q0 d{n} {n} {-n}.5 t\n" for n in range(40)]
    plain = read_run(written("".join(rows)))
    assert {q: list(own) for q, own in plain.run.items()} == {
        f"q{q}": [f"d{q * 4 + n}" for n in range(4)] for q in range(10)
    }
    odd = [*rows[: at * 7], "\n", "# a comment\n", *rows[at * 7 :]]
    assert read_run(written("".join(odd))).run == plain.run
    with pytest.raises(DataError, match=rf"line {at * 7 + 3}: expected 6 columns"):
        read_run(written("".join([*odd[: at * 7 + 2], "q Q0 d 1 2.5\n", *odd[at * 7 + 2 :]])))
    shifted = [*odd[: at * 7 + 2], "q Q0 d 1 2.5\n", "q Q0 d 1 2.5 t u\n", *odd[at * 7 + 2 :]]
    with pytest.raises(DataError, match=rf"line {at * 7 + 3}: expected 6 columns"):
        read_run(written("".join(shifted)))
