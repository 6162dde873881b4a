"""BM25 on 100 000 made-up chunks: building, opening, milliseconds a question with and without a filter.

    python benchmarks/keyword_index.py [--size N]     # 40 s on two cores

80 words a chunk and 8 a question, drawn from 60 000 by Zipf's law without the 60 most frequent, which are stop words.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from ragbench.sparse.bm25 import Bm25Sparse

WORDS, STOPPED, LENGTH, ASKED, N_QUERIES = 60_000, 60, 80, 8, 500


def drawn(rng: np.random.Generator, n: int, length: int) -> list[str]:
    """`n` texts of words that are letters only."""
    share = 1 / np.arange(1, WORDS + 1)
    share[:STOPPED] = 0
    names = ["q" + "".join(chr(97 + int(digit)) for digit in str(number)) for number in range(WORDS)]
    rows = rng.choice(WORDS, (n, length), p=share / share.sum()).tolist()
    return [" ".join(names[number] for number in row) for row in rows]


def main() -> None:
    """Build, open, search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    size = parser.parse_args().size
    rng = np.random.default_rng(0)
    texts, queries = drawn(rng, size, LENGTH), drawn(rng, N_QUERIES, ASKED)
    stage = Bm25Sparse(analyser="jieba", stop_words="function", k1=1.5, b=0.75, method="lucene")
    filters = {"no filter": None} | {
        f"{share:.1%} kept": np.sort(rng.permutation(size)[: int(share * size)]).astype(np.int32)
        for share in (0.5, 0.05, 0.003)
    }
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        facts = stage.build(Path(folder), texts)
        print(f"build {time.process_time() - start:.1f} s CPU, {facts['bytes'] / 1e6:.0f} MB, {facts['n_terms']} terms")
        start = time.perf_counter()
        with stage.open(Path(folder)) as reader:
            print(f"open {time.perf_counter() - start:.3f} s")
            for name, allowed in filters.items():
                for depth in (10, 100):
                    times = []
                    for query in queries:
                        start = time.perf_counter()
                        reader.search(query, depth, allowed)
                        times.append((time.perf_counter() - start) * 1e3)
                    p50, p95 = np.percentile(times, (50, 95))
                    print(f"{name:12} top {depth:<4} p50 {p50:.2f} ms  p95 {p95:.2f} ms")


if __name__ == "__main__":
    main()
