"""The summary of an experiment in Markdown: verdict, checks, differences, knees, trade-offs, what was missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.report.experiment import FEWEST, overlap_lines, read_experiment, trade_line
from ragbench.report.experiment_best import COLUMNS, best_table
from ragbench.report.experiment_curves import knee_table
from ragbench.report.experiment_means import all_measures, means
from ragbench.report.experiment_tables import difference_sections
from ragbench.report.experiment_words import Words, unavailable_lines


def write_experiment_markdown(folder: Path, target: Path, lang: str) -> Path:
    """Write the summary of the experiment in a folder and return its path; raises as `write_experiment_report`."""
    target.write_text(experiment_markdown(read_experiment(folder), Words(lang)), encoding="utf-8", newline="\n")
    return target


def experiment_markdown(found: Mapping[str, Any], words: Words) -> str:
    """The summary as text."""
    return "\n".join(_lines(found, words)) + "\n"


def _lines(found: Mapping[str, Any], words: Words) -> Iterator[str]:
    yield f"# {found['experiment']}\n"
    yield f"{words('claim')}{words('colon')}{found['claim'].get(words.lang) or found['claim']['en']}\n"
    yield f"**{words.verdict_line(found)}**\n"
    yield from (f"- {words.missing(one)}" for one in found["missing"])
    yield from (f"- {line}" for line in unavailable_lines(found, words))
    yield f"\n## {words('checks')}\n"
    for check in found["checks"]:
        yield f"- {words.check_line(check)}"
        yield from (f"  - {words.leg(leg)}" for leg in check["legs"])
    yield from _means(found, words)
    sections = difference_sections(found, words)
    if sections:
        yield f"\n## {words('differences')}\n"
        yield words("differences_lead", baseline=found["baseline"])
    for section in sections:
        yield f"\n### {section['title']}\n"
        yield from _table([words("measure"), found["baseline"], *section["variants"]], map(_row, section["rows"]))
    knees = knee_table(found, words)
    if knees:
        yield f"\n## {words('knees')}\n\n{words('knees_lead')}\n"
        heads = [words(key) for key in ("set", "measure", "best", "knee", "questions")]
        yield from _table(heads, ([row["place"], row["measure"], row["best"], row["knee"], row["n"]] for row in knees))
    bests = best_table(found, words)
    if bests:
        lead = words("bests_lead", baseline=found["baseline"], fewest=FEWEST)
        yield f"\n## {words('bests')}\n\n{lead}\n"
        yield from _table([words(key) for key in COLUMNS], ([row[key] for key in COLUMNS] for row in bests))
    yield f"\n## {words('trades')}\n"
    yield from [f"- {trade_line(row, words)}" for row in found["trade_offs"]] or [words("no_trades")]
    yield f"\n## {words('differs')}\n"
    yield from (f"- {line}" for line in [*overlap_lines(found, words), *found["notes"]])
    yield from (f"- {key}={value}" for key, value in found["base"].items())


def _means(found: Mapping[str, Any], words: Words) -> Iterator[str]:
    tables = means(found, all_measures(found))
    rows = [[words.measure(measure), row, *values] for measure, rows in tables for row, values in rows]
    if rows:
        title, lead = words("means"), words("means_lead", baseline=found["baseline"])
        yield f"\n## {title}\n\n{lead}\n"
        yield from _table([words("measure"), words("set"), *found["variants"]], rows)


def _row(row: Mapping[str, Any]) -> list[str]:
    cells = []
    for cell in row["cells"]:
        gain = f"**{cell['gain']}**" if cell["sure"] else cell["gain"]
        cells.append(" ".join(filter(None, [gain, f"({cell['interval']})" if cell["interval"] else "", cell["note"]])))
    return [f"{row['name']}{' ↓' if row['lower'] else ''}", row["base"], *cells]


def _table(heads: Sequence[Any], rows: Any) -> Iterator[str]:
    yield "| " + " | ".join(map(_safe, heads)) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(map(_safe, row)) + " |"


def _safe(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
