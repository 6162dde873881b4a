"""The defaults of `sentence`."""

from __future__ import annotations

from ragbench.splitter.sentence import SentenceSplitter


def splitter(chunk_size, overlap, chunk_unit):
    return SentenceSplitter(chunk_size=chunk_size, overlap=overlap, chunk_unit=chunk_unit, min_size=None)


def test_defaults_and_the_same_values_by_hand_are_one_key() -> None:
    shown = splitter(None, None, None).resolved()
    assert (shown.chunk_size, shown.overlap, shown.chunk_unit, shown.min_size) == (512, 51, "tokens", 20)
    assert splitter(512, 51, "tokens").fingerprint() == shown.fingerprint() == shown.resolved().fingerprint()
    assert splitter(None, None, None).fingerprint() == shown.fingerprint()
    assert splitter(200, "10%", None).fingerprint() == splitter(200, 20, "tokens").fingerprint()
    assert splitter(200, 20, None).fingerprint() != splitter(200, 20, "chars").fingerprint()
