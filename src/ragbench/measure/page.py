"""The tables of docs/measures.md; `python -m ragbench.measure.page` prints them."""

from __future__ import annotations

from ragbench.measure.family import Family
from ragbench.measure.name import LAYERS
from ragbench.measure.registry import registry

_TITLES = {
    "chunks": "Chunks",
    "query": "Query understanding",
    "retrieval": "Retrieval, before reranking",
    "ranking": "Ranking, after reranking",
    "answer": "Answers",
    "cost": "Cost",
}

_SIZES = frozenset(f"chunks/{name}" for name in ("size_mean", "size_p50", "size_p95", "n_chunks"))
"""Neither more nor less is better."""


def measure_tables() -> str:
    """One Markdown table a layer, a row a measure, in the order of the registry."""
    parts = []
    for layer in LAYERS:
        rows = [_row(family) for name, family in registry().items() if name.startswith(f"{layer}/")]
        head = "| measure | what it is | subject | population | better |\n|---|---|---|---|---|"
        parts.append(f"### {_TITLES[layer]}\n\n{head}\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _row(family: Family) -> str:
    population = family.population.value if family.subject == "question" else "—"
    better = (
        "—" if family.subject == "variant" and family.worst is None else "more" if family.higher_is_better else "less"
    )
    judge = " (judged)" if family.judged else ""
    return f"| `{family.spelling}` | {family.definition}{judge} | {family.subject} | {population} | {better} |"


if __name__ == "__main__":
    print(measure_tables(), end="")
