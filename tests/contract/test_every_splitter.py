"""The splitter contract on every splitter that has a configuration: a new one is held to it by adding its YAML."""

from __future__ import annotations

import time
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragbench.run.build import instantiate
from ragbench.run.compose import compose, options
from ragbench.splitter.knobs import SizedSplitter
from ragbench.splitter.parent_child import ParentChildSplitter
from ragbench.testing.splitter_contract import SizedSplitterContract, SplitterContract, assert_spans
from ragbench.testing.splitter_texts import TEXTS, long_text, make

CONFIGS = Path(__file__).parents[2] / "configs" / "splitter"


class ChecksumEmbedder:
    """A vector from a text's checksum: quick enough for a hundred thousand sentences."""

    dimension = 4

    def embed_documents(self, texts):
        sums = np.array([zlib.crc32(text.encode()) for text in texts], dtype=np.uint32)
        rows = (sums[:, None] >> np.arange(0, 32, 8, dtype=np.uint32) & 255).astype(np.float32) - 127.5
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def composed(name):
    """The splitter of a configuration with nothing set on the command line."""
    return instantiate(compose([f"splitter={name}"]).data["pipeline"]["splitter"], "pipeline.splitter", ["ragbench."])


def with_knobs(splitter, chunk_size, overlap, chunk_unit):
    if isinstance(splitter, ParentChildSplitter):
        children = with_knobs(splitter.children, chunk_size, overlap, chunk_unit)
        parents = replace(splitter.parents, chunk_size=1200, overlap=200, chunk_unit="chars")
        return replace(splitter, children=children, parents=parents)
    return replace(splitter, chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit)


def contract(name):
    """The test class of a configuration."""
    splitter = composed(name)
    sized = isinstance(splitter, SizedSplitter | ParentChildSplitter)
    methods = {"opener": staticmethod(ChecksumEmbedder), "__module__": __name__, "config": name}
    if sized:
        methods["make_sized"] = lambda self, *knobs: with_knobs(splitter, *knobs)
    methods["make"] = lambda self: splitter
    base = SizedSplitterContract if sized else SplitterContract
    return type("Test" + name.title().replace("_", ""), (base,), methods)


CONTRACTS = {name: contract(name) for name in options("splitter")}
globals().update({made.__name__: made for made in CONTRACTS.values()})


@pytest.mark.parametrize("name", sorted(path.stem for path in CONFIGS.glob("*.yaml")))
def test_each_configuration_is_held_to_the_contract(name):
    held = CONTRACTS[name]
    assert globals()[held.__name__] is held, "pytest finds it"
    assert type(held().make()).__module__ == f"ragbench.splitter.{name}"
    sized = hasattr(composed(name), "chunk_size")
    assert issubclass(held, SizedSplitterContract if sized else SplitterContract)


@pytest.mark.parametrize("kind", ["zh", "en", "mixed"])
@pytest.mark.parametrize("name", ["fixed", "recursive"])
def test_five_million_characters_take_two_seconds(name, kind):
    splitter = with_knobs(composed(name), 500, 50, "chars")
    document = make(long_text(TEXTS[kind], 5_000_000), "text")
    started = time.process_time()
    spans = splitter.open(None)(document)
    assert time.process_time() - started < 2, "a quarter of a second where nothing else runs"
    assert_spans(document, spans)
