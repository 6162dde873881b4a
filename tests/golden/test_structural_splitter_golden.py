"""What the splitters by structure and the prefix by summary give. Another result needs a higher VERSION."""

from __future__ import annotations

import pytest

from ragbench.core.fingerprint import fingerprint
from ragbench.corpus.load_code import load_code
from ragbench.corpus.loader import CorpusLoader, make_document
from ragbench.corpus.parsed import whole
from ragbench.splitter.cascade import CascadeSplitter
from ragbench.splitter.chunking import CHUNKING_VERSION, chunk_corpus
from ragbench.splitter.code import CodeSplitter
from ragbench.splitter.html import HtmlSplitter
from ragbench.splitter.prefix import ContextPrefix
from ragbench.testing.splitter_contract import FRAGMENTS, OPENINGS

CLAUSES = "第一条　员工年假为五天。\n\n第二条　加班须事先审批；\n（一）书面；\n（二）当日。\n\n问：年假几天？\n答：五天。\n\n问：要审批吗？\n答：要。\n\n"
TEXT = "\n\n".join(opening + prose * 2 for opening in OPENINGS for prose in FRAGMENTS[:12]) + "\n\n" + CLAUSES * 3
SOURCE = '''"""模块 module."""

import os

LIMITS = {"batch": 10}


# of f
@decorated
def f(a, b=1):
    """年假。Leave."""
    return a + b


class A(Base):
    """Doc."""

    size = 1

    def first(self):
        return "the first of the members"

    # of second
    def second(self): pass

    third = 3


def long():
    one(1, "with an argument")
    two(2, "with an argument")

    three(3, "with an argument")


main()
'''


def knobs(unit: str, overlap: int | str) -> dict:
    return {"chunk_size": 90, "chunk_unit": unit, "overlap": overlap, "min_size": None, "max_atomic": None}


STAGES = {
    "html": HtmlSplitter(**knobs("chars", 0)),
    "cascade": CascadeSplitter(**knobs("chars", 0)),
    "cascade words": CascadeSplitter(**knobs("words", 10)),
    "code": CodeSplitter(**knobs("chars", 0)),
    "code words": CodeSplitter(**knobs("words", "20%") | {"chunk_size": 20}),
}
GOLDEN = {
    "html": (1, 31, "b1a406022699"),
    "cascade": (1, 89, "22d0a4a85480"),
    "cascade words": (1, 35, "d06e61a6c841"),
    "code": (1, 6, "0000a25e485d"),
    "code words": (1, 5, "02741c726cfb"),
    "outline": (6, 7, "d9164d7883d5"),
    "trails": (6, 6, "2e991355ff98"),
    "summary html": (2, 31, "b2c19b71188e"),
    "summary code": (2, 6, "353a8563230b"),
}


def page():
    return make_document("a.html", whole(TEXT, "html", structured=True))


def source():
    return make_document("a.py", load_code(SOURCE.encode(), "python"))


def subject(name):
    return source() if "code" in name else page()


@pytest.mark.parametrize("name", STAGES)
def test_splitter(name):
    spans = [[span.start, span.end, list(span.flags)] for span in STAGES[name].spans(subject(name))]
    assert (STAGES[name].VERSION, len(spans), fingerprint(spans)[:12]) == GOLDEN[name]


def test_outline_of_source():
    found = [[heading.start, heading.level, heading.title] for heading in source().outline]
    assert (CorpusLoader.VERSION, len(found), fingerprint(found)[:12]) == GOLDEN["outline"]


def test_trails_of_source():
    found = [chunk.headings for chunk in chunk_corpus(STAGES["code"], [source()])]
    assert (CHUNKING_VERSION, len(set(found)), fingerprint(found)[:12]) == GOLDEN["trails"]


@pytest.mark.parametrize("name", ["html", "code"])
def test_summaries(name):
    document, stage = subject(name), ContextPrefix(kind="summary")
    chunks = chunk_corpus(STAGES[name], [document])
    found = [chunk.index_text for chunk in stage.apply(chunks, {document.doc_id: document})]
    assert (stage.VERSION, len(found), fingerprint(found)[:12]) == GOLDEN[f"summary {name}"]
