"""Whether questions may see their own evidence: principals, tenants and filters against the documents' metadata."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ragbench.core.conditions import compiled, faults, fields_of
from ragbench.core.tenants import may_see, tenants_of
from ragbench.records.document import CHUNK_LANGUAGE, Document
from ragbench.records.question import LANGUAGES, EvidenceGroup, Question


def check_access(questions: Iterable[Question], documents: Mapping[str, Document], problems: list[str]) -> None:
    """Add to `problems` every filter that cannot be read or reads a field that no document has, every principal that no
    document names as its tenant, and every evidence group of which the question may see nothing.

    Such a question could only be answered by a leak, or finds nothing at all and passes for one refused rightly.
    """
    corpus = _Corpus(documents)
    for question in questions:
        problems += (f"{question.id} {fault}" for fault in _faults(question, corpus))


class _Corpus:
    """What the documents' metadata holds."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = documents

    @cached_property
    def tenants(self) -> list[str]:
        named = frozenset[str]().union(*(tenants_of(document.metadata) for document in self.documents.values()))
        return sorted(named)

    @cached_property
    def fields(self) -> list[str]:
        return sorted({CHUNK_LANGUAGE, *(name for one in self.documents.values() for name in one.metadata)})


def _faults(question: Question, corpus: _Corpus) -> Iterator[str]:
    principal, condition = question.principal, question.filter
    if principal is not None and principal not in corpus.tenants:
        yield f"principal {principal!r}: {_no_tenant(principal, corpus.tenants)}"
        return
    wrong = [] if condition is None else faults(condition)
    yield from (f"filter: {fault}" for fault in wrong)
    unknown = sorted(fields_of(condition) - set(corpus.fields)) if condition is not None and not wrong else []
    yield from (f"filter: {_no_field(name, corpus.fields)}" for name in unknown)
    for group in question.groups:
        seen = [item.doc_id for item in group.items if may_see(principal, corpus.documents[item.doc_id].metadata)]
        if not seen:
            yield _hidden(group, principal, corpus.documents)
        elif not wrong and not unknown and condition and not _some_meet(condition, seen, corpus.documents):
            yield f"filter: leaves out the evidence of group {group.name} ({', '.join(dict.fromkeys(seen))})"


def _some_meet(condition: Mapping[str, Any], doc_ids: Iterable[str], documents: Mapping[str, Document]) -> bool:
    """Whether a document meets a condition, in whatever language its chunks are."""
    meets = compiled(condition)
    metadata = [documents[doc_id].metadata for doc_id in doc_ids]
    return any(meets({**one, CHUNK_LANGUAGE: language}) for one in metadata for language in LANGUAGES)


def _no_tenant(principal: str, tenants: Sequence[str]) -> str:
    if not tenants:
        return "no document of the corpus names a tenant (metadata field tenant), so that this question sees nothing"
    close = difflib.get_close_matches(principal, tenants, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f" (tenants: {_some(tenants)})"
    return f"no document of the corpus belongs to this tenant{hint}"


def _no_field(name: str, fields: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, fields, n=1)
    hint = f"; did you mean {close[0]}?" if close else f" (fields: {_some(fields)})"
    return f"no document has the field {name}{hint}"


def _hidden(group: EvidenceGroup, principal: str | None, documents: Mapping[str, Document]) -> str:
    doc_id = group.items[0].doc_id
    owners = sorted(tenants_of(documents[doc_id].metadata))
    whose = f"belongs to {_some(owners)}" if owners else "belongs to no tenant"
    asked = f"the principal is {principal}" if principal is not None else "the question has no principal"
    return f"evidence group {group.name}: {doc_id} {whose} and {asked}, who may not see it"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
