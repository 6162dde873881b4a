"""The offline half: corpus, chunks and indexes, each an artifact of the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json, read_jsonl, write_json, write_jsonl
from ragbench.core.fingerprint import fingerprint
from ragbench.core.recent import Memory
from ragbench.core.store import Store
from ragbench.core.workers import TextEmbedder
from ragbench.corpus.loader import CorpusLoader, raw_hashes
from ragbench.corpus.rows import from_row, to_row
from ragbench.embedder.cached import counted_as
from ragbench.embedder.windows import window_use
from ragbench.pipeline.pipeline import Pipeline
from ragbench.records.document import Chunk, Document
from ragbench.splitter.chunking import CHUNKING_VERSION, chunk_corpus, chunks_from_rows, chunks_to_rows

EmbedderOpener = Callable[[], TextEmbedder]

_CHUNKS = "chunks.jsonl"
_INDEX_FACTS = 1
"""Goes up when what is noted beside an index changes, so that an older one is built again (from stored vectors)."""

_KEPT_CHUNKS = 200_000


@dataclass(frozen=True)
class Corpus:
    """A loaded corpus: `key` is its artifact key, `failures` are `(path, reason)`, `skipped` and `empty` are paths."""

    key: str
    folder: Path
    documents: tuple[Document, ...]
    failures: tuple[tuple[str, str], ...] = ()
    skipped: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()

    def by_id(self) -> dict[str, Document]:
        """Documents by id."""
        return {document.doc_id: document for document in self.documents}


@dataclass(frozen=True)
class Keys:
    """Artifact keys of a variant on a corpus; each chains the keys above it. None: the variant has no such artifact."""

    corpus: str
    chunks: str
    texts: str
    index: str | None
    sparse: str | None


@dataclass(frozen=True)
class Built:
    """The artifacts of a variant on a corpus. `facts` are what the builds reported, by stage; `chunk_rows` is the file
    of the chunks' rows, where there is one."""

    corpus: Corpus
    keys: Keys
    chunks: tuple[Chunk, ...]
    index_folder: Path | None
    sparse_folder: Path | None
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    chunk_rows: Path | None = None


def corpus_key(folder: Path, loader: CorpusLoader) -> str:
    """Key of a corpus: the loader's recipe and the hash of every file."""
    return fingerprint("corpus", loader.recipe(), raw_hashes(folder))


def load(folder: Path, loader: CorpusLoader, store: Store) -> Corpus:
    """Load a corpus folder through the store; raises DataError when it holds no usable document."""

    def build(target: Path) -> None:
        loaded = loader.load(folder)
        write_jsonl(target / "documents.jsonl", map(to_row, loaded.documents))
        notes = {"failures": loaded.failures, "skipped": loaded.skipped, "empty": loaded.empty}
        write_json(target / "notes.json", notes)

    key = corpus_key(folder, loader)
    artifact = store.get_or_build("corpus", key, build, {"folder": folder.name})
    notes = read_json(artifact / "notes.json")
    return Corpus(
        key=key,
        folder=folder,
        documents=tuple(map(from_row, read_jsonl(artifact / "documents.jsonl"))),
        failures=tuple((path, reason) for path, reason in notes["failures"]),
        skipped=tuple(notes["skipped"]),
        empty=tuple(notes["empty"]),
    )


def artifact_keys(pipeline: Pipeline, corpus: str) -> Keys:
    """The chained keys of a resolved pipeline on a corpus key."""
    space = [pipeline.embedder.fingerprint()] if pipeline.splitter.uses_embedder else []
    chunks = fingerprint("chunks", CHUNKING_VERSION, pipeline.splitter.recipe(), corpus, *space)
    texts = fingerprint("texts", pipeline.prefix.recipe(), chunks)
    index = fingerprint("index", _INDEX_FACTS, pipeline.index.recipe(), texts, pipeline.embedder.fingerprint())
    sparse = fingerprint("sparse", pipeline.sparse.recipe(), texts)
    return Keys(
        corpus=corpus,
        chunks=chunks,
        texts=texts,
        index=index if "dense" in pipeline.routes else None,
        sparse=sparse if "sparse" in pipeline.routes else None,
    )


def split(
    pipeline: Pipeline,
    corpus: Corpus,
    store: Store,
    embedder: EmbedderOpener | None = None,
    memory: Memory | None = None,
) -> tuple[Chunk, ...]:
    """The chunk set of a variant, with its searched texts. `embedder` is called only by a splitter that compares
    vectors. Variants that share a `memory` share the very chunks."""

    made: list[Chunk] = []

    def build(target: Path) -> None:
        opener = (lambda: counted_as(embedder(), "splitting")) if embedder else None
        made[:] = chunk_corpus(pipeline.splitter, corpus.documents, opener)
        write_jsonl(target / _CHUNKS, chunks_to_rows(made))

    keys = artifact_keys(pipeline, corpus.key)
    artifact = store.get_or_build("chunks", keys.chunks, build, {"splitter": type(pipeline.splitter).__name__})

    def loaded() -> tuple[Chunk, ...]:
        documents = corpus.by_id()
        chunks = made or chunks_from_rows(read_jsonl(artifact / _CHUNKS), documents)
        return tuple(pipeline.prefix.apply(chunks, documents))

    # A key tells the texts, but not the folder whose documents chunks refer to.
    place = (keys.texts, str(corpus.folder))
    kept = (memory or Memory(keep=False)).of("chunks", _KEPT_CHUNKS)
    found: tuple[Chunk, ...] = kept.call(place, loaded, len)
    return found


def build(
    pipeline: Pipeline, corpus: Corpus, store: Store, embedder: EmbedderOpener, memory: Memory | None = None
) -> Built:
    """Everything a variant needs before its first question. `embedder` is called only when vectors are missing.
    Variants that share a `memory` share chunks."""
    keys = artifact_keys(pipeline, corpus.key)
    chunks = split(pipeline, corpus, store, embedder, memory)
    facts: dict[str, Mapping[str, Any]] = {}
    index_folder = sparse_folder = None
    if keys.sparse:
        sparse_folder = store.get_or_build("sparse", keys.sparse, _sparse_builder(pipeline, chunks))
        facts["sparse"] = read_json(sparse_folder / "facts.json")
    if keys.index:
        index_folder = store.get_or_build("index", keys.index, _index_builder(pipeline, chunks, embedder))
        facts["index"] = read_json(index_folder / "facts.json")
    rows = store.path("chunks", keys.chunks) / _CHUNKS
    return Built(corpus, keys, chunks, index_folder, sparse_folder, facts, rows)


def _sparse_builder(pipeline: Pipeline, chunks: Sequence[Chunk]) -> Callable[[Path], None]:
    def run(target: Path) -> None:
        write_json(target / "facts.json", pipeline.sparse.build(_data(target), [c.index_text for c in chunks]))

    return run


def _index_builder(pipeline: Pipeline, chunks: Sequence[Chunk], embedder: EmbedderOpener) -> Callable[[Path], None]:
    def run(target: Path) -> None:
        texts = [chunk.index_text for chunk in chunks]
        opened = embedder()
        vectors = opened.embed_documents(texts)
        facts = pipeline.index.build(_data(target), vectors, [chunk.chunk_id for chunk in chunks])
        window = {"overflow": getattr(pipeline.embedder, "overflow", ""), **window_use(opened, texts)}
        write_json(target / "facts.json", facts | {"texts_embedded": len(set(texts)), "window": window})

    return run


def _data(target: Path) -> Path:
    folder = target / "data"
    folder.mkdir()
    return folder
