"""A gate on the terminal: measures, categories, what stands beside them. Eighty columns are enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragbench.compare.table import number, signed
from ragbench.gate.loss import Loss
from ragbench.gate.result import CategoryRow, GateResult, Outcome
from ragbench.report.gate_words import GateWords
from ragbench.sink.console import WIDTH, console

_STYLES: Mapping[Outcome, str] = {
    Outcome.REGRESSION: "bold red",
    Outcome.CANNOT_TELL: "bold yellow",
    Outcome.UNCONFIRMED: "yellow",
    Outcome.PASS: "green",
}
_FIGURES = ("base", "now", "loss", "bound", "margin", "sees", "n")
_LEGEND = (
    "loss: above 0 is worse; bound: it is at least that, one-sided 95 %; sees: the smallest true loss that these n "
    "pairs show four times out of five"
)


def print_gate(result: GateResult, out: Console | None = None) -> None:
    """Print the tables, what stands behind and beside them, and the outcome last."""
    out = out or console()
    words = GateWords("en", measure_ids=True)
    if result.baseline:
        named = {name: words.mark(str(result.baseline[name])) for name in ("label", "started")}
        run, baseline = words.mark(result.run_id), words.mark(str(result.baseline["run_id"]))
        out.print(escape(words("run_and_baseline", run=run, baseline=baseline, **named)))
    if result.rows:
        out.print(_measures(result, words, out.is_terminal))
        out.print(_LEGEND, style="dim")
    shown = [one for one in result.categories if one.outcome in (Outcome.REGRESSION, Outcome.UNCONFIRMED)]
    if shown:
        out.print(_categories(shown, words, out.is_terminal))
    for line in _lines(result, words):
        out.print(escape(line))
    out.print(escape(f"gate: {words.verdict(result)}"), style=_STYLES.get(result.outcome))


def _measures(result: GateResult, words: GateWords, terminal: bool) -> Table:
    table = _table(terminal, "measure")
    layer = ""
    for row in result.rows:
        own, _, name = row.measure.rpartition("/")
        if own != layer:
            table.add_row(f"[bold]{escape(own)}[/bold]")
            layer = own
        cells = (*map(number, row.means), *_figures(row.loss))
        table.add_row(f" {escape(name)}", *cells, _outcome(row.outcome, words))
    return table


def _categories(rows: Sequence[CategoryRow], words: GateWords, terminal: bool) -> Table:
    table = _table(terminal, "category")
    for one in rows:
        cells = (number(one.loss.before), number(one.loss.now), *_figures(one.loss))
        name = f"{words.category(one.category)} {one.measure.rpartition('/')[2]}"
        table.add_row(escape(name), *cells, _outcome(one.outcome, words))
    return table


def _figures(loss: Loss) -> tuple[str, ...]:
    told = (signed(loss.loss), signed(loss.bound), number(loss.margin), number(loss.detectable))
    return (*told, str(loss.n))


def _lines(result: GateResult, words: GateWords) -> Iterator[str]:
    for row in result.rows:
        yield from (f"{row.measure}: {line}" for line in words.beside(row, result))
    yield from words.judge_lines(result)
    yield from (words.note(note, result) for note in result.notes)


def _table(terminal: bool, first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if terminal else None, width=WIDTH, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, ratio=1, overflow="fold")
    for name in _FIGURES:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    return table


def _outcome(outcome: Outcome, words: GateWords) -> str:
    style = _STYLES.get(outcome, "dim")
    return f"[{style}]{words.outcome(outcome)}[/{style}]"
