"""`ragbench init DIR`: a project of one's own."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json
from ragbench.errors import ConfigError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The new folder, the documents, and how many questions to draft."""
    parser.description = (
        "Make a project of your own: documents and questions (an eval set), configurations, a Makefile, and a workflow "
        "that holds pull requests to a baseline. `ragbench run` works in it at once. Nothing is overwritten."
    )
    parser.add_argument("folder", metavar="DIR", help="the project's folder; made where it is missing")
    parser.add_argument(
        "--corpus", type=Path, metavar="FOLDER", help="your documents (default: a small example with questions)"
    )
    parser.add_argument("--name", help="name of the eval set (default: that of the documents' folder)")
    parser.add_argument(
        "--questions", type=int, default=20, metavar="N", help="questions to draft from their headings (default: 20)"
    )
    parser.add_argument("--link", action="store_true", help="link to the documents instead of copying them")
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Make the project and say what comes next."""
    from ragbench.project.scaffold import scaffold

    if options.questions < 0:
        raise ConfigError("--questions", expected="a number of at least 0", found=str(options.questions))
    made = scaffold(_folder(options.folder), options.corpus, options.name, options.questions, link=options.link)
    loaded = made.loaded
    if options.json:
        say_json(
            {
                "folder": str(made.folder),
                "eval_set": made.name,
                "documents": len(loaded.documents),
                "questions": made.n_questions,
                "failed_files": [list(pair) for pair in loaded.failures],
                "skipped": list(loaded.skipped),
                "written": list(made.written),
            }
        )
        return 0
    lost = f", {len(loaded.failures)} could not be read" if loaded.failures else ""
    skipped = f", {len(loaded.skipped)} of unknown kind" if loaded.skipped else ""
    kind = "drafted questions" if made.drafted else "questions"
    say(f"{made.folder}: {len(loaded.documents)} documents{lost}{skipped}, {made.n_questions} {kind}")
    for path, reason in loaded.failures[:5]:
        say(f"  not used: {path}: {reason}")
    say("next:")
    there = [] if made.folder == Path() else [f"cd {shlex.quote(_shown(made.folder))}"]
    for step in (*there, f"ragbench eval-set check {made.name}", "ragbench run", "ragbench report latest"):
        say(f"  {step}")
    where = f"eval_sets/{made.name}/v1/questions.jsonl"
    if not made.n_questions:
        say(f"First write questions into {where}: README.md says how.")
    elif made.drafted:
        say(f"The questions are drafts: reword them in {where} as your users would ask.")
    else:
        say("Documents and questions are an example: README.md says how to put your own in their place.")
    return 0


def _folder(given: str) -> Path:
    if not given.isprintable() or not given or given != given.strip():
        expected = "a printable name without blanks at its ends"
        raise ConfigError("DIR", expected=expected, found=repr(given), hint="For example: ragbench init my-rag")
    return Path(given)


def _shown(folder: Path) -> str:
    return f"./{folder}" if str(folder).startswith("-") else str(folder)
