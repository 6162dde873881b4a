"""A cross-encoder: question and chunk read together by a model trained to score the pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ragbench.core.file_hash import folder_hash, models_dir
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError, MissingExtra
from ragbench.records.document import Chunk
from ragbench.records.search import Ranking
from ragbench.reranker.base import Reranker
from ragbench.reranker.ordering import reordered, with_scores
from ragbench.reranker.threshold import above, check_threshold, platt

_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class CrossEncoderReranker(Reranker):
    """A sentence-transformers `CrossEncoder` with one output, by hub id or local folder, in float32.

    Scores go through the model's own activation (a sigmoid unless its config says otherwise) and are rounded to 6
    decimals, so that padding in a batch of another size changes nothing. `max_length` cuts a pair's tokens (null: the
    model's own limit). `calibration` `{a, b}` makes probabilities of them (`ragbench.reranker.threshold.Platt`), null
    leaves them. `threshold` (null: off) drops chunks below it, the first `min_kept` excepted: with 0 a question of
    which every chunk falls below is left without any.
    """

    VERSION: ClassVar[int] = 2
    LIBRARIES: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers", "tokenizers", "torch")

    model: str
    revision: str | None
    max_length: int | None
    calibration: Mapping[str, float] | None = field(hash=False)
    threshold: float | None
    min_kept: int
    device: str | None = field(default=None, compare=False)
    batch_size: int = field(default=32, compare=False)
    cache_dir: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        platt(self.calibration)
        check_threshold(self.threshold, self.min_kept)
        for name in ("max_length", "batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"pipeline.reranker.{name}", expected="1 or more", found=str(value))

    def identity(self) -> dict[str, Any]:
        """For a local folder the hash of its files (remembered; a hub model is known by its revision)."""
        folder = Path(self.model)
        return {"folder_sha256": folder_hash(folder, models_dir(self.cache_dir))} if folder.is_dir() else {}

    @property
    def calibrated(self) -> bool:
        """With a `calibration`."""
        return self.calibration is not None

    @contextmanager
    def open(self, tools: Tools) -> Iterator[CrossEncoderWorker]:
        """Load the model, downloading it where it is not there yet. Raises MissingExtra or ConfigError."""
        yield CrossEncoderWorker(self, _load(self))


class CrossEncoderWorker:
    """An open CrossEncoderReranker."""

    def __init__(self, stage: CrossEncoderReranker, model: Any) -> None:
        self._stage, self._model, self._platt = stage, model, platt(stage.calibration)
        self._counts = {"pairs": 0, "truncated": 0, "dropped": 0}

    def rerank(self, question: str, ranking: Ranking, chunks: Sequence[Chunk]) -> Ranking:
        """Reorder by the model's score of (question, index text); raises DataError for a score that is not finite."""
        if not ranking:
            return ()
        pairs = [(_encodable(question), _encodable(chunks[hit.chunk].index_text)) for hit in ranking]
        self._count(pairs)
        raw = self._model.predict(pairs, batch_size=self._stage.batch_size, show_progress_bar=False)
        scores = np.round(np.asarray(raw, dtype=np.float64), _DIGITS)
        if not np.isfinite(scores).all():
            worst = chunks[ranking[int(np.flatnonzero(~np.isfinite(scores))[0])].chunk]
            raise DataError(f"score of chunk {worst.chunk_id}", expected="a finite number", found="NaN or infinity")
        new = reordered(ranking, scores.tolist())
        if self._platt is not None:
            new = with_scores(new, [self._platt.probability(hit.score) for hit in new])
        kept = above(new, self._stage.threshold, self._stage.min_kept)
        self._counts["dropped"] += len(new) - len(kept)
        return kept

    def counts(self) -> dict[str, int]:
        """Pairs read, those cut to the model's length, and chunks dropped by the threshold."""
        return dict(self._counts)

    def _count(self, pairs: Sequence[tuple[str, str]]) -> None:
        limit = getattr(self._model, _limit_name(self._model))
        questions, passages = zip(*pairs)
        encodings = self._model.tokenizer(list(questions), list(passages), truncation=False, verbose=False)
        self._counts["pairs"] += len(pairs)
        self._counts["truncated"] += sum(len(ids) > limit for ids in encodings["input_ids"]) if limit else 0


def _load(stage: CrossEncoderReranker) -> Any:
    try:
        import sentence_transformers
    except ImportError as error:
        raise MissingExtra("sentence-transformers", "st", "reranker=cross_encoder") from error
    try:
        model = sentence_transformers.CrossEncoder(
            stage.model, revision=stage.revision, device=stage.device, model_kwargs={"dtype": "float32"}
        )
    except Exception as error:  # hub, file and config faults have no common base class
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ConfigError(
            f"pipeline.reranker.model={stage.model}",
            expected="a local folder or a hub id that can be loaded",
            found=reason,
            hint="Check the name, give a local folder, or use reranker=late_interaction.",
        ) from error
    if model.num_labels != 1:
        raise ConfigError(
            f"pipeline.reranker.model={stage.model}",
            expected="a model with one output",
            found=f"{model.num_labels} outputs",
        )
    if stage.max_length is not None:
        setattr(model, _limit_name(model), stage.max_length)
    return model


def _limit_name(model: Any) -> str:
    """What the model calls its limit: renamed in sentence-transformers 6."""
    return "max_seq_length" if hasattr(type(model), "max_seq_length") else "max_length"


def _encodable(text: str) -> str:
    """Lone surrogates cannot be encoded; they become question marks."""
    return text.encode("utf-8", "replace").decode()
