from __future__ import annotations

import numpy as np
import pytest

from ragbench.errors import ConfigError
from ragbench.splitter.semantic import SemanticSplitter, gap_distances
from ragbench.testing.splitter_contract import make
from tests.unit.generator.fakes import WordEmbedder

TOPICS = {
    "zh": ("年假有十天。年假须提前申请。年假可以结转。", "报销须附发票。报销须在三十天内提交。报销由财务审批。"),
    "en": ("Annual leave lasts ten days. Annual leave needs approval. Annual leave may carry over. ",
           "Expense claims need receipts. Expense claims close monthly. Expense claims are paid by bank. "),
    "mixed": ("VPN 账号须申请。VPN 账号每年续期。VPN 账号不得转借。", "Release window 是周二。Release window 要审批。Release window 可取消。"),
}  # fmt: skip


class Counting(WordEmbedder):
    def embed_documents(self, texts):
        self.calls.append(tuple(texts))
        return super().embed_documents(texts)


def splitter(**more):
    knobs = {"chunk_size": None, "chunk_unit": "chars", "overlap": None, "min_size": 5}
    return SemanticSplitter(**knobs, **({"method": "percentile", "value": 80, "buffer": 2} | more))


@pytest.mark.parametrize("language", TOPICS)
@pytest.mark.parametrize("how", [{}, {"method": "std", "value": 1.0}, {"method": "absolute", "value": 0.05}])
def test_the_border_lies_between_the_topics(language, how):
    first, second = TOPICS[language]
    document = make(first + second, "text")
    spans = splitter(**how).open(WordEmbedder)(document)
    pieces = [document.text[span.start : span.end] for span in spans]
    assert pieces == [first.strip(), second.strip()]


@pytest.mark.parametrize("language", TOPICS)
def test_each_sentence_is_embedded_once_by_itself(language):
    embedder = Counting()
    document = make("".join(TOPICS[language]), "text")
    splitter().open(lambda: embedder)(document)
    asked = [text for call in embedder.calls[::2] for text in call]
    assert len(asked) == len(set(asked)) == 6
    assert all(text in document.text for text in asked)


def test_a_document_of_one_sentence_needs_no_vectors():
    assert [(s.start, s.end) for s in splitter().spans(make("只有一句。", "text"))] == [(0, 5)]
    with pytest.raises(ConfigError, match="open embedder"):
        splitter().spans(make("一句话在此。又是一句。", "text"))


def test_a_long_stretch_is_cut_at_its_sentences():
    document = make("年假有十天并且须提前申请。" * 40, "text")
    spans = SemanticSplitter(
        chunk_size=50, chunk_unit="chars", overlap=0, min_size=5, method="percentile", value=95, buffer=1
    ).open(WordEmbedder)(document)
    assert max(span.end - span.start for span in spans) <= 50
    assert all(document.text[span.end - 1] == "。" for span in spans)


def test_rows_of_one_table_are_not_parted_by_meaning():
    rows = "\n".join(f"| {word} | {number} |" for number, word in enumerate(("年假", "VPN", "报销", "Release", "餐厅")))
    document = make(f"{rows}\n", "md")
    assert len(splitter(value=0).open(WordEmbedder)(document)) == 1


def test_distances_by_hand():
    vectors = np.array([[1, 0], [1, 0], [0, 1], [-1, 0]], dtype=np.float32)
    assert gap_distances(vectors, 1) == pytest.approx([0, 1, 1])
    assert gap_distances(vectors, 2) == pytest.approx([1 - 0.5**0.5, 1 + 0.5**0.5, 1 + 0.5**0.5])
    assert gap_distances(vectors[:1], 1).shape == (0,)
    assert gap_distances(np.array([[1, 0], [-1, 0], [0, 1]], dtype=np.float32), 2)[1] == pytest.approx(1), "a mean of 0"


@pytest.mark.parametrize(
    "bad",
    [{"method": "magic"}, {"value": 101}, {"value": -1}, {"value": True}, {"value": "95"}, {"buffer": 0}, {"buffer": 4},
     {"buffer": True}, {"method": "absolute", "value": 2}, {"method": "std", "value": 11}],
)  # fmt: skip
def test_bad_knobs(bad):
    with pytest.raises(ConfigError):
        splitter(**bad)
