"""Where a piece of evidence was lost on its way into the context."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ragbench.eval_set.coverage import Fate
from ragbench.measure.case import Case
from ragbench.records.trace import TraceStep

_WITH_DIGIT = re.compile(r"(?a:[\w][\w./+-]*)")


class Loss(StrEnum):
    """What became of a question: `ok` or the first layer that lost it. The classes partition the questions."""

    OK = "ok"
    CHUNK_CUT = "chunk_cut"
    QUERY = "query"
    NOT_RECALLED = "not_recalled"
    RANKED_OUT = "ranked_out"
    PACKED_OUT = "packed_out"
    UNUSED = "unused"
    INCOMPLETE = "incomplete"
    OFF_TOPIC = "off_topic"
    UNFAITHFUL = "unfaithful"
    FALSE_ANSWER = "false_answer"
    FALSE_REFUSAL = "false_refusal"
    CLARIFIED = "clarified"
    FAILED = "failed"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class LostGroup:
    """One evidence group that did not reach the context, the layer that lost it, and why."""

    group: str
    loss: Loss
    why: str


def lost_groups(case: Case, recall_k: int, k: int) -> list[LostGroup]:
    """Evidence groups that the final context (or, where none is packed, the first k ranks) does not satisfy.

    Layer by layer: among the first `recall_k` of the ranking before reranking? If not: no chunk holds it
    (`chunk_cut`), the
    query lost it (`query`), or it was not found (`not_recalled`). Among the first k of the final ranking
    (`ranked_out`)?
    In the context (`packed_out`)? Empty for a question without evidence.
    """
    n = case.evidence.n_groups
    trace = case.trace
    if n == 0 or trace is None:
        return []
    recalled = _within(case.fused.ranks, recall_k)
    ranked = _within(case.reranked.ranks, k)
    packed = case.packed if case.packed is not None else ranked
    lost: list[LostGroup] = []
    for group, name in enumerate(case.evidence.group_names):
        if packed[group]:
            continue
        if not recalled[group]:
            loss, why = _before_ranking(case, group, recall_k)
        elif not ranked[group]:
            at = case.reranked.ranks[group]
            loss, why = Loss.RANKED_OUT, f"final rank {at}, beyond k {k}" if at else "dropped by the reranker"
        else:
            loss, why = Loss.PACKED_OUT, f"final rank {case.reranked.ranks[group]}, not in the context"
        lost.append(LostGroup(name, loss, why))
    return lost


def _within(ranks: Iterable[int], k: int) -> list[bool]:
    return [0 < rank <= k for rank in ranks]


def _before_ranking(case: Case, group: int, recall_k: int) -> tuple[Loss, str]:
    if case.fates[group] is Fate.UNREACHABLE:
        return Loss.CHUNK_CUT, "no chunks cover it"
    if not _held_by_one_chunk(case, group):
        return Loss.CHUNK_CUT, "no single chunk holds enough of it"
    steps = case.trace.steps if case.trace is not None else ()
    if steps:
        why = _lost_by_query(case, steps[-1], group, recall_k)
        if why:
            return Loss.QUERY, why
    rank = case.fused.ranks[group]
    if rank:
        return Loss.NOT_RECALLED, f"in the pool at rank {rank}, beyond recall_k {recall_k}"
    found = [route for route in _routes(steps) if _found(case, steps[-1], group, route)]
    return Loss.NOT_RECALLED, f"in the list of {', '.join(found)} only" if found else "in no list"


def _held_by_one_chunk(case: Case, group: int) -> bool:
    """Whether some chunk by itself satisfies the group."""
    documents = dict.fromkeys(item.doc_id for item in case.question.groups[group].items)
    chunks = (chunk for doc_id in documents for chunk in case.corpus.by_document.get(doc_id, ()))
    return any(case.evidence.satisfied((chunk,))[group] for _, chunk in case.evidence.touching(chunks))


def _lost_by_query(case: Case, step: TraceStep, group: int, recall_k: int) -> str:
    """How query understanding lost the group; empty when it did not, or when that cannot be told from the trace.

    Told apart are: the question as typed, which was searched beside (`Trace.untransformed`), recalls the group while
    what was made of it does not; a list searched with the question's own words holds it while the fused ranking, with
    other query forms in it, does not; and a number or identifier of the question that no request kept.
    """
    own = {case.question.question.strip()}
    if case.question.standalone:
        own.add(case.question.standalone.strip())
    raw = {at for at, request in enumerate(step.requests) if request.text.strip() in own}
    if len(raw) == len(step.requests):
        return ""
    typed = case.trace.untransformed if case.trace is not None else None
    if typed is not None and _satisfied(case, typed[:recall_k], group):
        return "the question as typed finds it, what was made of it does not"
    lists = [number for one in step.route_lists if one.request in raw for number in one.chunks[:recall_k]]
    if raw and _satisfied(case, lists, group):
        return "found with the question's own words, lost among the other query forms"
    asked = {word for word in _WITH_DIGIT.findall(case.question.question) if any(c.isdigit() for c in word)}
    kept = " ".join(request.text for request in step.requests)
    gone = sorted(word for word in asked if word not in kept)
    return f"no query form keeps {', '.join(gone)}" if gone else ""


def _satisfied(case: Case, numbers: Iterable[int], group: int) -> bool:
    """Whether chunks, given by number, together satisfy a group."""
    return case.evidence.satisfied(case.corpus.chunks[number] for number in numbers)[group]


def _routes(steps: tuple[TraceStep, ...]) -> list[str]:
    return list(dict.fromkeys(one.route for one in steps[-1].route_lists)) if steps else []


def _found(case: Case, step: TraceStep, group: int, route: str) -> bool:
    return _satisfied(case, [number for one in step.route_lists if one.route == route for number in one.chunks], group)
