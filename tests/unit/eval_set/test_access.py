"""Questions that may not see their own evidence are told before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from ragbench.eval_set.access import check_access
from ragbench.records.document import Document
from ragbench.records.question import EvidenceGroup, EvidenceItem, Question


def document(name: str, **metadata: Any) -> Document:
    return Document(name, "文 text", "md", "sha256:0", metadata=metadata)


OWNED = [
    document("甲.md", tenant="甲公司", year=2024),
    document("b.md", tenant="acme", year=2022),
    document("both.md", tenant=["acme", "甲公司"]),
    document("open.md", site="HQ"),
]
PLAIN = [document("a.md", year=2024, site="苏州"), document("b.md", year=2022)]


def problems(documents: list[Document], **row: Any) -> list[str]:
    found: list[str] = []
    docs = row.pop("docs", [])
    groups = tuple(
        EvidenceGroup(f"g{number}", tuple(EvidenceItem(doc, 0, 1) for doc in one)) for number, one in enumerate(docs, 1)
    )
    check_access([Question("q1", "?", groups=groups, **row)], {one.doc_id: one for one in documents}, found)
    return found


@pytest.mark.parametrize(
    ("documents", "row"),
    [
        (PLAIN, {"docs": [["a.md"]]}),
        (PLAIN, {"docs": [["a.md"]], "filter": {"year": {"$gte": 2024}}}),
        (PLAIN, {"docs": [["b.md", "a.md"]], "filter": {"site": "苏州"}}),
        (PLAIN, {"docs": [], "filter": {"year": 1999}}),
        (PLAIN, {"docs": [["a.md"]], "filter": {}}),
        (PLAIN, {"docs": [["a.md"]], "filter": {"chunk_language": "zh", "year": 2024}}),
        (OWNED, {"docs": [["甲.md"], ["both.md"]], "principal": "甲公司"}),
        (OWNED, {"docs": [["b.md", "both.md"]], "principal": "甲公司"}),
        (OWNED, {"docs": [["open.md"]]}),
        (OWNED, {"docs": [], "principal": "acme"}),
    ],
)
def test_what_may_be_seen_is_no_problem(documents: list[Document], row: dict[str, Any]) -> None:
    assert problems(documents, **row) == []


@pytest.mark.parametrize(
    ("documents", "row", "words"),
    [
        (
            OWNED,
            {"docs": [["b.md"]], "principal": "甲公司"},
            "evidence group g1: b.md belongs to acme and the principal is 甲公司",
        ),
        (OWNED, {"docs": [["open.md"]], "principal": "acme"}, "open.md belongs to no tenant and the principal is acme"),
        (OWNED, {"docs": [["both.md"]]}, "both.md belongs to acme, 甲公司 and the question has no principal"),
        (
            OWNED,
            {"principal": "acne"},
            "principal 'acne': no document of the corpus belongs to this tenant; did you mean 'acme'?",
        ),
        (OWNED, {"principal": "x"}, "(tenants: acme, 甲公司)"),
        (OWNED, {"principal": ""}, "principal '': no document"),
        (PLAIN, {"principal": "acme"}, "principal 'acme': no document of the corpus names a tenant"),
        (PLAIN, {"filter": {"yaer": 2024}}, "filter: no document has the field yaer; did you mean year?"),
        (
            PLAIN,
            {"filter": {"$or": [{"x": 2024}]}},
            "filter: no document has the field x (fields: chunk_language, site, year)",
        ),
        (PLAIN, {"filter": {"year": {"$about": 1}}}, "filter: operator $about of field year: expected one of $eq"),
        (PLAIN, {"docs": [["a.md"]], "filter": {"year": "2024"}}, "filter: leaves out the evidence of group g1 (a.md)"),
        (
            PLAIN,
            {"docs": [["a.md"]], "filter": {"chunk_language": "zh", "year": 2022}},
            "filter: leaves out the evidence of group g1",
        ),
        (
            PLAIN,
            {"docs": [["a.md"]], "filter": {"chunk_language": "fr"}},
            "filter: leaves out the evidence of group g1",
        ),
    ],
)
def test_what_may_not_is_one_line(documents: list[Document], row: dict[str, Any], words: str) -> None:
    (found,) = problems(documents, **row)
    assert found.startswith("q1 ")
    assert words in found
    assert "\n" not in found
