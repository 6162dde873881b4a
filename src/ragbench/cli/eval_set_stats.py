"""The table of `ragbench eval-set stats`, at most 100 columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from ragbench.records.question import DIFFICULTIES

_LABEL, _WIDTH, _SHOWN = 24, 100, 5


def stats_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """Lines for people of `describe`'s facts; a part that a set does not have is left out."""
    yield _line("documents", f"{facts['documents']} ({_tally(facts['by_type'])})")
    yield _line("  language", _tally(facts["documents_by_language"]))
    yield _line("  characters", f"{facts['characters']:,} in all; each {_lengths(facts['document_length'])}")
    yield from _same("  equal texts", facts["repeats"]["same_documents"])
    if not facts["questions"]:
        yield _line("questions", "none yet")
        return
    yield _line("questions", f"{facts['questions']}, {facts['answerable_share']:.1%} answerable")
    yield _line("  characters", _lengths(facts["question_length"]))
    for name in ("language", "split", "complexity"):
        if set(facts[f"by_{name}"]) != {"None"}:
            yield _line(f"  {name}", _tally(facts[f"by_{name}"]))
    yield _line("  follow-ups", str(facts["follow_ups"]))
    yield from _same("  equal", facts["repeats"]["same_questions"])
    yield from _same("  nearly equal", facts["repeats"]["near_questions"])
    yield from _categories(facts["category_by_difficulty"])
    yield from _evidence(facts)
    yield from _leakage(facts["leakage"])


def _categories(table: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield ""
    yield f"{'category':<{_LABEL}}" + "".join(f"{name:>9}" for name in (*DIFFICULTIES, "all"))
    for name, counts in table.items():
        cells = [*counts.values(), sum(counts.values())]
        yield set_cell_size(_clipped(name, _LABEL - 2), _LABEL) + "".join(f"{n:>9}" for n in cells)


def _evidence(facts: Mapping[str, Any]) -> Iterator[str]:
    found = facts["evidence"]
    yield ""
    yield _line("evidence", f"of {sum(found['groups'].values())} questions, in {found['documents_used']} documents")
    yield _line("  groups needed", _tally(found["groups"]))
    yield _line("  alternatives", _tally(found["alternatives"]))
    yield _line("  documents needed", _tally(found["documents_needed"]))
    yield _line("  across documents", str(facts["across_documents"]))
    if found["whole_documents"]:
        yield _line("  whole documents", f"{found['whole_documents']} questions")
    if facts["quote_length"]:
        yield _line("  quote characters", _lengths(facts["quote_length"]))


def _leakage(found: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "wording shared with      mean  median    p90   questions by share in fifths     over 0.9"
    for name in ("evidence", "sentences"):
        row = found[name]
        if row["n"]:
            bins = " ".join(f"{n:>5}" for n in row["bins"])
            figures = f"{row['mean']:>6.2f}{row['median']:>8.2f}{row['p90']:>7.2f}"
            yield f"  {name:<21}{figures}   {bins}  {len(row['high']):>8}"
        if row["high"]:
            ids = [f"{item['id']} {item['share']:.2f}" for item in row["high"]]
            yield from _listed("    over 0.9", ids)
    if found["without_spans"]:
        yield _line("  not counted", f"{found['without_spans']} questions without spans of evidence")


def _same(label: str, groups: Sequence[Sequence[str]]) -> Iterator[str]:
    if groups:
        yield _line(label, f"{len(groups)}")
        yield from _listed("", [" = ".join(group) for group in groups])


def _listed(label: str, items: Sequence[str]) -> Iterator[str]:
    shown = [_clipped(item, _WIDTH - _LABEL - 2) for item in items[:_SHOWN]]
    more = f"; … {len(items) - _SHOWN} more (--json)" if len(items) > _SHOWN else ""
    yield _line(label, "; ".join(shown) + more)


def _clipped(text: str, width: int) -> str:
    """The text in at most so many terminal columns, its middle left out: ids differ at their ends."""
    text = "".join("�" if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)
    keep = min(len(text), width)
    clipped = text if keep == len(text) else text[:keep] + text[-keep:]
    while cell_len(clipped) > width:
        keep -= 1
        clipped = f"{text[: keep - keep // 2]}…{text[len(text) - keep // 2 :]}"
    return clipped


def _line(label: str, text: str) -> str:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= _WIDTH - _LABEL:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(
        f"{label if not number else '':<{_LABEL}}{line}" for number, line in enumerate(filter(None, lines))
    )


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" if not name.isdigit() else f"{name}: {n}" for name, n in counts.items())


def _lengths(row: Mapping[str, int] | None) -> str:
    if row is None:
        return "none"
    return f"{row['min']:,} – {row['max']:,}, median {row['median']:,}, p90 {row['p90']:,}"
