"""The report of a run: one self-contained HTML file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ragbench.compare.table import higher_is_better
from ragbench.core.codec import dumps
from ragbench.report.labels import LANGUAGES, Labels
from ragbench.report.parts import Parts, measures_of, packed_rows, read_parts, sentences
from ragbench.report.reasons import reason
from ragbench.report.svg import own_ids
from ragbench.report.view import run_view
from ragbench.report.view_questions import TextOf
from ragbench.run_dir.read import RunDir

_TEMPLATES = Path(__file__).parent / "templates"
_SCRIPTS = ("base.js", "language.js", "borders.js", "hits.js", "questions.js", "list.js", "copy.js")
_STYLES = ("page.css", "questions.css", "borders.css", "stages.css", "query.css", "pairs.css")
_MOST_BYTES, _MOST_TEXT, _LEAST_TEXT = 24_000_000, 12_000_000, 2_000_000
"""Bytes of details, drawings and texts together; texts of chunks are shortened to what is left of it."""

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_WORDS = ("d_", "b_", "previous", "next", "close", "none", "shown", "l_", "yes", "no", "first_rank", "before", "after")


def write_report(run: RunDir, target: Path, lang: str, text_of: TextOf) -> Path:
    """Write the report of a run and return its path: in every language, `lang` (`en` or `zh`) shown first.

    `text_of(doc_id)` gives the text of a document of the run, None where it is not at hand or differs from the one the
    run used: its chunks are then shown without text. Raises ConfigError for another language.
    """
    labels, *others = spoken(lang)
    parts = read_parts(run, text_of)
    views = {one.lang: run_view(parts, one) for one in (labels, *others)}
    details, drawings = json_lines(packed_rows(parts.data)), json_lines(parts.borders["borders"])
    left = _MOST_BYTES - sum(len(one.encode("utf-8")) for one in (details, drawings))
    data = {
        "questions": details,
        "list": json_lines(parts.listed),
        "chunks": json_lines(parts.chunks.rows(text_of, min(_MOST_TEXT, max(_LEAST_TEXT, left)))),
        "borders": drawings,
        "border-sets": json_lines(parts.borders["border_sets"]),
        "words": json_lines([_words(one, parts, views[one.lang]) for one in (labels, *others)]),
    }
    pages = [
        (one, {"v": views[one.lang], "rows_here": one is labels, "title": f"{run.run_id} · {one('title')}"})
        for one in (labels, *others)
    ]
    return write_page(target, in_all_languages("run_page.html", pages, data))


def spoken(lang: str) -> list[Labels]:
    """The labels of every language, `lang` first; raises ConfigError for another one."""
    return [Labels(lang), *(Labels(one) for one in LANGUAGES if one != lang)]


def in_all_languages(
    template: str, pages: Sequence[tuple[Labels, Mapping[str, Any]]], data: Mapping[str, str] | None = None
) -> str:
    """A page whose words can be changed without loading it again: what `template` makes of the values of each language,
    the first shown, and beside them the `data` of its script, once."""
    (labels, values), *others = pages
    return render(
        "pages.html",
        labels,
        title=values["title"],
        shown=own_ids(_part(template, labels, **values), labels.lang),
        others=[(one.lang, own_ids(_part(template, one, **of_other), one.lang)) for one, of_other in others],
        data=list((data or {}).items()),
    )


def _words(labels: Labels, parts: Parts, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """The words of the page's script, with the sentences of stages that its details hold."""
    measures = {row["id"]: row["name"] for layer in view["layers"] for row in layer["rows"]}
    said = sentences(parts.data, lambda text: reason(text, labels))
    lists = {"listed": view["listed"], "columns": view["columns"], "scored": measures_of(parts.data)}
    lower = [name for name in view["listed"] if not higher_is_better(name)]
    return page_words(labels, measures) | lists | {"said": said, "lower": lower}


def render(template: str, labels: Labels, **values: Any) -> str:
    """A page of the templates; its scripts run by their hash alone, so that nothing in the data can run."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    style = "\n".join(map(_asset, _STYLES))
    return _part(template, labels, style=style, script=script, script_hash=f"sha256-{digest}", **values)


def _part(template: str, labels: Labels, **values: Any) -> str:
    found: str = _environment().get_template(template).render(t=labels, lang=labels.lang, **values)
    return found


def write_page(target: Path, page: str) -> Path:
    """Write a page through a temporary file, so that a reader never meets half of one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}.part")
    half.write_text(page, encoding="utf-8", newline="\n")
    half.replace(target)
    return target


def json_lines(rows: Iterable[Any]) -> str:
    """One JSON value a line, safe inside a `<script>` element whatever the texts hold."""
    text = "\n".join(dumps(row).decode("utf-8") for row in rows)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def page_words(labels: Labels, measures: Mapping[str, str]) -> dict[str, Any]:
    """What the script needs to say: sentences, and names of measures, stages, states, groups and outcomes."""
    return {
        "lang": labels.lang,
        "t": {key: text for key, text in labels.words("ui").items() if key.startswith(_WORDS)},
        "measures": measures,
        "stages": labels.words("stages"),
        "states": labels.words("states"),
        "groups": labels.words("groups"),
        "outcomes": labels.words("outcomes"),
        "classes": labels.words("query_classes"),
        "forms": labels.words("query_forms"),
    }


@cache
def _script() -> str:
    """One script for every page, because the policy of a page names one hash; each part minds its own elements."""
    parts = "\n\n".join(map(_asset, _SCRIPTS))
    return f'(function () {{\n"use strict";\nconst kept = {{}};\nfunction start() {{\n{parts}\n}}\nstart();\n}})();'


@cache
def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["trusted"] = Markup
    return environment
