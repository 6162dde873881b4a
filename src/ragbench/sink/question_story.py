"""One question's whole way through a run, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbench.eval_set.align import FULL
from ragbench.measure.case import Case
from ragbench.records.score import ClaimVerdict
from ragbench.records.search import Hit, Ranked
from ragbench.records.trace import TraceStep
from ragbench.text.terminal import folded, one_line

WIDTH = 100
_HITS = 5
_HEAD = 11


def story(case: Case) -> Iterator[str]:
    """Lines of at most 100 columns: question, gold, forms searched, each route's hits, ranks before and after, context,
    answer and claims. `*` marks what holds evidence, and hits with evidence are shown however deep they stand."""
    question, trace = case.question, case.trace
    yield from _wrapped("question", f"{question.id} [{question.category}] {question.question}")
    for name, text in (("standalone", question.standalone), ("reference", question.reference)):
        if text:
            yield from _wrapped(name, text)
    for group in question.groups:
        for item in group.items:
            yield from _wrapped("evidence", f"{group.name}: {_quoted(case, item.doc_id, item.start, item.end)}")
    if trace is None:
        yield _line("trace", "absent from the run")
        return
    view = trace.query
    if view.complexity or view.text:
        read = f", read as: {view.text}" if view.text else ""
        yield from _wrapped("taken for", f"{view.complexity or 'no class'} (tier {view.tier or 'none'}){read}")
    for step in trace.steps:
        yield from _step(case, step)
    yield from _context(case)
    yield from _answer(case)


def _step(case: Case, step: TraceStep) -> Iterator[str]:
    for request in step.requests:
        form = f"{request.form}: " if request.form else ""
        yield from _wrapped("search", form + request.text)
    for one in step.route_lists:
        yield _line(one.route, f"{len(one.chunks)} hits for search {one.request + 1}")
        yield from _hits(case, one.hits)
    yield _line("fused", f"{len(step.fused)} chunks")
    yield from _hits(case, step.fused)
    if step.reranked is not step.fused:
        yield _line("reranked", "")
        yield from _hits(case, step.reranked)


def _hits(case: Case, hits: Sequence[Hit] | Sequence[Ranked]) -> Iterator[str]:
    spans = [case.corpus.chunks[hit.chunk] for hit in hits]
    marked = {rank for rank, _ in case.evidence.touching(spans)}
    shown = [at for at in range(1, len(hits) + 1) if at <= _HITS or at in marked]
    for before, at in zip([0, *shown], shown):
        if at > before + 1:
            yield " " * _HEAD + "…"
        hit, chunk = hits[at - 1], spans[at - 1]
        former = getattr(hit, "former", None)
        moved = f" (was {former})" if former is not None and former != hit.rank else ""
        mark = "*" if at in marked else " "
        line = f"{mark}{hit.rank:>3}{moved} {hit.score:.4f}  {chunk.chunk_id}  {chunk.text}"
        yield " " * _HEAD + one_line_kept(line, WIDTH - _HEAD)


def one_line_kept(text: str, width: int) -> str:
    """`one_line` with the blanks at the beginning kept."""
    kept = len(text) - len(text.lstrip(" "))
    return " " * kept + one_line(text, width - kept)


def _context(case: Case) -> Iterator[str]:
    context = case.trace.context if case.trace is not None else None
    if context is None:
        return
    yield _line("context", f"{len(context.blocks)} blocks, {context.tokens} of {context.budget} tokens")
    marked = {rank for rank, _ in case.evidence.touching(context.blocks)}
    for at, block in enumerate(context.blocks, 1):
        mark = "*" if at in marked else " "
        where = f"{mark}[{block.citation}] {block.doc_id}:{block.start}-{block.end}  {block.text}"
        yield " " * _HEAD + one_line_kept(where, WIDTH - _HEAD)
    half, whole = case.evidence.satisfied(context.blocks), case.evidence.satisfied(context.blocks, FULL)
    for name, some, all_of_it in zip(case.evidence.group_names, half, whole):
        held = "whole" if all_of_it else "for at least half, not whole" if some else "not"
        yield " " * _HEAD + one_line(f"evidence {name}: {held} in the context", WIDTH - _HEAD)
    for dropped in context.dropped:
        name = case.corpus.chunks[dropped.chunk].chunk_id
        yield " " * _HEAD + one_line(f"dropped {name}: {dropped.reason}", WIDTH - _HEAD)


def _answer(case: Case) -> Iterator[str]:
    trace = case.trace
    if trace is None:
        return
    if trace.error:
        yield from _wrapped("failed", trace.error)
    answer = trace.answer
    if answer is None:
        yield _line("answer", "none: the run generates no answers" if not trace.error else "none")
        return
    said = f"refused ({answer.reason}): " if answer.refused else "asks back: " if answer.clarifies else ""
    yield from _wrapped("answer", said + answer.text)
    if answer.confidence is not None:
        yield " " * _HEAD + f"confidence {answer.confidence:.2f}"
    verdict = case.verdict
    if verdict is None:
        return
    told = f", relevancy {verdict.relevancy:.2f}" if verdict.relevancy is not None else ""
    yield _line("judged", one_line(f"{verdict.judge}{told}{': ' + verdict.error if verdict.error else ''}", 80))
    yield from _claims("claims", verdict.claims)
    yield from _claims("reference", verdict.reference_in_answer)


def _claims(name: str, claims: Sequence[ClaimVerdict]) -> Iterator[str]:
    for claim in claims:
        yield from _wrapped(name, f"{claim.state}: {claim.claim}")


def _quoted(case: Case, doc_id: str, start: int, end: int) -> str:
    document = case.corpus.documents.get(doc_id)
    text = document.text[start:end] if document is not None else ""
    return f"{doc_id}:{start}-{end}  {text}"


def _line(name: str, text: str) -> str:
    return f"{one_line(name, _HEAD - 1):<{_HEAD}}{text}".rstrip()


def _wrapped(name: str, text: str) -> Iterator[str]:
    """The text over as many lines as it takes, at most six."""
    for at, line in enumerate(folded(text, WIDTH - _HEAD)):
        if at == _LINES:
            yield " " * _HEAD + "…"
            return
        yield _line(name if at == 0 else "", line)


_LINES = 6
