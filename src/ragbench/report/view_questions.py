"""Everything that happened to each question, as compact plain data that the page draws when it is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragbench.compare.table import subject_of
from ragbench.eval_set.align import Evidence
from ragbench.records.document import Document
from ragbench.records.question import Question
from ragbench.records.score import ClaimVerdict, Verdict
from ragbench.records.trace import Answer, PackedContext, Trace
from ragbench.report import view_searched
from ragbench.report.chunk_texts import ChunkTexts, TextOf, place

__all__ = ["ChunkTexts", "TextOf", "details", "evidence_rows", "place", "scores_by_question"]

_ANSWER, _QUOTE, _NOTE, _AROUND = 6000, 1200, 240, 80


def details(
    question: Question, trace: Trace | None, verdict: Verdict | None, chunks: ChunkTexts, text_of: TextOf
) -> dict[str, Any]:
    """One question for the page: what was asked, searched, found, ranked, packed, answered and judged."""
    before = view_searched.ranks(trace.fused if trace else (), chunks)
    after = view_searched.ranks(trace.reranked if trace else (), chunks)
    reranked = bool(trace and trace.steps and trace.steps[-1].reranked is not trace.steps[-1].fused)
    context = trace.context if trace else None
    return {
        "id": question.id,
        "q": question.question,
        "meta": [question.category, question.difficulty, question.language, question.answerable, question.split],
        "history": [[turn.role, _cut(turn.content, _QUOTE)] for turn in question.history],
        "ref": _cut(question.reference, _ANSWER),
        "error": trace.error if trace else None,
        "query": view_searched.understood(trace),
        "searched": view_searched.searched(trace, question.question),
        "rounds": view_searched.rounds(trace, chunks),
        "before": before,
        "after": after if reranked else None,
        "lists": view_searched.lists(trace, chunks),
        "routes": view_searched.routes(trace, {row[0] for row in (*before, *after)}),
        "blocks": _blocks(context, chunks),
        "packed": _packed(context, chunks),
        "evidence": evidence_rows(question, trace, chunks, text_of),
        "answer": _answer(trace.answer if trace else None),
        "claims": [_claim(claim, context) for claim in verdict.claims] if verdict else [],
        "flagged": _flagged(trace.answer if trace else None, context),
        "judge": [verdict.judge, verdict.error] if verdict else None,
        "ms": {stage: round(ms, 2) for stage, ms in trace.timings_ms.items()} if trace else {},
    }


def evidence_rows(question: Question, trace: Trace | None, chunks: ChunkTexts, text_of: TextOf) -> list[dict[str, Any]]:
    """Each evidence group: its items with quotes, the rank that satisfied it before and after reranking (0: never), and
    whether the packed context holds it (None: nothing was packed)."""
    if not question.groups:
        return []
    documents = _documents(question, text_of)
    evidence = Evidence(question, documents)
    before = view_searched.first_ranks(evidence, [item.chunk for item in trace.fused] if trace else [], chunks)
    after = view_searched.first_ranks(evidence, [item.chunk for item in trace.reranked] if trace else [], chunks)
    routes = view_searched.route_ranks(evidence, trace, chunks)
    packed: Sequence[bool | None] = [None] * len(question.groups)
    if trace is not None and trace.context is not None:
        packed = evidence.satisfied(trace.context.blocks)
    return [
        {
            "name": group.name,
            "items": [
                [item.doc_id, item.start, item.end, item.whole, _quote(item.quote, item, documents)]
                for item in group.items
            ],
            "routes": [[route, ranks[number]] for route, ranks in routes.items()],
            "before": before[number],
            "after": after[number],
            "packed": packed[number],
        }
        for number, group in enumerate(question.groups)
    ]


def scores_by_question(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[list[Any]]]:
    """`[measure, status, value, why]` by question id; n/a is left out, `why` is given where a score is not perfect."""
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for row in rows:
        if row.get("kind", "question") != "question" or row.get("status") == "n/a":
            continue
        value = row.get("value")
        why = "" if value == 1 else _cut(str(row.get("evidence") or ""), _NOTE)
        found[subject_of(row)].append([row["measure"], row["status"], value, why])
    return found


def _documents(question: Question, text_of: TextOf) -> dict[str, Document]:
    """The documents of a question's evidence whose text is at hand and long enough to hold it."""
    found = {}
    for item in (item for group in question.groups for item in group.items):
        text = text_of(item.doc_id)
        if text is not None and item.end <= len(text):
            found[item.doc_id] = Document(item.doc_id, text, "", "")
    return found


def _quote(quote: str, item: Any, documents: Mapping[str, Document]) -> str:
    if not quote and not item.whole and item.doc_id in documents:
        quote = documents[item.doc_id].text[item.start : item.end]
    return _cut(quote, _QUOTE)


def _blocks(context: PackedContext | None, chunks: ChunkTexts) -> list[list[Any]] | None:
    if context is None:
        return None
    return [
        [
            block.citation,
            block.doc_id,
            list(block.chunks),
            block.tokens,
            block.start,
            block.end,
            chunks.use_block(block),
        ]
        for block in context.blocks
    ]


def _packed(context: PackedContext | None, chunks: ChunkTexts) -> dict[str, Any] | None:
    """Tokens, their budget, and each chunk that did not enter the context, or not whole, with the reason."""
    if context is None:
        return None
    dropped = [[one.chunk, one.reason] for one in context.dropped if chunks.use(one.chunk)]
    return {"tokens": context.tokens, "budget": context.budget, "dropped": dropped}


def _answer(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {
        "text": _cut(answer.text, _ANSWER),
        "refused": answer.refused,
        "clarifies": answer.clarifies,
        "reason": answer.reason,
        "confidence": answer.confidence,
        "cites": [[one.start, one.end, one.block] for one in answer.citations],
    }


def _claim(claim: ClaimVerdict, context: PackedContext | None) -> list[Any]:
    """Claim, verdict and score, the block that decides, and of it the sentence with what stands around it."""
    blocks = context.blocks if context is not None else ()
    text = next((block.text for block in blocks if block.citation == claim.block), "")
    before, found, after = text.partition(claim.sentence) if claim.sentence else ("", "", "")
    around = (before[-_AROUND:].lstrip(), after[:_AROUND].rstrip()) if found else ("", "")
    sentence = [around[0], _cut(claim.sentence, _QUOTE), around[1]]
    return [_cut(claim.claim, _QUOTE), claim.state.value, claim.score, claim.block, sentence]


def _flagged(answer: Answer | None, context: PackedContext | None) -> dict[str, Any] | None:
    """What the check before the answer left found unsupported, of how many claims; None where nothing was checked."""
    found = answer.grounding if answer is not None else None
    if found is None:
        return None
    verdicts = [_claim(one, context) for one in found.verdicts]
    untold: list[list[Any]] = [[_cut(text, _QUOTE), None, None, None, ["", "", ""]] for text in found.unsupported]
    return {"of": found.claims, "claims": verdicts or untold}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
