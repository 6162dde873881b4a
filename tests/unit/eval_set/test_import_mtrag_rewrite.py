"""Import of questions in three forms, on the passages that are at hand."""

import json

import pytest

from ragbench.errors import DataError

POOL = {
    "p-1": ("休假", "入职满一年享有五天年假。"),
    "p-2": ("", "Backups run at 02:00 and are kept for 35 days."),
    "p-3": ("", "Backups run at 02:00  and are kept for 35 days."),
}
EVALUATED = [
    {"document_id": "p-2", "text": "Backups run at 03:00.", "title": ""},
    {"document_id": "p-4", "text": "调用 API 的上限是每分钟 60 次。", "title": "Limits"},
    {"document_id": "p-5", "text": "Of the other collection.", "title": ""},
]
TASKS = [
    {"Collection": "mt-rag-ibmdocs-elser", "contexts": [{"document_id": "p-2"}, {"document_id": "p-4"}]},
    {"Collection": "mt-rag-weather-elser", "contexts": [{"document_id": "p-5"}]},
]
FORMS = {  # id: (all user turns, rewrite)
    "a<::>1": (["How long are backups kept?"], "How long are backups kept?"),
    "b<::>3": (["年假怎么算？", "转正以后算吗", "那满一年呢？"], "入职满一年有几天年假？"),
    "c<::>2": (["API 有上限吗", "每分钟\n多少次"], "API 每分钟最多调用多少次？"),
    "d<::>2": (["First?", "Lost passage?"], "Which passage is lost?"),
    "e<::>2": (["First?", "Of the other collection?"], "What of it?"),
    "f<::>2": (["First?", "No qrels?"], "No qrels?"),
}
QRELS = (
    ("a<::>1", "p-2", "1"), ("b<::>3", "p-1", "1"), ("b<::>3", "p-9", "0"), ("c<::>2", "p-4", "1"),
    ("c<::>2", "p-1", "1"), ("d<::>2", "p-2", "1"), ("d<::>2", "p-9", "1"), ("e<::>2", "p-5", "1"),
)  # fmt: skip


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def told(texts):
    return "\n".join(f"|user|: {text}" for text in texts)


@pytest.fixture
def sources(written):
    """The folder of questions, then a folder and a file of passages."""
    rows = {
        "lastturn": [{"_id": name, "text": told(turns[-1:])} for name, (turns, _) in FORMS.items()],
        "questions": [{"_id": name, "text": told(turns)} for name, (turns, _) in FORMS.items()],
        "rewrite": [{"_id": name, "text": told([alone])} for name, (_, alone) in FORMS.items()],
    }
    for form, of_form in rows.items():
        written(f"asked/docs/docs_{form}.jsonl", lines(of_form))
    qrels = "query-id\tcorpus-id\tscore\n" + "".join("\t".join(row) + "\n" for row in QRELS)
    asked = written("asked/docs/qrels/dev.tsv", qrels).parents[2]
    passages = [{"_id": name, "title": title, "text": text} for name, (title, text) in POOL.items()]
    pool = written("pool/beir/docs/corpus.jsonl", lines([*passages, {"_id": "blank", "text": " "}])).parents[2]
    return asked, pool, written("evaluated.json", {"documents": EVALUATED, "tasks": TASKS})


def test_only_questions_whose_passages_are_all_there_are_kept_and_the_others_counted(imported, sources):
    found = imported("mtrag_rewrite", *sources)
    assert set(found.questions) == {"a<::>1", "b<::>3", "c<::>2"}
    assert found.reasons("rejected") == {
        "a relevant passage is not in the pools": ["d<::>2", "e<::>2"],
        "no relevant passage in the qrels": ["f<::>2"],
    }
    without = imported("mtrag_rewrite", *sources[:2], target="less/v1")
    assert set(without.questions) == {"a<::>1", "b<::>3"}, "a smaller pool keeps fewer"


def test_the_three_forms_are_question_history_and_standalone(imported, sources):
    found = imported("mtrag_rewrite", *sources).questions
    one = found["b<::>3"]
    assert (one.question, one.standalone, one.category) == ("那满一年呢？", "入职满一年有几天年假？", "follow_up")
    assert [(turn.role, turn.content) for turn in one.history] == [("user", "年假怎么算？"), ("user", "转正以后算吗")]
    assert found["c<::>2"].question == "每分钟\n多少次", "a turn may have lines"
    first = found["a<::>1"]
    assert (first.history, first.standalone, first.category, first.split) == ((), None, "first_turn", "test")


def test_passages_of_both_pools_are_documents_once(imported, sources):
    found = imported("mtrag_rewrite", *sources)
    assert set(found.documents) == {f"docs/{name}.txt" for name in ("p-1", "p-2", "p-3", "p-4")}
    assert found.documents["docs/p-2.txt"].text.startswith("Backups run at 02:00"), "the first pool counts"
    assert found.reasons("noted") == {"in two pools, with other words in the second: once": ["p-2"]}
    groups = found.questions["a<::>1"].groups
    assert [sorted(item.doc_id for item in group.items) for group in groups] == [["docs/p-2.txt", "docs/p-3.txt"]]
    assert all(item.whole for group in groups for item in group.items)


def test_turns_that_do_not_end_with_the_question_are_told(imported, sources, written):
    last = [
        {"_id": "b<::>3", "text": "|user|: 别的问题"},
        {"_id": "a<::>1", "text": told(FORMS["a<::>1"][0])},
        {"_id": "x"},
    ]
    written("asked/docs/docs_lastturn.jsonl", lines(last))
    found = imported("mtrag_rewrite", *sources)
    assert set(found.questions) == {"a<::>1"}
    assert found.reasons("rejected") == {"its turns do not end with its last turn": ["b<::>3"]}
    assert len(found.reasons("unread")) == 2, "a line without text, and a passage without"


def test_other_sources_are_refused_in_one_line(imported, sources, written):
    asked, pool, _ = sources
    with pytest.raises(DataError, match="no pool"):
        imported("mtrag_rewrite", asked)
    with pytest.raises(DataError, match="--collection weather"):
        imported("mtrag_rewrite", *sources, collection="weather")
    with pytest.raises(DataError, match="lastturn"):
        imported("mtrag_rewrite", pool, pool)
    with pytest.raises(DataError, match="beir/docs"):
        imported("mtrag_rewrite", asked, asked)
    with pytest.raises(DataError, match="documents and tasks"):
        imported("mtrag_rewrite", asked, written("odd.json", [1]))
    with pytest.raises(DataError, match="no passage of docs"):
        imported("mtrag_rewrite", asked, written("none.json", {"documents": [], "tasks": []}))
