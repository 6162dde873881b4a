"""`ragbench report`: the HTML report of a run, a sweep or an experiment, or of several runs side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The runs, and where to write."""
    parser.add_argument("run", nargs="+", help="path, run id, or latest; several are compared side by side")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the report (default: RAGBENCH_LANG or en)")
    default = "default: report.html in the run's folder; of several, compare-A-B.html in the runs folder"
    parser.add_argument("--out", type=Path, help=f"file to write ({default})")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Write it and print its path."""
    from ragbench.run.compose import compose
    from ragbench.run.deliver import keep_font_list
    from ragbench.run_dir.read import find_run

    config = compose([]).data
    keep_font_list(Path(config["paths"]["store"]))
    runs = Path(config["paths"]["runs"])
    folders = list(dict.fromkeys(find_run(name, runs) for name in args.run))
    lang = args.lang or config["report"]["lang"]
    target = _compare(folders, args.out, runs, lang) if len(args.run) > 1 else _one(folders[0], args.out, lang)
    say_json({"report": str(target)}) if args.json else say(f"report: {target}")
    return 0


def _one(folder: Path, out: Path | None, lang: str) -> Path:
    from ragbench.report.experiment import write_experiment_report
    from ragbench.report.html import write_report
    from ragbench.report.sweep import write_sweep_report
    from ragbench.run.texts import run_texts
    from ragbench.run_dir import layout
    from ragbench.run_dir.read import RunDir, finished_runs

    target = out or folder / layout.REPORT
    if (folder / layout.EXPERIMENT).is_file():
        return write_experiment_report(folder, target, lang)
    if (folder / layout.SWEEP).is_file():
        runs = finished_runs(folder)
        return write_sweep_report(folder, runs, target, lang, run_texts(runs[0]) if runs else lambda _: None)
    run = RunDir(folder)
    return write_report(run, target, lang, run_texts(run))


def _compare(folders: Sequence[Path], out: Path | None, runs_folder: Path, lang: str) -> Path:
    """The comparison of several runs; a sweep among them stands for its runs.

    Raises ConfigError for fewer than two different runs and for runs of different eval sets.
    """
    from ragbench.compare.refuse import require_comparable
    from ragbench.report.sweep import write_sweep_report
    from ragbench.run.texts import run_texts
    from ragbench.run_dir.read import finished_runs

    runs = list({run.folder.resolve(): run for folder in folders for run in finished_runs(folder)}.values())
    require_comparable(runs, "report")
    more = f"-and-{len(folders) - 2}-more" if len(folders) > 2 else ""
    name = "-".join(("compare", *(folder.name for folder in folders[:2]))) + more
    target = out or runs_folder / f"{name}.html"
    return write_sweep_report(runs_folder / name, runs, target, lang, run_texts(runs[0]))
