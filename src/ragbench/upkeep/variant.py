"""What a stored index is made with, and how two such recipes differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import ConfigError
from ragbench.pipeline.pipeline import Pipeline
from ragbench.splitter.chunking import CHUNKING_VERSION

SIDE_OF = {"sparse": "sparse", "dense": "index"}
"""Sides of an index in the order in which they are written, and the slot each is built by."""


@dataclass(frozen=True)
class Variant:
    """The stages that documents pass through on their way into an index."""

    pipeline: Pipeline
    loader: CorpusLoader

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that the variant's retriever searches, in the order in which they are written."""
        return tuple(side for side in SIDE_OF if side in self.pipeline.routes)

    def recipe(self) -> dict[str, Any]:
        """Recipes of all stages that the content of the index depends on, by slot. What only questions pass through
        (retriever, reranker, generator) is not among them."""
        pipeline = self.pipeline
        parts: dict[str, Any] = {
            "loader": self.loader.recipe(),
            "splitter": pipeline.splitter.recipe(),
            "chunking": CHUNKING_VERSION,
            "context": pipeline.prefix.recipe(),
        }
        if "dense" in self.sides or pipeline.splitter.uses_embedder:
            parts["embedder"] = pipeline.embedder.recipe()
        return parts | {slot: getattr(pipeline, slot).recipe() for side, slot in SIDE_OF.items() if side in self.sides}


def differences(made: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What the recipe `found` has otherwise than `made`, one text each: `splitter.chunk_size 300, not 500`."""
    lines = []
    for slot in dict.fromkeys((*made, *found)):
        if slot not in found or slot not in made:
            lines.append(f"{slot} {_kind(found.get(slot))}, not {_kind(made.get(slot))}")
        elif _kind(made[slot]) != _kind(found[slot]):
            lines.append(f"{slot} {_kind(found[slot])}, not {_kind(made[slot])}")
        else:
            before, after = dict(_leaves(slot, made[slot])), dict(_leaves(slot, found[slot]))
            lines += [
                f"{name} {after.get(name, 'absent')}, not {before.get(name, 'absent')}"
                for name in dict.fromkeys((*before, *after))
                if before.get(name) != after.get(name)
            ]
    return lines


def check_recipe(place: str, made: Mapping[str, Any], variant: Variant, *, whole: bool = True) -> None:
    """Raise ConfigError where a variant is not what the index was made with; with `whole=False` the index may have
    a side more than the variant asks for."""
    found = variant.recipe()
    differing = differences(made if whole else {slot: made[slot] for slot in made if slot in found}, found)
    if not differing:
        return
    more = f" (and {len(differing) - 1} more: {'; '.join(differing[1:4])})" if len(differing) > 1 else ""
    raise ConfigError(
        f"index {place}",
        expected="the variant it was made with",
        found=f"{differing[0]}{more}",
        hint=f"Name another with --index, or make it anew with: ragbench index update --index {place} --rebuild",
    )


def _kind(recipe: Any) -> str:
    if recipe is None:
        return "none"
    return str(recipe["stage"]) if isinstance(recipe, Mapping) else "set"


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(name if key == "fields" else f"{name}.{key}", item)
    else:
        yield name, str(value)
