"""Where a piece of evidence was lost on its way into the context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragbench.eval_set.align import TAU
from ragbench.eval_set.coverage import Fate
from ragbench.measure.case import Case
from ragbench.measure.view import RankedView
from ragbench.records.trace import TraceStep

WHOLE = 0.9
"""Share of a piece of evidence that one chunk must hold for it not to be cut, and the context for it to be whole: a
closing sign or a word of its border may be missing."""

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


def lost_groups(case: Case, recall_k: int, k: int, tau: float = TAU, chunks_known: bool = True) -> list[LostGroup]:
    """Evidence groups of which less than `tau` is in the final context (or, where none is packed, in the first k
    ranks), and the layer that lost each.

    Asked backwards, so that a layer is blamed only for what reached it: was it among the first k of the final ranking
    (`packed_out`), or of the ranking before reranking (`ranked_out`)? Could the question as typed have recalled it
    (`query`)? Does a chunk hold it (`chunk_cut`)? Was it among the first `recall_k` before reranking (`ranked_out`)?
    If not, it was not found (`not_recalled`), unless the query lost a number of it. Empty for a question without
    evidence. Where only retrieved chunks are known (`chunks_known`), whether one holds it is not asked.
    """
    trace = case.trace
    if case.evidence.n_groups == 0 or trace is None:
        return []
    before, after = _ranks(case, case.fused, tau), _ranks(case, case.reranked, tau)
    context = trace.context
    packed = [0 < rank <= k for rank in after] if context is None else case.evidence.satisfied(context.blocks, tau)
    lost: list[LostGroup] = []
    for group, name in enumerate(case.evidence.group_names):
        if packed[group]:
            continue
        if 0 < after[group] <= k:
            loss, why = Loss.PACKED_OUT, f"final rank {after[group]}, not in the context"
        elif 0 < before[group] <= k:
            loss, why = Loss.RANKED_OUT, _moved(before[group], after[group])
        else:
            ranks, cuts = (before[group], after[group]), (recall_k, k)
            loss, why = _before_the_cut(case, group, ranks, cuts, tau, chunks_known)
        lost.append(LostGroup(name, loss, why))
    return lost


def _before_the_cut(
    case: Case, group: int, ranks: tuple[int, int], cuts: tuple[int, int], tau: float, chunks_known: bool
) -> tuple[Loss, str]:
    """The layer that lost a group which neither ranking has among its first k."""
    before, after = ranks
    recall_k, k = cuts
    if chunks_known and case.fates[group] is Fate.UNREACHABLE:
        return Loss.CHUNK_CUT, "no chunks cover it"
    recalled = 0 < before <= recall_k
    steps = case.trace.steps if case.trace is not None else ()
    spoilt = "" if recalled or not steps else _lost_by_query(case, steps[-1], group, recall_k, tau)
    if spoilt:
        return Loss.QUERY, spoilt
    held = _best_held(case, group) if chunks_known else 1.0
    if held < WHOLE:
        return Loss.CHUNK_CUT, f"no single chunk holds more than {held:.0%} of it"
    if recalled:
        return Loss.RANKED_OUT, f"final rank {after}, beyond k {k}" if after else "dropped by the reranker"
    if before:
        return Loss.NOT_RECALLED, f"in the pool at rank {before}, beyond recall_k {recall_k}"
    found = [route for route in _routes(steps) if _found(case, steps[-1], group, route, tau)]
    return Loss.NOT_RECALLED, f"in the list of {', '.join(found)} only" if found else "in no list"


def _moved(before: int, after: int) -> str:
    return f"moved from rank {before} to {after}" if after else f"at rank {before}, dropped by the reranker"


def _ranks(case: Case, view: RankedView, tau: float) -> Sequence[int]:
    """The rank that satisfied each group (0: never)."""
    if tau == TAU or case.evidence.by_document:
        return view.ranks
    return case.evidence.first_ranks(view.touching, (tau,))[0]


def _best_held(case: Case, group: int) -> float:
    """The largest share of the group, in [0, 1], that some chunk holds by itself: in steps of a tenth, from below."""
    documents = dict.fromkeys(item.doc_id for item in case.question.groups[group].items)
    chunks = (chunk for doc_id in documents for chunk in case.corpus.by_document.get(doc_id, ()))
    spans = [chunk for _, chunk in case.evidence.touching(chunks)]
    held = 0.0
    for tenth in range(10, 0, -1):
        if any(case.evidence.satisfied((span,), tenth / 10)[group] for span in spans):
            held = tenth / 10
            break
    return held


def _lost_by_query(case: Case, step: TraceStep, group: int, recall_k: int, tau: float) -> str:
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
    if typed is not None and _satisfied(case, typed[:recall_k], group, tau):
        return "the question as typed finds it, what was made of it does not"
    lists = [number for one in step.route_lists if one.request in raw for number in one.chunks[:recall_k]]
    if raw and _satisfied(case, lists, group, tau):
        return "found with the question's own words, lost among the other query forms"
    asked = {word for word in _WITH_DIGIT.findall(case.question.question) if any(c.isdigit() for c in word)}
    kept = " ".join(request.text for request in step.requests)
    gone = sorted(word for word in asked if word not in kept)
    return f"no query form keeps {', '.join(gone)}" if gone else ""


def _satisfied(case: Case, numbers: Iterable[int], group: int, tau: float) -> bool:
    """Whether chunks, given by number, together satisfy a group."""
    return case.evidence.satisfied((case.corpus.chunks[number] for number in numbers), tau)[group]


def _routes(steps: tuple[TraceStep, ...]) -> list[str]:
    return list(dict.fromkeys(one.route for one in steps[-1].route_lists)) if steps else []


def _found(case: Case, step: TraceStep, group: int, route: str, tau: float) -> bool:
    numbers = [number for one in step.route_lists if one.route == route for number in one.chunks]
    return _satisfied(case, numbers, group, tau)
