"""A run tells how far chunking has come."""

from __future__ import annotations

from ragbench.core.store import Store
from ragbench.run.build import experiment
from ragbench.run.progress import Progress
from ragbench.run.runner import run
from ragbench.run.session import Session


class Recorder(Progress):
    def __init__(self):
        super().__init__(quiet=True)
        self.steps = []

    def step(self, task, done, total):
        self.steps.append((task, done, total))


def test_a_cold_run_tells_characters_and_a_warm_one_nothing(tmp_path):
    (tmp_path / "corpus").mkdir()
    texts = {"zh.txt": "年假有五天。", "en.txt": "Five days of leave.", "mixed.txt": "年假 leave 5 天。"}
    for name, text in texts.items():
        (tmp_path / "corpus" / name).write_text(text, encoding="utf-8")
    row = '{"id": "q", "question": "leave?", "evidence": [{"doc": "en.txt", "quote": "Five days"}]}'
    (tmp_path / "questions.jsonl").write_text(row, encoding="utf-8")
    overrides = [
        "variant=bm25", "generator=none", "judge=none", "sink=files", "splitter=fixed", "split=all", "eval_set=local",
        f"eval_set.path={tmp_path}", f"paths.runs={tmp_path}/runs", f"paths.store={tmp_path}/store",
    ]  # fmt: skip
    total = sum(map(len, texts.values()))
    for expected in ([0, total], []):
        progress = Recorder()
        with Session(Store(tmp_path / "store"), progress) as session:
            run(experiment(overrides), session)
        chunked = [done for task, done, of in progress.steps if task == "chunk" and of == total]
        assert chunked[:1] + chunked[-1:] == expected
