"""`ragbench ls`: the options of each slot, or the runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json
from ragbench.errors import ConfigError
from ragbench.run.compose import compose, groups, options


def arguments(parser: argparse.ArgumentParser) -> None:
    """A slot's name, `runs`, or nothing for all slots."""
    parser.add_argument("what", nargs="?", help="a slot such as retriever, or runs")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print the options."""
    if args.what == "runs":
        return _runs(args)
    names = groups()
    if args.what and args.what not in names:
        raise ConfigError(f"slot {args.what}", expected=f"one of {', '.join(names)}, or runs", found="no such slot")
    found = {name: options(name) for name in ([args.what] if args.what else names)}
    if args.json:
        say_json(found)
        return 0
    chosen = compose([]).choices
    for name, choices in found.items():
        say(name)
        for option, words in choices.items():
            mark = "*" if chosen.get(name) == option else " "
            say(f"  {mark} {option:<22} {words}")
    say("* is the default; choose with slot=option, e.g. ragbench run retriever=sparse")
    return 0


def _runs(args: argparse.Namespace) -> int:
    from ragbench.core.codec import read_json

    root = Path(compose([]).data["paths"]["runs"])
    rows = []
    for manifest in sorted(root.glob("*/manifest.json"), key=lambda path: path.stat().st_mtime):
        try:
            facts = read_json(manifest)
        except ValueError:
            facts = {"status": "unreadable"}
        chosen = facts.get("eval_set") or {}
        rows.append(
            {
                "run_id": manifest.parent.name,
                "status": facts.get("status"),
                "eval_set": f"{chosen.get('name')}/{chosen.get('version')}",
                "variant": facts.get("label"),
                "started": facts.get("started"),
            }
        )
    if args.json:
        say_json(rows)
        return 0
    for row in rows:
        say("  ".join(str(row[key] or "") for key in ("run_id", "status", "eval_set", "variant", "started")))
    if not rows:
        say(f"no runs below {root}; make one with: ragbench run")
    return 0
