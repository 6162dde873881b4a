"""Comparisons on the terminal: one pair with its measures, or many runs against one, in at most a hundred columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragbench.compare.contrast import BETTER, NO_PAIRS, NOT_COMPARABLE, SAME, TOO_FEW, UNTESTED, WORSE, Contrast
from ragbench.compare.figures import detects, interval, p_value
from ragbench.compare.pairs import Pair
from ragbench.compare.table import number, signed
from ragbench.sink.compare_lines import (
    beside_lines,
    caution_lines,
    change_line,
    short_verdict,
    trade_off_lines,
    turned_lines,
    verdict_line,
)
from ragbench.sink.console import console, part_line, plain_table

_SAYS = {
    BETTER: "better", WORSE: "worse", SAME: "same", TOO_FEW: "too few", UNTESTED: "untested",
    NOT_COMPARABLE: "not comparable", NO_PAIRS: "no pairs",
}  # fmt: skip


WIDTH = 100


def print_pairs(pairs: Sequence[Pair], out: Console | None = None) -> None:
    """Print one comparison in full, or a table of verdicts and the change and verdict of each."""
    out = out or console(WIDTH)
    if len(pairs) == 1:
        _print_pair(pairs[0], out)
        return
    out.print(escape(f"A is {_named(pairs[0].names[0], pairs[0].a.run.run_id)}; {_population(pairs[0])}"))
    out.print(verdict_table(pairs, out))
    _print_lines(dict.fromkeys(line for pair in pairs for line in beside_lines(pair)), out)
    out.print("p is corrected over all pairs and measures (Holm). In full: ragbench compare A B", style="dim")


def verdict_table(pairs: Sequence[Pair], out: Console) -> Table:
    """One row a run: what it is, how many keys it differs in, what can be said, and questions won and lost."""
    table = plain_table(out.is_terminal, min(WIDTH, out.width))
    table.add_column("B", overflow="fold", ratio=2)
    table.add_column("keys", justify="right", no_wrap=True)
    table.add_column("against A", overflow="fold", ratio=3)
    table.add_column("won", justify="right", no_wrap=True)
    table.add_column("lost", justify="right", no_wrap=True)
    for pair in pairs:
        told = ["–", "–"] if pair.turned.note else [str(len(pair.turned.won)), str(len(pair.turned.lost))]
        table.add_row(escape(pair.names[1]), str(pair.changes.n), escape(short_verdict(pair)), *told)
    return table


def contrast_table(found: Sequence[Contrast], out: Console) -> Table:
    """Measure, both means, the difference with its interval, p corrected, the smallest detectable difference."""
    table = plain_table(out.is_terminal, min(WIDTH, out.width))
    table.collapse_padding = True
    table.add_column("measure", overflow="fold", ratio=1)
    for name in ("A", "B", "B − A", "95 % interval", "p", "detects", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("says", no_wrap=True)
    for one in found:
        name = f"{one.metric} in {one.category}" if one.category else one.metric
        table.add_row(escape(name), *_cells(one))
    return table


def _print_pair(pair: Pair, out: Console) -> None:
    a, b = (_named(name, side.run.run_id) for name, side in zip(pair.names, (pair.a, pair.b), strict=True))
    out.print(escape(change_line(pair)), style="bold")
    out.print(escape(f"A {a} · B {b} · {_population(pair)}"))
    out.print(escape(f"verdict: {verdict_line(pair)}"), style="bold")
    _print_lines(trade_off_lines(pair), out, "bold yellow")
    _print_lines(beside_lines(pair), out)
    overall = [one for one in pair.contrasts if not one.category]
    out.print(contrast_table(overall, out))
    told = [one for one in pair.contrasts if one.category and one.state in (BETTER, WORSE)]
    if told:
        out.print(contrast_table(told, out))
    _print_lines(caution_lines(pair), out)
    _print_lines(turned_lines(pair.turned, pair.judge_below), out)
    legend = "p: sign-flip test, Holm over measures and over measures × categories · docs/comparing.md"
    out.print(legend, style="dim")


def _print_lines(lines: Iterable[str], out: Console, style: str | None = None) -> None:
    for line in lines:
        out.print(escape(line), style=style)


def _named(name: str, run_id: str) -> str:
    """The variant with its run, which stands in the name already where two have one name."""
    return name if run_id in name else f"{name} ({run_id})"


def _population(pair: Pair) -> str:
    facts = pair.a.summary.get("eval_set") or {}
    part = part_line(pair.a.summary)
    named = " ".join(str(facts[key]) for key in ("name", "version") if facts.get(key))
    return f"{named}, split {facts.get('split')}, {len(pair.questions)} questions{f' ({part})' if part else ''}"


def _cells(one: Contrast) -> list[str]:
    found = one.found
    if one.state == NOT_COMPARABLE:
        return [number(one.a), number(one.b), *["–"] * 4, str(one.counts.pairs), _SAYS[one.state]]
    p, n, says = p_value(one.p_holm), str(one.counts.pairs), _SAYS.get(one.state, "–")
    return [number(one.a), number(one.b), signed(found.mean), interval(one), p, detects(one), n, says]
