"""Open headings of an outline."""

from __future__ import annotations

from ragbench.splitter.trail import Trails, open_headings
from ragbench.testing.splitter_contract import make


def titles(trails):
    return [tuple(heading.title for heading in trail) for trail in trails]


def test_trail_closes_deeper_and_equal_headings():
    document = make("## a\n\n# b\n\n### c\n\n## d\n\n## e")
    assert titles(open_headings(document.outline)) == [(), ("a",), ("b",), ("b", "c"), ("b", "d"), ("b", "e")]


def test_a_document_without_headings_has_the_empty_trail():
    trails = Trails(make("text 文", "text"))
    assert (trails.trails, trails.index(0, 6)) == ([()], 0)
