"""Questions and their gold evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CATEGORIES = ("lookup", "procedure", "change", "identifier", "comparison", "multi_hop", "vague", "negative")
DIFFICULTIES = ("easy", "medium", "hard")
LANGUAGES = ("zh", "en", "mixed")
COMPLEXITIES = ("simple_lookup", "multi_hop", "comparison", "decomposable", "ambiguous")
SPLITS = ("dev", "test")


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One located piece of evidence: `[start, end)` of `doc_id`, or the whole document."""

    doc_id: str
    start: int = 0
    end: int = 0
    whole: bool = False
    quote: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Alternatives of one fact. Any item satisfies the group; a question needs all its groups."""

    name: str
    items: tuple[EvidenceItem, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of the conversation; `role` is `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Question:
    """One row of an eval set with its evidence located in the corpus.

    `groups` is empty exactly when `answerable` is false (or when a set has no evidence at all).
    Fields with a fixed vocabulary use the constants of this module; a foreign set may use other category names.
    """

    id: str
    question: str
    category: str = "lookup"
    difficulty: str = "medium"
    language: str = "en"
    answerable: bool = True
    split: str = "test"
    groups: tuple[EvidenceGroup, ...] = ()
    reference: str = ""
    complexity: str | None = None
    standalone: str | None = None
    history: tuple[Turn, ...] = ()
    filter: Mapping[str, Any] | None = None
    principal: str | None = None
    gold_sql: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def underspecified(self) -> bool:
        """Whether the right reply is a question back: an unanswerable row of the category `vague`."""
        return not self.answerable and self.category == "vague"
