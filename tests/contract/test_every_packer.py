"""The packer contract on every packer that has a configuration, and on fakes that each break one rule."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ragbench.packer.blocks import BlockPacker
from ragbench.packer.relevance import RelevancePacker
from ragbench.records.trace import DroppedChunk
from ragbench.run.build import instantiate
from ragbench.run.compose import compose
from ragbench.testing.packer_contract import PackerContract

CONFIGS = Path(__file__).parents[2] / "configs" / "packer"
NAMES = sorted(path.stem for path in CONFIGS.glob("*.yaml"))


def composed(name: str) -> BlockPacker:
    """The packer of a configuration with nothing set on the command line."""
    return instantiate(compose([f"packer={name}"]).data["pipeline"]["packer"], "pipeline.packer", ["ragbench."])


class _Composed(PackerContract):
    name = ""

    def make(self, **knobs) -> BlockPacker:
        return replace(composed_once[self.name], **knobs)


composed_once = {name: composed(name) for name in NAMES}


class TestRelevance(_Composed):
    name = "relevance"


class TestEdges(_Composed):
    name = "edges"


class TestDocument(_Composed):
    name = "document"


class TestSummaries(_Composed):
    name = "summaries"
    repeats = True


class TestSummariesOfTheRest(_Composed):
    name = "summaries"
    repeats = True

    def make(self, **knobs) -> BlockPacker:
        return super().make(**knobs, lines="rest")


class TestAdaptive(_Composed):
    name = "adaptive"


def test_every_packer_is_held_to_it() -> None:
    held = {value.name for value in globals().values() if inspect.isclass(value) and issubclass(value, _Composed)}
    assert held - {""} == set(NAMES)


@dataclass(frozen=True, kw_only=True)
class Fake(RelevancePacker):
    """An honest packer that breaks one rule."""

    fault: str

    def pack(self, ranking, chunks, documents, count, asked=None):
        context = super().pack(ranking, chunks, documents, count, *([asked] if asked else []))
        blocks = context.blocks
        match self.fault:
            case "over budget":
                return replace(context, tokens=context.tokens + 1)
            case "moved" if blocks:
                return replace(context, blocks=(replace(blocks[0], start=blocks[0].start + 1), *blocks[1:]))
            case "twice" if blocks:
                return replace(context, blocks=(*blocks, replace(blocks[0], citation=len(blocks) + 1)))
            case "silent":
                return replace(context, dropped=())
            case "other reason":
                return replace(context, dropped=tuple(DroppedChunk(one.chunk, "odd") for one in context.dropped))
            case "numbered from 0":
                return replace(context, blocks=tuple(replace(one, citation=one.citation - 1) for one in blocks))
            case "window ignored":
                return replace(context, budget=self.budget)
        return context


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("over budget", "test_the_budget_is_never_exceeded"),
        ("moved", "test_every_block_is_its_document_at_its_offsets"),
        ("moved", "test_parents_stand_in_place_of_their_chunks"),
        ("twice", "test_no_passage_stands_twice_where_neighbours_are_merged"),
        ("silent", "test_every_chunk_is_packed_or_dropped_for_a_reason"),
        ("other reason", "test_every_chunk_is_packed_or_dropped_for_a_reason"),
        ("numbered from 0", "test_citations_count_in_reading_order_and_name_their_source"),
    ],
)
def test_a_packer_that_breaks_a_rule_fails(fault: str, rule: str) -> None:
    class Broken(PackerContract):
        def make(self, **knobs) -> BlockPacker:
            shared = {field: getattr(composed_once["relevance"], field) for field in KNOBS}
            return Fake(**(shared | knobs), fault=fault)

    with pytest.raises(AssertionError):
        getattr(Broken(), rule)()


KNOBS = ("budget", "window", "system", "answer", "show_headings", "merge_neighbours", "truncate", "tokenizer")
