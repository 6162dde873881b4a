"""A reranking model behind an HTTP address: Cohere, Jina, vLLM, Text Embeddings Inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragbench.core.workers import Tools
from ragbench.errors import ConfigError
from ragbench.llm.access import bearer, check_address
from ragbench.llm.endpoint import JsonEndpoint, Patience, finite
from ragbench.llm.refusals import Address
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.failing import check_on_failure, failing
from ragbench.reranker.ordering import reordered, with_scores
from ragbench.reranker.rerank_wire import STYLES, Style
from ragbench.reranker.threshold import above, check_threshold, platt

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, kw_only=True)
class ApiReranker(Reranker):
    """Posts question and texts to `base_url` + `/rerank` and sorts by the scores that come back, ties by former rank.

    `style` is how the server wants to be spoken to, see `rerank_wire`. A head of more than `max_documents` is sent in
    several requests. `max_chars` cuts a text before it is sent (null: the server cuts, unseen). `calibration` makes
    probabilities of scores, `threshold` drops chunks below it but never the first `min_kept`, see `threshold`.
    `on_failure`: `raise` makes a question fail whose answer is missing or wrong, `keep` leaves it the order it has.
    """

    base_url: str
    model: str
    style: str
    max_documents: int
    max_chars: int | None
    calibration: Mapping[str, float] | None = field(hash=False)
    threshold: float | None
    min_kept: int
    on_failure: str
    api_key_env: str = field(default="RERANK_API_KEY", compare=False)
    timeout_s: float = field(default=30.0, compare=False)
    max_tries: int = field(default=4, compare=False)
    max_wait_s: float = field(default=30.0, compare=False)

    def __post_init__(self) -> None:
        check_address(self.base_url, "pipeline.reranker.base_url")
        if self.style not in STYLES:
            raise ConfigError("pipeline.reranker.style", expected=", ".join(STYLES), found=repr(self.style))
        for name in ("max_documents", "max_chars", "timeout_s", "max_tries"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"pipeline.reranker.{name}", expected="a number above 0", found=str(value))
        platt(self.calibration)
        check_threshold(self.threshold, self.min_kept)
        check_on_failure(self.on_failure)

    @property
    def calibrated(self) -> bool:
        """With a `calibration`."""
        return self.calibration is not None

    @contextmanager
    def open(self, tools: Tools) -> Iterator[ApiWorker]:
        """Open a connection pool; nothing is sent. Raises ConfigError where the key is missing."""
        import httpx

        headers = bearer(self.api_key_env, "reranker api", "pipeline.reranker.api_key_env")
        with (
            httpx.Client(timeout=self.timeout_s, headers=headers) as client,
            closing(ApiWorker(self, client)) as worker,
        ):
            yield worker


class ApiWorker:
    """An open ApiReranker."""

    def __init__(self, stage: ApiReranker, client: httpx.Client) -> None:
        url = stage.base_url.rstrip("/") + "/rerank"
        address = Address(url, "rerank endpoint", "pipeline.reranker.base_url", stage.api_key_env)
        self._endpoint = JsonEndpoint(client, address, Patience(stage.max_tries, stage.max_wait_s))
        self._stage, self._style, self._platt = stage, STYLES[stage.style], platt(stage.calibration)
        self._counts = {"pairs": 0, "truncated": 0, "prompt_tokens": 0, "dropped": 0}

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by the server's scores.

        Raises DataError where the answer does not score each text exactly once with a finite number.
        """
        texts = [chunks[hit.chunk].index_text for hit in ranking]
        size = self._stage.max_documents
        with failing(self._stage.on_failure):
            scores = [
                score for at in range(0, len(texts), size) for score in self._scores(question, texts[at : at + size])
            ]
        new = reordered(ranking, scores)
        if self._platt is not None:
            new = with_scores(new, [self._platt.probability(hit.score) for hit in new])
        kept = above(new, self._stage.threshold, self._stage.min_kept)
        self._counts["dropped"] += len(new) - len(kept)
        return kept

    def counts(self) -> dict[str, int]:
        """`prompt_tokens` stays 0 where the server does not tell; what it truncates it does not tell either."""
        return self._counts | {"calls": self._endpoint.n_calls}

    def _scores(self, question: str, texts: Sequence[str]) -> list[float]:
        cut = [text[: self._stage.max_chars] for text in texts]
        self._counts["pairs"] += len(texts)
        self._counts["truncated"] += sum(len(a) < len(b) for a, b in zip(cut, texts))
        answer = self._endpoint.post(self._style.request(self._stage.model, question, cut))
        self._counts["prompt_tokens"] += self._style.tokens(answer)
        return _checked(self._style, answer, len(texts), self._endpoint)


def _checked(style: Style, answer: Any, count: int, endpoint: JsonEndpoint) -> list[float]:
    rows = style.rows(answer)
    if rows is None:
        raise endpoint.misshapen(style.expected, answer)
    scores: dict[int, float] = {}
    for index, score in rows:
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise endpoint.misshapen(f"indexes from 0 to {count - 1}", f"index {_short(index)}")
        if index in scores:
            raise endpoint.misshapen("each index once", f"index {index} twice")
        number = finite(score)
        if number is None:
            raise endpoint.misshapen("finite scores", f"{_short(score)} at index {index}")
        scores[index] = number
    missing = [index for index in range(count) if index not in scores]
    if missing:
        raise endpoint.misshapen(f"{count} scores", f"{len(scores)}, none at index {missing[0]}")
    return [scores[index] for index in range(count)]


def _short(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:20]}… ({len(text)} characters)"
