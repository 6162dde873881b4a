"""Fails when packing, quoting or judging gives something else without a new VERSION."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragbench.core.codec import read_json
from ragbench.core.rows import to_row
from ragbench.core.workers import Tools
from ragbench.generator.extractive import ExtractiveGenerator
from ragbench.judge.offline import OfflineJudge
from ragbench.packer.relevance import RelevancePacker
from ragbench.packer.tokens import estimate_tokens
from ragbench.query.rules import RuleClassifier
from ragbench.records.document import Chunk, Document
from ragbench.records.question import Question
from ragbench.records.search import Ranked
from ragbench.records.trace import Answer
from tests.unit.generator.fakes import NO_POLICY, WordEmbedder
from tests.unit.packer.making import packer

EXPECTED = Path(__file__).with_name("answer.json")
TEXT = {
    "zh.md": "# 休假\n\n正式员工每年享有十天带薪年假。未休完的年假不得结转。\n\n| 级别 | 房价 |\n|---|---|\n| P6 | 500 元 |\n| P7 | 800 元 |\n",
    "en.md": "# Trial\n\nThe trial lasts 30 days and needs no licence. Logs are kept for 14 days.\n\nSteps to replay:\n- stop the reader\n- reset the cursor\n",
}
QUESTIONS = {
    "days": ("年假有多少天？", "十天带薪年假。"),
    "row": ("P7 房价多少", "800 元。"),
    "both": ("How long is the trial and how long are logs kept?", "30 days; logs for 14 days."),
    "steps": ("steps to replay 怎么做", "Stop the reader, reset the cursor."),
}
ANSWERS = ("年假二十天。[1]", "The trial lasts sixty days. [2] Logs are kept for two weeks. [2]")


def outcome() -> dict[str, Any]:
    documents = {name: Document(name, text, "md", "sha256:0", title=name) for name, text in TEXT.items()}
    chunks = []
    for name, text in TEXT.items():
        middle = text.index("\n\n", 20)
        for start, end in ((0, middle), (middle + 2, len(text)), (4, 12)):
            number = len(chunks)
            chunks.append(
                Chunk(f"{name}#{number}", number, name, start, end, text[start:end], text[start:end], ("标题",))
            )
    ranking = tuple(Ranked(number, 1 - rank / 10, rank) for rank, number in enumerate([1, 3, 0, 4, 2, 5], 1))
    stage = packer(RelevancePacker, budget=200, show_headings="trail")
    context = stage.pack(ranking, chunks, documents, estimate_tokens)
    tools = Tools(None, WordEmbedder())  # type: ignore[arg-type]
    rows: dict[str, Any] = {"context": to_row(context), "rules": {}, "answers": {}, "verdicts": {}}
    with OfflineJudge(semantic=False).open(tools) as judge:
        for name, (text, reference) in QUESTIONS.items():
            question = Question(name, text, reference=reference)
            rows["rules"][name] = to_row(RuleClassifier(short=25).classify(text).view())
            for scorer in ("lexical", "maxsim"):
                stage = ExtractiveGenerator(scorer=scorer, max_sentences=2, refuse_below=0.0, **NO_POLICY)  # type: ignore[arg-type]
                with stage.open(tools) as generator:
                    answer = generator.answer(question, context)
                rows["answers"][f"{name} {scorer}"] = to_row(answer)
            rows["verdicts"][name] = to_row(judge.judge(question, context, answer))
        for text in ANSWERS:
            rows["verdicts"][text] = to_row(judge.judge(Question("x", "?"), context, Answer(text)))
    return rows


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and abs(one - other) < 1e-5
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize("part", ["context", "rules", "answers", "verdicts"])
def test_output_is_that_of_the_stated_versions(part: str) -> None:
    expected = read_json(EXPECTED)
    versions = {
        stage.__name__: stage.VERSION for stage in (RelevancePacker, ExtractiveGenerator, OfflineJudge, RuleClassifier)
    }
    assert expected["versions"] == versions, (
        "VERSION changed: write the file anew with python -m tests.golden.test_answer_golden"
    )
    found = outcome()[part]
    for name, value in expected[part].items():
        assert same(found[name], value), f"{name}: {found[name]} instead of {value}"


if __name__ == "__main__":
    from ragbench.core.codec import write_json

    stages = (RelevancePacker, ExtractiveGenerator, OfflineJudge, RuleClassifier)
    write_json(EXPECTED, {"versions": {stage.__name__: stage.VERSION for stage in stages}, **outcome()})
