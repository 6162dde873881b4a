"""Entry point: parses the verb, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from ragbench import __version__
from ragbench.errors import RagbenchError

VERBS = {
    "init": "make a project of your own",
    "run": "build, query and evaluate one variant",
    "sweep": "run a grid of variants and compare them",
    "experiment": "put a claim to the test on several eval sets",
    "plan": "show what a run or sweep would compute",
    "compare": "put runs beside each other: what was changed, and what differs beyond chance",
    "gate": "hold a run against the committed baseline of its eval set",
    "baseline": "make a run the baseline of its eval set, or show the baselines",
    "report": "write the HTML report of a run or sweep",
    "score": "score a stored run with other measures, or a TREC run; write TREC files",
    "diagnose": "say where each lost question of a run was lost, prove it, and try what to change",
    "classifier": "train a small model that says what kind of question a question is",
    "calibrate": "fit probabilities to the scores of a reranker on the dev questions",
    "judge": "check a judge against planted answers and human labels",
    "ask": "put one question through a variant, every stage shown",
    "corpus": "show what each file of a folder becomes",
    "eval-set": "check, lock, import or describe an eval set",
    "ls": "list the options of each slot, or the runs",
    "index": "keep a stored index in step with its folder: update, prune, dedupe, verify",
    "cache": "list, explain or prune the artifact store",
    "log": "send finished runs and sweeps to MLflow, again or later",
    "ui": "open the MLflow user interface on loopback",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 pass, 1 regression or failed variant, 2 usage, 3 cannot tell."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a sign must not cost the result
    if sys.getfilesystemencoding().lower() not in ("utf-8", "utf8"):
        found = f"file names: expected UTF-8, found {sys.getfilesystemencoding()} by the locale"
        print(f"ragbench: {found}. Set PYTHONUTF8=1, or LC_ALL=C.UTF-8.", file=sys.stderr)
        return 2  # names of documents are part of what is measured: they may not depend on a locale
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser(given[0] if given else "")
    options, rest = parser.parse_known_args(given)
    unknown = [item for item in rest if item.startswith("-") or not hasattr(options, "overrides")]
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if rest:  # overrides behind a flag, which argparse does not put together
        options.overrides = [*options.overrides, *rest]
    if options.verb is None:
        parser.print_help()
        return 0
    return _executed(options)


def _executed(options: argparse.Namespace) -> int:
    """Run the verb; its exit code, or that of what stopped it."""
    try:
        return int(_module(options.verb).execute(options))
    except RagbenchError as error:
        print(f"ragbench {options.verb}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("\ninterrupted; finished stages are kept and will be reused", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _told(error, options)


def _told(error: Exception, options: argparse.Namespace) -> int:
    """One line on an error that no part of ours has put into words, and its exit code; RAGBENCH_TRACEBACK raises it."""
    from ragbench.cli.full_disk import full_disk, is_full  # with what it imports only where something went wrong

    if is_full(error):
        said, code = full_disk(getattr(options, "overrides", [])), 2
    elif isinstance(error, OSError):
        said, code = f"{f'{error.filename}: ' if error.filename else ''}{error.strerror or error}", 2
    elif os.environ.get("RAGBENCH_TRACEBACK"):
        raise error
    else:  # a bug
        what = " ".join(f"{type(error).__name__}: {error}".split())
        said, code = f"stopped by {what}. RAGBENCH_TRACEBACK=1 shows where.", 3
    print(f"ragbench {options.verb}: {said}", file=sys.stderr)
    return code


def _parser(verb: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ragbench",
        description="Evaluation-first research harness for retrieval-augmented generation (zh, en).",
        epilog="key=value arguments are Hydra overrides: ragbench run eval_set=policy_zh alpha=0.3",
    )
    parser.add_argument("--version", action="version", version=f"ragbench {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for name, words in VERBS.items():
        child = verbs.add_parser(name, help=words, description=words.capitalize() + ".")
        if name == verb:
            _module(name).arguments(child)
    return parser


def _module(verb: str) -> ModuleType:
    return importlib.import_module(f"ragbench.cli.{verb.replace('-', '_')}")


if __name__ == "__main__":
    sys.exit(main())
