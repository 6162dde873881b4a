"""Import of conversations on BEIR passages, in English, Chinese and mixed."""

import json

import pytest

from ragbench.errors import DataError, Problems

PASSAGES = {
    "p-1-0": ("", "Backups run at 02:00 and are kept for 35 days."),
    "p-1-9": ("", "Backups run at 02:00  and are kept for 35 days."),
    "p-2-0": ("休假", "入职满一年享有五天年假。"),
    "p-3-0": ("Limits", "Limits: 调用 API 的上限是每分钟 60 次。"),
}
LABELS = ("answerability", "Question Type", "Multi-Turn")


def task(name, *turns, kind=("Factoid",), label="ANSWERABLE", contexts=(), reference="35 days.", **more):
    speakers = ("user", "agent")
    said = [{"speaker": speakers[at % 2], "text": text} for at, text in enumerate(turns)]
    row = {"task_id": name, "conversation_id": "c", "turn": str(len(turns)), "Collection": "ibmdocs", "input": said}
    row |= dict(zip(LABELS, ([label], list(kind), ["N/A"])))
    return row | {"contexts": [{"document_id": one} for one in contexts], "targets": [{"text": reference}]} | more


TASKS = (
    task("a<::>1", "How long are backups kept?", contexts=("p-1-0",)),
    task("b<::>3", "年假怎么算？", "满一年五天。", "那两年呢？", kind=("How-To", "Factoid"), contexts=("p-2-0",)),
    task("c<::>1", "API 上限 vs. 备份?", kind=("Explanation", "Comparative"), label="PARTIAL", contexts=("p-3-0",)),
    task("d<::>1", "Who founded it?", label="UNANSWERABLE", kind=("Opinion",)),
    task("e<::>1", "Which one?", label="UNDERSPECIFIED", contexts=("p-1-0", "p-2-0")),
    task("f<::>1", "Two facts?", kind=("Composite",), contexts=("p-1-0", "p-3-0")),
    task("g<::>1", "Nothing relevant?", contexts=()),
    task("h<::>1", "Lost passage?", contexts=("p-9-0",)),
    task("i<::>1", "Label?", label="MAYBE"),
    task("j<::>2", "Hello?", "Agent last."),
    task("k<::>1", "Other words?", kind=("Riddle",), contexts=("p-1-0",)),
    task("l<::>1", "No type?", kind=(), contexts=("p-1-0",)),
    task("m<::>1", "Elsewhere?", Collection="weather", contexts=("p-1-0",)),
    {"task_id": "n<::>1", "Collection": "ibmdocs", "input": []},
    {"task_id": "o<::>1", "Collection": "ibmdocs", "input": [{"speaker": "robot", "text": "?"}]},
    task("a<::>1", "Again?", contexts=("p-1-0",)),
    {"task_id": "q"},
)
QRELS = (
    ("a<::>1", "p-1-0", "1"), ("b<::>3", "p-2-0", "2"), ("b<::>3", "p-3-0", "0"), ("c<::>1", "p-3-0", "1"),
    ("f<::>1", "p-1-0", "1"), ("f<::>1", "p-3-0", "1"), ("f<::>1", "p-3-0", "1"), ("h<::>1", "p-9-0", "1"),
    ("k<::>1", "p-1-9", "1"), ("k<::>1", "p-1-0", "1"), ("l<::>1", "p-1-0", "1"), ("zz", "p-1-0", "1"),
)  # fmt: skip


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def folder(written):
    passages = [{"_id": name, "title": title, "text": text} for name, (title, text) in PASSAGES.items()]
    faulty = [{"_id": "../up", "text": "x"}, {"_id": "p-2-0", "text": "again"}, {"_id": "blank", "text": " "}, "x"]
    written("beir/docs/corpus.jsonl", lines([*passages, *faulty]) + "{\n")
    written("beir/docs/qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + "".join("\t".join(r) + "\n" for r in QRELS))
    written("beir/weather/corpus.jsonl", lines([{"_id": "p-1-0", "text": "It rains."}]))
    written("beir/weather/qrels/test.tsv", "m<::>1\tp-1-0\t1\r\n")
    return written("generation_tasks/reference.jsonl", lines(TASKS)).parents[1]


def documents(found, name):
    return [sorted(item.doc_id for item in group.items) for group in found.questions[name].groups]


def test_passages_are_documents_and_qrels_whole_documents(imported, folder):
    found = imported("mtrag", folder, collection="docs")
    assert set(found.documents) == {"docs/%2E.%2Fup.txt", *(f"docs/{name}.txt" for name in PASSAGES)}
    assert found.documents["docs/p-2-0.txt"].text == "休假\n\n入职满一年享有五天年假。"
    assert found.documents["docs/p-3-0.txt"].text.startswith("Limits: "), "a title that is there is not repeated"
    assert documents(found, "b<::>3") == [["docs/p-2-0.txt"]], "a score of 0 is no evidence"
    assert documents(found, "f<::>1") == [["docs/p-1-0.txt", "docs/p-1-9.txt"], ["docs/p-3-0.txt"]]
    assert all(item.whole for q in found.questions.values() for group in q.groups for item in group.items)
    assert documents(found, "k<::>1") == [["docs/p-1-0.txt", "docs/p-1-9.txt"]], "two of one text are one"


def test_the_last_turn_is_asked_and_the_others_are_its_history(imported, folder):
    found = imported("mtrag", folder, collection="docs")
    question = found.questions["b<::>3"]
    assert (question.question, question.language, question.reference) == ("那两年呢？", "zh", "35 days.")
    assert [(turn.role, turn.content) for turn in question.history] == [
        ("user", "年假怎么算？"),
        ("assistant", "满一年五天。"),
    ]
    assert question.standalone is None
    assert found.questions["c<::>1"].language == "mixed"
    assert found.questions["a<::>1"].history == ()


def test_labels_become_answerable_and_category(imported, folder):
    found = imported("mtrag", folder, collection="docs")
    told = {name[0]: (question.answerable, question.category) for name, question in found.questions.items()}
    assert told == {
        "a": (True, "lookup"),
        "b": (True, "procedure"),
        "c": (True, "comparison"),
        "d": (False, "negative"),
        "e": (False, "vague"),
        "f": (True, "multi_hop"),
        "k": (True, "riddle"),
        "l": (True, "lookup"),
    }
    metadata = found.questions["c<::>1"].metadata
    assert metadata["answerability"] == "PARTIAL"
    assert metadata["question_types"] == ["Explanation", "Comparative"]
    assert metadata["multi_turn"] == []


def test_each_defect_is_counted_by_name(imported, folder):
    found = imported("mtrag", folder, collection="docs")
    assert found.reasons("rejected") == {
        "an answerable question without evidence": ["g<::>1"],
        "the document of the evidence is not in the corpus": ["h<::>1"],
        "its answerability is none of ANSWERABLE, PARTIAL, UNANSWERABLE, UNDERSPECIFIED": ["i<::>1"],
        "its last turn is not the user's": ["j<::>2"],
        "it has no turns": ["n<::>1"],
        "a turn has no text, or a speaker other than user and agent": ["o<::>1"],
        "the id was used before": ["a<::>1"],
        "it names no collection of beir/": ["q"],
    }
    unread = found.reasons("unread")
    assert unread["a passage without text"] == ["corpus.jsonl line 7: blank"]
    assert unread["a line that is no JSON object"] == ["corpus.jsonl line 8", "corpus.jsonl line 9"]
    assert unread["a passage whose id was used before"] == ["corpus.jsonl line 6: p-2-0"]
    assert unread["qrels of no task"] == ["zz"]
    noted = found.reasons("noted")
    assert noted["passages are shown to a question that is not answerable: no evidence"] == ["e<::>1"]
    assert noted["the passages shown are not those of the qrels: the qrels count"] == ["k<::>1"]
    assert noted["evidence that is given twice is counted once"] == ["k<::>1"]


def test_one_collection_or_all(imported, folder):
    both = imported("mtrag", folder)
    assert documents(both, "m<::>1") == [["weather/p-1-0.txt"]], "ids of two collections do not meet"
    assert len(both.documents) == len(PASSAGES) + 2
    assert both.reasons("rejected")["it names no collection of beir/"] == ["q"]
    one = imported("mtrag", folder, collection="weather", target="weather/v1")
    assert list(one.questions) == ["m<::>1"]
    with pytest.raises(DataError, match="expected one of docs, weather, found no such folder"):
        imported("mtrag", folder, collection="../docs", target="other/v1")


def test_rewrites_stand_alone_where_their_task_is_there(imported, folder, written):
    rows = [{"_id": "b<::>3", "text": "|user|: 入职两年有几天年假？"}, {"_id": "b<::>3", "text": "twice"},
            {"_id": "zz<::>1", "text": "|user|: nobody asked"}, {"_id": "a<::>1", "text": " "}]  # fmt: skip
    found = imported("mtrag", folder, written("rewrites.jsonl", lines(rows)), collection="docs")
    assert found.questions["b<::>3"].standalone == "入职两年有几天年假？"
    assert found.questions["a<::>1"].standalone is None
    assert found.reasons("unread")["a rewrite of no task"] == ["zz<::>1"]
    assert len(found.reasons("unread")["a rewrite without id and text, or of a task that has one"]) == 2


def test_another_kind_of_source_is_one_line(imported, folder, written):
    with pytest.raises(DataError, match="no such folder"):
        imported("mtrag", folder / "generation_tasks")
    with pytest.raises(DataError, match="found a file"):
        imported("mtrag", folder / "generation_tasks" / "reference.jsonl")
    (folder / "beir" / "docs" / "qrels" / "test.tsv").write_text("a\tp\thigh\nb\tp\thigh\n")
    with pytest.raises(DataError, match=r"test\.tsv line 1"):
        imported("mtrag", folder, collection="docs")
    (folder / "beir" / "docs" / "qrels" / "test.tsv").unlink()
    with pytest.raises(DataError, match=r"found no \.tsv file"):
        imported("mtrag", folder, collection="docs")
    (folder / "generation_tasks" / "reference.jsonl").write_text("\n")
    with pytest.raises(Problems, match="qrels of no task"):
        imported("mtrag", folder, collection="weather")
    (folder / "generation_tasks" / "reference.jsonl").write_bytes(b"\xff\xfe{}")
    with pytest.raises(DataError, match="expected UTF-8"):
        imported("mtrag", folder, collection="weather")


def test_the_same_sources_give_the_same_bytes(imported, folder):
    first, second = (imported("mtrag", folder, collection="docs", target=f"{name}/v1") for name in "xy")
    names = ("questions.jsonl", "IMPORTED", "LOCK")
    assert all((first.report.folder / n).read_bytes() == (second.report.folder / n).read_bytes() for n in names)
