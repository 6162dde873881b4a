"""The shipped recordings of answers: every pinned context is asked about as today's stage does, and replayed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from ragbench.assets import shipped
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.errors import UserError
from ragbench.eval_set.load import EvalSet, load_eval_set
from ragbench.eval_set.pinned import read_pinned
from ragbench.generator import chat_prompts
from ragbench.judge.claims import split_claims
from ragbench.llm.calls import ModelCalls
from ragbench.llm.cassettes import MissingEntry
from ragbench.llm.settings import CallSettings
from ragbench.pipeline import offline
from ragbench.query.base import asked
from ragbench.records.question import Question
from ragbench.records.trace import Answer, PackedContext
from ragbench.run.build import experiment
from ragbench.run.experiment import Experiment

SETS = ("policy_zh", "product_en")
N, UNANSWERABLE = 12, 2
CONTEXTS = {name: read_pinned(shipped("cassettes") / "contexts" / f"{name}.jsonl") for name in SETS}
PINNED = [(name, key) for name in SETS for key in CONTEXTS[name]]


@cache
def made(name: str) -> Experiment:
    return experiment([f"eval_set={name}", "generator=chat", "judge=llm", "llm=gguf"])


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[EvalSet, dict[str, str]]]:
    """The shipped sets with the texts of their documents."""
    store, found = Store(tmp_path_factory.mktemp("store")), {}
    for name in SETS:
        folder = made(name).source.folder()
        corpus = offline.load(folder / "corpus", made(name).loader, store)
        texts = {document.doc_id: document.text for document in corpus.documents}
        found[name] = load_eval_set(name, folder, corpus.documents), texts
    return found


@contextmanager
def opened(store: Path) -> Iterator[Tools]:
    """What a stage needs to replay the shipped recordings."""
    settings = CallSettings(mode="replay", cassettes=str(store / "none"))
    with ModelCalls(Store(store), settings) as models:
        yield Tools(Store(store), None, models)


def replayed(name: str, question: Question, context: PackedContext, store: Path) -> Answer | None:
    with opened(store) as tools, made(name).pipeline.generator.open(tools) as generator:
        return generator.answer(asked(question), context)


def question_of(sets: dict[str, tuple[EvalSet, dict[str, str]]], name: str, key: str) -> Question:
    return next(one for one in sets[name][0].questions if one.id == key)


@pytest.mark.parametrize("name", SETS)
def test_questions_of_both_kinds_are_pinned_with_the_texts_of_their_documents(sets, name: str) -> None:
    questions = [question_of(sets, name, key) for key in CONTEXTS[name]]
    assert len(questions) == N
    assert sum(not one.answerable for one in questions) == UNANSWERABLE
    for context in CONTEXTS[name].values():
        assert context.blocks and context.tokens <= context.budget <= 700
        for block in context.blocks:
            assert sets[name][1][block.doc_id][block.start : block.end] == block.text


@pytest.mark.parametrize(("name", "key"), PINNED)
def test_a_pinned_context_has_a_recorded_answer(sets, tmp_path: Path, name: str, key: str) -> None:
    context = CONTEXTS[name][key]
    try:
        answer = replayed(name, question_of(sets, name, key), context, tmp_path)
    except UserError as error:
        assert "expected an answer" in str(error), "a recorded reply of no use, which fails as it did"
        return
    assert answer is not None and answer.text.strip()
    assert answer.refused or answer.reason == ""
    passages = {block.citation: (block.doc_id, block.start, block.end) for block in context.blocks}
    for one in answer.citations:
        assert one.block is None or passages[one.block] == (one.doc_id, one.doc_start, one.doc_end)


@pytest.mark.parametrize(("name", "key"), PINNED)
def test_a_recorded_answer_has_a_recorded_verdict(sets, tmp_path: Path, name: str, key: str) -> None:
    question, context = question_of(sets, name, key), CONTEXTS[name][key]
    try:
        answer = replayed(name, question, context, tmp_path)
    except UserError:
        return  # nothing to judge
    assert answer is not None
    with opened(tmp_path) as tools, made(name).judge.open(tools) as judge:
        verdict = judge.judge(question, context, answer)
    assert "cassettes" not in (verdict.error or "")
    claims = () if answer.refused else split_claims(answer.text)  # a question asked back claims nothing
    assert verdict.error or len(verdict.claims) == len(claims)
    assert {one.block for one in verdict.claims} <= {None, *(block.citation for block in context.blocks)}


def test_most_answers_are_there_and_most_of_them_cite(sets, tmp_path: Path) -> None:
    answers = [replayed(name, question_of(sets, name, key), CONTEXTS[name][key], tmp_path) for name, key in PINNED]
    said = [one for one in answers if one is not None and not one.refused]
    assert len(said) >= len(PINNED) // 2
    assert sum(bool(one.citations) for one in said) >= len(said) // 2


def test_a_changed_prompt_misses_its_recording_by_name(sets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(chat_prompts._TASK["strict"], "zh", "回答。")
    monkeypatch.setattr(chat_prompts, "VERSION", 99)
    name, key = PINNED[0]
    with pytest.raises(MissingEntry, match=r"generator call \(prompt answer_strict/99\)"):
        replayed(name, question_of(sets, name, key), CONTEXTS[name][key], tmp_path)
