"""How often `ragbench compare` errs: false calls under no difference, coverage of its intervals, and its power.

    python benchmarks/comparisons.py [--rounds 1000] [--out docs]

Pairs are drawn from known distributions, so that the truth is known. False calls go through the whole correction
(measures × categories); intervals and p values are those of `ragbench.stats.paired`. Prints tables in Markdown and
writes the power curve as `comparing-power.svg`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from ragbench.compare.columns import Column
from ragbench.compare.contrast import BETTER, WORSE, Asked, contrasts_of, corrected
from ragbench.stats.paired import paired_differences, sign_flip_p

SIZES = (20, 50, 150)
METRICS = ("ranking/recall@5", "ranking/mrr", "ranking/ndcg@10", "answer/correctness_f1")
RANKS = np.array([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0])


def binary(rng: np.random.Generator, rounds: int, n: int, up: float, down: float) -> np.ndarray:
    """Differences of two hits, better in a share `up` of the questions and worse in a share `down` [rounds, n]."""
    drawn = rng.random((rounds, n))
    return (drawn < up).astype(float) - ((drawn >= up) & (drawn < up + down))


def bounded(rng: np.random.Generator, rounds: int, n: int, shift: float) -> np.ndarray:
    """Differences of graded scores in [0, 1], half of the questions untouched; their mean is shift / 2."""
    moved = rng.random((rounds, n)) < 0.5
    return np.where(moved, shift + 0.25 * (rng.beta(2, 2, (rounds, n)) - 0.5) * 2, 0.0)


def tied(rng: np.random.Generator, rounds: int, n: int, better: bool) -> tuple[np.ndarray, float]:
    """Differences of reciprocal ranks, 60 % of them 0, and their true mean."""
    a = np.array([0.5, 0.15, 0.1, 0.05, 0.05, 0.15])
    b = np.array([0.6, 0.15, 0.08, 0.04, 0.03, 0.10]) if better else a
    moved = rng.random((rounds, n)) < 0.4
    found = rng.choice(RANKS, (rounds, n), p=b) - rng.choice(RANKS, (rounds, n), p=a)
    return np.where(moved, found, 0.0), 0.4 * float(RANKS @ (b - a))


def null_runs(rng: np.random.Generator, kind: str, n: int) -> list[Asked]:
    """Two runs that differ by chance alone, in four measures that go together, with four categories."""
    base = rng.random(n)
    ids = [f"q{at}" for at in range(n)]
    parts = {f"c{part}": ids[part::4] for part in range(4)}
    asked = []
    for metric in METRICS:
        a, b = (np.clip(base + 0.35 * (rng.random(n) - 0.5), 0, 1) for _ in range(2))
        if kind == "binary":
            a, b = (a > 0.5).astype(float), (b > 0.5).astype(float)
        elif kind == "tied":
            a, b = (RANKS[np.minimum(5, ((1 - side) * 6).astype(int))] for side in (a, b))
        left, right = (Column("question", dict(zip(ids, side.tolist()))) for side in (a, b))
        asked += [Asked(metric, name, left, right, part) for name, part in {"": ids, **parts}.items()]
    return asked


def called(kind: str, n: int, rounds: int) -> int:
    """Comparisons of `rounds` without a difference in which anything at all is called different."""
    rng = np.random.default_rng([7, n, len(kind)])
    found = (corrected(contrasts_of(null_runs(rng, kind, n), 0)) for _ in range(rounds))
    return sum(any(one.state in (BETTER, WORSE) for one in row) for row in found)


def false_calls(rounds: int) -> Iterator[list[str]]:
    """A row for each kind of measure."""
    kinds = ("binary", "bounded", "tied")
    return ([kind, *(f"{called(kind, n, rounds) / rounds:.1%}" for n in SIZES)] for kind in kinds)


KINDS: dict[str, Callable[[np.random.Generator, int, int], tuple[np.ndarray, float]]] = {
    "binary, 40 % of the questions change": lambda rng, rounds, n: (binary(rng, rounds, n, 0.3, 0.1), 0.2),
    "binary, 25 % change": lambda rng, rounds, n: (binary(rng, rounds, n, 0.2, 0.05), 0.15),
    "binary, 15 % change": lambda rng, rounds, n: (binary(rng, rounds, n, 0.1, 0.05), 0.05),
    "graded, half unchanged": lambda rng, rounds, n: (bounded(rng, rounds, n, 0.06), 0.03),
    "reciprocal ranks, 60 % tied and more": lambda rng, rounds, n: tied(rng, rounds, n, True),
    "skewed (exponential)": lambda rng, rounds, n: (rng.exponential(1, (rounds, n)) - 0.8, 0.2),
}
"""Differences of known mean, and that mean."""


def covered(kind: str, n: int, rounds: int) -> float:
    """Share of intervals of `n` pairs that hold the true difference."""
    values, truth = KINDS[kind](np.random.default_rng([11, n]), rounds, n)
    found = paired_differences(np.ascontiguousarray(values.T), 0)
    ends = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    return float(np.mean([low - 1e-9 <= truth <= high + 1e-9 for low, high in ends]))


def coverage(rounds: int) -> Iterator[list[str]]:
    """A row for each kind of differences."""
    return ([kind, *(f"{covered(kind, n, rounds):.1%}" for n in SIZES)] for kind in KINDS)


def power(rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Share of tests at 5 % (one measure, no correction) that find a true difference, by number of questions: binary
    hits of which 20 % change (all of them where the difference is 20 points)."""
    curves = {}

    @cache
    def p(up: int, down: int) -> float:
        return sign_flip_p([1.0] * up + [-1.0] * down, 0)

    for n in (20, 50, 100, 150, 300):
        points = []
        for effect in (0.0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2):
            rng = np.random.default_rng([13, n])
            values = binary(rng, rounds, n, 0.1 + effect / 2, 0.1 - effect / 2)
            counts = zip((values > 0).sum(axis=1).tolist(), (values < 0).sum(axis=1).tolist())
            points.append((effect, float(np.mean([p(up, down) < 0.05 for up, down in counts]))))
        curves[f"n = {n}"] = points
    return curves


def draw(curves: dict[str, list[tuple[float, float]]], target: Path) -> None:
    """The power curves as a picture."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ragbench", "svg.fonttype": "none", "font.size": 10})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for name, points in curves.items():
        axes.plot([100 * x for x, _ in points], [100 * y for _, y in points], marker="o", markersize=3, label=name)
    axes.axhline(80, color="#888", linewidth=0.8, linestyle="--")
    axes.set_xlabel("true difference in points (binary measure, 20 % of the questions change)")
    axes.set_ylabel("found, % of comparisons")
    axes.set_ylim(0, 101)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


def table(head: list[str], rows: Iterable[list[str]]) -> None:
    """Print a table in Markdown."""
    for line in chain([head, ["---"] * len(head)], rows):
        print("| " + " | ".join(line) + " |", flush=True)
    print(flush=True)


def main() -> None:
    """Measure and print, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    args = parser.parse_args()
    sizes = [f"n = {n}" for n in SIZES]
    table(["95 % intervals that hold the truth", *sizes], coverage(args.rounds))
    curves = power(args.rounds)
    effects = [f"{100 * x:g}" for x, _ in next(iter(curves.values()))]
    table(["true difference in points", *effects], ([n, *(f"{y:.0%}" for _, y in at)] for n, at in curves.items()))
    draw(curves, args.out / "comparing-power.svg")
    table(["without a difference, called different", *sizes], false_calls(args.rounds))


if __name__ == "__main__":
    main()
