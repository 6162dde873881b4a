"""Import of a folder of Chinese laws in Markdown: a corpus whose documents know their title, date and standing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from ragbench.corpus.scan import scan
from ragbench.errors import DataError
from ragbench.eval_set.draft import CorpusFile, Draft, ImportRequest
from ragbench.eval_set.ledger import Ledger
from ragbench.eval_set.source_file import need_folder, one_source, read_any_encoding

_WHAT = "a folder of laws in Markdown, `name(YYYY-MM-DD).md`"
_NAME = re.compile(r"(?P<law>.+?)\s*[(（](?P<date>\d{4}-\d{2}-\d{2})[)）]")
_ARTICLE = re.compile(r"^\s*第[〇零一二三四五六七八九十百千0-9]+条", re.MULTILINE)
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_LIMITS = (
    "There are no questions: nothing is measured before you write some.",
    "Whether a version is in force is told by the dates of the versions in this folder alone.",
    "Statutes are one kind of text: headings, numbered articles, no tables.",
)


@dataclass(frozen=True, slots=True)
class _Law:
    """A version of a law: its file, its short name, its date (empty: none in the file name), its text."""

    name: str
    law: str
    date: str
    text: str


def draft(request: ImportRequest, ledger: Ledger) -> Draft:
    """Every Markdown file that holds articles (第X条), with front matter: title, law, date, area, status.

    `date` is that of the file name. Of the versions of one law in the folder the latest is `current`, the others are
    `superseded` and name the date of the next. Files without an article are left out and said.
    """
    folder = need_folder(one_source(request.sources, _WHAT), _WHAT)
    found = scan(folder, {".md", ".markdown"})
    for path, reason in (*found.failures, *((path, "no Markdown") for path in found.skipped)):
        ledger.add("unread", reason, path)
    laws = [law for name, path in found.files if (law := _law(name, path, ledger)) is not None]
    versions: dict[str, list[str]] = {}
    for law in laws:
        versions.setdefault(_key(law), []).append(law.date)
    return Draft(
        title=f"Laws imported from {folder.name}",
        licence="Statutes of the PRC are outside copyright by Art. 5 of its Copyright Law; for headings and layout see "
        "the source.",
        method="The text is as in the source, below front matter made from the file's name, folder and first headings.",
        limits=_LIMITS,
        files=tuple(CorpusFile.text(law.name, _page(law, sorted(versions[_key(law)]))) for law in laws),
        questions=(),
        needs_questions=True,
    )


def _law(name: str, path: Path, ledger: Ledger) -> _Law | None:
    try:
        text, encoding = read_any_encoding(path, "a law in Markdown")
    except DataError as error:
        ledger.add("unread", "a file that cannot be read", f"{name}: {error.found}")
        return None
    if not _ARTICLE.search(text):
        ledger.add("unread", "no law: it holds no article (第X条)", name)
        return None
    if encoding != "utf-8":
        ledger.add("noted", f"read as {encoding}, written as UTF-8", name)
    stem = PurePosixPath(name).stem
    dated = _NAME.fullmatch(stem)
    if dated is None:
        ledger.add("noted", "no date in the file name", name)
    return _Law(name, dated["law"] if dated else stem, dated["date"] if dated else "", text)


def _key(law: _Law) -> str:
    return f"{PurePosixPath(law.name).parent}/{law.law}"


def _page(law: _Law, dates: list[str]) -> str:
    head = yaml.safe_dump(_front(law, dates), allow_unicode=True, sort_keys=False, width=10_000)
    return f"---\n{head}---\n{law.text}"


def _front(law: _Law, dates: list[str]) -> Mapping[str, Any]:
    titles = _TITLE.findall(law.text.partition("<!-- INFO END -->")[0])
    area = PurePosixPath(law.name).parent.as_posix()
    front = {"title": " ".join(titles) or law.law, "law": law.law, "area": "" if area == "." else area}
    if not law.date:
        return front
    later = [date for date in dates if date > law.date]
    standing = {"status": "superseded", "superseded_by": later[0]} if later else {"status": "current"}
    return {**front, "date": law.date, **standing}
