"""`ragbench eval-set check|lock|import|stats`."""

from __future__ import annotations

import argparse
from pathlib import Path

from ragbench.cli.output import add_json, say, say_json
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus
from ragbench.errors import DataError
from ragbench.eval_set.describe import describe
from ragbench.eval_set.load import EvalSet, load_eval_set
from ragbench.eval_set.lock import write_lock
from ragbench.eval_set.source import CORPUS, EvalSetSource

FORMATS = ("squad",)


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
    child = actions.add_parser("import", help="make an eval set from another format")
    child.add_argument("format", choices=FORMATS)
    child.add_argument("file", type=Path)
    child.add_argument("target", help="name of the new set below ./eval_sets, or a folder")
    child.add_argument("--unit", choices=("paragraph", "article"), default="paragraph", help="what becomes a document")
    child.add_argument("--language", choices=("zh", "en", "mixed"), help="default: by the script of each question")
    add_json(child)


def execute(options: argparse.Namespace) -> int:
    """Run the chosen action."""
    if options.action == "import":
        return _import(options)
    source = _source(options.set)
    folder = source.folder()
    loaded = CorpusLoader().load(folder / CORPUS)
    found = load_eval_set(source.title(), folder, loaded.documents)
    return {"check": _check, "lock": _lock, "stats": _stats}[options.action](options, found, loaded)


def _source(name: str) -> EvalSetSource:
    if Path(name).is_dir():
        return EvalSetSource(name=None, version=None, path=name)
    stem, _, version = name.partition("/")
    return EvalSetSource(name=stem, version=version or "v1", path=None)


def _check(options: argparse.Namespace, found: EvalSet, loaded: LoadedCorpus) -> int:
    state = "frozen" if found.state.frozen else "not locked"
    facts = {
        "set": f"{found.name}/{found.version}",
        "questions": len(found.questions),
        "documents": len(loaded.documents),
        "failed_files": [list(pair) for pair in loaded.failures],
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
    for name in found.state.text_differs:
        say(f"  text differs from LOCK: {name}")
    return 0


def _lock(options: argparse.Namespace, found: EvalSet, loaded: LoadedCorpus) -> int:
    lock = write_lock(found.folder, CorpusLoader(), loaded.documents)
    say_json({"lock": lock}) if options.json else say(f"{found.folder / 'LOCK'}: {lock}")
    return 0


def _stats(options: argparse.Namespace, found: EvalSet, loaded: LoadedCorpus) -> int:
    facts = describe(found.questions, loaded.documents)
    if options.json:
        say_json(facts)
        return 0
    for name, value in facts.items():
        shown = ", ".join(f"{key} {n}" for key, n in value.items()) if isinstance(value, dict) else value
        say(f"{name.replace('_', ' '):>26}  {shown}")
    return 0


def _import(options: argparse.Namespace) -> int:
    from ragbench.eval_set.import_squad import import_squad

    named = "/" not in options.target and "\\" not in options.target
    target = Path("eval_sets") / options.target / "v1" if named else Path(options.target)
    if target.exists() and any(target.iterdir()):
        raise DataError(str(target), expected="a new folder", found="an existing one", hint="Choose another name.")
    report = import_squad(options.file, target, options.unit, options.language)
    facts = {
        "folder": str(target),
        "documents": report.documents,
        "questions": report.questions,
        "repaired": report.repaired,
        "rejected": len(report.rejected),
    }
    if options.json:
        say_json(facts)
        return 0
    say(
        f"{target}: {report.questions} questions on {report.documents} documents; "
        f"{report.repaired} answers moved to their only place, "
        f"{len(report.rejected)} questions rejected (see DATASHEET.md)"
    )
    how = f"eval_set=local eval_set.path={target}"
    say(f"next: ragbench run {how}")
    return 0
