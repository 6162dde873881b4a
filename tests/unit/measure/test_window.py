"""Text beyond the embedder's window, and where nobody embeds."""

import pytest

from ragbench.measure.case import ChunkedCorpus, VariantCase
from ragbench.measure.provided import WindowUse
from ragbench.measure.registry import measure
from ragbench.records.score import Status


def found(name, window):
    return measure(f"chunks/{name}").find(VariantCase(ChunkedCorpus({}, [], [], window=window), []))


@pytest.mark.parametrize(("overflow", "word"), [("window_mean", "averaged over windows"), ("truncate", "lost")])
def test_shares_say_what_became_of_the_rest(overflow, word):
    use = WindowUse(512, overflow, texts=8, over=2, characters=4000, beyond=500)
    assert found("over_window", use) == (Status.SCORED, 0.25, f"2 of 8 texts beyond 512 tokens, {word}")
    assert found("over_window_chars", use) == (
        Status.SCORED,
        0.125,
        f"500 of 4000 characters beyond 512 tokens, {word}",
    )


def test_all_within_the_window_is_zero_and_no_vectors_or_chunks_are_not_applicable():
    fits = WindowUse(512, "truncate", texts=8, over=0, characters=4000, beyond=0)
    assert found("over_window_chars", fits) == (Status.SCORED, 0.0, "0 of 4000 characters beyond 512 tokens")
    empty = WindowUse(512, "truncate", texts=0, over=0, characters=0, beyond=0)
    for name in ("over_window", "over_window_chars"):
        assert found(name, None).status is Status.NOT_APPLICABLE
        assert "no index of vectors" in found(name, None).evidence
        assert found(name, empty).status is Status.NOT_APPLICABLE
        assert not measure(f"chunks/{name}").higher_is_better and measure(f"chunks/{name}").worst == 1.0
