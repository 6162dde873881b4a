"""`ragbench eval-set check|lock|import|stats`."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus
from ragbench.errors import DataError, Problems
from ragbench.eval_set.load import EvalSet, load_eval_set
from ragbench.eval_set.lock import write_lock
from ragbench.eval_set.source import CORPUS, QUESTIONS, EvalSetSource

FORMATS = {
    "squad": "SQuAD JSON (SQuAD, XQuAD, CMRC 2018, DRCD): FILE",
    "cmrc": "CMRC 2018's own JSON list: FILE",
    "chunking_evaluation": "corpora and spans: FOLDER, or CORPORA QUESTIONS.csv",
    "lihua_world": "chat logs and questions: FOLDER, or LOGS QUESTIONS.json",
    "dragonball": "DRAGONBall of RAGEval: FOLDER, or dragonball_docs.jsonl and question files",
    "beir": "passages, queries and graded judgements: FOLDER, then qrels if not all of qrels/*.tsv",
    "mtrag": "MT-RAG conversations on BEIR passages: FOLDER, then rewrites of its questions (JSON Lines)",
    "mtrag_rewrite": "MT-RAG questions in three forms: FOLDER, then pools (folders with beir/, evaluations in JSON)",
    "rgb": "RGB questions with positive and negative passages: FOLDER, or files such as zh_refine.json",
    "laws": "Chinese laws in Markdown, a corpus without questions: FOLDER",
    "csv": "your documents and a table with quotes: FOLDER QUESTIONS.csv",
    "ragas": "your documents and a test set of RAGAS: FOLDER TESTSET.jsonl (or .json, .csv)",
    "jsonl": "your documents and JSON Lines with quotes: FOLDER QUESTIONS.jsonl",
}
"""Importers by name: `eval_set/import_<name>.py` reads the sources named here."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the four actions."""
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in {
        "check": "validate every row and locate every quote; all problems at once",
        "lock": "freeze the set: write LOCK",
        "stats": "documents, questions and evidence in numbers",
    }.items():
        child = actions.add_parser(name, help=words, description=words.capitalize() + ".")
        child.add_argument("set", help="name, name/version, or the folder of a set")
        add_json(child)
    _import_arguments(
        actions.add_parser(
            "import",
            help="make an eval set from another format",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            description="Formats and their sources:\n" + "".join(f"  {k:<20} {v}\n" for k, v in FORMATS.items()),
        )
    )


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("format", choices=FORMATS, metavar="FORMAT")
    parser.add_argument("sources", type=Path, nargs="+", metavar="SOURCE", help="files or folders of the format")
    parser.add_argument("target", help="name of the new set below ./eval_sets, or a folder")
    parser.add_argument("--force", action="store_true", help="replace a set that an import made")
    parser.add_argument(
        "--unit", choices=("paragraph", "article"), default="paragraph", help="squad: what a document is"
    )
    parser.add_argument(
        "--language",
        choices=("zh", "en", "mixed"),
        help="of the questions (default: by the script of each); dragonball: keep this one",
    )
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help="csv, jsonl, ragas: which column is which field, e.g. --column question=问题",
    )
    parser.add_argument("--collection", metavar="NAME", help="mtrag, mtrag_rewrite: keep this one, e.g. cloud")
    parser.add_argument("--separator", default="||", help="csv, jsonl: between quotes in one cell (default: ||)")
    add_json(parser)


def execute(options: argparse.Namespace) -> int:
    """Run the chosen action."""
    if options.action == "import":
        return _import(options)
    source = _source(options.set)
    folder = source.folder()
    loaded = CorpusLoader().load(folder / CORPUS)
    if options.action == "stats":
        return _stats(options, source, loaded)
    try:
        found = load_eval_set(source.title(), folder, loaded.documents)
    except Problems as error:
        if not options.json:
            raise
        say_json({"set": "/".join(source.title()), "problems": error.problems})
        return error.exit_code
    return {"check": _check, "lock": _lock}[options.action](options, found, loaded)


def _source(name: str) -> EvalSetSource:
    """A set by its name, or by its folder: one that holds no questions gives way to a set of the project."""
    stem, _, version = name.partition("/")
    if Path(name).is_dir() and ((Path(name) / QUESTIONS).exists() or not (Path("eval_sets") / stem).is_dir()):
        return EvalSetSource(name=None, version=None, path=name)
    return EvalSetSource(name=stem, version=version or "v1", path=None)


def _check(options: argparse.Namespace, found: EvalSet, loaded: LoadedCorpus) -> int:
    state = "frozen" if found.state.frozen else "not locked"
    facts = {
        "set": f"{found.name}/{found.version}",
        "questions": len(found.questions),
        "documents": len(loaded.documents),
        "failed_files": [list(pair) for pair in loaded.failures],
        "skipped_files": list(loaded.skipped),
        "empty_files": list(loaded.empty),
        "lock": found.state.lock if found.state.frozen else None,
        "text_differs": list(found.state.text_differs),
    }
    if options.json:
        say_json(facts)
        return 0
    say(
        f"{facts['set']}: {facts['questions']} questions on {facts['documents']} documents, "
        f"all evidence located; {state}"
    )
    for path, reason in loaded.failures:
        say(f"  file not used: {path}: {reason}")
    for words, paths in (("of unknown kind", loaded.skipped), ("without text", loaded.empty)):
        if paths:
            more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
            say(f"  {words}: {', '.join(paths[:5])}{more}")
    for name in found.state.text_differs:
        say(f"  text differs from LOCK: {name}")
    return 0


def _lock(options: argparse.Namespace, found: EvalSet, loaded: LoadedCorpus) -> int:
    lock = write_lock(found.folder, CorpusLoader(), loaded.documents)
    say_json({"lock": lock}) if options.json else say(f"{found.folder / 'LOCK'}: {lock}")
    return 0


def _stats(options: argparse.Namespace, source: EvalSetSource, loaded: LoadedCorpus) -> int:
    """A corpus whose questions are still to be written is described as well."""
    from ragbench.cli.eval_set_stats import stats_lines
    from ragbench.eval_set.describe import describe

    folder = source.folder()
    blank = not (folder / QUESTIONS).read_bytes().strip()
    questions = () if blank else load_eval_set(source.title(), folder, loaded.documents).questions
    facts = describe(questions, loaded.documents)
    if options.json:
        say_json(facts)
        return 0
    for line in stats_lines(facts):
        say(line)
    return 0


def _import(options: argparse.Namespace) -> int:
    from ragbench.eval_set.build_set import build_set, check_target
    from ragbench.eval_set.draft import ImportRequest
    from ragbench.eval_set.ledger import Ledger

    target = _target(options.target)
    check_target(target, force=options.force)
    request = ImportRequest(
        sources=tuple(options.sources),
        language=options.language,
        unit=options.unit,
        columns=_columns(options.column),
        separator=options.separator,
        collection=options.collection,
    )
    ledger = Ledger()
    draft = importlib.import_module(f"ragbench.eval_set.import_{options.format}").draft(request, ledger)
    made = build_set(options.format, draft, request, target, ledger, force=options.force)
    facts = made.facts()
    if options.json:
        say_json(facts)
        return 0
    state = "locked" if made.lock else "not locked"
    asked = f"{facts['questions']} questions ({facts['unanswerable']} unanswerable)"
    say(f"{target}: {asked} on {facts['documents']} documents, {facts['evidence']} pieces of evidence; {state}")
    for line in ledger.lines():
        say(f"  {line}")
    if draft.needs_questions:
        say("next: write questions with quotes into a table, and import both:")
        say(f"  ragbench eval-set import csv {target / CORPUS} QUESTIONS.csv NAME")
        return 0
    say(f"details: {target / 'DATASHEET.md'}")
    every = "" if facts["by_split"].get("test") else " split=all"
    say(f"next: ragbench run eval_set=local eval_set.path={target}{every}")
    return 0


def _target(name: str) -> Path:
    """`name` below ./eval_sets as version 1, or a folder where it is written as a path."""
    if "/" in name or "\\" in name:
        return Path(name)
    if not name.strip() or name.startswith("."):
        raise DataError(f"target {name!r}", expected="the name of a new set, or the path of a folder")
    return Path("eval_sets") / name / "v1"


def _columns(given: list[str]) -> dict[str, str]:
    columns = {}
    for item in given:
        field, equals, column = item.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise DataError(f"--column {item}", expected="FIELD=COLUMN", hint="For example: --column question=问题")
        columns[field.strip()] = column.strip()
    return columns
