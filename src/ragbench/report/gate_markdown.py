"""A gate in Markdown, for a job's summary or a comment on a merge request."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragbench.compare.table import number, signed
from ragbench.gate.loss import Loss
from ragbench.gate.result import GateResult, Outcome
from ragbench.report.gate_words import GateWords, printable

_SIGNS = re.compile(r"[\\`*_{}\[\]()#+!|~@:^$]")
_BADGES = {Outcome.PASS: "✅", Outcome.REGRESSION: "❌", Outcome.CANNOT_TELL: "⚠️", Outcome.UNCONFIRMED: "⚠️"}


def inert(text: str) -> str:
    """Text that is not ours as code: no markup, no link, no mention of a person, one line of a table's cell."""
    plain = html.escape(printable(text))
    return f"<code>{_SIGNS.sub(lambda sign: f'&#{ord(sign[0])};', plain)}</code>"


def write_gate_markdown(result: GateResult, target: Path, lang: str) -> Path:
    """Write the gate and return the path; raises ConfigError for a language there are no words in."""
    text = gate_markdown(result, lang)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")
    return target


def gate_markdown(result: GateResult, lang: str) -> str:
    """The gate as text."""
    return "\n".join(_lines(result, GateWords(lang, mark=inert))) + "\n"


def _lines(result: GateResult, words: GateWords) -> Iterator[str]:
    yield f"## {_BADGES[result.outcome]} {words('title', name=inert(result.eval_set))}\n"
    yield f"**{words.verdict(result)}**\n"
    if result.baseline:
        old = {name: inert(str(value)) for name, value in result.baseline.items()}
        told = {"baseline": old["run_id"], "label": old["label"], "started": old["started"]}
        yield words("run_and_baseline", run=inert(result.run_id), **told)
    else:
        yield words("run_alone", run=inert(result.run_id))
    yield from _measures(result, words)
    yield from _categories(result, words)
    notes = [
        *(
            f"{_title(row.measure, words)}{words('colon')}{line}"
            for row in result.rows
            for line in words.beside(row, result)
        ),
        *words.judge_lines(result),
        *(words.note(note, result) for note in result.notes),
    ]
    if notes:
        yield f"\n### {words('notes')}\n"
        yield from (f"- {line}" for line in notes)
    if result.rows:
        margin = f"{result.options['margin']:.1%}"
        yield f"\n{words('how', margin=margin)} {words('legend')}"


def _measures(result: GateResult, words: GateWords) -> Iterator[str]:
    if not result.rows:
        return
    yield ""
    yield from _head(words, "measure")
    for row in result.rows:
        title = _title(row.measure, words)
        name = title if row.higher_is_better else words("lower", measure=title)
        yield _row([name, *map(number, row.means), *_figures(row.loss), _badge(row.outcome, words)])


def _categories(result: GateResult, words: GateWords) -> Iterator[str]:
    tested = [one for one in result.categories if one.outcome is not Outcome.TOO_FEW]
    if not result.categories:
        return
    yield f"\n### {words('categories')}\n"
    few = len(result.categories) - len(tested)
    yield words("categories_lead", tested=len(tested), pairs=result.options["min_pairs"], few=few)
    shown = [one for one in tested if one.outcome in (Outcome.REGRESSION, Outcome.UNCONFIRMED)]
    if not any(one.outcome is Outcome.REGRESSION for one in tested) and tested:
        yield words("categories_all")
    if shown:
        yield ""
        yield from _head(words, "category")
    for one in shown:
        figures = [number(one.loss.before), number(one.loss.now), *_figures(one.loss)]
        outcome = f"{_badge(one.outcome, words)} {words('holm')} {number(one.p)}"
        yield _row([words.test(one), *figures, outcome])


def _head(words: GateWords, first: str) -> Iterator[str]:
    names = (first, "before", "now", "loss", "bound", "margin", "detectable", "n", "outcome")
    yield _row([words(name) for name in names])
    yield "|---|" + "---:|" * (len(names) - 2) + "---|"


def _figures(loss: Loss) -> list[str]:
    told = (signed(loss.loss), signed(loss.bound), number(loss.margin), number(loss.detectable))
    return [*told, str(loss.n)]


def _title(measure: str, words: GateWords) -> str:
    return f"{words.measure(measure)} {inert(measure)}"


def _badge(outcome: Outcome, words: GateWords) -> str:
    return f"{_BADGES.get(outcome, '')} {words.outcome(outcome)}".strip()


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
