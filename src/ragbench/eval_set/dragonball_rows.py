"""Rows of DRAGONBall's question files: Chinese and English keys, and the form of the published query list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragbench.eval_set.draft import Claim, DraftQuestion
from ragbench.eval_set.source_file import text_of

_KEYS: Mapping[str, tuple[str, str, str]] = {
    "zh": ("问题", "问题类型", "答案"),
    "en": ("question", "question type", "answer"),
}
_KINDS = (
    (re.compile(r"无解|unanswerable|unsolvable", re.IGNORECASE), "negative"),
    (re.compile(r"对比|比较|时间序列|comparison|time sequence", re.IGNORECASE), "comparison"),
    (re.compile(r"整合|多跳|integration|multi-hop", re.IGNORECASE), "multi_hop"),
)
_LACK = re.compile(r"无法|不能|未|不足|没有|cannot|can't|unable|\bnot\b|\bno\b|insufficient", re.IGNORECASE)
_NO_SUCH_NAME = "no document has the name given: placed in the only document that holds the words"


def question_of(row: Any, name: str, documents: Sequence[Mapping[str, Any]]) -> DraftQuestion | str:
    """The question of a row, or what is wrong with it.

    `documents` are `{doc, title, language, doc_id}`. Kinds that ask for what the documents lack are unanswerable, and
    what evidence they name is left out; one whose answer states no lack is labelled wrongly, and rejected.
    """
    if isinstance(row, dict) and isinstance(row.get("query"), dict):
        return _published(row, name, documents)
    found = next((item for item in _KEYS.items() if text_of(row, item[1][0]) is not None), None)
    if found is None:
        return "the row has no 问题 and no question"
    language, keys = found
    question, kind, answer = (text_of(row, key) for key in keys)
    if question is None or kind is None or answer is None:
        return f"the row has no text in one of {', '.join(keys)}"
    claims = _claims(row.get("ref"), [document for document in documents if document["language"] == language])
    return _question(name, (question, kind, answer), claims, language)


def _published(row: Mapping[str, Any], name: str, documents: Sequence[Mapping[str, Any]]) -> DraftQuestion | str:
    """A row of the published list: the documents are named by their numbers."""
    query, truth = row["query"], row.get("ground_truth")
    question, kind = text_of(query, "content"), text_of(query, "query_type")
    answer, language = text_of(truth, "content"), text_of(row, "language")
    if question is None or kind is None or answer is None or not isinstance(truth, dict):
        return "the row has no query.content, query.query_type or ground_truth.content"
    numbers, references = truth.get("doc_ids"), truth.get("references")
    if not isinstance(numbers, list) or not isinstance(references, list):
        return "its ground_truth has no lists of doc_ids and references"
    names = tuple(document["doc"] for document in documents if document["doc_id"] in numbers) or ("",)
    claims = tuple(
        Claim(group=f"g{number + 1}", docs=names, quote=str(quote)) for number, quote in enumerate(references)
    )
    own = f"{name.rpartition('/')[0]}/{query.get('query_id', name)}"
    return _question(own, (question, kind, answer), claims, language or "en")


def _claims(references: Any, documents: Sequence[Mapping[str, Any]]) -> tuple[Claim, ...] | str:
    """A claim for each sentence of `ref`: `[{<name key>: name, content: [sentence]}]`."""
    claims: list[Claim] = []
    for reference in references if isinstance(references, list) else [None]:
        if not isinstance(reference, dict):
            return "its ref is no list of {name, content: [text]}"
        contents = reference.get("content")
        if not isinstance(contents, list) or not all(isinstance(content, str) for content in contents):
            return "its ref is no list of {name, content: [text]}"
        title = next((value for key, value in reference.items() if key != "content"), "")
        named = tuple(document["doc"] for document in documents if document["title"] == title)
        docs = named or tuple(document["doc"] for document in documents) or ("",)
        for content in contents:
            group = f"g{len(claims) + 1}"
            claims.append(Claim(group=group, docs=docs, quote=content, repair="" if named else _NO_SUCH_NAME))
    return tuple(claims)


def _question(
    name: str, texts: tuple[str, str, str], claims: tuple[Claim, ...] | str, language: str
) -> DraftQuestion | str:
    question, kind, answer = texts
    category = next((own for pattern, own in _KINDS if pattern.search(kind)), "lookup")
    unanswerable = category == "negative"
    if unanswerable and not _LACK.search(answer):
        return "labelled unanswerable, but its answer states no lack"
    if isinstance(claims, str):
        return claims
    return DraftQuestion(
        id=name,
        question=question,
        claims=claims,
        answerable=not unanswerable,
        category=category,
        reference=answer,
        language=language,
        metadata={"kind": kind},
    )
