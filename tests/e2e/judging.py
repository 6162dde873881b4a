"""Whole runs over six questions in three languages, whose answers a model on this machine judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragbench.cli.main import main
from tests.chat_server import ChatServer

FACTS = {"年假": "满一年后每年十五天", "leave": "fifteen days a year", "报销 claim": "30 天内 within 30 days"}
N = 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("ragbench.llm.endpoint._FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("ragbench.llm.endpoint._JITTER_S", 0.01)
    (tmp_path / "corpus").mkdir()
    rows = []
    for at, (name, words) in enumerate(FACTS.items()):
        (tmp_path / "corpus" / f"{at}.txt").write_text(f"规定 rule {name}：{words}。", encoding="utf-8")
        asked = {"evidence": [{"doc": f"{at}.txt", "quote": words}], "reference": f"{name}：{words}。"}
        rows += [{"id": f"q{at}-{n}", "question": f"{n} rule 规定 {name}？", **asked} for n in range(2)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def arguments(folder: Path, server: ChatServer, *more: str, judge: str = "llm") -> list[str]:
    return [
        "variant=bm25", "llm=chat", f"llm.base_url={server.url}", "llm.model=m", "llm.api_key_env=", "llm.max_tries=2",
        f"judge={judge}", "pipeline.generator.scorer=lexical", "pipeline.generator.refuse_below=0", "splitter=whole",
        "eval_set=local", f"eval_set.path={folder}", f"paths.runs={folder}/runs", f"paths.store={folder}/store",
        "sink=files", f"calls.cassettes={folder}/cassettes", *more,
    ]  # fmt: skip


def run(folder: Path, server: ChatServer, *more: str, judge: str = "llm") -> tuple[int, dict[str, Any], bytes]:
    """Exit code, summary and verdicts of a run."""
    code = main(["run", *arguments(folder, server, *more, judge=judge)])
    newest = max((folder / "runs").glob("*/summary.json"), key=lambda path: path.stat().st_mtime_ns)
    return code, json.loads(newest.read_text(encoding="utf-8")), (newest.parent / "verdicts.jsonl").read_bytes()
