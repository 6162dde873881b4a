"""Calibration against a rerank server on this machine whose scores are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragbench.cli.main import main
from tests.loopback import serving

FACTS = {f"规定{n}": f"{n}天 leave {n}" for n in range(1, 16)}


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """8 for the text that holds the question's key, else about -8, now and then wrong."""
    key = body["query"].split(" ")[0]
    scored = [
        {"index": n, "relevance_score": 8.0 * (1 if text.startswith(f"{key}：") else -1) + len(text) % 3}
        for n, text in enumerate(body["documents"])
    ]
    return {"results": scored}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    rows = []
    for name, words in FACTS.items():
        (tmp_path / "corpus" / f"{name}.txt").write_text(f"{name}：{words}。", encoding="utf-8")
        evidence = [{"doc": f"{name}.txt", "quote": words}]
        rows.append({"id": name, "question": f"{name} leave 几天？", "split": "dev", "evidence": evidence})
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path


def overrides(folder: Path, url: str, *more: str) -> list[str]:
    return [
        "variant=bm25", "reranker=api", f"pipeline.reranker.base_url={url}", "pipeline.reranker.style=jina",
        "pipeline.reranker.api_key_env=''", "splitter=whole", "eval_set=local", f"eval_set.path={folder}",
        f"paths.runs={folder}/runs", f"paths.store={folder}/store", *more,
    ]  # fmt: skip


def test_the_line_printed_can_be_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(answer) as server:
        assert main(["calibrate", *overrides(folder, server.url)]) == 0
        said = capsys.readouterr().out
        assert "15 dev questions, 15 of them relevant" in said
        line = said.strip().splitlines()[-1].replace("'", "")
        fitted = yaml.safe_load(line.partition("=")[2])
        assert fitted["a"] > 0
        used = overrides(folder, server.url, line, "pipeline.reranker.threshold=0.5", "split=dev", "generator=none")
        assert main(["run", *used, "judge=none", "sink=files"]) == 0
    (summary,) = [json.loads(path.read_text()) for path in (folder / "runs").glob("*/summary.json")]
    counted = summary["cost"]["facts"]["reranker"]
    assert counted["dropped"] == counted["pairs"] - 15 > 0
    assert summary["metrics"]["ranking/mrr"]["mean"] == 1.0


def test_a_calibration_that_is_set_already_plays_no_part(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    with serving(answer) as server:
        for more in ([], ["pipeline.reranker.calibration={a: 0.1, b: -2}", "pipeline.reranker.threshold=0.2"]):
            assert main(["calibrate", "--json", *overrides(folder, server.url, *more)]) == 0
            found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


def test_what_thresholds_do_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(answer) as server:
        assert main(["calibrate", "--json", *overrides(folder, server.url)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["brier"] < found["base"] / 5
    assert [one["threshold"] for one in found["effects"]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert found["effects"][-1] == {"threshold": 0.5, "kept": 1.0, "dropped": 1.0, "lost": 0, "emptied": 0}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["split=test"], "split: expected dev"),
        (["reranker=none"], "cross_encoder, api, or late_interaction, found NoneReranker"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    given = [item for item in overrides(folder, "http://127.0.0.1:9") if "rerank" not in item or "split" in item]
    assert main(["calibrate", *given, *(more if "reranker=none" in more else ["reranker=api", *more])]) == 2
    assert message in capsys.readouterr().err


def test_scores_that_are_relative_to_a_question_are_not_fitted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "reranker=late_interaction"]) == 2
    said = capsys.readouterr().err
    assert (
        "pipeline.reranker.mix: expected 1, whose scores have a scale, found 0.5. Set pipeline.reranker.mix=1." in said
    )
