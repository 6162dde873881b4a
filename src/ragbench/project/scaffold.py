"""A project of one's own: documents, a first eval set, a configuration that names it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragbench.core.codec import write_jsonl
from ragbench.corpus.kinds import LOADERS
from ragbench.corpus.loader import CorpusLoader, LoadedCorpus
from ragbench.corpus.scan import scan
from ragbench.errors import ConfigError, DataError
from ragbench.eval_set.source import CORPUS, QUESTIONS
from ragbench.project.outline_questions import outline_questions

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_VERSION = "v1"
_EXAMPLE = {
    "考勤说明.md": (
        "# 考勤说明\n\n## 补卡\n\n忘记打卡的，当月可以补卡三次，须在次日中午前提交。\n\n"
        "## 弹性工时\n\n核心工作时间为十点到十六点，其余时间可以自行安排。\n"
    ),
    "backup-guide.md": (
        "# Backup guide\n\n## Schedule\n\nA full backup starts every Sunday at two in the morning.\n\n"
        "## Restore\n\nStop the node before you restore a snapshot, or the restore is refused.\n"
    ),
}


@dataclass(frozen=True)
class Scaffold:
    """What was made: the project's folder, the set's name, and what became of the documents."""

    folder: Path
    name: str
    loaded: LoadedCorpus
    n_questions: int
    written: tuple[str, ...] = field(default=())


def scaffold(folder: Path, corpus: Path | None, name: str | None, n_questions: int, *, link: bool) -> Scaffold:
    """Make a project in `folder` from the documents in `corpus` (None: two small examples).

    The documents are copied below `eval_sets/<name>/v1/corpus`, or linked to as a whole with `link`; `n_questions`
    questions are drafted from their headings. Nothing that exists is overwritten.

    Raises:
        ConfigError: a name that is no identifier.
        DataError: a file of the project exists, the documents' folder does not, or holds nothing usable.
    """
    name = _checked_name(name, corpus)
    target = folder / "eval_sets" / name / _VERSION
    texts = _texts(name)
    existing = [path for path in (target, *(folder / path for path in texts)) if path.exists()]
    if existing:
        hint = "Choose another folder, or another --name."
        raise DataError(str(existing[0]), expected="no such file yet", found="one that exists", hint=hint)
    if corpus is not None:
        _check_apart(folder, corpus)
        loaded = CorpusLoader().load(corpus)
    target.mkdir(parents=True)
    _bring(corpus, target / CORPUS, link=link)
    if corpus is None:
        loaded = CorpusLoader().load(target / CORPUS)
    rows = outline_questions(loaded.documents, n_questions)
    write_jsonl(target / QUESTIONS, rows)
    (target / "DATASHEET.md").write_text(_DATASHEET.format(name=name), encoding="utf-8")
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Scaffold(folder, name, loaded, len(rows), (str(target), *texts))


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


def _bring(corpus: Path | None, target: Path, *, link: bool) -> None:
    if corpus is None:
        target.mkdir()
        for name, text in _EXAMPLE.items():
            (target / name).write_text(text, encoding="utf-8")
    elif link:
        target.symlink_to(corpus.resolve(), target_is_directory=True)
    else:
        for doc_id, path in scan(corpus, LOADERS).files:
            (target / doc_id).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / doc_id)


def _texts(name: str) -> Mapping[str, str]:
    return {
        f"configs/eval_set/{name}.yaml": _CONFIG.format(name=name, version=_VERSION),
        "README.md": _README.format(name=name, version=_VERSION),
        ".gitignore": "runs/\n.ragbench/\n",
    }


_CONFIG = """# @package eval_set
# Your own documents.
_target_: ragbench.eval_set.source.EvalSetSource
name: {name}
version: {version}
path: null
"""

_DATASHEET = """# {name}

- **Origin of the documents:** …
- **Who wrote the questions, from what need:** the rows with `"draft": true` were drafted from headings by
  `ragbench init`. They ask in the documents' own words, so they flatter keyword search: reword them as your users
  would ask, add questions that no document answers, and delete this line when none is left.
- **Who checked the evidence:** …
- **What the set cannot show:** …
"""

_README = """# {name}

Documents and questions lie in `eval_sets/{name}/{version}/`; everything else is a command, run in this folder:

```sh
ragbench corpus check eval_sets/{name}/{version}/corpus   # what each file becomes, or why it failed
ragbench eval-set check {name}                            # every row and every quote, all problems at once
ragbench run eval_set={name}                              # build, query, evaluate; ends with the path of the run
ragbench report latest                                    # the HTML report of the newest run
ragbench sweep eval_set={name} chunk_size=200,500,800     # which size?
ragbench eval-set lock {name}                             # freeze the set before you compare over time
```

A question is a line of `questions.jsonl`: `id`, `question`, `evidence` (`doc` and an exact `quote`; all groups are
needed, items of one `group` are alternatives), `answerable`, `category`, `reference`. Half a dozen questions that the
documents do not answer (`"answerable": false, "evidence": [], "category": "negative"`) show whether refusal works.
"""
