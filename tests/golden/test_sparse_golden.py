"""Terms and BM25 hits on a fixed corpus.

What is written down for a version never changes: an output that differs needs a higher `VERSION` (of the analyser or of
`Bm25Sparse`), then `python tests/golden/test_sparse_golden.py` adds the new version's.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from ragbench.sparse import analyser
from ragbench.sparse.bm25 import Bm25Sparse

GOLDEN = Path(__file__).with_name("sparse.json")
TEXTS = [
    "年假按工龄计算：满一年休五天，满十年休十天；AI-2024-03号文另有规定的除外。",
    "Annual leave is counted by years of service; what isn't taken by 31 March lapses.",
    "料号 LCP-40312-B 的报销单须附发票，金额 1,200.50 元，税率 12.5%。",
    "Set storage.retention.max_age=30d in v4.2.1 (C++, C#, R); error E-4012 means /var/lib/hl is full.",
    "调用 text-embedding-v3 时，ＡＰＩ　ｋｅｙ 不得外传。國發〔2024〕3號。",
    "",
]
QUERIES = [
    "年假有多少天",
    "AI-2024-03",
    "annual leave",
    "E-4012",
    "retention max_age 30d",
    "报销税率 12.5%",
    "api KEY",
    "无",
]


def key() -> str:
    return f"bm25 {Bm25Sparse.VERSION}, analyser {analyser.VERSION}"


def output() -> dict:
    found: dict = {}
    for name, analyse in analyser.ANALYSERS.items():
        stage = Bm25Sparse(analyser=name, stop_words="none", k1=1.5, b=0.75, method="lucene")
        with tempfile.TemporaryDirectory() as folder:
            stage.build(Path(folder), TEXTS)
            with stage.open(Path(folder)) as reader:
                lists = [reader.search(query, 3) for query in QUERIES]
        hits = [[[n, round(s, 4)] for n, s in zip(numbers.tolist(), scores.tolist())] for numbers, scores in lists]
        found[name] = {"terms": [analyse(text) for text in TEXTS], "hits": dict(zip(QUERIES, hits))}
    return found


def test_output_is_that_of_its_version() -> None:
    written = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert key() in written, "a new version: run this file as a script to write its output down"
    assert output() == written[key()], "the output changed: raise VERSION, then run this file as a script"


if __name__ == "__main__":
    everything = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if key() in everything:
        sys.exit(f"{key()} is written down already; raise VERSION first")
    text = json.dumps(everything | {key(): output()}, ensure_ascii=False, indent=1)
    GOLDEN.write_text(text + "\n", encoding="utf-8")
