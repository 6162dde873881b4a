"""`ragbench judge check`: how far the configured judge agrees with known truths."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.cli.output import add_json, note, note_fallback, say, say_json

if TYPE_CHECKING:
    from ragbench.agreement.records import LabelledSet


def arguments(parser: argparse.ArgumentParser) -> None:
    """The action and what it needs."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    words = "the judge on planted claims and answers (zh, en) and on human labels, with figures beside it"
    check = actions.add_parser("check", help=words, description=words.capitalize() + ".")
    check.add_argument("--data", type=Path, help="folder of labelled sets (default: RAGBENCH_DATA, where it is set)")
    check.add_argument("--repeats", type=int, default=1, help="judge the planted answers so often, to see its noise")
    check.add_argument("--sample", type=int, help="at most so many answers of each set; nothing may gate on a part")
    check.add_argument("--out", type=Path, help="write the card to this file too")
    check.add_argument("overrides", nargs="*", metavar="key=value", help="judge=…, judge_llm=…, calls.mode=…")
    add_json(parser)
    add_json(check, default=argparse.SUPPRESS)


def execute(args: argparse.Namespace) -> int:
    """Check, keep the card, print it; 1 where the judge is below its floor."""
    from ragbench.core.codec import write_json
    from ragbench.judge.card import cannot_tell
    from ragbench.run.build import experiment
    from ragbench.run.judge_check import check_judge
    from ragbench.sink.console import console
    from ragbench.sink.judge_card import card_lines

    asked = experiment(["generator=none", *args.overrides])
    _refuse(args, asked.judged)
    note_fallback([asked])
    card, path = check_judge(asked, _people(args.data), (args.repeats, args.sample), quiet=args.json)
    if args.out is not None:
        write_json(args.out, card)
    reasons = cannot_tell(card, ("zh", "en"))
    if args.json:
        say_json(card | {"cannot_tell": reasons})
    else:
        out = console()
        for part in card_lines(card, out.is_terminal):
            out.print(part)
        for line in reasons:
            say(f"cannot tell: {line}")
        say(f"card: {path}" if path else "card: not kept, being of a part")
    return 1 if reasons else 0


def _refuse(args: argparse.Namespace, judged: bool) -> None:
    from ragbench.agreement.figures import metrics
    from ragbench.errors import ConfigError

    if not judged:
        raise ConfigError("judge=none", expected="a judge to check", found="none", hint="See ragbench ls judge.")
    for name in ("repeats", "sample"):
        given = getattr(args, name)
        if given is not None and given < 1:
            raise ConfigError(f"--{name}", expected="1 or more", found=str(given))
    metrics()


def _people(given: Path | None) -> list[LabelledSet]:
    """The labelled sets of a folder; none where no folder is named."""
    from ragbench.agreement.human_sets import human_sets

    folder = given or (Path(os.environ["RAGBENCH_DATA"]) if os.environ.get("RAGBENCH_DATA") else None)
    if folder is None:
        note("no human labels at hand (--data, RAGBENCH_DATA): their figures are those of a card known before, if any")
        return []
    return human_sets(folder)
