"""Exact search against the graph index: build, size, milliseconds a query, and how much of the truth is found.

    python benchmarks/vector_index.py                 # sets, clustered, gaussian, filters, repeat (25 min on two cores)
    python benchmarks/vector_index.py sets            # chunks and questions of the shipped eval sets
    python benchmarks/vector_index.py clustered       # 50 000 made-up vectors that lie as those of texts do
    python benchmarks/vector_index.py gaussian        # as many without any structure: the worst case
    python benchmarks/vector_index.py filters         # the same 50 000 under filters
    python benchmarks/vector_index.py repeat          # whether two builds give the same lists
    python benchmarks/vector_index.py clustered --size 10000

Vectors are those of `ragbench.testing.vectors`, the ones that tests use. Queries are not among the indexed vectors. CPU
seconds are those of the process; wall times depend on what else runs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from ragbench.core.store import Store
from ragbench.core.workers import Floats
from ragbench.index.base import Index, Ints, OpenIndex
from ragbench.index.chroma import ChromaIndex
from ragbench.index.exact import ExactIndex
from ragbench.pipeline.offline import split
from ragbench.run.build import experiment
from ragbench.run.session import Session
from ragbench.testing.vectors import clustered, gaussian

N_QUERIES, TIE = 500, 1e-5
DEFAULT, SHIPPED = "16/100/100 (Chroma's default)", "32/200/800 (shipped)"


def graph(max_neighbors: int, ef_construction: int, ef_search: int) -> ChromaIndex:
    """A graph index."""
    return ChromaIndex(max_neighbors=max_neighbors, ef_construction=ef_construction, ef_search=ef_search)


CANDIDATES: dict[str, Index] = {
    "exact": ExactIndex(),
    DEFAULT: graph(16, 100, 100),
    "16/100/400": graph(16, 100, 400),
    "32/200/400": graph(32, 200, 400),
    SHIPPED: graph(32, 200, 800),
    "48/400/400": graph(48, 400, 400),
}


@dataclass(frozen=True)
class Opened:
    """An index that was built and opened, and what that took."""

    reader: OpenIndex
    megabytes: float
    cpu: float
    wall: float
    opening: float


@contextmanager
def built(index: Index, rows: Floats) -> Iterator[Opened]:
    """The index of the rows, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cpu, wall = time.process_time(), time.perf_counter()
        facts = index.build(folder, rows, [str(number) for number in range(len(rows))])
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        start = time.perf_counter()
        with index.open(folder) as reader:
            yield Opened(reader, facts["bytes"] / 1e6, cpu, wall, time.perf_counter() - start)


def floors(rows: Floats, queries: Floats, depth: int, allowed: Ints | None = None) -> Floats:
    """The score of each query's last true hit, by a matrix product."""
    scores = queries @ (rows if allowed is None else rows[allowed]).T
    return np.sort(scores, axis=1)[:, -min(depth, scores.shape[1])]


def searched(
    reader: OpenIndex, queries: Floats, depth: int, allowed: Ints | None = None
) -> tuple[list[list[int]], list[float]]:
    """Chunk numbers and milliseconds of each query."""
    lists, times = [], []
    for query in queries:
        start = time.perf_counter()
        found = reader.search(query, depth, allowed)
        times.append((time.perf_counter() - start) * 1e3)
        lists.append(found[0].tolist())
    return lists, times


def recall(lists: Sequence[Sequence[int]], rows: Floats, queries: Floats, lowest: Floats) -> float:
    """Mean share of each list that is as near as the last true hit; all lists are of full length."""
    near = [rows[found] @ query >= floor - TIE for found, query, floor in zip(lists, queries, lowest)]
    return float(np.mean(near))


def compare(title: str, rows: Floats, queries: Floats, names: Sequence[str] = tuple(CANDIDATES)) -> None:
    """Print a line for each of the named candidates."""
    print(f"\n{title}: {len(rows)} vectors of {rows.shape[1]}, {len(queries)} queries")
    print(f"{'':30}{'build cpu':>10}{'wall':>8}{'open':>7}{'MB':>7}{'p50 ms':>8}{'p95':>7}{'@10':>9}{'@100':>8}")
    lowest = {depth: floors(rows, queries, depth) for depth in (10, 100)}
    for name in names:
        with built(CANDIDATES[name], rows) as it:
            lists, times = searched(it.reader, queries, 10)
            deep = searched(it.reader, queries, 100)[0]
            shares = [recall(found, rows, queries, lowest[k]) for k, found in ((10, lists), (100, deep))]
        p50, p95 = np.percentile(times, (50, 95))
        print(
            f"{name:30}{it.cpu:8.1f} s{it.wall:6.0f} s{it.opening:5.1f} s{it.megabytes:7.0f}{p50:8.2f}{p95:7.2f}"
            f"{shares[0]:9.4f}{shares[1]:8.4f}",
            flush=True,
        )


def sets(size: int) -> None:
    """The shipped eval sets with the embedder and the splitter that a run takes without overrides, and with smaller
    chunks. Takes no size."""
    for name, more in product(("policy_zh", "product_en"), ((), ("chunk_size=100",))):
        chosen = experiment([f"eval_set={name}", "generator=none", "judge=none", *more])
        with Session(Store(chosen.places.store)) as session:
            opener = session.embedder(chosen.pipeline.embedder)
            chunks = split(chosen.pipeline, session.corpus(chosen), session.store, opener)
            rows = opener().embed_documents([chunk.index_text for chunk in chunks])
            asked = [question.question for question in session.eval_set(chosen).questions]
            compare(" ".join((name, *more)), rows, opener().embed_queries(asked))


def filters(size: int) -> None:
    """Filters that keep a share of the chunks at random, and ones that keep or leave out what lies near the query."""
    rows, queries = clustered(size, 50)
    rng = np.random.default_rng(5)
    kept = {f"{share:.1%} at random": np.sort(rng.permutation(size)[: int(share * size)]) for share in SHARES}
    near = np.argsort(-(rows @ queries.mean(axis=0)))
    kept["the half near the queries"], kept["the half far from them"] = (
        np.sort(near[: size // 2]),
        np.sort(near[size // 2 :]),
    )
    print(f"\nfilters: {size} vectors, {len(queries)} queries, depth 10")
    print(f"{'':30}{'kept':>8}{'exact p50 ms':>14}{'chroma p50 ms':>15}{'p95':>8}{'@10':>9}")
    with built(CANDIDATES["exact"], rows) as exact, built(CANDIDATES[SHIPPED], rows) as chroma:
        for name, numbers in kept.items():
            allowed = numbers.astype(np.int32)
            plain = searched(exact.reader, queries, 10, allowed)[1]
            lists, times = searched(chroma.reader, queries, 10, allowed)
            share = recall(lists, rows, queries, floors(rows, queries, 10, allowed))
            p50, p95 = np.percentile(times, (50, 95))
            print(f"{name:30}{len(allowed):8}{np.median(plain):14.2f}{p50:15.2f}{p95:8.2f}{share:9.4f}", flush=True)


SHARES = (0.9, 0.5, 0.1, 0.02, 0.005)


def repeat(size: int) -> None:
    """Two builds of the same vectors: how many queries get the same list."""
    rows, queries = clustered(size, N_QUERIES)
    print(f"\nrepeat: {size} vectors built twice, share of {N_QUERIES} queries with the same list")
    for name, index in CANDIDATES.items():
        with built(index, rows) as one, built(index, rows) as other:
            same = [
                np.mean([a == b for a, b in zip(*(searched(it.reader, queries, k)[0] for it in (one, other)))])
                for k in (10, 100)
            ]
        print(f"{name:30}{same[0]:8.3f} at 10{same[1]:8.3f} at 100", flush=True)


PARTS: dict[str, Callable[[int], None]] = {
    "sets": sets,
    "clustered": lambda size: compare("clustered", *clustered(size, N_QUERIES)),
    "gaussian": lambda size: compare("gaussian", *gaussian(size, N_QUERIES), ("exact", DEFAULT, SHIPPED)),
    "filters": filters,
    "repeat": lambda size: repeat(min(size, 10_000)),
}


def main() -> None:
    """Measure the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="part")
    parser.add_argument("--size", type=int, default=50_000)
    asked = parser.parse_args()
    for name in asked.parts or PARTS:
        PARTS[name](asked.size)


if __name__ == "__main__":
    main()
