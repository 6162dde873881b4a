from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from ragbench.agreement import planted_answers as module
from ragbench.agreement.planted_answers import SETS, planted_answers
from ragbench.assets import shipped
from ragbench.core.codec import loads
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import Problems

KINDS = {
    "supported", "paraphrased", "number_swapped", "entity_swapped", "negated", "exaggerated", "true_unsupported",
    "partly_supported", "merged", "refusal", "empty", "off_topic",
}  # fmt: skip
ROWS = [loads(line) for line in module.shipped("answers.jsonl").splitlines()]


@pytest.fixture(scope="module")
def texts():
    return {
        name: {d.doc_id: d.text for d in CorpusLoader().load(shipped("eval_sets") / name / "v1/corpus").documents}
        for name in SETS
    }


def test_the_file_is_locked() -> None:
    content = module.shipped("answers.jsonl")
    assert module.shipped("LOCK").decode().strip() == f"sha256:{hashlib.sha256(content).hexdigest()}"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_kind_is_there_in_both_languages(language: str) -> None:
    counts = Counter(row["kind"] for row in ROWS if row["language"] == language)
    assert set(counts) == KINDS
    assert counts.total() >= 300
    assert all(n >= 15 for kind, n in counts.items() if kind != "empty")
    sheet = (Path(module.__file__).parent / "data" / "DATASHEET.md").read_text(encoding="utf-8")
    column = {"zh": 1, "en": 2}[language]
    told = {m[0]: int(m[column]) for m in re.findall(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", sheet, re.MULTILINE)}
    assert told == counts


def test_only_test_questions_are_used() -> None:
    split = {}
    for name in SETS:
        lines = (shipped("eval_sets") / name / "v1/questions.jsonl").read_text(encoding="utf-8").splitlines()
        split |= {row["id"]: row["split"] for row in map(loads, lines)}
    assert {split[row["group"]] for row in ROWS} == {"test"}


def test_passages_are_cut_from_the_shipped_documents(texts) -> None:
    found = planted_answers(texts.get)
    assert len(found.answers) == len(ROWS) == len({one.id for one in found.answers})
    assert all(one.passages and all(text.strip() for text in one.passages) for one in found.answers)
    for one in found.answers:
        assert one.claims_nothing == (one.supported is None)
        assert all(0 <= start < end <= len(one.answer) for start, end, _ in one.parts)
        assert bool(one.parts) == (one.kind == "partly_supported")


def test_a_number_swapped_answer_differs_from_its_reference_in_one_number(texts) -> None:
    for row in ROWS:
        if row["kind"] != "number_swapped":
            continue
        lines = (shipped("eval_sets") / row["set"] / "v1/questions.jsonl").read_text(encoding="utf-8").splitlines()
        reference = next(one["reference"] for one in map(loads, lines) if one["id"] == row["group"])
        assert re.sub(r"\d+", "#", row["answer"]) == re.sub(r"\d+", "#", reference)
        assert sum(a != b for a, b in zip(re.findall(r"\d+", row["answer"]), re.findall(r"\d+", reference))) == 1


def test_documents_read_otherwise_are_named_all_at_once(texts) -> None:
    first, second = SETS
    changed = {first: {name: "x" + text for name, text in texts[first].items()}, second: texts[second]}
    with pytest.raises(Problems) as raised:
        planted_answers(changed.get)
    assert len(raised.value.problems) == sum(row["set"] == first for row in ROWS)
