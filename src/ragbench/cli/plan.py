"""`ragbench plan`: a dry run."""

from __future__ import annotations

import argparse

from ragbench.cli.output import add_json, add_overrides, note, note_fallback, say, say_json
from ragbench.cli.shape import add_shape, shape_of


def arguments(parser: argparse.ArgumentParser) -> None:
    """Overrides, with lists for a grid."""
    add_overrides(parser)
    add_shape(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print every artifact key, whether it is cached, and what would be embedded."""
    from dataclasses import asdict

    from ragbench.core.store import Store
    from ragbench.run.plan import plan_one
    from ragbench.run.sweep import plan_grid

    points, folded = plan_grid(args.overrides, shape_of(args))
    note_fallback([point.experiment for point in points])
    say_or_note = note if args.json else say
    for line in folded:
        say_or_note(f"note: {line}")
    store = Store(points[0].experiment.places.store)
    plans = [(point.label, plan_one(point.experiment, store)) for point in points]
    store.close()
    if args.json:
        say_json([{"label": label, **asdict(plan)} for label, plan in plans])
        return 0
    for label, plan in plans:
        say(f"{label}: {plan.n_questions} questions")
        for stage in plan.stages:
            state = "cached" if stage["cached"] else "missing"
            say(f"  {stage['stage']:<8} {state:<7} {stage['key'][:16]}  ({stage['made_of']})")
        unknown = "not known before the chunks exist"
        say(f"  texts to embed: {unknown if plan.texts_to_embed is None else plan.texts_to_embed}")
        searched = plan.lists_to_search
        say(f"  route lists to search: {'those not in the store' if searched is None else f'up to {searched}'}")
        say(f"  LLM calls: {f'up to {plan.llm_calls}' if plan.llm_calls else 0}")
    return 0
