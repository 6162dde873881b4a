"""The index of all experiments' verdicts: one HTML page, and the same as a table in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench import __version__
from ragbench.report.experiment_words import Words
from ragbench.report.html import in_all_languages, spoken, write_page
from ragbench.report.links import relative_link
from ragbench.run_dir import layout

Row = Mapping[str, Any]
ORDER = ("confirmed", "refuted", "cannot_tell", "not_run", "not_tested")


def write_index(rows: Sequence[Row], target: Path, lang: str) -> Path:
    """Write the page of the rows of `ragbench.experiment.index` and return its path: in every language, `lang` shown
    first; links to the experiments' own reports are relative. Raises ConfigError for a language other than `en` and
    `zh`."""
    pages = []
    for labels in spoken(lang):
        words = Words(labels.lang)
        view = {
            "version": __version__,
            "lead": counts_line(rows, words),
            "rows": [_shown(row, words, target) for row in rows],
        }
        pages.append((labels, {"v": view, "x": words, "title": f"{words('index_title')} · ragbench"}))
    target.parent.mkdir(parents=True, exist_ok=True)
    return write_page(target, in_all_languages("experiments_page.html", pages))


def index_markdown(rows: Sequence[Row], lang: str) -> str:
    """The same as a table in Markdown, without links."""
    words = Words(lang)
    return "\n".join(_lines(rows, words)) + "\n"


def counts_line(rows: Sequence[Row], words: Words) -> str:
    """How many claims ended in which way."""
    counts = Counter(row["status"] for row in rows)
    return words("comma").join(f"{words(f'index_{code}')} {counts[code]}" for code in ORDER if counts[code])


def _lines(rows: Sequence[Row], words: Words) -> Iterator[str]:
    yield f"{words('index_lead')} {counts_line(rows, words)}.\n"
    heads = [words(key) for key in ("index_name", "claim", "outcome", "index_sets", "index_figures")]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        cells = [
            f"`{row['name']}`",
            _claim(row, words),
            words(f"index_{row['status']}"),
            _sets(row, words),
            _why(row, words),
        ]
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _shown(row: Row, words: Words, target: Path) -> dict[str, Any]:
    return {
        "name": row["name"],
        "claim": _claim(row, words),
        "status": row["status"],
        "outcome": words(f"index_{row['status']}"),
        "sets": _sets(row, words),
        "why": _why(row, words, " · ").split(" · ") if "found" in row else [_why(row, words)],
        "written": row.get("written", "").replace("T", " "),
        "link": relative_link(row["folder"] / layout.REPORT, target) if "folder" in row else "",
    }


def _claim(row: Row, words: Words) -> str:
    return str(row["claim"].get(words.lang) or row["claim"]["en"])


def _sets(row: Row, words: Words) -> str:
    found = row.get("found")
    if not found:
        return ""
    said = words("comma").join(f"{one['name']} ({one.get('n_questions', '?')})" for one in found["sets"])
    lacking = words("comma").join(str(one["name"]) for one in found.get("missing") or ())
    given = f"; {words('index_given', overrides=' '.join(row['given']))}" if row.get("given") else ""
    return said + given + (f"; {words('missing', names=lacking)}" if lacking else "")


def _why(row: Row, words: Words, between: str = "; ") -> str:
    """The checks with their figures; of a claim that is not tested the reason."""
    if "found" in row:
        return between.join(words.check_line(check) for check in row["found"]["checks"])
    if row["status"] == "not_run":
        return words("index_why_not_run", name=row["name"])
    return words(f"index_why_{row['why']}", where=row["where"])
