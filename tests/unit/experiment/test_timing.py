"""Times of cutting: long texts, repeats, vectors never from a cache."""

from __future__ import annotations

import time
from types import SimpleNamespace

from ragbench.experiment.timing import Timing, time_cutting
from ragbench.records.document import Document


def document(name: str, length: int) -> Document:
    return Document(doc_id=name, source=name, doc_type="txt", text="x" * length, content_hash="")


class Cutting:
    """A splitter that sleeps a millisecond for each 1000 characters, and embeds when it may."""

    def __init__(self, uses_embedder: bool) -> None:
        self.uses_embedder = uses_embedder
        self.cut, self.texts = [], set()

    def open(self, embedder):
        def cut(document) -> list:
            self.cut.append(document.doc_id)
            self.texts.add(document.text)
            time.sleep(len(document.text) / 1e6)
            return embedder().embed_documents([document.text]) if embedder else []

        return cut


class Worker:
    """Counts what it embeds."""

    def __init__(self) -> None:
        self.n = 0

    def embed_documents(self, texts):
        self.n += len(texts)
        return []


def timed(splitter, documents, worker=None) -> Timing:
    experiment = SimpleNamespace(pipeline=SimpleNamespace(splitter=splitter, embedder="e"))
    session = SimpleNamespace(
        corpus=lambda _: SimpleNamespace(documents=tuple(documents)),
        open_embedder=lambda _: SimpleNamespace(worker=worker),
    )
    return time_cutting(experiment, session)


def test_short_documents_and_what_is_beyond_the_limit_are_left_out() -> None:
    found = timed(Cutting(False), [document("short", 50), *(document(f"d{n}", 20_000) for n in range(5))])
    assert found.documents == ("d0", "d1", "d2")
    assert 9 < found.ms_per_unit < 50


def test_one_document_is_timed_however_long() -> None:
    assert timed(Cutting(False), [document("huge", 100_000)]).documents == ("huge",)
    assert timed(Cutting(False), []) == Timing((), (), ())
    assert timed(Cutting(False), []).ms_per_unit == 0.0


def test_each_repeat_embeds_anew() -> None:
    worker, splitter = Worker(), Cutting(True)
    timed(splitter, [document("a", 1000)], worker)
    assert len(splitter.cut) == len(splitter.texts) == 1 + 5, "no text is cut twice: its lengths would be remembered"
    assert worker.n == 1 + len(splitter.cut)
