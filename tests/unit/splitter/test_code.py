"""Classes and functions of source code."""

from __future__ import annotations

import pytest

from ragbench.corpus.load_code import load_code
from ragbench.corpus.loader import make_document
from ragbench.errors import ConfigError
from ragbench.splitter.chunking import chunk_corpus
from ragbench.splitter.code import CodeSplitter
from ragbench.splitter.prefix import ContextPrefix
from ragbench.splitter.recursive import RecursiveSplitter
from ragbench.testing.splitter_contract import make

HEAD = '"""模块 module."""\n\nimport os'
SMALL = "def f():\n    return 1\n\n\ndef g():\n    return 2"
CLASS = '''# 关于 A
@decorated
class A:
    """文档 doc."""

    size = 1

    def first(self):
        return "the first of the members"

    # about second
    @property
    def second(self):
        return "the second of the members"

    third = 3'''
LONG = "def long():\n" + "\n".join(f"    call_number({n}, 'with an argument')" for n in range(20))


def splitter(size=500, overlap=0, smallest=0, most=None, unit="chars"):
    return CodeSplitter(chunk_size=size, overlap=overlap, chunk_unit=unit, min_size=smallest, max_atomic=most)


def source(text, language="python"):
    return make_document("a.py", load_code(text.encode(), language))


def found(text, language="python", **knobs):
    return chunk_corpus(splitter(**knobs), [source(text, language)])


def texts(text, language="python", **knobs):
    return [chunk.text for chunk in found(text, language, **knobs)]


def test_small_neighbours_are_merged_up_to_the_size():
    assert texts(f"{HEAD}\n\n\n{SMALL}") == [f"{HEAD}\n\n\n{SMALL}"]
    assert texts(f"{HEAD}\n\n\n{SMALL}", size=45) == [HEAD, SMALL]
    assert texts(f"{HEAD}\n\n\n{SMALL}", size=31) == [HEAD, *SMALL.split("\n\n\n")]


def test_a_class_that_fits_is_one_chunk_with_what_stands_directly_above():
    assert texts(f"{SMALL}\n\n\n{CLASS}\n\n\n{SMALL}", size=len(CLASS)) == [SMALL, CLASS, SMALL]


def test_a_longer_class_goes_by_its_members():
    head, second = CLASS.index("    def first"), CLASS.index("    # about")
    third = CLASS.index("    third")
    chunks = found(f"{SMALL}\n\n\n{CLASS}\n\n\n{SMALL}", size=120)
    parts = [CLASS[:head].rstrip(), CLASS[head:second].rstrip(), CLASS[second:].rstrip()]
    assert [chunk.text for chunk in chunks] == [SMALL, *parts, SMALL]
    assert [chunk.headings for chunk in chunks[1:4]] == [
        ("class A",),
        ("class A", "def first(self)"),
        ("class A", "def second(self)"),
    ]
    assert texts(CLASS, size=100)[-1] == CLASS[third:]
    assert found(CLASS, size=100)[-1].headings == ("class A",)


def test_a_function_longer_than_the_size_stays_whole_up_to_max_atomic():
    chunks = found(f"{SMALL}\n\n\n{LONG}\n\n\n{SMALL}", size=100)
    assert [chunk.text for chunk in chunks] == [SMALL, LONG, SMALL]
    assert [chunk.flags for chunk in chunks] == [(), ("atomic",), ()]


def test_a_still_longer_one_is_cut_between_its_lines_and_shares_no_chunk():
    chunks = found(f"{SMALL}\n\n\n{LONG}\n\n\n{SMALL}", size=100, most=300)
    inner = [chunk for chunk in chunks if chunk.headings == ("def long()",)]
    assert [chunk.text for chunk in chunks] == [SMALL, *(chunk.text for chunk in inner), SMALL]
    assert "\n".join(chunk.text for chunk in inner) == LONG
    assert all(len(chunk.text) <= 100 and not chunk.flags for chunk in inner)


def test_the_last_member_does_not_join_what_follows_the_class():
    assert texts(f"{CLASS}\n\n\ndef f(): pass", size=130)[-2:] == [CLASS[CLASS.index("    # about") :], "def f(): pass"]


def test_an_atomic_member_keeps_its_indentation():
    member = "    " + LONG.replace("\n", "\n    ")
    chunks = found(f"class A:\n    '''a docstring'''\n\n{member}\n", size=100, smallest=20)
    assert [chunk.text for chunk in chunks] == ["class A:\n    '''a docstring'''", member]


def test_a_short_head_and_short_text_go_with_a_neighbour():
    member = "    " + LONG.replace("\n", "\n    ")
    assert texts(f"class A:\n{member}\n", size=100, smallest=20) == [f"class A:\n{member}"]
    assert texts(f"x = 1\n\n\n{CLASS}", size=120, smallest=20)[0].startswith("x = 1\n\n\n# 关于 A")
    assert texts(f"{CLASS}\n\n\nmain()", size=120, smallest=20)[-1].endswith("third = 3\n\n\nmain()")


def test_braces_belong_to_the_last_member():
    pytest.importorskip("tree_sitter_java", reason="needs the extra code")
    member = "  int {}() {{\n    return 1;\n  }}"
    text = "class A {\n" + "\n\n".join(member.format(name) for name in ("first", "second")) + "\n}"
    assert texts(text, "java", size=45) == [text.split("\n\n")[0], text.split("\n\n")[1]]


def test_the_trail_is_the_prefix_of_what_stands_below():
    document = source(f"{CLASS}\n")
    chunks = chunk_corpus(splitter(120), [document])
    prefixed = ContextPrefix(kind="headings").apply(chunks, {document.doc_id: document})
    assert [chunk.index_text.split("\n")[0] for chunk in prefixed] == ["# 关于 A", "class A", "class A"]


@pytest.mark.parametrize(
    "text", ["年假五天。需要审批。" * 30, "Five days. Ask first. " * 30, "使用 API，batch 10. 见附件。" * 30]
)
@pytest.mark.parametrize("kind", ["md", "text"])
def test_other_documents_are_cut_at_separators(text, kind):
    plain = RecursiveSplitter(chunk_size=90, overlap=0, chunk_unit="chars", min_size=0)
    assert splitter(90).spans(make(text, kind)) == plain.spans(make(text, kind))


def test_source_that_cannot_be_parsed_is_cut_at_separators():
    text = f"def f(:\n\n{LONG}"
    plain = RecursiveSplitter(chunk_size=90, overlap=0, chunk_unit="chars", min_size=0)
    assert splitter(90).spans(source(text)) == plain.spans(source(text))


def test_defaults():
    shown = splitter(None, smallest=None).resolved()
    assert (shown.chunk_size, shown.max_atomic) == (500, 1200)
    shown = splitter(None, smallest=None, unit="tokens").resolved()
    assert (shown.chunk_size, shown.max_atomic) == (500, 500)
    assert splitter(2000).resolved().max_atomic == 2000


@pytest.mark.parametrize("most", [99, 0, -1, 150.0, True])
def test_impossible_max_atomic(most):
    with pytest.raises(ConfigError, match="max_atomic"):
        splitter(100, most=most)
