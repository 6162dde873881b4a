"""What verbs print: JSON or text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """The `key=value` arguments of a verb that composes a configuration."""
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="Hydra overrides; ragbench ls shows the options"
    )


def add_json(parser: argparse.ArgumentParser, default: object = False) -> None:
    """The `--json` flag; a sub-command passes SUPPRESS as default, to keep the flag given before it."""
    parser.add_argument("--json", action="store_true", default=default, help="print one JSON document instead of text")


def say(line: str = "") -> None:
    """Print one line of the answer."""
    print(line, flush=True)


def note(line: str) -> None:
    """Print one line beside the answer (standard error)."""
    print(line, file=sys.stderr, flush=True)


def note_fallback(experiments: Sequence[Any]) -> None:
    """One note on what was replaced in these experiments because its model is not installed, if anything was."""
    from ragbench.run.fallback import fallback_notes

    for line in fallback_notes(experiments):
        note(f"note: {line}")


def say_json(value: Any) -> None:
    """Print one indented JSON document, readable in Chinese."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    sys.stdout.write(orjson.dumps(value, option=options).decode("utf-8") + "\n")
    sys.stdout.flush()


def size(n: int) -> str:
    """Bytes for people."""
    amount = float(n)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
