"""`ragbench report`: the HTML report of a run or sweep."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to write."""
    parser.add_argument("run", help="path, run id, or latest")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the report (default: RAGBENCH_LANG or en)")
    parser.add_argument("--out", type=Path, help="file to write (default: report.html in the run's folder)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Write it and print its path."""
    from ragbench.report.html import write_report
    from ragbench.report.sweep import write_sweep_report
    from ragbench.run.compose import compose
    from ragbench.run.deliver import keep_font_list
    from ragbench.run.texts import run_texts
    from ragbench.run_dir import layout
    from ragbench.run_dir.read import RunDir, find_run, read_sweep

    config = compose([]).data
    keep_font_list(Path(config["paths"]["store"]))
    folder = find_run(args.run, Path(config["paths"]["runs"]))
    lang = args.lang or config["report"]["lang"]
    target = args.out or folder / layout.REPORT
    if (folder / layout.SWEEP).is_file():
        points = read_sweep(folder)["points"]
        runs = [RunDir(folder.parent / point["run_id"]) for point in points if point["status"] == "finished"]
        write_sweep_report(folder, runs, target, lang)
    else:
        run = RunDir(folder)
        write_report(run, target, lang, run_texts(run))
    say_json({"report": str(target)}) if args.json else say(f"report: {target}")
    return 0
