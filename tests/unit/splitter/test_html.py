"""Sections of pages, and only of pages."""

from __future__ import annotations

import pytest

from ragbench.corpus.load_html import load_html
from ragbench.corpus.loader import make_document
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.html import HtmlSplitter
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make


def splitter(size=500, smallest=0, most=None):
    return HtmlSplitter(chunk_size=size, overlap=0, chunk_unit="chars", min_size=smallest, max_atomic=most)


def chunks(page, **knobs):
    return chunk_corpus(splitter(**knobs), [make_document("a.html", load_html(page.encode()))])


@pytest.mark.parametrize(
    ("title", "body"),
    [("第一章 总则", "年假五天。"), ("Scope", "Five days."), ("API 说明", "batch 上限 10。")],
    ids=["zh", "en", "mixed"],
)
def test_h1_to_h6_are_borders_and_trails(title, body):
    parts = [f"<h{level}>{title} {level}</h{level}><p>{body}</p>" for level in range(1, 7)]
    found = chunks(f"<body><p>前言 preface</p>{''.join(parts)}</body>")
    assert [chunk.text for chunk in found] == [
        "前言 preface",
        *[f"{'#' * level} {title} {level}\n\n{body}" for level in range(1, 7)],
    ]
    assert [len(chunk.headings) for chunk in found] == list(range(7))


def test_pre_and_tables_stay_whole_and_a_heading_inside_pre_is_none():
    rows = "".join(f"<tr><td>{n}</td><td>值 value</td></tr>" for n in range(12))
    page = f"<h2>A</h2><pre># not a heading\n{'line of code; ' * 12}</pre><h2>B</h2><table>{rows}</table><p>end</p>"
    found = chunks(page, size=80)
    assert [chunk.text.split("\n")[0] for chunk in found] == ["## A", "## B", "end"]
    assert [chunk.flags for chunk in found] == [("atomic",), ("atomic",), ()]
    rows_apart = [chunk.text for chunk in chunks(page, size=80, most=90) if "value" in chunk.text]
    assert len(rows_apart) == 3
    assert max(map(len, rows_apart)) <= 80


@pytest.mark.parametrize("kind", ["md", "text"])
def test_other_kinds_are_cut_at_separators(kind):
    document = make("# 一\n\n年假五天。\n\n# two\n\nfive days" * 9, kind)
    plain = RecursiveSplitter(chunk_size=60, overlap=0, chunk_unit="chars", min_size=0)
    assert splitter(size=60).spans(document) == plain.spans(document)
