"""The description of a run in MLflow, in Markdown: what differs, by how much, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragbench.compare.table import compare_table, higher_is_better, number, signed
from ragbench.sink.first_variant import Change, Scored, changes

OPENS = "**ragbench** · "
"""How every description of ours begins: one that begins otherwise was written by a person and is left alone."""

MOST = 4800
"""Characters of a description."""

_MOST_ROWS = 12
_BESIDE = 6
_GAP = "&nbsp;"
"""MLflow draws tables without space between columns."""

_MARK = {"better": "▲", "worse": "▼", "": ""}
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "run": "{name} · {set}, {n} questions",
        "against": "Against the sweep's first variant, **{first}**, paired by question. "
        "▲ better, ▼ worse: the 95 % interval of the difference excludes 0; rows are many and not corrected for.",
        "first": "The sweep's first variant: the others are compared with it.",
        "apart": "Not compared with the sweep's first variant, {first}: it was asked other questions.",
        "measure": "measure", "base": "first", "own": "this", "difference": "difference", "interval": "95 % interval",
        "where": "Where it differs", "category": "category", "lower": "less is better",
        "nowhere": "No category differs.", "outcomes": "Where questions were lost", "loss": "outcome",
        "variant": "variant",
        "sweep": "{n} variants · {set}", "cells": "Means; in brackets the difference to the first variant. "
        "▲ better, ▼ worse: the 95 % interval of the paired difference excludes 0.",
        "better": "better in {list}", "worse": "worse in {list}",
        "same": "no headline measure is told apart from it",
        "said": "Against **{first}**: {said}.",
        "said_of": "**{name}**: {said}.", "most": "Most in {list}.", "and": "; ",
        "more": "… {n} more rows", "value": "mean",
    },
    "zh": {
        "run": "{name} · {set}，{n} 题",
        "against": "与本次扫描的第一个方案 **{first}** 按题配对比较。"
        "▲ 更好，▼ 更差：差值的 95% 区间不含 0；行数较多，未作多重比较校正。",
        "first": "本次扫描的第一个方案：其余方案与它比较。",
        "apart": "未与第一个方案 {first} 比较：两者的问题不同。",
        "measure": "指标", "base": "第一个", "own": "本方案", "difference": "差值", "interval": "95% 区间",
        "where": "差别在哪里", "category": "类别", "lower": "越低越好",
        "nowhere": "各类别均无差别。", "outcomes": "失分位置", "loss": "结果", "variant": "方案",
        "sweep": "{n} 个方案 · {set}",
        "cells": "均值；括号内为与第一个方案之差。▲ 更好，▼ 更差：配对差值的 95% 区间不含 0。",
        "better": "{list} 更好", "worse": "{list} 更差", "same": "没有可以区分的主要指标",
        "said": "与 **{first}** 相比：{said}。",
        "said_of": "**{name}**：{said}。", "most": "差别最大：{list}。", "and": "；",
        "more": "……另有 {n} 行", "value": "均值",
    },
}  # fmt: skip


def run_note(own: Scored, first: Scored | None, name: str, first_name: str, lang: str) -> str:
    """The description of one run. `first` is the first variant of its sweep: None for a run of no sweep, and the run
    itself for the first one. At most `MOST` characters; rows that find no room are counted."""
    words = _WORDS[lang]
    parts = [OPENS + words["run"].format(name=_plain(name), set=_set(own.summary), n=len(own.categories))]
    if first is None or first.run_id == own.run_id:
        parts += [words["first"]] if first is not None else []
        return _fitting([*parts, _table(words, "measure value interval", _means(own, words))], words)
    found = changes(first, own)
    if not found:
        return _fitting([*parts, words["apart"].format(first=_plain(first_name))], words)
    parts.append(_answer(found, first_name, words))
    parts.append(words["against"].format(first=_plain(first_name)))
    overall = [_cells(one, words, one.measure) for one in found if not one.category]
    parts.append(_table(words, "measure base own difference interval", overall))
    where = _where(found)
    rows = [_cells(one, words, one.category, one.measure) for one in where[:_MOST_ROWS]]
    parts.append(f"**{words['where']}**" if rows else words["nowhere"])
    if rows:
        more = len(where) - len(rows)
        parts.append(_table(words, "category measure base own difference interval", rows))
        parts += [words["more"].format(n=more)] if more else []
    lost = list(_outcomes(first.summary, own.summary))
    if lost:
        parts += [f"**{words['outcomes']}**", _table(words, "loss base own difference", lost)]
    return _fitting(parts, words)


def sweep_note(runs: Sequence[Scored], lang: str) -> str:
    """The description of a sweep: what each variant changes in a sentence, and its headline means with their
    differences to the first. Few variants stand side by side; more of them are rows, without the sentences."""
    words = _WORDS[lang]
    table = compare_table([one.summary for one in runs])
    found = [[], *([one for one in changes(runs[0], own) if not one.category] for own in runs[1:])]
    columns = []
    for line, changed in zip(table.lines, found):
        by = {one.measure: f" ({_signed(one)})" for one in changed}
        columns.append([number(cell.mean) + by.get(name, "") for name, cell in zip(table.measures, line.cells)])
    names = [_plain(line.name) for line in table.lines]
    measures = [_measure(name, words) for name in table.measures]
    beside = len(runs) <= _BESIDE
    head = [words["measure"], *names] if beside else [words["variant"], *measures]
    rows = zip(measures, *columns) if beside else ([name, *cells] for name, cells in zip(names, columns))
    lead = [words["said_of"].format(name=name, said=_verdicts(one, words)) for name, one in zip(names, found) if one]
    said = words["sweep"].format(n=len(runs), set=_set(runs[0].summary) if table.one_lock else "–")
    parts = [OPENS + said, *(lead if beside else []), words["cells"], _rows(head, [list(row) for row in rows], 1)]
    return _fitting(parts, words)


def _answer(found: Sequence[Change], first: str, words: Mapping[str, str]) -> str:
    """What differs, by how much and where, in two sentences: MLflow folds what comes after the first lines."""
    overall = [one for one in found if not one.category]
    said = words["said"].format(first=_plain(first), said=_verdicts(overall, words))
    told = {one.category: one for one in reversed(_where(found)) if one.verdict}
    most = sorted(told.values(), key=lambda one: -abs(one.difference.mean or 0.0))[:3]
    where = ", ".join(f"{_plain(one.category)} · {_plain(one.measure)} {_signed(one)}" for one in most)
    return f"{said} {words['most'].format(list=where)}" if most else said


def _verdicts(overall: Sequence[Change], words: Mapping[str, str]) -> str:
    parts = []
    for verdict in ("better", "worse"):
        told = [f"{_plain(one.measure)} {_by(one.difference.mean)}" for one in overall if one.verdict == verdict]
        if told:
            parts.append(words[verdict].format(list=", ".join(told[:_BESIDE])))
    return words["and"].join(parts) or words["same"]


def _where(found: Sequence[Change]) -> list[Change]:
    """Changes within categories that differ at all, those told apart first, then the larger ones."""
    kept = [one for one in found if one.category and not one.measure.startswith("cost/") and one.difference.mean]
    return sorted(kept, key=lambda one: (not one.verdict, -abs(one.difference.mean or 0.0), one.category, one.measure))


def _outcomes(first: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[list[str]]:
    before, after = first.get("diagnosis") or {}, own.get("diagnosis") or {}
    for name in dict.fromkeys((*before, *after)):
        counts = int(before.get(name) or 0), int(after.get(name) or 0)
        if counts[0] != counts[1]:
            yield [_plain(name), *map(str, counts), f"{counts[1] - counts[0]:+d}".replace("-", "−")]


def _means(own: Scored, words: Mapping[str, str]) -> Iterator[list[str]]:
    table = compare_table([own.summary])
    for name, cell in zip(table.measures, table.lines[0].cells):
        yield [_measure(name, words), number(cell.mean), f"{number(cell.low)} – {number(cell.high)}"]


def _cells(one: Change, words: Mapping[str, str], *names: str) -> list[str]:
    difference = one.difference
    known = difference.low is not None and difference.high is not None
    interval = f"{_by(difference.low)} … {_by(difference.high)}" if known else "–"
    head = [_measure(name, words) if name == one.measure else _plain(name) for name in names]
    return [*head, number(one.first), number(one.own), _signed(one), f"{interval} (n = {difference.n})"]


def _signed(one: Change) -> str:
    return f"{_by(one.difference.mean)} {_MARK[one.verdict]}".rstrip()


def _by(value: float | None) -> str:
    """A difference with its sign and the digits of `number`."""
    if value is None or abs(value) < 10:
        return signed(value)
    return ("+" if value > 0 else "−") + number(abs(value))


def _measure(name: str, words: Mapping[str, str]) -> str:
    return _plain(name) if higher_is_better(name) else f"{_plain(name)} ({words['lower']})"


def _set(summary: Mapping[str, Any]) -> str:
    found = summary.get("eval_set") or {}
    return _plain(" ".join(str(part) for part in (found.get("name"), found.get("version")) if part) or "–")


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, in one cell."""
    escaped = "".join(f"\\{one}" if one in "\\`*[]<>|#&" else one for one in " ".join(str(text).split()))
    return escaped if len(escaped) <= 160 else escaped[:159].rstrip("\\") + "…"


def _table(words: Mapping[str, str], columns: str, rows: Iterator[list[str]] | Sequence[list[str]]) -> str:
    names = columns.split()
    return _rows([words[name] for name in names], rows, sum(name in ("measure", "category", "loss") for name in names))


def _rows(head: Sequence[str], rows: Iterator[list[str]] | Sequence[list[str]], n_text: int) -> str:
    rule = [":--" if at < n_text else "--:" for at in range(len(head))]
    lines = ["| " + f" {_GAP}{_GAP}| ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "| " + " | ".join(rule) + " |", *lines[1:]])


def _fitting(parts: Sequence[str], words: Mapping[str, str]) -> str:
    """The parts as far as they fit, whole lines only; how many are left out is said."""
    lines = "\n\n".join(part for part in parts if part).split("\n")
    kept: list[str] = []
    size = 0
    for at, line in enumerate(lines):
        size += len(line) + 1
        if size > MOST - 40:
            return "\n".join([*kept, "", words["more"].format(n=len(lines) - at)])
        kept.append(line)
    return "\n".join(kept)
