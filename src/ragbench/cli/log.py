"""`ragbench log`: send finished runs to MLflow, again or for the first time."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ragbench.cli.output import add_json, note, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The runs and the language of descriptions."""
    parser.add_argument("run", nargs="+", help="path, run or sweep id, or latest")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of descriptions (default: RAGBENCH_LANG or en)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Log each to `MLFLOW_TRACKING_URI`; what is there already is written over. 2 where something did not arrive."""
    from ragbench.run.compose import compose
    from ragbench.run.deliver import keep_font_list
    from ragbench.run_dir.read import find_run
    from ragbench.sink.mlflow import MlflowSink

    config = compose([]).data
    keep_font_list(Path(config["paths"]["store"]))
    folders = list(dict.fromkeys(find_run(name, Path(config["paths"]["runs"])) for name in args.run))
    sink = MlflowSink(lang=args.lang or config["report"]["lang"])
    for folder in folders:
        _send(sink, folder)
    for line in sink.warnings:
        note(line)
    if args.json:
        say_json({"store": sink.shown_uri, "runs": sink.run_ids, "warnings": sink.warnings})
    else:
        for run_id, logged in sink.run_ids.items():
            say(f"mlflow: {run_id} is run {logged} in {sink.shown_uri}")
    return 2 if sink.warnings else 0


def _send(sink: Any, folder: Path) -> None:
    from ragbench.run_dir import layout
    from ragbench.run_dir.read import RunDir, read_sweep

    if not (folder / layout.SWEEP).is_file():
        sink.deliver(RunDir(folder))
        return
    found = read_sweep(folder)
    runs = [RunDir(folder.parent / one["run_id"]) for one in found["points"] if one["status"] == "finished"]
    tags = {"overrides": " ".join(found.get("overrides") or ()), "axes": ", ".join(found.get("axes") or ())}
    tags |= {"experiment": str(found["experiment"])} if found.get("experiment") else {}
    parent = sink.open_sweep(folder.name, tags, runs)
    if parent is None:
        return
    for run in runs:
        sink.deliver(run, parent)
    sink.close_sweep(parent, folder)
