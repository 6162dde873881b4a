"""The report of a run: one self-contained HTML file that needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ragbench.core.codec import dumps
from ragbench.report.labels import Labels
from ragbench.report.view import run_view
from ragbench.report.view_questions import TextOf
from ragbench.run_dir.read import RunDir

_TEMPLATES = Path(__file__).parent / "templates"
_SCRIPTS = ("base.js", "borders.js", "questions.js")
_STYLES = ("page.css", "borders.css", "stages.css", "query.css")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_WORDS = ("d_", "b_", "previous", "next", "close", "none", "shown", "yes", "no", "first_rank", "before", "after")


def write_report(run: RunDir, target: Path, lang: str, text_of: TextOf) -> Path:
    """Write the report of a run in `lang` (`en` or `zh`) and return its path.

    `text_of(doc_id)` gives the text of a document of the run, None where it is not at hand or differs from the one the
    run used: its chunks are then shown without text. Raises ConfigError for another language.
    """
    labels = Labels(lang)
    view = run_view(run, labels, text_of)
    data = view.pop("data")
    page = render(
        "run.html",
        labels,
        v=view,
        questions_json=json_lines(data["questions"]),
        chunks_json=json_lines(data["chunks"]),
        borders_json=json_lines(data["borders"]),
        border_sets_json=json_lines(data["border_sets"]),
        words_json=words_json(labels, {row["id"]: row["name"] for layer in view["layers"] for row in layer["rows"]}),
    )
    return write_page(target, page)


def render(template: str, labels: Labels, **values: Any) -> str:
    """A page of the templates; its scripts run by their hash alone, so that nothing in the data can run."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    found: str = (
        _environment()
        .get_template(template)
        .render(
            t=labels,
            lang=labels.lang,
            style="\n".join(map(_asset, _STYLES)),
            script=script,
            script_hash=f"sha256-{digest}",
            **values,
        )
    )
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


def words_json(labels: Labels, measures: Mapping[str, str]) -> str:
    """What the script needs to say: sentences, and names of measures, stages, states, groups and outcomes."""
    words = {
        "t": {key: text for key, text in labels.words("ui").items() if key.startswith(_WORDS)},
        "measures": measures,
        "stages": labels.words("stages"),
        "states": labels.words("states"),
        "groups": labels.words("groups"),
        "outcomes": labels.words("outcomes"),
    }
    return json_lines([words])


@cache
def _script() -> str:
    """One script for every page, because the policy of a page names one hash; each part minds its own elements."""
    return '(function () {\n"use strict";\n' + "\n\n".join(map(_asset, _SCRIPTS)) + "\n})();"


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
