"""The reranker behind its cache: the order, the rest behind it, and the counts of what was cut."""

import pytest

from ragbench.core.memo import Memo
from ragbench.core.store import Store
from ragbench.errors import CannotOpen, ConfigError
from ragbench.pipeline.reranking import Reranking
from ragbench.reranker.base import RerankFailed
from ragbench.testing.cases import corpus, ranking

TEXTS = {"zh": "年假十五天可以结转。" * 4, "en": "Leave is 15 days. " * 3, "mixed": "年假 leave 15 天。" * 4}
CHUNKS = corpus(TEXTS, [(doc, at, at + 8) for doc in TEXTS for at in (0, 8, 16)]).chunks


class Backwards:
    """Turns the list around."""

    def rerank(self, question, hits, chunks):
        turned = enumerate(reversed(hits), 1)
        return tuple(hit._replace(rank=rank, score=1.0 / rank, former=hit.rank) for rank, hit in turned)


class Counting(Backwards):
    """Counts a pair with the word `long` as cut."""

    def __init__(self):
        self.n_pairs = self.n_truncated = 0

    def counts(self):
        return {"pairs": self.n_pairs, "truncated": self.n_truncated}

    def rerank(self, question, hits, chunks):
        self.n_pairs += len(hits)
        self.n_truncated += len(hits) if "long" in question else 0
        return super().rerank(question, hits, chunks)


def made(folder, reranker, opened=None):
    def opening():
        if opened is not None:
            opened.append(1)
        return reranker

    return Reranking("recipe", CHUNKS, Memo(Store(folder).table("rerank")), opening, lambda: 0.0)


@pytest.mark.parametrize("reranker", [Backwards, Counting])
def test_the_head_is_reordered_and_the_rest_keeps_its_order_behind_it(tmp_path, reranker):
    times = {}
    found = made(tmp_path, reranker()).rerank("年假 leave?", ranking([5, 3, 1, 8]), 2, times)
    assert [(hit.chunk, hit.rank, hit.former) for hit in found] == [(3, 1, 2), (5, 2, 1), (1, 3, 3), (8, 4, 4)]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert times["rerank"] >= 0


def test_counts_are_those_of_the_run_whether_results_were_stored_or_not(tmp_path):
    first = made(tmp_path, Counting())
    assert first.facts == {}
    first.rerank("short 短", ranking([0, 1, 2]), 20, {})
    first.rerank("long 长", ranking([0, 1]), 20, {})
    assert first.facts == {"pairs": 5, "truncated": 2}
    first.memo.flush()
    opened = []
    again = made(tmp_path, Counting(), opened)
    warm = again.rerank("long 长", ranking([0, 1]), 20, {})
    again.rerank("short 短", ranking([0, 1, 2]), 20, {})
    assert again.facts == first.facts and opened == []
    assert [hit.chunk for hit in warm] == [1, 0]


def test_a_reranker_that_does_not_count_has_no_facts_and_results_of_older_stores_are_read(tmp_path):
    reranking = made(tmp_path, Backwards())
    reranking.rerank("q", ranking([0, 1]), 20, {})
    assert reranking.facts == {}
    reranking.memo.flush()
    older = made(tmp_path, Counting())
    assert [hit.chunk for hit in older.rerank("q", ranking([0, 1]), 20, {})] == [1, 0]
    assert older.facts == {}


@pytest.mark.parametrize(("kept", "found"), [(0, []), (1, [4]), (2, [4, 2, 7])])
def test_where_chunks_are_dropped_nothing_that_was_not_read_takes_their_place(tmp_path, kept, found):
    class Dropping(Counting):
        def rerank(self, question, hits, chunks):
            super().rerank(question, hits, chunks)
            return tuple(hit._replace(former=hit.rank) for hit in hits[:kept])

    for _ in range(2):
        reranking = made(tmp_path, Dropping())
        assert [hit.chunk for hit in reranking.rerank("long", ranking([4, 2, 7]), 2, {})] == found
        assert reranking.facts == {"pairs": 2, "truncated": 2}
        reranking.memo.flush()


class Failing(Counting):
    """Fails on questions with the word `down`, after reading."""

    def rerank(self, question, hits, chunks):
        result = super().rerank(question, hits, chunks)
        if "down" in question:
            raise RerankFailed("endpoint down: status 500")
        if "wrong key" in question:
            raise ConfigError("endpoint", expected="a key it accepts", found="status 401")
        return result


def test_a_failure_keeps_the_order_is_told_and_is_not_stored(tmp_path):
    first, given, times = made(tmp_path, Failing()), ranking([5, 3, 1]), {}
    assert first.rerank("down 坏了", given, 2, times) == given
    assert times["rerank"] >= 0
    first.rerank("up", given, 2, {})
    assert first.facts == {
        "pairs": 4,
        "truncated": 0,
        "failed": 1,
        "failures": ["'down 坏了': endpoint down: status 500"],
    }
    first.memo.flush()
    opened = []
    again = made(tmp_path, Counting(), opened)
    assert [hit.chunk for hit in again.rerank("down 坏了", given, 2, {})] == [3, 5, 1]
    assert opened == [1]
    assert again.facts == {"pairs": 2, "truncated": 0}


def test_only_the_first_reasons_are_told(tmp_path):
    reranking = made(tmp_path, Failing())
    for n in range(5):
        reranking.rerank(f"down {n}", ranking([0, 1]), 2, {})
    assert reranking.facts["failed"] == 5
    assert len(reranking.facts["failures"]) == 3


def test_a_fault_of_the_configuration_stops_the_run(tmp_path):
    with pytest.raises(CannotOpen, match="a key it accepts"):
        made(tmp_path, Failing()).rerank("wrong key", ranking([0, 1]), 2, {})
