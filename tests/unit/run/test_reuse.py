"""A finished run is taken over by one that would be the same, and by no other."""

import json

import pytest

from ragbench.core.codec import read_json
from ragbench.core.store import Store
from ragbench.judge.card import VERSION, card_key, read_card, write_card
from ragbench.packer.relevance import RelevancePacker
from ragbench.run import reuse
from ragbench.run.build import experiment
from ragbench.run.runner import run
from ragbench.run.session import Session
from ragbench.run.sweep import sweep
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir

TEXTS = {
    "zh.md": "# 年假\n\n员工每年享有十五天年假。\n\n未休完的年假最多结转五天。\n",
    "en.md": "# Leave\n\nEmployees have fifteen days of annual leave.\n\nAt most five days carry over.\n",
    "mixed.md": "# Quota\n\nannual leave 的 quota 是 15 天。\n\ncarry over 上限 5 天。\n",
}
ASKED = [
    ("zh", "zh.md", "年假可以结转多少天？", "未休完的年假最多结转五天。"),
    ("en", "en.md", "How many days carry over?", "At most five days carry over."),
    ("mixed", "mixed.md", "carry over 上限是多少？", "carry over 上限 5 天。"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "set" / "corpus").mkdir(parents=True)
    for name, text in TEXTS.items():
        (tmp_path / "set" / "corpus" / name).write_text(text, encoding="utf-8")
    rows = [
        {"id": name, "question": asked, "category": "lookup", "language": "zh" if name == "zh" else "en",
         "evidence": [{"doc": doc, "quote": quote}]}
        for name, doc, asked, quote in ASKED
    ]  # fmt: skip
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "set" / "questions.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def overrides(folder, *more):
    return [
        "variant=bm25", "splitter=fixed", "chunk_unit=chars", "chunk_size=40", "overlap=0", "split=all", "reuse=true",
        "generator=none", "judge=none", "eval_set=local", f"eval_set.path={folder / 'set'}", "sink=files",
        f"paths.store={folder / 'store'}", f"paths.runs={folder / 'runs'}", *more,
    ]  # fmt: skip


def made(folder, *more):
    asked = experiment(overrides(folder, *more))
    with Session(Store(asked.places.store)) as session:
        return run(asked, session)


def is_reused(result):
    return "reused" in RunDir(result.folder).manifest


def test_the_same_run_is_taken_over_whole(folder):
    first, second, third = made(folder), made(folder), made(folder)
    assert [is_reused(one) for one in (first, second, third)] == [False, True, True]
    assert len({one.folder for one in (first, second, third)}) == 3
    for name in (*reuse._COPIED, layout.CONFIG):
        assert (second.folder / name).read_bytes() == (first.folder / name).read_bytes()
    ours, theirs = RunDir(third.folder), RunDir(first.folder)
    assert ours.summary == theirs.summary | {"run_id": third.folder.name}
    assert list(ours.summary) == list(theirs.summary)
    assert third.summary == ours.summary
    assert ours.manifest["reused"]["run"] == first.folder.name
    assert ours.manifest["stages"] == third.stages == reuse.STAGES
    assert ours.manifest["run_id"] == third.folder.name
    assert len(list(ours.traces())) == len(ASKED)


def test_a_sweep_takes_over_its_points_and_says_so(folder):
    with Session(Store(folder / "store")) as session:
        first = sweep(overrides(folder, "k=1,2"), session)
        second = sweep(overrides(folder, "k=1,2,3"), session)
    assert [is_reused(done) for _, done in first.runs] == [False, False]
    assert [is_reused(done) for _, done in second.runs] == [True, True, False]
    points = read_json(second.folder / layout.SWEEP)["points"]
    assert [point["stages"]["reused"].get("run") for point in points] == [1, 1, None]


@pytest.mark.parametrize("more", [["seed=1"], ["k=2"], ["measures=[retrieval/mrr]"], ["split=test"], ["reuse=false"]])
def test_another_configuration_is_run(folder, more):
    made(folder)
    assert not is_reused(made(folder, *more))


def change_corpus(folder):
    (folder / "set" / "corpus" / "en.md").write_text(TEXTS["en.md"] + "\nNew.\n", encoding="utf-8")


def change_question(folder):
    path = folder / "set" / "questions.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("How many", "Tell how many"), encoding="utf-8")


def move_set(folder):
    (folder / "set").rename(folder / "moved")
    (folder / "set").symlink_to(folder / "moved")


@pytest.mark.parametrize("change", [change_corpus, change_question, move_set])
def test_other_data_is_run(folder, change):
    made(folder)
    change(folder)
    assert not is_reused(made(folder))


def test_other_code_is_run(folder, monkeypatch):
    made(folder)
    monkeypatch.setattr(reuse, "_package_hash", lambda: "changed")
    assert not is_reused(made(folder))


def test_the_hash_of_the_package_is_that_of_its_files(tmp_path, monkeypatch):
    (tmp_path / "run").mkdir()
    (tmp_path / "a.py").write_text("x = 1", encoding="utf-8")
    monkeypatch.setattr(reuse, "__file__", str(tmp_path / "run" / "reuse.py"))
    hashes = []
    for text, name in (("x = 1", "a.py"), ("x = 2", "a.py"), ("x = 2", "run/b.json"), ("", "run/c.py")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        reuse._package_hash.cache_clear()
        hashes.append(reuse._package_hash())
    reuse._package_hash.cache_clear()
    assert len(set(hashes)) == 4


@pytest.mark.parametrize("name", [*reuse._COPIED, layout.SUMMARY, layout.MANIFEST])
def test_a_run_that_was_changed_or_removed_is_made_again(folder, name):
    first = made(folder)
    path = first.folder / name
    path.write_bytes(path.read_bytes() + b" ")
    second = made(folder)
    assert not is_reused(second)
    (second.folder / name).unlink()
    assert not is_reused(made(folder))


def test_a_run_in_which_a_question_failed_is_made_again(folder, monkeypatch):
    real = RelevancePacker.pack

    def failing(self, ranking, chunks, documents, count, asked):
        if chunks[ranking[0].chunk].doc_id == "en.md":
            raise TimeoutError("once")
        return real(self, ranking, chunks, documents, count, asked)

    with monkeypatch.context() as patch:
        patch.setattr(RelevancePacker, "pack", failing)
        made(folder)
    again = made(folder)
    assert not is_reused(again)
    assert is_reused(made(folder))


def test_a_foreign_stage_is_known_by_its_module(folder, monkeypatch):
    text = "from ragbench.retriever.sparse import SparseRetriever\nclass Own(SparseRetriever):\n    pass\n"
    (folder / "own_stage.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    more = ["allowed_targets=[own_stage]", "pipeline.retriever._target_=own_stage.Own"]
    made(folder, *more)
    assert is_reused(made(folder, *more))
    (folder / "own_stage.py").write_text(text + "# another\n", encoding="utf-8")
    assert not is_reused(made(folder, *more))


def test_another_card_of_the_judge_makes_the_run_anew(folder):
    more = ["generator=extractive", "pipeline.generator.scorer=lexical", "judge=offline", "judge.semantic=false"]
    first = made(folder, *more)
    asked = experiment(overrides(folder, *more))
    card = read_card(asked.judge, asked.places.store) or {"version": VERSION, "key": card_key(asked.judge)}
    write_card({**card, "floor": 0.99}, asked.places.store)
    second, third = made(folder, *more), made(folder, *more)
    assert [is_reused(one) for one in (first, second, third)] == [False, False, True]


@pytest.mark.parametrize("value", ["maybe", "1", "null"])
def test_reuse_is_true_or_false(folder, value):
    with pytest.raises(Exception, match="reuse: expected true or false"):
        experiment(overrides(folder, f"reuse={value}"))
