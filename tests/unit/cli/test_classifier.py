"""The verb that trains: file, figures, and one clear line for what cannot be."""

import json
from pathlib import Path

import pytest

from ragbench.cli.main import main
from ragbench.embedder.e5_file import locate
from ragbench.query.classifier.label_model import load_label_model

pytest.importorskip("sklearn")
needs_weights = pytest.mark.skipif(locate() is None, reason="the weights of the offline embedder are not installed")


def table(folder: Path) -> Path:
    words = {
        "a": ("年假几天", "how many days", "几 days"),
        "b": ("有什么区别？", "what is the difference?", "区别 of them?"),
    }
    rows = [
        {"text": f"{text} {number}", "label": label, "split": "dev" if number else "test"}
        for number in range(5)
        for label, texts in words.items()
        for text in texts
    ]
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


@needs_weights
def test_train_writes_a_model_and_its_figures(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    out = tmp_path / "model.json"
    given = [
        "classifier",
        "train",
        str(table(tmp_path)),
        "--label",
        "label",
        "--name",
        "category",
        "--out",
        str(out),
        "--test-split",
        "test",
    ]
    assert main([*given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["about"]["rows"] == 24 and told["about"]["split"] == "dev" and told["test"]["rows"] == 6
    assert told["held_out"]["accuracy"] > 0.8
    before = out.read_bytes()
    assert load_label_model(str(out), "category").labels == ("a", "b")
    assert main(given) == 0
    said = capsys.readouterr().out
    assert "held-out folds (5): accuracy" in said and f"classifier.category={out}" in said and "gold a" in said
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("given", "match"),
    [(["--folds", "1"], "--folds: expected 2"), (["--strength", "0"], "--strength"), (["--simple-cost", "0.5"], "--simple-cost"),
     (["--abstain-cost", "7"], "--abstain-cost"), (["--label", "absent"], "a text and absent"), (["--split", "none"], "--split none")],
)  # fmt: skip
def test_what_cannot_be_is_one_line(given, match: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("RAGBENCH_STORE", str(tmp_path / "store"))
    if given[0] == "--split" and locate() is None:
        pytest.skip("the weights of the offline embedder are not installed")
    given = given if given[0] == "--label" else ["--label", "label", *given]
    assert main(["classifier", "train", str(table(tmp_path)), *given]) == 2
    said = capsys.readouterr().err
    assert match in said and said.count("\n") == 1
    assert not list(tmp_path.glob("*_model.json"))
