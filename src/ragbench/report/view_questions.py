"""Everything that happened to each question, as compact plain data that the page draws when it is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.compare.table import subject_of
from ragbench.eval_set.align import Evidence
from ragbench.records.document import DocSpan, Document
from ragbench.records.question import Question
from ragbench.records.score import ClaimVerdict, Verdict
from ragbench.records.trace import Answer, PackedContext, Trace

TextOf = Callable[[str], str | None]
SHOWN = 10
"""Ranks shown of each list."""

_ANSWER, _QUOTE, _NOTE, _AROUND = 6000, 1200, 240, 80
_ROUTE_DEPTH = 100
_FIRST = 3


@dataclass
class ChunkTexts:
    """The chunks that some question shows, each once.

    `places` maps a chunk number to `(document, start, end, headings)`.
    """

    places: Sequence[tuple[str, int, int, tuple[str, ...]]]
    used: dict[int, None] = field(default_factory=dict)

    def use(self, number: int) -> bool:
        """Note that a chunk is shown; False for a number that is no chunk."""
        if not 0 <= number < len(self.places):
            return False
        self.used.setdefault(number)
        return True

    def rows(self, text_of: TextOf, budget: int = 16_000_000, most: int = 6000) -> list[dict[str, Any]]:
        """One row a chunk shown: where it lies and its text, shortened so that all texts together keep to the budget.

        A text that is not at hand is None.
        """
        limit = max(200, min(most, budget // max(1, len(self.used))))
        rows = []
        for number in self.used:
            doc_id, start, end, headings = self.places[number]
            whole = text_of(doc_id)
            text = whole[start:end] if whole is not None else None
            cut = text is not None and len(text) > limit
            rows.append(
                {"n": number, "d": doc_id, "s": start, "e": end, "h": list(headings[-3:])}
                | {"t": text[:limit] if text is not None else None, "c": cut}
            )
        return rows


def place(row: Any) -> tuple[str, int, int, tuple[str, ...]]:
    """Document, interval and headings of a row of chunks.jsonl.gz."""
    return str(row["doc_id"]), int(row["start"]), int(row["end"]), tuple(row.get("headings") or ())


def details(
    question: Question, trace: Trace | None, verdict: Verdict | None, chunks: ChunkTexts, text_of: TextOf
) -> dict[str, Any]:
    """One question for the page: what was asked, searched, found, ranked, packed, answered and judged."""
    before = _ranks(trace.fused if trace else (), chunks)
    after = _ranks(trace.reranked if trace else (), chunks)
    reranked = bool(trace and trace.steps and trace.steps[-1].reranked is not trace.steps[-1].fused)
    context = trace.context if trace else None
    return {
        "id": question.id,
        "q": question.question,
        "meta": [question.category, question.difficulty, question.language, question.answerable, question.split],
        "history": [[turn.role, _cut(turn.content, _QUOTE)] for turn in question.history],
        "ref": _cut(question.reference, _ANSWER),
        "error": trace.error if trace else None,
        "searched": [request.text for request in trace.steps[-1].requests] if trace and trace.steps else [],
        "rounds": _rounds(trace, chunks),
        "before": before,
        "after": after if reranked else None,
        "routes": _routes(trace, {row[0] for row in (*before, *after)}),
        "blocks": _blocks(context, chunks),
        "packed": _packed(context, chunks),
        "evidence": evidence_rows(question, trace, chunks, text_of),
        "answer": _answer(trace.answer if trace else None),
        "claims": [_claim(claim, context) for claim in verdict.claims] if verdict else [],
        "flagged": _flagged(trace.answer if trace else None, context),
        "judge": [verdict.judge, verdict.error] if verdict else None,
        "ms": {stage: round(ms, 2) for stage, ms in trace.timings_ms.items()} if trace else {},
    }


def _rounds(trace: Trace | None, chunks: ChunkTexts) -> list[dict[str, Any]]:
    """What each of several rounds searched, found first, and answered to its own question; none for a single one."""
    rounds = trace.rounds if trace is not None else ()
    if len(rounds) < 2:
        return []
    return [
        {
            "searched": [_cut(request.text, _NOTE) for request in step.requests],
            "found": [item.chunk for item in step.reranked[:_FIRST] if chunks.use(item.chunk)],
            "answer": _cut(step.answer.text, _NOTE) if step.answer is not None else None,
            "note": _cut(step.note, _NOTE),
        }
        for step in rounds
    ]


def evidence_rows(question: Question, trace: Trace | None, chunks: ChunkTexts, text_of: TextOf) -> list[dict[str, Any]]:
    """Each evidence group: its items with quotes, the rank that satisfied it before and after reranking (0: never), and
    whether the packed context holds it (None: nothing was packed)."""
    if not question.groups:
        return []
    documents = _documents(question, text_of)
    evidence = Evidence(question, documents)
    before = _first_ranks(evidence, [item.chunk for item in trace.fused] if trace else [], chunks)
    after = _first_ranks(evidence, [item.chunk for item in trace.reranked] if trace else [], chunks)
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


def _first_ranks(evidence: Evidence, numbers: Sequence[int], chunks: ChunkTexts) -> list[int]:
    distinct = [number for number in dict.fromkeys(numbers) if 0 <= number < len(chunks.places)]
    spans = [DocSpan(*chunks.places[number][:3]) for number in distinct]
    return evidence.first_ranks(enumerate(spans, 1))[0]


def _ranks(ranking: Sequence[Any], chunks: ChunkTexts) -> list[list[Any]]:
    return [
        [item.chunk, round(float(item.score), 4), item.former] for item in ranking[:SHOWN] if chunks.use(item.chunk)
    ]


def _routes(trace: Trace | None, shown: set[int]) -> dict[str, list[list[Any]]]:
    """`[route, best rank]` of each chunk shown."""
    best: dict[int, dict[str, int]] = defaultdict(dict)
    for found in trace.steps[-1].route_lists if trace and trace.steps else ():
        for rank, chunk in enumerate(found.chunks[:_ROUTE_DEPTH], 1):
            if chunk in shown:
                ranks = best[chunk]
                ranks[found.route] = min(rank, ranks.get(found.route, rank))
    return {str(chunk): [[route, rank] for route, rank in ranks.items()] for chunk, ranks in best.items()}


def _blocks(context: PackedContext | None, chunks: ChunkTexts) -> list[list[Any]] | None:
    if context is None:
        return None
    for block in context.blocks:
        for number in block.chunks:
            chunks.use(number)
    return [
        [block.citation, block.doc_id, list(block.chunks), block.tokens, block.start, block.end]
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
