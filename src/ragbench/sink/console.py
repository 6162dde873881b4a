"""Tables on the terminal: a run by layer and category, a sweep by variant. Eighty columns are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragbench.compare.headline import headline
from ragbench.compare.table import Comparison, compare_table, group_size, number
from ragbench.index.recall import low_recall
from ragbench.measure.name import LAYERS
from ragbench.sink.judge_lines import CANNOT_TELL, judge_lines
from ragbench.sink.model_lines import answer_line, fallback_line, model_lines
from ragbench.sink.query_lines import class_errors, query_lines
from ragbench.sink.stage_lines import stage_lines

WIDTH = 80
SMALL = 5
_COLUMNS = 4
BY_CATEGORY = ("ranking/recall@5", "answer/correctness_f1")
_MARKS = {"best": "best", "tied": "~"}


def console(width: int | None = None) -> Console:
    """Standard output; without a terminal: no colour, and wide enough that nothing is cut."""
    found = Console(highlight=False, emoji=False)
    if found.is_terminal:
        return found
    return Console(highlight=False, emoji=False, no_color=True, width=width or WIDTH)


def print_run(summary: Mapping[str, Any], out: Console | None = None) -> None:
    """Print the table by layer, the table by category, where questions were lost, and what fusion and reranking
    changed."""
    out = out or console()
    if part := part_line(summary):
        out.print(escape(part))
    out.print(layer_table(summary, out.is_terminal))
    if summary.get("by_category"):
        for table in category_tables(summary, out.is_terminal):
            out.print(table)
    lost = [f"{name} {count}" for name, count in (summary.get("diagnosis") or {}).items() if count]
    if lost:
        out.print("outcomes: " + escape(" · ".join(lost)), style="dim")
    for line in judge_lines(summary):
        out.print(escape(line), style="bold yellow" if line.startswith(CANNOT_TELL) else None)
    _print_query(summary, out)
    for line in stage_lines(summary.get("stages")):
        out.print(escape(line))
    for slot, facts in ((summary.get("cost") or {}).get("facts") or {}).items():
        found = {name[10:]: told for name, told in facts.items() if name.startswith("recall_at_")}
        recalls = [f"recall@{depth} {told:.3f}" for depth, told in found.items() if told is not None]
        if recalls:
            out.print(f"{slot}: {', '.join(recalls)} against exact search, measured in the build")
        for line in low_recall(facts):
            out.print(line, style="bold yellow")
        if facts.get("truncated"):
            out.print(f"{slot}: {facts['truncated']} of {facts['pairs']} pairs cut to the model's length")
        if facts.get("failed"):
            first = escape(f"the first: {facts['failures'][0]}")
            out.print(f"{slot}: {facts['failed']} questions kept the first stage's order; {first}")
    cost = summary.get("cost") or {}
    for line in [
        *fallback_line((cost.get("facts") or {}).get("query") or {}),
        *answer_line((cost.get("facts") or {}).get("generator") or {}),
        *model_lines(cost.get("models")),
        *cost.get("notes", ()),
    ]:
        out.print(escape(line))


def _print_query(summary: Mapping[str, Any], out: Console) -> None:
    """Lines on query understanding, and what its errors of class cost."""
    for line in query_lines(summary):
        out.print(escape(line), style="bold yellow" if line.startswith(("oracle", "not held out")) else None)
    head, rows, left = class_errors(summary)
    if rows:
        table = plain_table(out.is_terminal)
        for at, name in enumerate(head):
            table.add_column(escape(name), justify="left" if at < 2 else "right", overflow="fold")
        for row in rows:
            table.add_row(*map(escape, row))
        out.print(table)
        if left:
            out.print(left, style="dim")


def print_sweep(summaries: Sequence[Mapping[str, Any]], out: Console | None = None) -> None:
    """Print variants × headline measures, then variants × categories; `best`: its interval lies clear, `~`: not told
    apart from the leader."""
    out = out or console()
    comparison = compare_table(summaries)
    for table in [
        *sweep_tables(comparison, out.is_terminal),
        *sweep_categories(comparison, summaries, out.is_terminal),
    ]:
        out.print(table)
    if not comparison.one_lock:
        out.print("different eval sets: these figures cannot be compared")
    elif not comparison.one_part:
        out.print("different questions: these figures cannot be compared")
    elif not comparison.one_judge:
        out.print("different judges: judged measures cannot be compared")
    if any(cell.mark for line in comparison.lines for cell in line.cells):
        out.print("best: its interval lies clear of all others · ~: its interval meets the best one's", style="dim")
    for line in dict.fromkeys(line for one in summaries for line in judge_lines(one) if line.startswith(CANNOT_TELL)):
        out.print(escape(line), style="bold yellow")


def part_line(summary: Mapping[str, Any]) -> str:
    """That not all questions of the split were asked; empty where they were."""
    eval_set = summary.get("eval_set") or {}
    part = eval_set.get("questions")
    if not part:
        return ""
    return f"a part of {eval_set.get('name')}: {part['n']} of {part['of']} questions of split {eval_set.get('split')}"


def layer_table(summary: Mapping[str, Any], terminal: bool = False) -> Table:
    """Measure, mean, 95 % interval and the three counts by layer; measures without any subject are left out."""
    table = plain_table(terminal)
    table.add_column("measure", ratio=1, overflow="fold")
    for name in ("mean", "95 % interval", "scored", "n/a", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    metrics = summary.get("metrics") or {}
    layers = [*LAYERS, *sorted({name.partition("/")[0] for name in metrics if "/" in name} - set(LAYERS)), ""]
    for layer in layers:
        rows = {name: row for name, row in metrics.items() if _layer(name) == layer and _happened(row)}
        if not rows:
            continue
        table.add_row(f"[bold]{escape(layer or 'other')}[/bold]")
        for name, row in rows.items():
            table.add_row("  " + escape(name.rpartition("/")[2]), *_cells(row))
    return table


def category_tables(summary: Mapping[str, Any], terminal: bool = False) -> list[Table]:
    """Headline measures by category, at most four measures a table; categories under five questions carry a `*`."""
    measures = headline([summary])
    tables = []
    for first in range(0, len(measures), _COLUMNS):
        part = measures[first : first + _COLUMNS]
        table = plain_table(terminal)
        table.add_column("category", overflow="fold", ratio=1)
        table.add_column("n", justify="right", no_wrap=True)
        for name in part:
            table.add_column(_heading(name), justify="right", overflow="fold", max_width=16)
        small = False
        for category, row in (summary.get("by_category") or {}).items():
            n = group_size(row)
            small = small or n < SMALL
            means = [number((row.get(name) or {}).get("mean")) for name in part]
            table.add_row(escape(category) + ("*" if n < SMALL else ""), str(n), *means)
        if small:
            table.caption = f"* fewer than {SMALL} questions"
        tables.append(table)
    return tables


def sweep_tables(comparison: Comparison, terminal: bool = False) -> list[Table]:
    """The comparison, at most four measures a table, so that long names of variants keep their room."""
    tables = []
    for first in range(0, len(comparison.measures), _COLUMNS):
        part = range(first, min(first + _COLUMNS, len(comparison.measures)))
        table = plain_table(terminal)
        table.add_column("variant", overflow="fold", ratio=1)
        for at in part:
            table.add_column(_heading(comparison.measures[at]), justify="right", overflow="fold", max_width=16)
        for line in comparison.lines:
            table.add_row(escape(line.name), *(_compared(line.cells[at]) for at in part))
        tables.append(table)
    return tables


def sweep_categories(
    comparison: Comparison, summaries: Sequence[Mapping[str, Any]], terminal: bool = False
) -> list[Table]:
    """Variants × categories for what the deciding measures say, one table a measure that any run has by category."""
    categories = list(dict.fromkeys(name for one in summaries for name in one.get("by_category") or {}))
    tables = []
    for measure in BY_CATEGORY:
        rows = [
            [((one.get("by_category") or {}).get(name) or {}).get(measure) or {} for name in categories]
            for one in summaries
        ]
        shown = [at for at in range(len(categories)) if any(row[at].get("mean") is not None for row in rows)]
        if not shown:
            continue
        table = plain_table(terminal)
        table.add_column(_heading(measure), overflow="fold", ratio=1, min_width=15)
        for at in shown:
            sizes = [group_size((one.get("by_category") or {}).get(categories[at]) or {}) for one in summaries]
            small = "*" if max(sizes) < SMALL else ""
            table.add_column(
                f"{escape(categories[at])}{small}\n{max(sizes)}", justify="right", overflow="fold", max_width=11
            )
        for line, row in zip(comparison.lines, rows, strict=True):
            table.add_row(escape(line.name), *(number(row[at].get("mean")) for at in shown))
        tables.append(table)
    return tables


def plain_table(terminal: bool, width: int = WIDTH) -> Table:
    """An empty table as all of ours look: ruled on a terminal alone."""
    return Table(box=box.SIMPLE_HEAD if terminal else None, width=width, pad_edge=False, caption_justify="left")


def _heading(name: str) -> str:
    return escape(name.replace("/", "/\n", 1))


def _layer(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


def _happened(row: Mapping[str, Any]) -> bool:
    return bool(row.get("n_scored") or row.get("n_failed"))


def _cells(row: Mapping[str, Any]) -> Sequence[str]:
    failed = str(row.get("n_failed") or 0)
    interval = f"{number(row['low'])} – {number(row['high'])}" if row.get("low") is not None else "–"
    counts = (str(row.get("n_scored") or 0), str(row.get("n_na") or 0))
    return number(row.get("mean")), interval, *counts, f"[red]{failed}[/red]" if failed != "0" else failed


def _compared(cell: Any) -> str:
    if cell.mean is None:
        return "–"
    interval = f"\n[dim]{number(cell.low)}–{number(cell.high)}[/dim]" if cell.low is not None else ""
    mark = f" {_MARKS[cell.mark]}" if cell.mark else ""
    style = "[bold]{}[/bold]" if cell.mark == "best" else "{}"
    return style.format(number(cell.mean)) + mark + interval
