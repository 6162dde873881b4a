"""The verb that checks a judge: exit codes, JSON, and one clear line for what cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbench.cli.main import main
from tests.chat_server import ChatServer, chatting

pytest.importorskip("sklearn")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("RAGBENCH_DATA", raising=False)


def says_supported(body: dict) -> str:
    claims = body["response_format"]["json_schema"]["schema"]["properties"]
    verdicts = {name: {"passage": 1, "verdict": "supported"} for name in claims if name.startswith("claim")}
    return json.dumps(verdicts | {"addresses": "fully"})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chatting(says_supported) as running:
        yield running


def test_the_offline_judge_is_checked_and_its_human_figures_are_the_shipped_ones(tmp_path: Path, capsys) -> None:
    out = tmp_path / "card.json"
    given = ["judge", "check", "judge.semantic=false", "--sample", "24", "--json", "--out", str(out)]
    assert main(given) == 1
    captured = capsys.readouterr()
    card = json.loads(captured.out)
    assert card["judge"] == "offline-4" and card["sample"] == 24 and "part" in card["cannot_tell"][0]
    assert {row["n"] for row in card["answers"]["by_language"].values()} == {12}
    assert card["people"]["nc_ocnli"]["n"] == 885
    assert json.loads(out.read_text(encoding="utf-8")).keys() == card.keys() - {"cannot_tell"}
    assert not (tmp_path / "store" / "judge_cards").exists()
    assert "no human labels at hand" in captured.err


def test_a_language_model_is_checked_over_the_wire_and_asked_anew_in_each_repeat(server, tmp_path, capsys) -> None:
    labelled = tmp_path / "nc_ocnli"
    labelled.mkdir()
    rows = [
        {
            "sentence1": "雨下了一整天",
            "sentence2": f"今天下雨了{n}次",
            "label": label,
            "genre": "lit",
            "prem_id": str(n),
            "id": n,
        }
        for n, label in enumerate(("entailment", "neutral", "-"))
    ]
    (labelled / "dev.json").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    model = ["llm=vllm", f"llm.base_url={server.url}", "llm.model=m"]
    given = [
        "judge",
        "check",
        "judge=llm",
        *model,
        "--sample",
        "12",
        "--repeats",
        "2",
        "--data",
        str(tmp_path),
        "--json",
    ]
    assert main(given) == 1
    card = json.loads(capsys.readouterr().out)
    assert card["people"]["nc_ocnli"]["n"] == 2 and card["noise"] == {
        "repeats": 2,
        "n": 12,
        "changed": 0.0,
        "spread": 0.0,
    }
    assert all(row["balanced_accuracy"] == 0.5 for row in card["answers"]["by_language"].values())
    sent = len(server.asked)
    assert main(given) == 1
    assert len(server.asked) == sent, "a second check asks nothing"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["judge=none"], "judge=none: expected a judge to check"),
        (["--repeats", "0"], "--repeats: expected 1 or more, found 0"),
        (["--data", "no/such/folder"], "expected a folder with one of begin_wow"),
        (["judge=llm"], "expected a language model"),
    ],
)
def test_what_cannot_be_checked_is_one_line(given: list[str], said: str, capsys) -> None:
    assert main(["judge", "check", *given]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
