"""`ragbench gate`: a run against the committed baseline of its eval set."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragbench.cli.output import add_json, note, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The run, the options of the gate, and where to write."""
    words = "path or run id (default: latest, the run that began or ended last), then gate.margin=… and other options"
    parser.add_argument("overrides", nargs="*", metavar="[RUN] key=value", help=words)
    parser.add_argument("--junit", type=Path, metavar="F", help="write a JUnit file: a case a measure and category")
    parser.add_argument("--markdown", type=Path, metavar="F", help="write a summary in Markdown")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of both (default: RAGBENCH_LANG or en)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Test, print, write; 0 pass, 1 regression, 3 cannot tell."""
    from ragbench.report.gate_junit import write_gate_junit
    from ragbench.report.gate_markdown import write_gate_markdown
    from ragbench.run.compose import compose
    from ragbench.run.gating import LATEST, gate
    from ragbench.sink.gate_lines import print_gate

    run, overrides = run_and_overrides(args.overrides)
    config = compose(overrides).data
    result = gate(run or LATEST, config)
    say_json(result.to_json()) if args.json else print_gate(result)
    lang = args.lang or config["report"]["lang"]
    for path, write in ((args.junit, write_gate_junit), (args.markdown, write_gate_markdown)):
        if path is not None:
            note(f"written: {write(result, path, lang)}")
    return result.exit_code


def run_and_overrides(given: list[str]) -> tuple[str | None, list[str]]:
    """The run among the arguments, if one is named, and the overrides. Raises ConfigError for two runs."""
    from ragbench.errors import ConfigError

    runs = [item for item in given if "=" not in item or Path(item).is_dir()]
    if len(runs) > 1:
        raise ConfigError("gate", expected="one run, and key=value", found=" and ".join(runs))
    return (runs[0] if runs else None), [item for item in given if item not in runs]
