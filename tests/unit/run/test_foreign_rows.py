"""Lines of other systems' traces, and where their contexts stand in a corpus."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ragbench.core.fingerprint import text_hash
from ragbench.errors import RagbenchError
from ragbench.records.document import Document
from ragbench.records.question import Question
from ragbench.run.foreign_places import OUTSIDE, Places, chunks_of
from ragbench.run.foreign_rows import Context, ForeignRow, read_rows

ASKED = {"zh": "年假有几天？", "en": "How long are backups kept?", "mixed": "API Key 多久失效？"}
KNOWN = [Question(name, text, "lookup", language=name, answerable=True) for name, text in ASKED.items()]
TEXTS = {
    "手册.md": "# 年假\n\n员工每年有十天\n带薪年假。\n\n结转最多五天。",
    "guide.md": "Backups are kept\nfor 35 days.\n\nThen the oldest goes. See the guide.",
    "混合.md": "旧 Key 在 24 小时后失效，new key works at once. See the guide.",
}
DOCUMENTS = {name: Document(name, text, "md", text_hash(text)) for name, text in TEXTS.items()}


def rows_of(folder: Path, *lines: Any, raw: bytes | None = None) -> list[ForeignRow]:
    path = folder / "theirs.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_bytes(text.encode() if raw is None else raw)
    return read_rows(path, KNOWN)


@pytest.mark.parametrize("language", ASKED)
def test_a_line_is_read_by_id_or_wording_under_our_names_and_those_of_ragas(tmp_path: Path, language: str) -> None:
    wanted = (language, (Context(text="a"), Context(doc="d", start=0, end=3, score=0.5)), "因为 so", True)
    contexts = ["a", {"doc": "d", "start": 0, "end": 3, "score": 0.5}]
    ours = {"id": language, "contexts": contexts, "answer": "因为 so", "refused": True}
    theirs = {"user_input": f"  {ASKED[language]} ", "retrieved_contexts": contexts, "response": "因为 so", "refused": True}  # fmt: skip
    for line in (ours, theirs):
        (row,) = rows_of(tmp_path, "", line, "  ")
        assert (row.question_id, row.contexts, row.answer, row.refused) == wanted and row.where == "line 2"
    (row,) = rows_of(tmp_path, raw=b"\xef\xbb\xbf" + json.dumps(ours).encode() + b"\r\n")
    assert row.question_id == language


WRONG: list[tuple[Any, str]] = [
    ("{broken", "no JSON"),
    ("[]", "expected an object, found a list"),
    ({"contexts": []}, "expected id or question, found neither"),
    ({"id": "nobody \x1b[31m", "contexts": []}, "the set has no question nobody \\x1b[31m"),
    ({"question": "谁？", "contexts": []}, "the set has no question worded '谁？'"),
    ({"id": "zh"}, "expected contexts, a list, found none"),
    ({"id": "zh", "contexts": "text"}, "expected contexts, a list, found a text"),
    ({"id": "zh", "contexts": [], "answer": 3}, "expected answer, a text, found a number"),
    ({"id": "zh", "contexts": [], "refused": "yes"}, "expected refused, true or false, found a text"),
    ({"id": "zh", "contexts": [1]}, "contexts[0]: expected a text or an object, found a number"),
    ({"id": "zh", "contexts": ["a", {}]}, "contexts[1]: expected text or doc, found neither"),
    ({"id": "zh", "contexts": [{"doc": "d", "start": 1}]}, "contexts[0]: expected start and end together"),
    ({"id": "zh", "contexts": [{"doc": "d", "start": 3, "end": 3}]}, "contexts[0]: expected a doc with 0 <= start < end"),
    ({"id": "zh", "contexts": [{"text": "a", "start": 0, "end": 3}]}, "contexts[0]: expected a doc with"),
    ({"id": "zh", "contexts": [{"doc": "d", "score": True}]}, "contexts[0]: expected score, a number"),
]  # fmt: skip


def test_everything_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(RagbenchError) as raised:
        rows_of(tmp_path, {"id": "en", "contexts": []}, *(line for line, _ in WRONG), {"id": "en", "contexts": []})
    told = str(raised.value).split("\n")
    assert told[0].endswith(f"theirs.jsonl: {len(WRONG) + 1} problems")
    for number, (_, words) in enumerate(WRONG):
        assert f"line {number + 2}: {words}" in told[number + 1], words
    assert told[len(WRONG) + 1] == f"  - line {len(WRONG) + 2}: question en again, after line 1"
    assert str(raised.value).replace("\n", "").isprintable()


def test_many_problems_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    line = json.dumps({"id": "nobody", "contexts": []})
    started = time.perf_counter()
    with pytest.raises(RagbenchError) as raised:
        rows_of(tmp_path, *([line] * 100_000))
    assert time.perf_counter() - started < 5
    told = str(raised.value).split("\n")
    assert "100000 problems" in told[0] and len(told) == 22 and "99980 more" in told[-1]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "found an empty file"),
        (b"\n \n", "no line holds anything"),
        ('{"id": "zh", "contexts": ["年假"]}'.encode("gb18030"), "expected UTF-8"),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, raw: bytes, words: str) -> None:
    with pytest.raises(RagbenchError, match=words):
        rows_of(tmp_path, raw=raw)


@pytest.mark.parametrize(
    ("text", "doc"),
    [("结转最多五天。", "手册.md"), ("Then the oldest goes.", "guide.md"), ("24 小时后失效，new key", "混合.md")],
)
def test_a_text_is_found_where_it_stands(text: str, doc: str) -> None:
    finder = Places(DOCUMENTS)
    doc_id, start, end = finder.of(Context(text=text))  # type: ignore[misc]
    assert doc_id == doc and DOCUMENTS[doc].text[start:end] == text
    assert not finder.spaced and not finder.outside


@pytest.mark.parametrize("text", ["员工每年有十天 带薪年假。", "Backups are kept  for 35 days.", "旧Key在24小时后失效"])
def test_white_space_alone_may_differ(text: str) -> None:
    finder = Places(DOCUMENTS)
    doc_id, start, end = finder.of(Context(text=text))  # type: ignore[misc]
    assert "".join(DOCUMENTS[doc_id].text[start:end].split()) == "".join(text.split()) and finder.spaced == {text}


@pytest.mark.parametrize(
    "text", ["员工每年有十二天带薪年假。", "Backups are kept for 36 days.", "a\x00b", "goes.\x00# 年假"]
)
def test_a_text_that_is_nowhere_is_a_document_of_its_own(text: str) -> None:
    finder = Places(DOCUMENTS)
    doc_id, start, end = finder.of(Context(text=text))  # type: ignore[misc]
    assert doc_id.startswith(OUTSIDE) and (start, end) == (0, len(text)) and finder.outside[doc_id].text == text
    assert finder.of(Context(text=text)) == (doc_id, start, end) and len(finder.outside) == 1


def test_a_text_that_stands_twice_is_counted_and_its_document_may_say_which() -> None:
    finder = Places(DOCUMENTS)
    assert finder.of(Context(text="See the guide."))[0] == "guide.md" and finder.several == {"See the guide."}  # type: ignore[index]
    assert finder.of(Context(doc="混合.md", text="See the guide."))[0] == "混合.md"  # type: ignore[index]
    assert finder.of(Context(doc="nobody's.md", text="See the guide."))[0] == "guide.md"  # type: ignore[index]


def test_places_are_taken_and_checked() -> None:
    finder = Places(DOCUMENTS, {"id-1": "guide.md"})
    assert finder.of(Context(doc="id-1", start=0, end=7)) == ("guide.md", 0, 7)
    assert finder.of(Context(doc="guide.md")) == ("guide.md", 0, len(TEXTS["guide.md"]))
    assert finder.of(Context(text=" \n")) is None
    assert "no document 'x'" in str(finder.of(Context(doc="x")))
    assert "end 999 lies behind" in str(finder.of(Context(doc="guide.md", start=0, end=999)))
    moved = finder.of(Context(doc="guide.md", start=0, end=7, text="Then the oldest goes."))
    assert isinstance(moved, tuple) and moved[1] > 7, "the text decides where the two differ"


def test_chunks_are_numbered_in_the_order_of_the_documents() -> None:
    places = [("guide.md", 5, 9), ("手册.md", 0, 4), ("guide.md", 0, 7), ("guide.md", 0, 7)]
    chunks = chunks_of(places, DOCUMENTS)
    assert [(one.doc_id, one.start, one.number) for one in chunks] == [("手册.md", 0, 0), ("guide.md", 0, 1), ("guide.md", 5, 2)]  # fmt: skip
    assert all(one.text == TEXTS[one.doc_id][one.start : one.end] for one in chunks)
