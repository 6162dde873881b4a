"""`ragbench cache`: what lies in the artifact store, why something missed, and pruning."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from ragbench.cli.output import add_json, note_fallback, say, say_json, size
from ragbench.core.store import Entry, Store


def arguments(parser: argparse.ArgumentParser) -> None:
    """list (default), explain, prune."""
    actions = parser.add_subparsers(dest="action")
    listing = actions.add_parser("list", help="artifacts and tables")
    explain = actions.add_parser(
        "explain", help="which stages of a variant are in the store, and what their keys are made of"
    )
    explain.add_argument("overrides", nargs="*", metavar="key=value")
    prune = actions.add_parser("prune", help="delete artifacts; a dry run unless --yes")
    prune.add_argument("--older-than", type=float, default=30.0, metavar="DAYS", help="age in days (default 30)")
    prune.add_argument("--kind", help="only this kind")
    prune.add_argument(
        "--tables", action="store_true", help="also empty the tables (vectors, lists, answers, verdicts, replies)"
    )
    prune.add_argument("--yes", action="store_true", help="really delete")
    add_json(parser)
    for child in (listing, explain, prune):
        add_json(child, default=argparse.SUPPRESS)


def execute(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    if args.action == "explain":
        return _explain(args)
    from ragbench.run.compose import compose

    store = Store(Path(compose([]).data["paths"]["store"]))
    try:
        return _prune(args, store) if args.action == "prune" else _list(args, store)
    finally:
        store.close()


def _tables(store: Store) -> list[dict[str, object]]:
    paths = sorted((store.root / "tables").glob("*.sqlite"))
    return [{"table": p.stem, "rows": len(store.table(p.stem)), "bytes": p.stat().st_size} for p in paths]


def _list(args: argparse.Namespace, store: Store) -> int:
    kinds: dict[str, list[Entry]] = {}
    for entry in store.entries():
        kinds.setdefault(entry.kind, []).append(entry)
    artifacts = [{"kind": k, "artifacts": len(v), "bytes": sum(e.size for e in v)} for k, v in kinds.items()]
    tables = _tables(store)
    if args.json:
        say_json({"store": str(store.root), "artifacts": artifacts, "tables": tables})
        return 0
    say(f"store {store.root}")
    for row in artifacts:
        say(f"  {row['kind']:<12} {row['artifacts']:>6} artifacts {size(int(str(row['bytes']))):>10}")
    for table in tables:
        say(f"  {table['table']!s:<12} {table['rows']:>6} values    {size(int(str(table['bytes']))):>10}")
    return 0


def _explain(args: argparse.Namespace) -> int:
    from ragbench.run.build import experiment
    from ragbench.run.plan import plan_one
    from ragbench.run.session import Session

    asked = experiment(args.overrides)
    note_fallback([asked])
    with Session(Store(asked.places.store)) as session:
        rows = plan_one(asked, session).stages
    if args.json:
        say_json(rows)
        return 0
    for row in rows:
        where = "in the store" if row["cached"] else "not in the store"
        say(f"{row['stage']:<8} {where:<17} {row['key'][:16]}  made of {row['made_of']}")
    return 0


def _prune(args: argparse.Namespace, store: Store) -> int:
    border = time.time() - args.older_than * 86400
    doomed = [e for e in store.entries() if e.created <= border and args.kind in (None, e.kind)]
    left = store.debris(border)
    debris = [path for path in left if args.kind in (None, path.relative_to(store.root).parts[0])]
    freed = sum(entry.size for entry in doomed) + sum(map(_bytes, debris))
    if args.yes:
        for path in debris:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for entry in doomed:
            store.remove(entry)
        for table in _tables(store) if args.tables else []:
            store.table(str(table["table"])).clear()
    if args.json:
        say_json({"deleted": args.yes, "artifacts": len(doomed), "leftovers": len(debris), "bytes": freed})
        return 0
    verb = "deleted" if args.yes else "would delete"
    more = f" and {len(debris)} leftovers of killed or corrupt builds" if debris else ""
    say(f"{verb} {len(doomed)} artifacts{more}, {size(freed)}{'' if args.yes else '; add --yes to do it'}")
    return 0


def _bytes(path: Path) -> int:
    return sum(part.stat().st_size for part in [path, *path.rglob("*")] if part.is_file())
