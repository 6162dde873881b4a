"""A project of one's own: documents, a first eval set, configurations that name it, and the gate."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ragbench.core.codec import write_jsonl
from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus
from ragbench.corpus.scan import scan
from ragbench.errors import ConfigError, DataError
from ragbench.eval_set.source import CORPUS, QUESTIONS
from ragbench.project.outline_questions import outline_questions
from ragbench.project.settle import check_free, settled
from ragbench.project.template import write_datasheet, write_example, write_template

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_VERSION = "v1"


@dataclass(frozen=True)
class Scaffold:
    """What was made: the project's folder, the set's name, what became of the documents, and the files by their paths
    in the folder. `drafted`: the questions were drafted from headings, not written."""

    folder: Path
    name: str
    loaded: LoadedCorpus
    n_questions: int
    drafted: bool
    written: tuple[str, ...]


def scaffold(folder: Path, corpus: Path | None, name: str | None, n_questions: int, *, link: bool) -> Scaffold:
    """Make a project in `folder` from the documents in `corpus` (None: a small example with questions).

    The documents are copied below `eval_sets/<name>/v1/corpus`, or linked to as a whole with `link`; `n_questions`
    questions are drafted from their headings. Nothing that exists is overwritten, and nothing is left half-written.

    Raises:
        ConfigError: a name that is no identifier.
        DataError: a file of the project exists, the documents' folder does not, or holds nothing usable.
    """
    name = _checked_name(name, corpus)
    if corpus is not None:
        _check_apart(folder, corpus)
    with settled(folder) as made:
        target = made / "eval_sets" / name / _VERSION
        write_template(made, name)
        check_free(folder, ["eval_sets", *(path.name for path in made.iterdir())])
        if corpus is None:
            write_example(target, name)
            loaded = CorpusLoader().load(target / CORPUS)
            n = len((target / QUESTIONS).read_bytes().splitlines())
        else:
            loaded = CorpusLoader().load(corpus)
            _bring(corpus, target / CORPUS, link=link)
            rows = outline_questions(loaded.documents, n_questions)
            write_jsonl(target / QUESTIONS, rows)
            write_datasheet(target, name)
            n = len(rows)
        written = tuple(path.relative_to(made).as_posix() for path in sorted(made.rglob("*")) if path.is_file())
    return Scaffold(folder, name, loaded, n, corpus is not None, written)


def _checked_name(name: str | None, corpus: Path | None) -> str:
    if name is None:
        name = re.sub(r"[^A-Za-z0-9_]+", "_", corpus.resolve().name if corpus else "").strip("_").lower()
        return name if _NAME.fullmatch(name) else "my_docs"
    if not _NAME.fullmatch(name):
        expected = "letters, digits and _, beginning with a letter"
        raise ConfigError("--name", expected=expected, found=repr(name), hint="The set is chosen by it.")
    return name


def _check_apart(folder: Path, corpus: Path) -> None:
    if folder.resolve().is_relative_to(corpus.resolve()):
        raise DataError(
            f"project folder {folder}",
            expected="a folder outside the documents",
            found=f"one inside {corpus}",
            hint="Results and the store would become documents. Choose a folder beside it.",
        )


def _bring(corpus: Path, target: Path, *, link: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        target.symlink_to(corpus.resolve(), target_is_directory=True)
        return
    for doc_id, path in scan(corpus, LOADERS).files:
        (target / doc_id).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / doc_id)
