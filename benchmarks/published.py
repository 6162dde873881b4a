"""Published figures made again from the public data, ours beside theirs.

    python benchmarks/published.py [bm25] [rageval] [hotpotqa]

`bm25` are the figures of the data folder's README (plain BM25, k1 0.9, b 0.4, whole documents): with terms as theirs,
with our two analysers at their parameters, and with our defaults. `rageval` is the recall of RAGEval, `hotpotqa` the
exact match of answers to HotpotQA, by the rule of the publisher and by ours. Data: RAGBENCH_DATA (default
../shared/data); `nc_*` is for measuring only.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from published_sets import DATA, Judged, judged, lines

from ragbench.measure.case import ChunkedCorpus, make_cases
from ragbench.measure.ranking.trec import score_run
from ragbench.measure.registry import measure
from ragbench.records.document import Chunk
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question
from ragbench.records.trace import Answer
from ragbench.sparse.analyser import ANALYSERS
from ragbench.sparse.bm25 import Bm25Sparse
from ragbench.testing.cases import document, trace

MEASURES = ("hit@1", "recall@10", "ndcg@10")
PUBLISHED: Mapping[str, tuple[int, int, float, float, float]] = {
    "xquad en": (160, 816, 0.924, 0.993, 0.961),
    "xquad zh": (160, 816, 0.941, 0.991, 0.969),
    "cmrc2018": (564, 2139, 0.970, 1.000, 0.987),
    "mtrag_un cloud": (248, 86, 0.837, 0.822, 0.807),
    "mtrag_un govt": (435, 105, 0.714, 0.797, 0.744),
    "lihua_world Single": (299, 188, 0.649, 0.910, 0.775),
    "lihua_world Multi": (299, 36, 0.472, 0.675, 0.552),
    "nc_dragonball zh": (70, 1049, 0.991, 0.970, 0.970),
    "nc_dragonball en": (70, 893, 0.962, 0.958, 0.947),
}
"""Documents, queries and the three measures of each row of the README's table."""

_RUNS = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]+")


def published_terms(text: str) -> list[str]:
    """Terms as the published figures have them: runs of ASCII letters and digits, pairs of neighbours of Han runs."""
    terms: list[str] = []
    for run in _RUNS.findall(text.lower()):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] if run[0] > "z" else []
        terms += pairs or [run]
    return terms


ANALYSERS["published"] = published_terms
VARIANTS = {
    "as theirs": Bm25Sparse(analyser="published", stop_words="none", k1=0.9, b=0.4, method="lucene"),
    "bigram": Bm25Sparse(analyser="bigram", stop_words="none", k1=0.9, b=0.4, method="lucene"),
    "jieba": Bm25Sparse(analyser="jieba", stop_words="none", k1=0.9, b=0.4, method="lucene"),
    "default": Bm25Sparse(analyser="jieba", stop_words="function", k1=1.5, b=0.75, method="lucene"),
}


def figures(found: Judged, sparse: Bm25Sparse) -> dict[str, float]:
    """Means of the three measures; ties by id."""
    ids = sorted(found.documents)
    with tempfile.TemporaryDirectory() as folder:
        sparse.build(Path(folder), [found.documents[name] for name in ids])
        with sparse.open(Path(folder)) as index:
            run = {
                query: [ids[number] for number in index.search(text, 10)[0].tolist()]
                for query, text in found.queries.items()
            }
    scores = score_run(run, found.qrels, MEASURES)
    return {name: scores.mean(name) or 0.0 for name in MEASURES}


def rageval() -> list[tuple[int, float, float, float | None]]:
    """For each of the 350 queries: id, published recall, recall by the publisher's rule, and ours.

    The publisher counts references of the truth that are a part of some retrieved text; a query without references
    counts 0. Ours: each retrieved text is a chunk, each reference a group whose places are all its occurrences; a
    query without references has no recall.
    """
    folder = DATA / "nc_rageval_parity"
    published = {row["query_id"]: row["Recall"] for row in lines(folder / "per_query_metrics.jsonl")}
    rows = list(lines(folder / "example_finance_en_gpt-4o.jsonl"))
    found = []
    for row in rows:
        name = row["query"]["query_id"]
        truth, retrieved = row["ground_truth"]["references"], row["prediction"]["references"]
        theirs = sum(any(one in text for text in retrieved) for one in truth) / len(truth) if truth else 0.0
        found.append((name, published[name], theirs, _our_recall(truth, retrieved)))
    return found


def hotpotqa() -> Iterator[tuple[str, list[float], list[float], list[float]]]:
    """File, and exact match as published, by the publisher's rule and ours, of each published output that has it.

    The publisher's rule: answer and truth are equal once lower-cased, without white space around them.
    """
    for path in sorted((DATA / "hotpotqa_50" / "published_outputs").glob("*.json")):
        rows = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(rows, list) or "EM" not in rows[0]["metrics"]:
            continue
        theirs = [float(_plain(row["answer"]) == _plain(row["golden_answer"])) for row in rows]
        questions = [Question(f"q{n}", row["question"], reference=row["golden_answer"]) for n, row in enumerate(rows)]
        traces = [trace(one.id, answer=Answer(row["answer"])) for one, row in zip(questions, rows)]
        cases = make_cases(questions, traces, ChunkedCorpus({}, [], []))
        ours = [measure("answer/exact_match").find(case).value or 0.0 for case in cases]
        yield path.name, [row["metrics"]["EM"]["score"] for row in rows], theirs, ours


def _plain(answer: str) -> str:
    return answer.strip().lower()


def _our_recall(truth: list[str], retrieved: list[str]) -> float | None:
    documents = {f"r{n}": document(f"r{n}", text) for n, text in enumerate(retrieved)}
    chunks = [
        Chunk(f"{name}#0", number, name, 0, len(one.text), one.text, one.text)
        for number, (name, one) in enumerate(documents.items())
    ]
    groups = []
    for number, reference in enumerate(truth):
        places = [(name, one.text.find(reference)) for name, one in documents.items()]
        items = [EvidenceItem(name, at, at + len(reference)) for name, at in places if at >= 0]
        groups.append(EvidenceGroup(f"g{number}", tuple(items)))
    asked = Question("q", "q", groups=tuple(groups))
    cases = make_cases([asked], [trace("q", range(len(chunks)))], ChunkedCorpus(documents, chunks, [1] * len(chunks)))
    return measure(f"retrieval/recall_full@{max(1, len(chunks))}").find(cases[0]).value


def print_bm25() -> None:
    """One line a set and measure: the published figure, and ours by variant."""
    heads = " ".join(f"{one:>9}" for one in VARIANTS)
    print(f"{'set':<19} {'docs':>4} {'queries':>7}  {'measure':<10} published {heads}")
    for name, (_, _, *values) in PUBLISHED.items():
        found = judged(name)
        ours = [figures(found, sparse) for sparse in VARIANTS.values()]
        for one, value in zip(MEASURES, values):
            cells = " ".join(f"{row[one]:>9.3f}" for row in ours)
            print(f"{name:<19} {len(found.documents):>4} {len(found.queries):>7}  {one:<10} {value:>9.3f} {cells}")


def print_rageval() -> None:
    """How many queries agree, and the means."""
    rows = rageval()
    theirs = [value for _, _, value, _ in rows]
    scored = [(published, ours) for _, published, _, ours in rows if ours is not None]
    equal = sum(abs(published - value) < 1e-12 for _, published, value, _ in rows)
    print(f"RAGEval, the publisher's rule: {equal} of {len(rows)} queries equal, mean {sum(theirs) / len(rows):.6f}")
    same = sum(abs(published - ours) < 1e-12 for published, ours in scored)
    mean = sum(ours for _, ours in scored) / len(scored)
    print(f"  ours: {same} of {len(scored)} queries equal, {len(rows) - len(scored)} n/a, mean {mean:.6f}")


def print_hotpotqa() -> None:
    """How many answers agree, by file and rule."""
    for name, published, theirs, ours in hotpotqa():
        found = [f"HotpotQA {name}: exact match {sum(published) / len(published):.2f} as published"]
        for rule, values in (("the publisher's rule", theirs), ("ours", ours)):
            equal = sum(a == b for a, b in zip(published, values))
            found.append(f"{rule} equal in {equal} of {len(values)}, mean {sum(values) / len(values):.2f}")
        print("; ".join(found))


def main() -> None:
    """Print what was asked for, or everything."""
    parts = {"bm25": print_bm25, "rageval": print_rageval, "hotpotqa": print_hotpotqa}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
