"""Training of small models: what is read, what is held out, and that equal data gives equal files."""

import json
from pathlib import Path

import numpy as np
import pytest

from ragbench.errors import DataError
from ragbench.query.classifier.label_model import features, load_label_model
from ragbench.run.label_fit import Costs, Settings, best_threshold, decisions, temperature
from ragbench.run.label_folds import folds_of
from ragbench.run.label_training import held_out, measured, train, with_test, write_model
from ragbench.run.labelled_data import Columns, LabelledData, LabelledRow, read_labelled
from tests.unit.generator.fakes import WordEmbedder

pytest.importorskip("sklearn")
WORDS = {
    "comparison": ("区别", "difference", "对比 diff"),
    "simple_lookup": ("几天", "how many", "多少 days"),
    "multi_hop": ("之后", "then", "然后 next"),
}
SETTINGS = Settings(form=False)


def data(n: int = 6, split: str = "") -> LabelledData:
    """Texts in three languages whose label shows in a word."""
    rows = [
        LabelledRow(f"{word} item{number} 年假", label, f"{label}{word}{number}", split)
        for number in range(n)
        for label, words in WORDS.items()
        for word in words
    ]
    return LabelledData(tuple(rows))


def test_a_model_learns_what_shows_and_says_how_well_it_does(tmp_path: Path) -> None:
    trained = train(data(), "complexity", WordEmbedder(), SETTINGS)
    told = trained.figures
    assert told["rows"] == 54 and told["accuracy"] > 0.9 > told["commonest"]
    assert set(told["confusion"]) == set(WORDS) and told["per_label"]["comparison"]["rows"] == 18
    assert [one["threshold"] for one in told["curve"]] == sorted(one["threshold"] for one in told["curve"])
    assert {"decided", "accuracy_decided", "cost"} == set(told["with_abstention"])
    model = write_model(tmp_path / "m.json", trained.content)
    again = load_label_model(str(tmp_path / "m.json"), "complexity")
    assert again.fingerprint() == model.fingerprint()
    vectors = WordEmbedder().embed_queries(["区别 item9 年假"])
    assert again.labels[int(again.probabilities(vectors, ["x"])[0].argmax())] == "comparison"


def test_equal_data_gives_equal_bytes_and_other_data_another_hash(tmp_path: Path) -> None:
    for name, rows in (("a", data()), ("b", data()), ("c", data(7))):
        write_model(tmp_path / name, train(rows, "complexity", WordEmbedder(), SETTINGS).content)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c
    hashes = [json.loads(one)["about"]["training_hash"] for one in (a, c)]
    assert hashes[0] != hashes[1]
    assert str(tmp_path) not in a.decode(), "a file says nothing of the machine that made it"


def test_a_held_out_row_is_never_in_its_own_fit() -> None:
    rows = [LabelledRow(f"noise{n} {'区别' if n % 2 else '几天'}", str(n % 3), f"g{n}") for n in range(60)]
    embedder, truth = WordEmbedder(), np.array([n % 3 for n in range(60)])
    seen = features(embedder.embed_queries([row.text for row in rows]), [row.text for row in rows], False)
    found = held_out(rows, seen, truth, ["0", "1", "2"], SETTINGS)
    assert (found.decisions.label == truth).mean() < 0.6, "unique words would give a fit on all rows its labels"
    assert np.allclose(found.probabilities.sum(axis=1), 1)


def test_folds_keep_groups_together_and_labels_apart() -> None:
    rows = [LabelledRow(f"t{n}", "ab"[n % 4 == 0], f"g{n // 2}") for n in range(80)]
    folds = folds_of(rows, 5)
    assert all(folds[n] == folds[n + 1] for n in range(0, 80, 2))
    counts = np.bincount(folds)
    assert len(counts) == 5 and counts.max() - counts.min() <= 4
    shuffled = [rows[n] for n in np.random.default_rng(0).permutation(80)]
    assert dict(zip([r.text for r in rows], folds)) == dict(zip([r.text for r in shuffled], folds_of(shuffled, 5)))


def test_threshold_and_temperature() -> None:
    probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.55, 0.45], [0.6, 0.4]])
    found = decisions(probabilities, np.array([0, 0, 1, 1]), ["a", "b"], Costs())
    assert best_threshold(found, 0.5) == 0.7
    assert best_threshold(found, 1.0) == 0.0, "an abstention that costs as much as an error gains nothing"
    costly = decisions(probabilities, np.array([1, 0, 1, 1]), ["simple_lookup", "x"], Costs(simple=3.0))
    assert costly.label.tolist() == [0, 0, 1, 1] and costly.cost.tolist() == [3, 0, 0, 0]
    logits = np.array([[4.0, 0], [4, 0], [4, 0], [0, 4]])
    assert temperature(logits, np.array([0, 0, 1, 1])) > 2


def test_other_rows_by_a_finished_model(tmp_path: Path) -> None:
    trained = train(data(), "complexity", WordEmbedder(), SETTINGS)
    model = write_model(tmp_path / "m.json", trained.content)
    unknown = LabelledRow("区别", "never seen", "g")
    told = measured(model, LabelledData((*data(2).rows, unknown)), WordEmbedder(), SETTINGS)
    assert told["rows"] == 19 and told["per_label"]["never seen"]["recall"] == 0
    assert list(with_test(trained.content, "test", told))[:5] == ["format", "label", "about", "held_out", "test"]


@pytest.mark.parametrize(
    ("rows", "match"),
    [([LabelledRow(f"t{n}", "one", f"g{n}") for n in range(30)], "2 to 500"), ([LabelledRow("t", "ab"[n % 2], "same") for n in range(30)], "at least 10"),
     ([LabelledRow(f"t{n}", f"l{n}", f"g{n}") for n in range(501)], "2 to 500")],
)  # fmt: skip
def test_what_cannot_be_learnt(rows, match: str) -> None:
    with pytest.raises(DataError, match=match):
        train(LabelledData(tuple(rows)), "x", WordEmbedder(), SETTINGS)


def written(path: Path, rows: list[dict]) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


def test_rows_of_every_kind_of_file(tmp_path: Path) -> None:
    rows = [
        {"question": "年假 days？", "metadata": {"type": "a"}, "split": "dev"},
        {"question": "x", "metadata": {"type": ["b"]}, "split": "test"},
    ]
    (tmp_path / "set" / "v1").mkdir(parents=True)
    written(tmp_path / "set" / "v1" / "questions.jsonl", rows)
    (tmp_path / "t.json").write_text(json.dumps(rows))
    (tmp_path / "t.csv").write_bytes('\ufefftext,kind\n"年假, 几天",a\nB?,b\n'.encode())
    found = read_labelled([tmp_path / "set" / "v1", tmp_path / "t.json"], Columns("metadata.type"))
    assert [(one.text, one.label) for one in found.rows] == [("年假 days？", "a"), ("x", "b")] * 2
    assert found.sources == ("set/v1", "t.json")
    assert [one.text for one in found.of_split(None).rows] == ["年假 days？"] * 2
    assert len(found.of_split("all").rows) == 4 and found.of_split("test").split == "test"
    table = read_labelled([tmp_path / "t.csv"], Columns("kind"))
    assert [(one.text, one.label, one.split) for one in table.rows] == [("年假, 几天", "a", ""), ("B?", "b", "")]
    with pytest.raises(DataError, match="--split dev"):
        table.of_split("dev")


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    rows = [{"question": "q", "label": "a"}, {"question": "", "label": "a"}, {"question": "q"}, {"question": "q", "label": ["a", "b"]},
            {"question": "q", "label": None}, [1], {"question": "q", "label": True}, {"question": "q", "label": 3}]  # fmt: skip
    found = read_labelled([written(tmp_path / "t.jsonl", rows)], Columns("label"))
    assert [one.label for one in found.rows] == ["a", "true", "3"]
    assert sum(found.left_out.values()) == 5 and found.left_out["it has several labels in label"] == 1
    grouped = read_labelled(
        [written(tmp_path / "g.jsonl", [{"text": "q", "label": "a", "talk": 7}, {"text": "q", "label": "a"}])],
        Columns("label", group="talk"),
    )
    assert [one.group for one in grouped.rows] == ["7"] and list(grouped.left_out) == ["it has no group in talk"]
    with pytest.raises(DataError, match="rows with a text and absent"):
        read_labelled([tmp_path / "t.jsonl"], Columns("absent"))


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [("a.jsonl", b'{"question": \n', "JSON"), ("a.jsonl", b"", "no lines"), ("a.json", b"{}", "a list of objects"), ("a.csv", b'text,label\n"open', "CSV"),
     ("a.parquet", b"x", "parquet"), ("none", None, "no such file")],
)  # fmt: skip
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content, match: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=match):
        read_labelled([tmp_path / name], Columns("label"))
