"""Tasks of MT-RAG: conversations, whether they can be answered, and what kind of question the last turn is."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from ragbench.eval_set.draft import Claim, DraftQuestion
from ragbench.eval_set.mtrag_passages import Collection
from ragbench.eval_set.source_file import text_of
from ragbench.records.question import Turn

_ANSWERABLE = {"ANSWERABLE": True, "PARTIAL": True, "UNANSWERABLE": False, "UNDERSPECIFIED": False}
_KINDS = {
    "comparative": "comparison",
    "composite": "multi_hop",
    "how-to": "procedure",
    "keyword": "keyword",
    "summarization": "summary",
    "explanation": "explanation",
    "opinion": "opinion",
    "factoid": "lookup",
    "conversational": "conversational",
    "non-question": "statement",
}
"""Category of each question type, the most specific type first; of several the first counts."""
_ROLES = {"user": "user", "agent": "assistant"}
_USER = "|user|:"
_TYPES = {"answerability": "answerability", "Question Type": "question_types", "Multi-Turn": "multi_turn"}


def question_of(
    row: Any, name: str, collection: Collection, standalone: MutableMapping[str, str]
) -> DraftQuestion | str:
    """The question of a task, or what is wrong with it. What is used of `standalone` is taken out of it.

    Underspecified tasks are unanswerable, of the category `vague`; other unanswerable ones are `negative`. A type that
    is not known is its own category, a task without one is a `lookup`.
    """
    turns = _turns(row.get("input"))
    if isinstance(turns, str):
        return turns
    labels = {name: _labels(row, field) for field, name in _TYPES.items()}
    given = [label.upper() for label in labels["answerability"] or _labels(row, "Answerability")]
    if len(given) != 1 or given[0] not in _ANSWERABLE:
        return f"its answerability is none of {', '.join(_ANSWERABLE)}"
    answerable = _ANSWERABLE[given[0]]
    targets = [text_of(one, "text") for one in row.get("targets") or () if isinstance(one, dict)]
    return DraftQuestion(
        id=name,
        question=turns[-1].content,
        claims=_claims(name, collection) if answerable else (),
        answerable=answerable,
        category=_category(labels["question_types"]) if answerable else _lacking(given[0]),
        reference=(next(filter(None, targets), "") or "").strip(),
        standalone=standalone.pop(name, None),
        history=tuple(turns[:-1]),
        metadata={"answerability": given[0], **{key: labels[key] for key in ("question_types", "multi_turn")}}
        | {key: row[key] for key in ("conversation_id", "turn") if isinstance(row.get(key), str)},
    )


def spoken(text: str) -> str:
    """The words of a query that is written as `|user|: …`."""
    return text.strip().removeprefix(_USER).strip()


def _turns(given: Any) -> list[Turn] | str:
    """The turns of a conversation, the last one the user's; or what is wrong with them."""
    if not isinstance(given, list) or not given:
        return "it has no turns"
    turns = []
    for one in given:
        speaker, text = text_of(one, "speaker"), text_of(one, "text")
        if speaker not in _ROLES or text is None or not text.strip():
            return "a turn has no text, or a speaker other than user and agent"
        turns.append(Turn(_ROLES[speaker], text))
    return turns if turns[-1].role == "user" else "its last turn is not the user's"


def _labels(row: Any, field: str) -> list[str]:
    """A label or a list of them as texts, without those that say there is none."""
    value = row.get(field)
    values = value if isinstance(value, list) else [value]
    return [one.strip() for one in values if isinstance(one, str) and one.strip() and one.strip().upper() != "N/A"]


def _category(types: list[str]) -> str:
    known = {one.lower() for one in types}
    own = next((category for kind, category in _KINDS.items() if kind in known), None)
    return own or (types[0].lower() if types else "lookup")


def _lacking(label: str) -> str:
    return "vague" if label == "UNDERSPECIFIED" else "negative"


def _claims(name: str, collection: Collection) -> tuple[Claim, ...]:
    """A group for each relevant passage, with every document of its text as an alternative."""
    return tuple(
        Claim(group=f"g{number + 1}", docs=collection.twins(passage), whole=True)
        for number, passage in enumerate(collection.relevant.get(name, ()))
    )
