"""Gold alignment over a whole eval set: 100 000 chunks against 10 000 evidence spans.

    python benchmarks/alignment.py [--chunks 100000] [--spans 10000] [--rounds 5]

Everything is generated: documents of 200 chunks of 500 characters with an overlap of 50, spans of 20 to 400 characters,
two groups a question. Timed are what becomes of each group (fates), the graded relevant chunks (grades), the chunks
that hold pieces (pieces), and all of them together with reading the questions. The clock is that of the CPU.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from ragbench.eval_set.coverage import Alignment
from ragbench.records.document import DocSpan, Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question

A_DOCUMENT, SIZE, STEP = 200, 500, 450


def world(n_chunks: int, n_spans: int) -> tuple[list[Question], list[DocSpan], dict[str, Document]]:
    """Questions, chunks and documents, the same on every machine."""
    rng = random.Random(1)
    text = "".join(rng.choice("年假报销 abcde \n") for _ in range(STEP * A_DOCUMENT + SIZE))
    names = [f"d{number}.md" for number in range(-(-n_chunks // A_DOCUMENT))]
    documents = {name: Document(name, text, "markdown", f"sha256:{name}") for name in names}
    chunks = [
        DocSpan(names[number // A_DOCUMENT], at := STEP * (number % A_DOCUMENT), at + SIZE)
        for number in range(n_chunks)
    ]
    items = []
    for _ in range(n_spans):
        start = rng.randrange(len(text) - 400)
        items.append(EvidenceItem(rng.choice(names), start, start + rng.randint(20, 400)))
    pairs = zip(items[::2], items[1::2])
    questions = [
        Question(str(at), "?", groups=(EvidenceGroup("g1", (one,)), EvidenceGroup("g2", (two,))))
        for at, (one, two) in enumerate(pairs)
    ]
    return questions, chunks, documents


def seconds(n_chunks: int, n_spans: int) -> dict[str, float]:
    """CPU seconds of each part, in the order in which they are asked for, and in total."""
    questions, chunks, documents = world(n_chunks, n_spans)
    spent = {}
    started = last = time.process_time()
    found = Alignment(questions, chunks, documents)
    for part in ("fates", "grades", "pieces"):
        assert len(getattr(found, part)) == len(questions)
        now = time.process_time()
        spent[part], last = now - last, now
    return {**spent, "total": last - started}


def main() -> None:
    """Print medians over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--spans", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rounds = [seconds(options.chunks, options.spans) for _ in range(options.rounds)]
    print(f"{options.chunks} chunks, {options.spans} spans; CPU s, median of {options.rounds} (range)")
    for part in rounds[0]:
        times = [one[part] for one in rounds]
        print(f"  {part:<7} {statistics.median(times):.3f} ({min(times):.3f}–{max(times):.3f})")


if __name__ == "__main__":
    main()
