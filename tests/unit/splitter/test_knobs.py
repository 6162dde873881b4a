"""chunk_size, overlap, min_size: defaults, ratios and keys."""

from __future__ import annotations

import pytest

from ragbench.errors import ConfigError
from ragbench.splitter.fixed import FixedSplitter
from ragbench.splitter.markdown import MarkdownSplitter
from ragbench.splitter.recursive import RecursiveSplitter


def fixed(size=None, overlap=None, unit=None):
    return FixedSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit)


def recursive(size=None, overlap=None, smallest=None):
    return RecursiveSplitter(chunk_size=size, overlap=overlap, chunk_unit=None, min_size=smallest)


def markdown(size=None, overlap=None, most=None):
    return MarkdownSplitter(chunk_size=size, overlap=overlap, chunk_unit=None, min_size=None, max_atomic=most)


@pytest.mark.parametrize(
    ("splitter", "size", "overlap"),
    [
        (fixed(), 500, 50),
        (recursive(), 500, 50),
        (markdown(), 500, 0),
        (fixed(200), 200, 20),
        (fixed(16), 16, 1),
        (fixed(200, "auto"), 200, 20),
        (markdown(200, "auto"), 200, 0),
        (fixed(200, "15%"), 200, 30),
        (fixed(200, " 12.5 % "), 200, 25),
        (markdown(200, "10%"), 200, 20),
        (fixed(200, 7), 200, 7),
        (fixed(5, 0), 5, 0),
    ],
)
def test_resolved(splitter, size, overlap):
    shown = splitter.resolved()
    assert (shown.chunk_size, shown.overlap, shown.chunk_unit) == (size, overlap, "chars")


def test_min_size():
    assert recursive().resolved().min_size == 20
    assert recursive(40).resolved().min_size == 10
    assert recursive(500, None, 0).resolved().min_size == 0
    assert recursive(500, None, 20).fingerprint() == recursive().fingerprint()
    for wrong in (251, -1, 1.5, True):
        with pytest.raises(ConfigError, match="min_size"):
            recursive(500, None, wrong)
    with pytest.raises(ConfigError, match="max_atomic"):
        markdown(500, None, 0)


def test_the_message_names_both_numbers():
    with pytest.raises(ConfigError, match=r"overlap=50 with chunk_size=40"):
        fixed(40, 50)


def test_tokens_put_the_tokeniser_into_the_key():
    assert fixed(unit="tokens").fingerprint() != fixed(unit="chars").fingerprint()
    assert fixed(unit="tokens").recipe()["identity"]["tokeniser"] == "e5"
    assert fixed(unit="words").recipe()["identity"] == {}
