"""Import of chunking_evaluation's corpora and spans."""

import csv
import io
import json

import pytest

from ragbench.errors import DataError

TEXTS = {
    "logs": "The Petrel left port at dawn.  \n\n\n\nHer captain wrote a note. The engine failed at noon. The engine failed at noon.",
    "海事": "海燕号凌晨离港。 \n\n\n\n船长写了 一张便条。机器在中午坏了。",
}


def span(corpus: str, quote: str, shift: int = 0) -> dict[str, object]:
    start = TEXTS[corpus].find(quote) + shift
    return {"content": quote, "start_index": start, "end_index": start + len(quote)}


ROWS = [
    ("When did she leave?", [span("logs", "left port at dawn")], "logs"),
    ("Who wrote, and what failed?", [span("logs", "captain wrote a note"), span("logs", "engine failed at noon. The")], "logs"),
    ("谁写了便条？", [span("海事", "船长写了 一张便条", 2)], "海事"),
    ("机器 engine 怎么了？", [span("海事", "机器在中午坏了")], "海事"),
    ("Repeated at a wrong offset?", [span("logs", "The engine failed at noon.", 5)], "logs"),
    ("Second of two?", [{"content": "The engine failed at noon.", "start_index": 88, "end_index": 114}], "logs"),
    ("Not there?", [span("logs", "left port at dawn"), {"content": "at night", "start_index": 3, "end_index": 11}], "logs"),
    ("Length?", [{"content": "left port at dawn", "start_index": 11, "end_index": 20}], "logs"),
    ("Text?", [{"content": "The engine failed", "start_index": "88", "end_index": 105}], "logs"),
    ("No corpus?", [span("logs", "dawn")], "pubmed"),
    ("Trick?", [span("logs", "dawn")], "../logs"),
    ("Empty?", [], "logs"),
]  # fmt: skip


def table(rows=ROWS, header=("question", "references", "corpus_id")) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows((question, json.dumps(references), corpus) for question, references, corpus in rows)
    return out.getvalue()


@pytest.fixture
def folder(written):
    for name, text in TEXTS.items():
        written(f"corpora/{name}.md", text)
    return written("questions_df.csv", table()).parent


def test_spans_stay_where_they_are_after_normalisation(imported, folder):
    assert TEXTS["logs"][88:114] == "The engine failed at noon."
    found = imported("chunking_evaluation", folder)
    assert found.documents["logs.md"].text != TEXTS["logs"]
    assert found.quotes("logs-0000") == [["left port at dawn"]]
    assert found.quotes("logs-0001") == [["captain wrote a note"], ["engine failed at noon. The"]]
    assert found.quotes("海事-0002") == [["船长写了 一张便条"]]
    assert found.quotes("海事-0003") == [["机器在中午坏了"]]
    text = found.documents["logs.md"].text
    second = found.questions["logs-0005"].groups[0].items[0]
    assert second.start == text.rfind("The engine failed at noon.")
    assert [q.category for q in found.questions.values()] == [
        "lookup",
        "multi_hop",
        "lookup",
        "lookup",
        "lookup",
        "lookup",
    ]
    assert [q.language for q in found.questions.values()] == ["en", "en", "zh", "mixed", "en", "en"]


def test_repairs_and_rejections_are_told_by_row(imported, folder):
    found = imported("chunking_evaluation", folder)
    assert found.reasons("repaired") == {
        "wrong offset: moved to the only place of its text": ["海事-0002", "logs-0007"]
    }
    assert found.reasons("rejected") == {
        "wrong offset, and the quote stands at several places": ["logs-0004", "logs-0008"],
        "wrong offset, and the quote is not in the document": ["logs-0006"],
        "its corpus is not among the corpora": ["row 10: “pubmed”"],
        "its corpus_id cannot be a file name": ["row 11: “../logs” leaves the corpus folder"],
        "it has no references": ["row 12"],
    }


def test_folder_and_table_may_be_given_apart(imported, folder):
    found = imported("chunking_evaluation", folder / "corpora", folder / "questions_df.csv")
    assert len(found.questions) == 6


def test_corpora_that_cannot_be_read_are_said(imported, folder, written, tmp_path):
    written("corpora/gb.md", "海燕".encode("gb18030"))
    written("corpora/notes.pdf", "x")
    (folder / "corpora" / "link.md").symlink_to(tmp_path)
    found = imported("chunking_evaluation", folder)
    assert set(found.documents) == {"logs.md", "海事.md"}
    assert list(found.reasons("unread")) == [
        "a corpus that cannot be read",
        "a link that leaves the corpus folder",
        "no corpus (.md or .txt)",
    ]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "questions_df.csv").unlink(), "questions_df.csv: expected a folder with"),
        (lambda folder: (folder / "questions_df.csv").write_bytes(b""), "found an empty file"),
        (lambda folder: (folder / "questions_df.csv").write_bytes("问题".encode("gb18030")), "expected UTF-8"),
        (lambda folder: (folder / "questions_df.csv").write_text(table(header="abc")), "expected the columns question"),
        (lambda folder: (folder / "corpora").rename(folder / "other"), "corpora: expected a folder with"),
    ],
)
def test_another_kind_of_source_is_one_line(imported, folder, damage, words):
    damage(folder)
    with pytest.raises(DataError) as error:
        imported("chunking_evaluation", folder)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
