"""How servers of the kind `/rerank` are spoken to. Their requests and answers differ in names and shape.

| style | base address | request | answer |
|---|---|---|---|
| `cohere` | `https://api.cohere.com/v2` | `model, query, documents, top_n` | `results: [{index, relevance_score}]` |
| `jina` | `https://api.jina.ai/v1` | the same and `return_documents: false` | the same and `usage.total_tokens` |
| `vllm` | `http://HOST:PORT/v1` | the same and `truncate_prompt_tokens: -1` | as `jina` |
| `tei` | `http://HOST:PORT` | `query, texts, truncate: true, raw_scores: false` | `[{index, score}]` |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragbench.llm.endpoint import sendable, token_count


@dataclass(frozen=True, slots=True)
class Style:
    """One way to speak: `extra` fields of the request, the name of the `texts` in it, the name of a `score`."""

    extra: Mapping[str, Any] = field(default_factory=dict)
    texts: str = "documents"
    score: str = "relevance_score"
    bare: bool = False
    """A bare list is sent back, the model is not named and all scores come without being asked for."""

    def request(self, model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
        """The body for some texts. Empty texts go as one blank, since servers refuse them."""
        named = {} if self.bare else {"model": model, "top_n": len(texts)}
        clean = [sendable(text) if text.strip() else " " for text in texts]
        return {**named, "query": sendable(question) or " ", self.texts: clean, **self.extra}

    @property
    def expected(self) -> str:
        """The shape of an answer, for messages."""
        return f"{'a list' if self.bare else '`results`, a list'} of {{index, {self.score}}}"

    def rows(self, answer: Any) -> list[tuple[Any, Any]] | None:
        """`(index, score)` of each text in the answer, unchecked; None where it has another shape."""
        found = answer if self.bare else answer.get("results") if isinstance(answer, Mapping) else None
        if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
            return None
        return [(item.get("index"), item.get(self.score)) for item in found]

    def tokens(self, answer: Any) -> int:
        """Tokens that the server says it read; 0 where it does not say or says no count."""
        usage = answer.get("usage") if isinstance(answer, Mapping) else None
        meta = answer.get("meta") if isinstance(answer, Mapping) else None
        told = [(usage, "total_tokens"), (meta.get("tokens") if isinstance(meta, Mapping) else None, "input_tokens")]
        counts = [part.get(name) for part, name in told if isinstance(part, Mapping)]
        return next((told for told in map(token_count, counts) if told), 0)


STYLES: Mapping[str, Style] = {
    "cohere": Style(),
    "jina": Style(extra={"return_documents": False}),
    "vllm": Style(extra={"truncate_prompt_tokens": -1}),
    "tei": Style(extra={"truncate": True, "raw_scores": False}, texts="texts", score="score", bare=True),
}
