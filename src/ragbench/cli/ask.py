"""`ragbench ask`: one question through a variant, every stage shown."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json

if TYPE_CHECKING:
    from ragbench.flow.base import Bench
    from ragbench.pipeline.offline import Built
    from ragbench.pipeline.online import OnlineBench
    from ragbench.records.question import Question
    from ragbench.records.trace import Trace
    from ragbench.run.experiment import Experiment
    from ragbench.run.session import Session
    from ragbench.upkeep.folder import LiveFolder


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, then overrides."""
    parser.add_argument("question", help="the question, as a user would type it")
    add_overrides(parser)
    parser.add_argument("--principal", metavar="NAME", help="ask in the name of a tenant; without: of no tenant")
    parser.add_argument("--filter", metavar="JSON", help='condition on metadata, e.g. \'{"year": {"$gte": 2024}}\'')
    parser.add_argument("--index", type=Path, metavar="DIR", help="ask a stored index, not the corpus of the eval set")
    parser.add_argument("--events", action="store_true", help="print what happens as it does, a JSON object a line")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Ask it on the corpus of the chosen eval set, or on a stored index."""
    from ragbench.core.store import Store
    from ragbench.core.surrogates import without_surrogates
    from ragbench.errors import DataError
    from ragbench.pipeline.online import open_bench
    from ragbench.records.question import Question
    from ragbench.run.build import experiment
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session
    from ragbench.run_dir.traces import trace_row
    from ragbench.upkeep.folder import LiveFolder

    if not args.question.strip():
        raise DataError("question", expected="some text", found="an empty one")
    if args.events and args.json:
        raise DataError("--events with --json", expected="one of the two", found="both")
    live = LiveFolder(args.index) if args.index else None
    asked = experiment([*(live.settings().overrides if live else ()), *args.overrides])
    note_fallback([asked])
    condition = _condition(args.filter) if args.filter else None
    asks = without_surrogates(args.question)
    question = Question(id="ask", question=asks, principal=args.principal, filter=condition)
    with Session(Store(asked.places.store), Progress(quiet=args.json or args.events)) as session:
        opener = session.embedder(asked.pipeline.embedder)
        with (
            _built(asked, session, live) as built,
            open_bench(asked.pipeline, built, session.store, opener, models=session.models(asked)) as bench,
        ):
            trace = _asked(question, asked, session, bench, args)
            unranked = bench.reranking.facts.get("failures", ())
        session.progress.close()
    if args.json:
        say_json(trace_row(trace) | {"chunks": _visible(built.chunks, args.principal)})
    elif not args.events:
        _show(trace, built.chunks)
    if _nothing_seen(question, built.chunks):
        note("no chunk may be seen: --principal names no tenant here, or --filter fits no document")
    return _faults(trace, unranked)


def _asked(
    question: Question, asked: Experiment, session: Session, bench: OnlineBench, args: argparse.Namespace
) -> Trace:
    """The trace of the question; what happens is told as it happens, where that was asked for or a model writes."""
    from ragbench.cli.events import Watched
    from ragbench.cli.spoken import spoken

    flow, generator = asked.pipeline.flow, asked.pipeline.generator
    if args.json or not (args.events or generator.asks):
        return next(iter(flow.run([question], bench)))
    with spoken(session.models(asked), generator, args.events) as events:
        watched = cast("Bench", Watched(bench, events.found))
        trace = next(iter(flow.run([question], watched)))
        events.done(trace)
    return trace


def _faults(trace: Trace, unranked: Iterable[str]) -> int:
    """Notes what failed; the exit code."""
    for reason in unranked:
        note(f"not reranked: {reason}")
    if trace.error:
        note(f"failed: {trace.error}")
    return 3 if trace.error else 0


def _condition(text: str) -> dict[str, Any]:
    """The condition of `--filter`, checked before anything is opened."""
    import json

    from ragbench.core.conditions import faults
    from ragbench.errors import DataError

    try:
        condition: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise DataError("--filter", expected="a JSON object", found=text, hint=f"{error}.") from error
    for fault in faults(condition):
        raise DataError(f"--filter: {fault}")
    return condition


@contextmanager
def _built(asked: Experiment, session: Session, live: LiveFolder | None) -> Iterator[Built]:
    from ragbench.pipeline.offline import build
    from ragbench.splitter.watch import watched
    from ragbench.upkeep.opened import opened
    from ragbench.upkeep.variant import Variant

    if live is not None:
        with opened(live, Variant(asked.pipeline, asked.loader)) as built:
            yield built
    else:
        opener = session.embedder(asked.pipeline.embedder)
        with watched(session.progress.callback("chunk")):
            built = build(asked.pipeline, session.corpus(asked), session.store, opener)
        yield built


def _visible(chunks: Sequence[Any], principal: str | None) -> dict[str, str]:
    """Ids by chunk number of what the principal may see: the name of a document is its tenant's own too."""
    from ragbench.core.tenants import may_see

    return {str(chunk.number): chunk.chunk_id for chunk in chunks if may_see(principal, chunk.metadata)}


def _nothing_seen(question: Question, chunks: Sequence[Any]) -> bool:
    from ragbench.pipeline.visibility import Visibility
    from ragbench.records.search import SearchRequest

    numbers = Visibility(chunks).allowed(SearchRequest.of(question, question.question))
    return numbers is not None and not len(numbers)


def _show(trace: Any, chunks: Sequence[Any]) -> None:
    say(f"query     class {trace.query.complexity or 'unknown'} (tier {trace.query.tier or 'none'})")
    if trace.query.fallback:
        say(f"fell back {trace.query.fallback}")
    rounds = trace.rounds
    for number, step in enumerate(trace.steps, 1):
        if len(rounds) > 1:
            say(f"round     {number} of {len(rounds)}" if number <= len(rounds) else "merged")
            if number > len(rounds):
                _merged(step, chunks)
                break
        for request in step.requests:
            say(f"search    {request.text}")
        for found in step.route_lists:
            say(f"{found.route:<9} {len(found.chunks)} hits in {found.ms:.1f} ms")
            _hits(found.hits[:5], chunks)
        say("fused")
        _hits(step.fused[:5], chunks)
        if step.reranked is not step.fused:
            say("reranked")
            _hits(step.reranked[:5], chunks)
        if step.answer is not None:
            kept = f"not passed on: {step.note}" if step.note else "passed on"
            say(f"answered  ({kept}) {_short(step.answer.text, 100)}")
    if trace.context is not None:
        say(f"context   {len(trace.context.blocks)} blocks, {trace.context.tokens} of {trace.context.budget} tokens")
        for block in trace.context.blocks:
            say(f"  [{block.citation}] {block.doc_id}:{block.start}-{block.end}  {_short(block.text, 60)}")
    if trace.answer is not None:
        refused = f"(refused: {trace.answer.reason}) " if trace.answer.refused else ""
        say(f"{'asks back' if trace.answer.clarifies else 'answer   '} {refused}{trace.answer.text}")
        for claim in trace.answer.grounding.unsupported if trace.answer.grounding else ():
            say(f"unsupported  {_short(claim, 100)}")
    say("times     " + ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in trace.timings_ms.items()))


def _merged(step: Any, chunks: Sequence[Any]) -> None:
    """The final ranking of several rounds."""
    _hits(step.reranked[:5], chunks)


def _hits(hits: Sequence[Any], chunks: Sequence[Any]) -> None:
    for hit in hits:
        chunk = chunks[hit.chunk]
        former = getattr(hit, "former", None)
        moved = f" (was {former})" if former is not None and former != hit.rank else ""
        say(f"  {hit.rank:>2}{moved} {hit.score:.4f}  {chunk.chunk_id}  {_short(chunk.text, 48)}")


def _short(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
