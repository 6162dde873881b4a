"""What a cross-encoder cut reaches the summary and the terminal, the same from a warm store."""

import io
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rich.console import Console

from ragbench.core.store import Store
from ragbench.report.labels import Labels
from ragbench.report.view_facts import cost
from ragbench.reranker.base import Reranker
from ragbench.run.build import experiment
from ragbench.run.runner import run
from ragbench.run.session import Session
from ragbench.sink.console import print_run


@dataclass(frozen=True, kw_only=True)
class ShortSighted(Reranker):
    """Keeps the order; a text of more than `limit` characters is cut."""

    limit: int

    @contextmanager
    def open(self, tools):
        worker = Worker()
        worker.limit = self.limit
        yield worker


class Worker:
    """Counts pairs and those it cut."""

    n_pairs = n_truncated = limit = 0

    def counts(self):
        return {"pairs": self.n_pairs, "truncated": self.n_truncated}

    def rerank(self, question, ranking, chunks):
        self.n_pairs += len(ranking)
        self.n_truncated += sum(len(chunks[hit.chunk].index_text) > self.limit for hit in ranking)
        return tuple(hit._replace(former=hit.rank) for hit in ranking)


def done(folder, reranker):
    asked = experiment(
        [
            "variant=bm25",
            "generator=none",
            "judge=none",
            "sink=files",
            "splitter=whole",
            "split=all",
            "eval_set=local",
            f"eval_set.path={folder}",
            f"paths.runs={folder}/runs",
            f"paths.store={folder}/store",
        ]
    )
    if reranker is not None:
        asked = replace(asked, pipeline=replace(asked.pipeline, reranker=reranker))
    with Session(Store(folder / "store")) as session:
        return run(asked, session).summary


def test_pairs_that_were_cut_are_counted(tmp_path):
    (tmp_path / "corpus").mkdir()
    for name, text in {
        "zh": "年假有十五天。",
        "en": "Annual leave 年假 is fifteen days.",
        "mixed": "年假 leave 15 天",
    }.items():
        (tmp_path / "corpus" / f"{name}.txt").write_text(text, encoding="utf-8")
    row = '{"id": "q", "question": "年假 leave?", "evidence": [{"doc": "en.txt", "quote": "fifteen days"}]}'
    (tmp_path / "questions.jsonl").write_text(row, encoding="utf-8")
    cold, warm = (done(tmp_path, ShortSighted(limit=20)) for _ in range(2))
    assert cold["cost"]["facts"]["reranker"] == warm["cost"]["facts"]["reranker"] == {"pairs": 3, "truncated": 1}
    assert "reranker" not in done(tmp_path, None)["cost"]["facts"]
    out = Console(file=io.StringIO(), width=80)
    print_run(cold, out)
    assert ("Pairs cut to the reranker's length", "1 / 3") in cost({}, cold, Labels("en"))["sizes"]
    assert "reranker: 1 of 3 pairs cut to the model's length" in out.file.getvalue()
