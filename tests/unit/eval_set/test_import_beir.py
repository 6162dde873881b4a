"""Import of BEIR folders."""

import gzip
import json

import pytest

from ragbench.errors import DataError, Problems
from ragbench.eval_set.beir_passages import Passages, file_names
from ragbench.eval_set.doc_name import name_fault
from ragbench.eval_set.ledger import Ledger

PASSAGES = [
    {"_id": "p1", "title": "年假", "text": "满一年五天。"},
    {"_id": "url/a b?x=1", "title": "", "text": "Backups run at 02:00."},
    {"_id": 7, "title": "Mixed", "text": "Mixed 上线 checklist", "metadata": {"url": "x"}},
    {"_id": "p1", "title": "", "text": "again"},
    {"_id": "empty", "title": " ", "text": ""},
    {"title": "no id", "text": "x"},
    {"_id": "../../etc/passwd", "title": "", "text": "hostile"},
]
QUERIES = [
    {"_id": "q/1", "text": "年假几天？"},
    {"_id": "q2", "text": "When do backups run, 上线?"},
    {"_id": "q3", "text": "nothing relevant"},
    {"_id": "q4", "text": "not judged"},
    {"_id": "q5", "text": "its passage is missing"},
    {"_id": "q2", "text": "again"},
    {"text": "no id"},
    {"_id": "d1", "text": "dev question"},
]
TEST = "query-id\tcorpus-id\tscore\nq/1\tp1\t2\nq/1\t7\t1\nq2\turl/a b?x=1\t1\nq2\tp1\t0\nq3\tp1\t-1\nq5\tgone\t1\ngone\tp1\t1\n"


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def folder(written):
    written("beir/corpus.jsonl", jsonl(PASSAGES) + "{broken\n")
    written("beir/queries.jsonl", jsonl(QUERIES))
    written("beir/qrels/train.tsv", "d1\tp1\t1\nq2\tp1\t1\n")
    return written("beir/qrels/test.tsv", TEST).parents[1]


def documents(found, name):
    return [[item.doc_id for item in group.items] for group in found.questions[name].groups]


def test_passages_are_documents_and_relevant_ones_evidence(imported, folder):
    found = imported("beir", folder)
    texts = {name: document.text for name, document in found.documents.items()}
    assert (
        texts
        == {
            "p1.txt": "年假\n\n满一年五天。",
            "url%2Fa b%3Fx=1.txt": "Backups run at 02:00.",
            "7.txt": "Mixed 上线 checklist",
            "..%2F..%2Fetc%2Fpasswd.txt": "hostile",
        }
        or "%2E.%2F..%2Fetc%2Fpasswd.txt" in texts
    )
    assert documents(found, "q/1") == [["p1.txt"], ["7.txt"]]
    assert documents(found, "q2") == [["url%2Fa b%3Fx=1.txt"]]
    assert all(item.whole for one in found.questions.values() for group in one.groups for item in group.items)
    assert found.questions["q/1"].metadata == {"grades": {"p1.txt": 2, "7.txt": 1}}
    assert found.questions["q2"].metadata == {}
    assert {name: one.split for name, one in found.questions.items()} == {"q/1": "test", "q2": "test", "d1": "dev"}
    assert [found.questions[name].language for name in ("q/1", "q2")] == ["zh", "mixed"]


def test_what_cannot_be_used_is_told_by_name(imported, folder):
    found = imported("beir", folder)
    assert found.reasons("unread") == {
        "a passage whose id was used before": ["corpus.jsonl line 4: p1"],
        "a passage without text": ["corpus.jsonl line 5: empty"],
        "a passage without _id": ["corpus.jsonl line 6"],
        "a line that is no JSON object": ["corpus.jsonl line 8"],
    }
    assert found.reasons("rejected") == {
        "no passage is relevant to it": ["q3"],
        "no qrels judge it": ["q4"],
        "the document of the evidence is not in the corpus": ["q5"],
        "the id was used before": ["q2"],
        "a query without _id or text": ["queries.jsonl line 7"],
        "the qrels judge it, but it is not in queries.jsonl": ["gone"],
    }
    assert found.reasons("noted") == {"judged in several files: train.tsv is left out": ["q2"]}


def test_given_qrels_stand_for_those_of_the_folder(imported, folder):
    found = imported("beir", folder, folder / "qrels" / "train.tsv")
    assert set(found.questions) == {"d1", "q2"}
    assert documents(found, "q2") == [["p1.txt"]]


def test_a_broken_judgement_names_its_line(imported, folder):
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\tp1\tyes\n", "utf-8")
    with pytest.raises(DataError, match=r"test.tsv line 2: expected TREC qrels"):
        imported("beir", folder)


@pytest.mark.parametrize("gone", ["corpus.jsonl", "queries.jsonl", "qrels"])
def test_a_missing_part_is_one_line(imported, folder, gone):
    path = folder / gone
    path.rename(folder / "elsewhere")
    with pytest.raises(DataError, match=gone):
        imported("beir", folder)


def test_no_query_left_is_an_error_with_reasons(imported, folder):
    (folder / "qrels" / "train.tsv").unlink()
    (folder / "qrels" / "test.tsv").write_text("q3\tp1\t0\n", "utf-8")
    with pytest.raises(Problems, match="no passage is relevant to it"):
        imported("beir", folder)


IDS = ["a", "A", "a%", "a%25", "con", ".hidden", " x ", "~home", "C:\\x", "x" * 500, "制" * 300, "制" * 299 + "度", "e\u0301", "é",
       "a\tb", "..", "/", "a/b", "a\u3000b", "dbpedia:<http://x/y>", "x.", "｡"]  # fmt: skip


def test_any_id_is_a_file_name_of_its_own():
    names = file_names(IDS)
    assert [name_fault(name) for name in names.values()] == [""] * len(IDS)
    assert len({name.casefold() for name in names.values()}) == len(IDS)
    assert (names["a"], names["a%"], names["con"]) == ("a.txt", "a%25.txt", "%63on.txt")
    many = file_names([f"d{n}" for n in range(10_001)])
    assert len({name.split("/")[0] for name in many.values()}) == 256


def test_hostile_ids_come_back_as_documents(imported, written):
    written(
        "beir/corpus.jsonl",
        jsonl({"_id": one, "title": "", "text": f"text of {number} 第{number}篇"} for number, one in enumerate(IDS)),
    )
    written("beir/queries.jsonl", jsonl({"_id": f"q{number}", "text": "which?"} for number in range(len(IDS))))
    rows = "".join(f"q{number}\t{one}\t1\n" for number, one in enumerate(IDS) if "\t" not in one)
    folder = written("beir/qrels/test.tsv", rows).parents[1]
    found = imported("beir", folder)
    assert len(found.documents) == len(IDS)
    for number, one in enumerate(IDS):
        if "\t" not in one and one == one.strip():
            ((doc,),) = documents(found, f"q{number}")
            assert found.documents[doc].text == f"text of {number} 第{number}篇"


def test_the_corpus_is_read_anew_and_never_held(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(gzip.compress(jsonl(PASSAGES).encode("utf-8")))
    passages = Passages(path, Ledger())
    assert len(passages) == len(list(passages)) == 4
    assert not any("满一年" in str(value) for value in vars(passages).values())
    assert all(file.raw is None for file in passages)
    path.write_text("", "utf-8")
    with pytest.raises(DataError, match="no lines"):
        list(passages)
