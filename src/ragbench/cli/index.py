"""`ragbench index update|prune|dedupe|verify`: upkeep of a stored index."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbench.cli.output import add_json, note, note_fallback, say, say_json

if TYPE_CHECKING:
    from ragbench.upkeep.commit import Workplace, Written

_ACTIONS = {
    "update": "bring the index to its folder; a dry run where documents would go, unless --apply",
    "prune": "take out documents that are too old; a dry run unless --apply",
    "dedupe": "take out chunks with the same sentences as another; a dry run unless --apply",
    "verify": "check documents, chunks and both sides against each other and the folder",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the four actions."""
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in _ACTIONS.items():
        child = actions.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        child.add_argument("folder", nargs="?", help="folder of the documents")
        child.add_argument(
            "overrides", nargs="*", metavar="key=value", help="Hydra overrides; those of a new index are remembered"
        )
        child.add_argument("--index", type=Path, metavar="DIR", help="the index (default: live/NAME beside the store)")
        child.add_argument(
            "--wait", type=float, default=60.0, metavar="SECONDS", help="for another process (default 60)"
        )
        if name != "verify":
            child.add_argument("--apply", action="store_true", help="really do it")
        add_json(child)
        _more_arguments(name, child)


def _more_arguments(name: str, child: argparse.ArgumentParser) -> None:
    if name == "update":
        child.add_argument("--dry-run", action="store_true", help="only show what would be done")
        child.add_argument("--rebuild", action="store_true", help="make it anew, also with another variant")
        child.add_argument("--moved", action="store_true", help="the folder of the documents lies elsewhere now")
    elif name == "prune":
        child.add_argument("--max-age-days", type=int, default=180, metavar="DAYS", help="oldest allowed (default 180)")
        child.add_argument(
            "--today", type=datetime.date.fromisoformat, metavar="DATE", help="count from this day (YYYY-MM-DD)"
        )
    elif name == "dedupe":
        child.add_argument("--cosine", type=float, default=0.98, help="least similarity of two chunks (default 0.98)")
        child.add_argument(
            "--loose", action="store_true", help="also chunks that say less: all their sentences stand in another one"
        )
    else:
        child.add_argument("--fresh", action="store_true", help="exit 2 also where the folder has changed since")


def execute(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    if args.folder and "=" in args.folder and not Path(args.folder).exists():
        args.folder, args.overrides = None, [args.folder, *args.overrides]
    actions = {"update": _update, "prune": _prune, "dedupe": _dedupe, "verify": _verify}
    return actions[args.action](args)


@contextmanager
def workplace(args: argparse.Namespace) -> Iterator[tuple[Workplace, list[str]]]:
    """The index that is meant, and the overrides it is worked on with: those it was made with, then those given."""
    from ragbench.core.store import Store
    from ragbench.run.build import experiment
    from ragbench.run.progress import Progress
    from ragbench.run.session import Session
    from ragbench.splitter.watch import watched
    from ragbench.upkeep.commit import Workplace
    from ragbench.upkeep.folder import LiveFolder
    from ragbench.upkeep.variant import Variant

    live = LiveFolder(args.index or _default_place(args))
    made_with = live.settings().overrides if live.exists else ()
    overrides = list({item.partition("=")[0].lstrip("+"): item for item in (*made_with, *args.overrides)}.values())
    asked = experiment(overrides)
    note_fallback([asked])
    with Session(Store(asked.places.store), Progress(quiet=args.json)) as session:
        place = Workplace(live, Variant(asked.pipeline, asked.loader), session.embedder(asked.pipeline.embedder))
        with watched(session.progress.callback("chunk")):
            yield place, overrides
        session.progress.close()


def _default_place(args: argparse.Namespace) -> Path:
    from ragbench.errors import DataError
    from ragbench.run.compose import compose

    if not args.folder:
        raise DataError("index", expected="the folder of the documents, or --index DIR", found="neither")
    store = [item for item in args.overrides if item.startswith("paths.store=")]
    return Path(compose(store).data["paths"]["store"]).parent / "live" / Path(args.folder).resolve().name


def _update(args: argparse.Namespace) -> int:
    from ragbench.errors import ConfigError, DataError
    from ragbench.upkeep.told import plan_lines
    from ragbench.upkeep.update import Wish, update

    if args.apply and args.dry_run:
        raise ConfigError("--apply and --dry-run", expected="one of them", found="both")
    with workplace(args) as (place, overrides):
        folder = args.folder or (place.live.settings().folder if place.live.exists else None)
        if folder is None:
            raise DataError("index update", expected="the folder of the documents", found="none")
        wish = Wish(
            apply=True if args.apply else False if args.dry_run else None,
            rebuild=args.rebuild,
            moved=args.moved,
            wait=args.wait,
            overrides=tuple(item for item in overrides if not item.startswith("paths.")),
        )
        done = update(Path(folder), place, wish)
    if args.json:
        row: dict[str, Any] = {"index": str(place.live.root), "folder": str(folder), "counts": done.plan.counts}
        row |= {"changes": [asdict(one) for one in done.plan.changes if one.status != "unchanged"]}
        row |= {"failures": [list(pair) for pair in done.plan.failures], "skipped": list(done.plan.skipped)}
        say_json(row | {"faults": list(done.faults), **_written_row(done.written)})
        return 0
    say(f"index     {place.live.root}\nfolder    {folder}")
    _say_all(plan_lines(done.plan))
    for line in done.faults:
        say(f"{'mended' if done.written else 'to mend':<9} {line}")
    _say_written(done.written, "nothing was changed; --apply does it")
    return 0


def _prune(args: argparse.Namespace) -> int:
    from ragbench.upkeep.prune import prune
    from ragbench.upkeep.told import ROWS, more, unread_lines

    today = args.today or datetime.datetime.now(datetime.UTC).date()
    with workplace(args) as (place, _):
        done = prune(place, args.max_age_days, today, apply=args.apply, wait=args.wait)
    if args.json:
        row = {"index": str(place.live.root), "today": today.isoformat(), "max_age_days": args.max_age_days}
        row |= {"documents": done.n_documents, "aged": [asdict(one) for one in done.aged]}
        say_json(row | {"unread": [asdict(one) for one in done.unread], **_written_row(done.written)})
        return 0
    say(f"index     {place.live.root}")
    say(f"{len(done.aged)} of {done.n_documents} documents are dated more than {args.max_age_days} days before {today}")
    for one in done.aged[:ROWS]:
        say(f"  {one.day} {one.days:>6} days  {one.doc_id}  (by {'its file' if one.source == 'file' else one.source})")
    _say_all(more(len(done.aged)))
    _say_all(unread_lines(done.unread))
    if done.aged:
        _say_written(done.written, "nothing was changed; --apply takes them out")
    return 0


def _dedupe(args: argparse.Namespace) -> int:
    from ragbench.upkeep.dedupe import dedupe
    from ragbench.upkeep.told import pair_lines

    with workplace(args) as (place, _):
        done = dedupe(place, args.cosine, loose=args.loose, apply=args.apply, wait=args.wait)
    if args.json:
        row = {"index": str(place.live.root), "chunks": done.n_chunks, "compared_by": done.compared_by}
        row |= {"cosine": args.cosine, "loose": args.loose, "pairs": [asdict(pair) for pair in done.pairs]}
        row |= {"held_back": dict(done.held_back), "held_back_examples": [asdict(one) for one in done.examples]}
        say_json(row | _written_row(done.written))
        return 0
    say(f"index     {place.live.root}")
    _say_all(pair_lines(done))
    if done.pairs:
        _say_written(done.written, "nothing was changed" + ("" if args.apply else "; --apply takes them out"))
    return 0


def _verify(args: argparse.Namespace) -> int:
    from ragbench.upkeep.told import plan_lines
    from ragbench.upkeep.verify import verify

    with workplace(args) as (place, _):
        found = verify(place, Path(args.folder) if args.folder else None, args.wait)
    changed = {} if found.changes is None else {k: n for k, n in found.changes.counts.items() if n and k not in _STILL}
    code = 2 if found.findings or (args.fresh and changed) else 0
    if args.json:
        row = {"index": str(place.live.root), "whole": not found.findings, "documents": found.n_documents}
        row |= {"chunks": found.n_chunks, "chunk_set": found.chunk_set, "sides": found.sides}
        row |= {"findings": [asdict(one) for one in found.findings], "notes": list(found.notes), "changed": changed}
        changes = found.changes.changes if found.changes else ()
        say_json(row | {"changes": [asdict(one) for one in changes if one.status not in _STILL]})
        return code
    say(f"index     {place.live.root}")
    for one in found.findings:
        say(f"broken    {one.part}: {one.problem}. Next: {one.next_step}")
    for line in found.notes:
        say(f"note      {line}")
    if found.changes and changed:
        say("behind    its folder: " + ", ".join(f"{n} {name}" for name, n in changed.items()))
        _say_all(plan_lines(found.changes, counts=False))
    if not found.findings:
        say(f"whole     {found.n_documents} documents, {found.n_chunks} chunks, set {found.chunk_set[:12]}")
    return code


_STILL = ("unchanged", "expired", "skipped", "empty", "failed")


def _say_written(written: Written | None, otherwise: str) -> None:
    from ragbench.upkeep.told import written_lines

    if written is None:
        note(f"dry run: {otherwise}")
        return
    _say_all(written_lines(written))


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def _written_row(written: Written | None) -> dict[str, Any]:
    return {"applied": written is not None, "written": asdict(written) if written else None}
