"""Import of a test set that RAGAS made."""

import csv
import io
import json

import pytest

from ragbench.errors import DataError, Problems

LEAVE, PORT, WINDOW = (
    "工作满一年后，每年有五天年假。",
    "The service listens on port 8443.",
    "发布窗口 release window 是周二。",
)
SAMPLES = [
    {"user_input": "我能歇多久？", "reference_contexts": [LEAVE], "reference": "五天。", "synthesizer_name": "single_hop_specific_query_synthesizer", "retrieved_contexts": ["x"], "response": "y"},
    {"user_input": "Which port, and when is it released?", "reference_contexts": [f"<1-hop>\n\n{PORT}", f"<2-hop>\n\n{WINDOW}"], "reference": "8443, Tuesday.", "synthesizer_name": "multi_hop_abstract_query_synthesizer", "persona_name": "Ops"},
    {"user_input": "release window 是哪天？", "reference_contexts": [WINDOW], "reference": "周二"},
]  # fmt: skip


@pytest.fixture
def docs(written):
    written("docs/休假.md", f"# 休假\n\n{LEAVE}\n")
    written("docs/port.md", f"# Port\n\n{PORT}\n")
    return written("docs/mixed.md", f"# 发布\n\n{WINDOW}\n").parent


def as_jsonl(samples):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in samples)


def as_csv(samples):
    """As pandas writes it: lists by their repr, missing cells empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in samples for name in row)))
    writer.writeheader()
    writer.writerows(samples)
    return out.getvalue()


FORMS = {"jsonl": as_jsonl, "json": lambda samples: json.dumps(samples), "csv": as_csv}


@pytest.mark.parametrize("form", FORMS)
def test_contexts_are_found_in_the_documents(imported, written, docs, form):
    found = imported("ragas", docs, written(f"testset.{form}", FORMS[form](SAMPLES)))
    asked = list(found.questions.values())
    assert [question.question for question in asked] == [row["user_input"] for row in SAMPLES]
    quotes = [found.quotes(name) for name in found.questions]
    assert quotes == [[[LEAVE]], [[PORT], [WINDOW]], [[WINDOW]]]
    assert [(one.language, one.category, one.reference) for one in asked] == [
        ("zh", "lookup", "五天。"), ("en", "multi_hop", "8443, Tuesday."), ("mixed", "lookup", "周二"),
    ]  # fmt: skip
    assert asked[1].metadata == {"synthesizer_name": SAMPLES[1]["synthesizer_name"], "persona_name": "Ops"}
    assert found.reasons("noted") == {"what a system retrieved or answered is left out": [f"testset.{form}: 1 rows"]}


def test_columns_of_older_versions(imported, written, docs):
    row = {
        "question": "Which port?",
        "contexts": [PORT],
        "ground_truth": "8443",
        "evolution_type": "simple",
        "metadata": [],
    }
    found = imported("ragas", docs, written("old.jsonl", as_jsonl([row])))
    (question,) = found.questions.values()
    assert (found.quotes(question.id), question.reference, question.metadata) == (
        [[PORT]], "8443", {"synthesizer_name": "simple"},
    )  # fmt: skip


def test_what_cannot_be_placed_is_told_at_once(imported, written, docs):
    rows = [
        *SAMPLES,
        {"user_input": "无处可寻？", "reference_contexts": ["文档里没有的一句话在此。"], "reference": "无"},
        {"user_input": "Half found?", "reference_contexts": [PORT, "Nowhere to be seen in any document."]},
        {"user_input": "No evidence?", "retrieved_contexts": [PORT], "reference": "x"},
        {"user_input": [{"content": "hi", "type": "human"}], "reference": "x"},
        {"user_input": "Odd?", "reference_contexts": [5]},
        "not an object",
    ]
    found = imported("ragas", docs, written("t.jsonl", as_jsonl(rows)))
    assert len(found.questions) == len(SAMPLES)
    rejected = found.reasons("rejected")
    assert sorted(label for labels in rejected.values() for label in labels) == [
        "line 6", "line 7", "line 8", "line 9", "line-4", "line-5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.json", '{"user_input": "q"}', "expected a JSON list"),
        ("t.json", "[", "expected a JSON list"),
        ("t.csv", 'user_input,reference\n"open', "expected CSV"),
        ("t.jsonl", '{"prompt": "q"}\n', "expected a column of questions"),
    ],
)
def test_another_file_is_one_line(imported, written, docs, name, text, words):
    with pytest.raises(DataError, match=words):
        imported("ragas", docs, written(name, text))


@pytest.mark.parametrize("text", ["[" * 5000, "[__import__('os').getcwd()]", "[unclosed"])
def test_a_cell_that_is_no_list_is_only_a_text(imported, written, docs, text):
    table = written("t.csv", as_csv([{"user_input": "q?", "reference_contexts": text, "reference": "x"}]))
    with pytest.raises(Problems, match="no questions"):
        imported("ragas", docs, table)
