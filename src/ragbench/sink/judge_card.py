"""A judge's card as tables of eighty columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

WIDTH = 80
_MEASURES = {
    "balanced_accuracy": "bal. accuracy",
    **{f"spearman {aspect}": f"ρ {aspect}" for aspect in ("correctness", "completeness", "overall")},
}


def card_lines(card: Mapping[str, Any], terminal: bool = False) -> Iterator[Table | str]:
    """The card part by part: planted kinds by language, what they sum up to, human labels, noise."""
    yield f"judge {escape(str(card['judge']))}, ragbench {card['ragbench']}"
    yield from _planted(card, terminal)
    yield from _people(card, terminal)
    noise = card.get("noise")
    if noise:
        spread = _number(noise["spread"])
        changed = _share(noise["changed"])
        yield f"noise: {noise['repeats']} runs, {changed} of answers decided otherwise, spread {spread}"
    if card.get("sample"):
        yield f"at most {card['sample']} answers of each set: nothing may gate on a part"


def _planted(card: Mapping[str, Any], terminal: bool) -> Iterator[Table | str]:
    answers = card["answers"]["by_language"]
    languages = sorted(answers, reverse=True)
    table = _table(terminal, "planted answers", "truth", *(f"{one}: right" for one in languages))
    kinds = list(dict.fromkeys(kind for language in languages for kind in answers[language]["kinds"]))
    for kind in kinds:
        rows = [answers[language]["kinds"].get(kind) for language in languages]
        truth = next(row["truth"] for row in rows if row)
        table.add_row(kind, truth, *(_counted(row) for row in rows))
    yield table
    summed = _table(terminal, "", *languages)
    claims = card["claims"]["by_language"]
    for title, part in (("planted claims", claims), ("planted answers", answers)):
        one = [part.get(language) or {} for language in languages]
        summed.add_row(f"{title}: balanced accuracy", *(_number(row.get("balanced_accuracy")) for row in one))
        summed.add_row("  lower 95 % bound", *(_number(row.get("bound")) for row in one))
    for at, measure in enumerate(("auroc", "kappa")):
        rows = [answers[language]["rows"] for language in languages]
        summed.add_row(f"planted answers: {measure}", *(_interval(row[at]["judge"]) if row else "–" for row in rows))
    summed.add_row("  auroc of word overlap", *(_overlap(answers[language]["rows"]) for language in languages))
    for name in ("true", "false"):
        parts = [answers[language]["parts"][name] for language in languages]
        summed.add_row(f"{name} parts of mixed answers: right", *(_counted(row) for row in parts))
    relevant = [answers[language]["relevancy"] for language in languages]
    summed.add_row("auroc of relevancy", *(_interval(row) for row in relevant))
    summed.add_row("failed", *(str(answers[language]["n_errors"]) for language in languages))
    yield summed
    yield f"floor: lower bound {card['floor']:.2f} on planted claims and answers, in each language"


def _people(card: Mapping[str, Any], terminal: bool) -> Iterator[Table | str]:
    people = card.get("people") or {}
    if not people:
        yield "human labels: none at hand, and no card that has any"
        return
    table = _table(terminal, "human labels", "n", "judge", "word overlap", "always yes", "people")
    for one in people.values():
        table.add_row(f"[bold]{escape(one['title'])}[/bold] ({one['language']})", str(one["n"]))
        for row in one["rows"]:
            overlap = row["overlap"]["value"] if row["overlap"] else None
            cells = (_interval(row["judge"]), _number(overlap), _number(row["always"]), _number(row["people"]))
            table.add_row(f"  {_MEASURES.get(row['measure'], row['measure'])}", str(row["judge"]["n"]), *cells)
    yield table
    yield "people: how far annotators agree among themselves, where the data tell"


def _table(terminal: bool, *names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if terminal else None, width=WIDTH, pad_edge=False)
    for at, name in enumerate(names):
        left = at == 0 or name == "truth"
        table.add_column(name, justify="left" if left else "right", overflow="fold", ratio=1 if at == 0 else None)
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _share(value: float) -> str:
    return f"{value:.1%}"


def _interval(row: Mapping[str, Any]) -> str:
    if row.get("value") is None:
        return "–"
    return f"{row['value']:.3f} [{_number(row['low'])}, {_number(row['high'])}]"


def _counted(row: Mapping[str, Any] | None) -> str:
    return "–" if not row or row["right"] is None else f"{row['right']:.2f} (n {row['n']})"


def _overlap(rows: list[Mapping[str, Any]]) -> str:
    return _number(rows[0]["overlap"]["value"]) if rows and rows[0]["overlap"] else "–"
