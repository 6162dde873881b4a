"""`ragbench ask`: one question through a variant, every stage shown."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, then overrides."""
    parser.add_argument("question", help="the question, as a user would type it")
    add_overrides(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Ask it on the corpus of the chosen eval set."""
    from ragbench.core.store import Store
    from ragbench.errors import DataError
    from ragbench.pipeline.offline import build
    from ragbench.pipeline.online import open_bench
    from ragbench.records.question import Question
    from ragbench.run.build import experiment
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session
    from ragbench.run_dir.traces import trace_row

    if not args.question.strip():
        raise DataError("question", expected="some text", found="an empty one")
    asked = experiment(args.overrides)
    note_fallback([asked])
    question = Question(id="ask", question=args.question)
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        opener = session.embedder(asked.pipeline.embedder)
        built = build(asked.pipeline, session.corpus(asked), session.store, opener)
        with open_bench(asked.pipeline, built, session.store, opener) as bench:
            trace = next(iter(asked.pipeline.flow.run([question], bench)))
        session.progress.close()
    if args.json:
        say_json(trace_row(trace) | {"chunks": [chunk.chunk_id for chunk in built.chunks]})
    else:
        _show(trace, built.chunks)
    if trace.error:
        note(f"failed: {trace.error}")
    return 3 if trace.error else 0


def _show(trace: Any, chunks: Sequence[Any]) -> None:
    say(f"query     class {trace.query.complexity or 'unknown'} (tier {trace.query.tier or 'none'})")
    for step in trace.steps:
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
    if trace.context is not None:
        say(f"context   {len(trace.context.blocks)} blocks, {trace.context.tokens} of {trace.context.budget} tokens")
        for block in trace.context.blocks:
            say(f"  [{block.citation}] {block.doc_id}:{block.start}-{block.end}  {_short(block.text, 60)}")
    if trace.answer is not None:
        say(f"answer    {'(refused: ' + trace.answer.reason + ') ' if trace.answer.refused else ''}{trace.answer.text}")
    say("times     " + ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in trace.timings_ms.items()))


def _hits(hits: Sequence[Any], chunks: Sequence[Any]) -> None:
    for hit in hits:
        chunk = chunks[hit.chunk]
        former = getattr(hit, "former", None)
        moved = f" (was {former})" if former is not None and former != hit.rank else ""
        say(f"  {hit.rank:>2}{moved} {hit.score:.4f}  {chunk.chunk_id}  {_short(chunk.text, 48)}")


def _short(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
