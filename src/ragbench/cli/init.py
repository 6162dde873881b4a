"""`ragbench init DIR`: a project of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json


def arguments(parser: argparse.ArgumentParser) -> None:
    """The new folder, the documents, and how many questions to draft."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the project's folder; made where it is missing")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="your documents (default: two small examples)")
    parser.add_argument("--name", help="name of the eval set (default: that of the documents' folder)")
    parser.add_argument(
        "--questions", type=int, default=20, metavar="N", help="questions to draft from headings (default: 20)"
    )
    parser.add_argument("--link", action="store_true", help="link to the documents instead of copying them")
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Make the project and say what comes next."""
    from ragbench.errors import ConfigError
    from ragbench.project.scaffold import scaffold

    if options.questions < 0:
        raise ConfigError("--questions", expected="a number of at least 0", found=str(options.questions))
    made = scaffold(options.folder, options.corpus, options.name, options.questions, link=options.link)
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
    say(f"{made.folder}: {len(loaded.documents)} documents{lost}{skipped}, {made.n_questions} drafted questions")
    for path, reason in loaded.failures[:5]:
        say(f"  not used: {path}: {reason}")
    say("next:")
    steps = (f"cd {made.folder}", f"ragbench eval-set check {made.name}", f"ragbench run eval_set={made.name}")
    for step in (*steps, "ragbench report latest"):
        say(f"  {step}")
    if made.n_questions:
        where = f"eval_sets/{made.name}/v1/questions.jsonl"
        say(f"The questions are drafts: reword them in {where} as your users would ask.")
    return 0
