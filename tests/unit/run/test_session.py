"""The embedder that a session opens, and what happens when it runs otherwise than its recipe said."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest

from ragbench.core.store import Store
from ragbench.embedder.base import Embedder
from ragbench.run.build import experiment
from ragbench.run.session import EmbedderFellBack, Session


class Worker:
    """Embeds a text as its length."""

    dimension, max_tokens = 1, 9

    def __init__(self, space):
        self.space = space

    def embed_documents(self, texts):
        return np.ones((len(texts), 1), np.float32)

    embed_queries = embed_documents


@dataclass(frozen=True, kw_only=True)
class Fickle(Embedder):
    """Says `fast` until it was opened, and runs as `slow`."""

    state: str

    def identity(self):
        return {"runtime": STATES[self.state]}

    @contextmanager
    def open(self) -> Iterator[Worker]:
        OPENED.append(self.state)
        STATES[self.state] = "slow" if self.state == "fickle" else STATES[self.state]
        yield Worker(self.fingerprint())


STATES = {"fickle": "fast", "sound": "fast"}
OPENED: list[str] = []


def test_a_sound_embedder_is_opened_once(tmp_path):
    OPENED.clear()
    with Session(Store(tmp_path)) as session:
        first = session.open_embedder(Fickle(state="sound"))
        assert session.open_embedder(Fickle(state="sound")) is first
        assert session.embedder(Fickle(state="sound"))() is first
        first.embed_documents(["年假", "leave", "年假"])
        assert session.texts_embedded() == {"retrieval": 2}
    assert OPENED == ["sound"]


@pytest.mark.parametrize("name", ["坏.pdf", "broken.pdf", "坏 broken.pdf"])
def test_files_that_were_not_used_are_told(tmp_path, name):
    corpus = tmp_path / "set" / "corpus"
    corpus.mkdir(parents=True)
    (corpus / "a.txt").write_text("年假 five days", encoding="utf-8")
    (tmp_path / "set" / "questions.jsonl").write_text("{}", encoding="utf-8")
    asked = experiment(["eval_set=local", f"eval_set.path={tmp_path / 'set'}", "variant=bm25", "generator=none"])
    with Session(Store(tmp_path / "one")) as session:
        session.corpus(asked)
        assert session.notes() == []
    (corpus / name).write_bytes(b"%PDF-1.7 cut off")
    with Session(Store(tmp_path / "two")) as session:
        session.corpus(asked)
        (note,) = session.notes()
    assert note.startswith("1 file of ") and f"1 used; the first: {name}: " in note


def test_warnings_on_documents_are_told_until_the_set_is_frozen(tmp_path):
    corpus = tmp_path / "set" / "corpus"
    corpus.mkdir(parents=True)
    (corpus / "a.md").write_text("---\ntitle: 安全: TLS\n---\n\n# 年假 five days\n", encoding="utf-8")
    (tmp_path / "set" / "questions.jsonl").write_text("{}", encoding="utf-8")
    asked = experiment(["eval_set=local", f"eval_set.path={tmp_path / 'set'}", "variant=bm25", "generator=none"])
    with Session(Store(tmp_path / "one")) as session:
        session.corpus(asked)
        (note,) = session.notes()
        assert "1 warning on documents" in note and "a.md" in note
        (tmp_path / "set" / "LOCK").write_text("{}", encoding="utf-8")
        assert session.notes() == []


def test_one_that_fell_back_is_told_once_and_then_named_rightly(tmp_path):
    OPENED.clear()
    STATES["fickle"] = "fast"
    recipe = Fickle(state="fickle")
    said = recipe.fingerprint()
    with Session(Store(tmp_path)) as session:
        with pytest.raises(EmbedderFellBack, match="slow"):
            session.open_embedder(recipe)
        assert recipe.fingerprint() != said
        assert session.open_embedder(recipe).space == recipe.fingerprint()
    assert OPENED == ["fickle"]
