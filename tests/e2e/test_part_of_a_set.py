"""Runs on some questions of a set: they say so, are runs of their own, and are not compared with others."""

from __future__ import annotations

import pytest

from ragbench.core.codec import read_json
from tests.e2e.world import OFFLINE, local

QUICK = ("variant=bm25", "splitter=whole", *OFFLINE)


def test_a_part_is_said_everywhere(cli, here, tiny) -> None:
    out = cli("run", *QUICK, *local(tiny), "questions=4", "sink.report=true")
    assert out.out.startswith("a part of tiny: 4 of 10 questions of split all\n")
    told = out.summary["eval_set"]["questions"]
    assert (told["n"], told["of"]) == (4, 10)
    assert out.summary["n_questions"] == out.manifest["n_questions"] == 4
    assert out.manifest["eval_set"]["questions"] == told
    assert "4 of 10 questions" in (out.run / "report.html").read_text(encoding="utf-8")
    whole = cli("run", *QUICK, *local(tiny))
    assert whole.summary["eval_set"]["questions"] is None
    assert not whole.out.startswith("a part")
    assert whole.manifest["fingerprint"] != out.manifest["fingerprint"]


def test_ids_and_a_file_of_them_are_one_variant(cli, here, tiny) -> None:
    (here / "mine.txt").write_text("zh-3\nen-2\nmix-1\n", encoding="utf-8")
    listed = cli("run", *QUICK, *local(tiny), "questions=[mix-1,en-2,zh-3]")
    read = cli("run", *QUICK, *local(tiny), "questions=mine.txt")
    assert listed.manifest["fingerprint"] == read.manifest["fingerprint"]
    assert listed.summary["n_questions"] == 3
    assert cli("plan", *QUICK, *local(tiny), "questions=en-2").out.count("1 question") == 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            "questions=0",
            "questions: expected a number of at least 1, a list of ids, or a file of ids, one a line, found 0",
        ),
        ("questions=none.txt", "questions: expected a number, a file, or ids of split all of tiny/v0, found none.txt"),
        ("questions=[zh-1,nobody]", "found nobody"),
    ],
)
def test_what_is_not_there_is_one_line(cli, here, tiny, value, said) -> None:
    out = cli("run", *QUICK, *local(tiny), value, code=2)
    assert said in out.err and len(out.err.strip().splitlines()) == 1


@pytest.mark.parametrize("varied", ["questions=4,7", "split=all,test"])
def test_other_questions_are_not_compared(cli, here, tiny, varied) -> None:
    settings = [one for one in QUICK if not one.startswith("split=")] if varied.startswith("split") else QUICK
    out = cli("sweep", *settings, *local(tiny), varied, "sink.report=true")
    assert "different questions: these figures cannot be compared" in out.out
    assert "meets the best" not in out.out
    assert not read_json(out.sweep / "sweep.json").get("findings"), "no variant is the best of other questions"
    assert "These runs were asked different questions" in (out.sweep / "report.html").read_text(encoding="utf-8")
    same = cli("sweep", *QUICK, *local(tiny), "questions=7", "k=3,5")
    assert "different questions" not in same.out
