"""An eval set whose questions have principals and filters, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragbench.run_dir.read import RunDir
from tests.e2e.world import OFFLINE, local, write_set

DOCUMENTS = {
    "甲/年假.md": "---\ntenant: 甲公司\nyear: 2024\n---\n# 年假\n\n甲公司员工每年有十五天带薪年假。\n",
    "甲/旧.md": "---\ntenant: 甲公司\nyear: 2020\n---\n# 年假\n\n甲公司员工每年有七天带薪年假。\n",
    "acme/leave.md": "---\ntenant: acme\nyear: 2024\n---\n# 年假 annual leave\n\nAcme staff have 25 days of annual leave, 带薪年假。\n",
    "both/portal.md": "---\ntenant: [甲公司, acme]\n---\n# Portal\n\n带薪年假 annual leave 在 portal 申请 apply there。\n",
    "open/site.md": "# Site\n\nThe public page says nothing about annual leave 年假 but names the portal.\n",
}


def row(name: str, question: str, doc: str, quote: str, **more: Any) -> dict[str, Any]:
    evidence = [{"doc": doc, "quote": quote}] if doc else []
    return {"id": name, "question": question, "answerable": bool(doc), "evidence": evidence} | more


QUESTIONS = [
    row("zh", "带薪年假有多少天？", "甲/年假.md", "每年有十五天", principal="甲公司", language="zh", filter={"year": {"$gte": 2024}}),
    row("zh-old", "带薪年假有多少天？", "甲/旧.md", "每年有七天", principal="甲公司", language="zh", filter={"year": 2020}),
    row("en", "How many days of annual leave?", "acme/leave.md", "25 days", principal="acme"),
    row("mixed", "annual leave 在哪里申请？", "both/portal.md", "在 portal 申请", principal="acme", language="mixed"),
    row("leak", "带薪年假有多少天？", "", "", principal="acme", language="zh"),
    row("nobody", "What does the public page say?", "open/site.md", "says nothing"),
]  # fmt: skip
SEEN = {
    "zh": {"甲/年假.md"},
    "zh-old": {"甲/旧.md"},
    "en": {"acme/leave.md", "both/portal.md"},
    "mixed": {"acme/leave.md", "both/portal.md"},
    "leak": {"acme/leave.md", "both/portal.md"},
    "nobody": {"open/site.md"},
}


@pytest.fixture
def folder(here) -> Path:
    return write_set(here / "set", DOCUMENTS, QUESTIONS)


@pytest.mark.parametrize("query", ["none", "language"])
def test_a_run_shows_each_question_what_it_may_see_and_no_more(cli, folder, query: str) -> None:
    assert "6 questions on 5 documents" in cli("eval-set", "check", folder).out
    done = cli("run", *local(folder), *OFFLINE, "variant=bm25", f"query={query}")
    run = RunDir(done.run)
    chunks = [one["doc_id"] for one in run.chunk_rows()]
    found = {}
    for trace in run.traces():
        (step,) = trace.steps
        assert trace.context is not None
        numbers = {hit.chunk for hit in step.fused} | {n for one in step.route_lists for n in one.chunks}
        numbers |= {n for block in trace.context.blocks for n in block.chunks}
        found[trace.question_id] = {chunks[number] for number in numbers}
    assert found == SEEN
    assert done.summary["metrics"]["retrieval/recall@1"]["mean"] >= 0.8


def test_a_question_that_may_not_see_its_evidence_stops_the_run_before_anything_is_built(cli, folder) -> None:
    wrong = [
        row("other", "?", "acme/leave.md", "25 days", principal="甲公司"),
        row("none", "?", "acme/leave.md", "25 days"),
        row("typo", "?", "acme/leave.md", "25 days", principal="acne"),
        row("field", "?", "", "", filter={"yaer": 1}),
        row("operator", "?", "", "", filter={"year": {"$about": 1}}),
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in wrong), encoding="utf-8")
    for asked in (("eval-set", "check", folder), ("run", *local(folder), *OFFLINE, "variant=bm25")):
        told = cli(*asked, code=2).err
        for words in (
            "other evidence group g1: acme/leave.md belongs to acme and the principal is 甲公司",
            "none evidence group g1: acme/leave.md belongs to acme and the question has no principal",
            "typo principal 'acne': no document of the corpus belongs to this tenant; did you mean 'acme'?",
            "field filter: no document has the field yaer; did you mean year?",
            "operator filter: operator $about of field year: expected one of $eq",
        ):
            assert words in told
    assert not list(Path.cwd().glob("runs/*"))


@pytest.mark.parametrize(("principal", "doc"), [("甲公司", "甲/"), ("acme", "acme/"), (None, "open/")])
def test_ask_in_the_name_of_a_tenant(cli, folder, principal: str | None, doc: str) -> None:
    named = [] if principal is None else ["--principal", principal]
    asked = ["ask", "带薪年假 annual leave 有多少天？", *local(folder), "variant=bm25", "generator=none", *named]
    answer = cli(*asked, "--json").json
    names = {answer["chunks"][str(number)] for number in answer["steps"][0]["fused"]["chunks"]}
    assert any(name.startswith(doc) for name in names)
    assert all(name.startswith((doc, "both/") if principal else doc) for name in names)
    assert all(name.startswith((doc, "both/") if principal else doc) for name in answer["chunks"].values())


def test_ask_tells_that_nothing_may_be_seen(cli, folder) -> None:
    asked = ["ask", "年假 leave", *local(folder), "variant=bm25", "generator=none", "--json"]
    stranger = cli(*asked, "--principal", "nobody")
    assert stranger.json["chunks"] == {} and "no chunk may be seen" in stranger.err
    assert "no chunk may be seen" in cli(*asked, "--filter", '{"nope": 1}').err
    assert "no chunk may be seen" not in cli(*asked).err


def test_ask_with_a_filter(cli, folder) -> None:
    asked = ["ask", "带薪年假", *local(folder), "variant=bm25", "generator=none", "--principal", "甲公司", "--filter"]
    answer = cli(*asked, '{"year": {"$lt": 2024}}', "--json").json
    assert {answer["chunks"][str(n)] for n in answer["steps"][0]["fused"]["chunks"]} == {"甲/旧.md#0"}
    assert "--filter: operator $about of field year" in cli(*asked, '{"year": {"$about": 1}}', code=2).err
    assert "--filter: expected a JSON object, found {year" in cli(*asked, "{year: 1}", code=2).err


def test_a_stored_index_follows_a_document_that_changes_hands(cli, folder) -> None:
    """Only the front matter changes: text, chunks and index stay, and the stored lists must not be used."""
    (folder / "corpus").rename(folder.parent / "docs")
    place = folder.parent / "docs" / "acme" / "leave.md"

    def seen(principal: str) -> set[str]:
        asked = ["ask", "annual leave 年假", "--index", ".ragbench/live/docs", "--principal", principal, "--json"]
        answer = cli(*asked).json
        return {answer["chunks"][str(n)].partition("#")[0] for n in answer["steps"][0]["fused"]["chunks"]}

    cli("index", "update", "docs", "variant=bm25", "generator=none", "chunk_unit=chars", "chunk_size=200")
    assert "acme/leave.md" in seen("acme") and "acme/leave.md" not in seen("甲公司")
    place.write_text(place.read_text(encoding="utf-8").replace("tenant: acme", "tenant: 甲公司"), encoding="utf-8")
    cli("index", "update", "docs")
    assert "acme/leave.md" not in seen("acme") and "acme/leave.md" in seen("甲公司")
