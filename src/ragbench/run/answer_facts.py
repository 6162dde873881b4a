"""What a run tells of answers that a language model wrote."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragbench.records.trace import Answer, Trace

_TOLD = 3


class AnswerFacts:
    """Counts from trace to trace; empty for a variant whose answers no model writes."""

    def __init__(self, asks: bool) -> None:
        self._asks = asks
        self._counts: Counter[str] = Counter()
        self._grounding: Counter[str] = Counter()
        self._reasons: list[str] = []

    def add(self, trace: Trace) -> None:
        """Note a question: a final answer without any citation, numbers that were cited and are no passage's, and a
        question that reached its context and has no answer."""
        answer = trace.answer
        if answer is None:
            if trace.context is not None and trace.error is not None:
                self._reasons.append(trace.error)
            return
        self._checked(answer)
        if answer.refused or answer.clarifies:
            return
        known = [one for one in answer.citations if one.block is not None]
        self._counts["answers"] += 1
        self._counts["uncited"] += not known
        self._counts["unknown_citations"] += len(answer.citations) - len(known)

    def _checked(self, answer: Answer) -> None:
        found = answer.grounding
        if found is not None:
            self._grounding["checked"] += 1
            self._grounding["claims"] += found.claims
            self._grounding["unsupported"] += len(found.unsupported)
            self._grounding["answers"] += bool(found.unsupported)
            self._grounding["refused"] += answer.refused

    def facts(self) -> dict[str, Any]:
        """`answers` that are no refusals, `uncited` of them, `unknown_citations`; where claims were checked,
        `grounding`: answers `checked`, their `claims`, `unsupported` ones, `answers` with such, and those `refused`
        for it; where questions have no answer, how many (`unanswered`) and the first `reasons`."""
        if not self._asks:
            return {}
        counts: dict[str, Any] = {name: self._counts[name] for name in ("answers", "uncited", "unknown_citations")}
        if self._grounding:
            names = ("checked", "claims", "unsupported", "answers", "refused")
            counts["grounding"] = {name: self._grounding[name] for name in names}
        if not self._reasons:
            return counts
        return counts | {"unanswered": len(self._reasons), "reasons": list(dict.fromkeys(self._reasons))[:_TOLD]}
