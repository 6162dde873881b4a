"""The public sets that published figures are of, as texts, queries and judgements; a part of `published.py`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.trec.read import read_qrels

DATA = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data")


@dataclass(frozen=True)
class Judged:
    """Texts by id, queries by id, and the grades of documents by query."""

    documents: Mapping[str, str]
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def judged(name: str) -> Judged:
    """One set of the table."""
    kind, _, part = name.partition(" ")
    if kind == "xquad":
        return _squad(DATA / "xquad" / f"xquad.{part}.json")
    if kind == "cmrc2018":
        return _squad(DATA / "cmrc2018" / "cmrc2018_dev.squad.json")
    return {"mtrag_un": _beir, "lihua_world": _lihua, "nc_dragonball": _dragonball}[kind](part)


def lines(path: Path) -> Iterator[Any]:
    """Rows of a file of JSON lines."""
    with path.open(encoding="utf-8") as handle:
        yield from map(json.loads, handle)


def _squad(path: Path) -> Judged:
    documents: dict[str, str] = {}
    queries: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {}
    for number, article in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"]):
        for place, paragraph in enumerate(article["paragraphs"]):
            name = f"{number:04d}-{place:03d}"
            documents[name] = paragraph["context"]
            for asked in paragraph["qas"]:
                queries[asked["id"]] = asked["question"]
                qrels[asked["id"]] = {name: 1}
    return Judged(documents, queries, qrels)


def _beir(part: str) -> Judged:
    folder = DATA / "mtrag_un" / "beir" / part
    documents = {row["_id"]: f"{row['title']} {row['text']}" for row in lines(folder / "corpus.jsonl")}
    queries = {row["_id"]: row["text"].removeprefix("|user|:") for row in lines(folder / "queries.jsonl")}
    return Judged(documents, queries, read_qrels(folder / "qrels" / "test.tsv").grades)


def _lihua(part: str) -> Judged:
    folder = DATA / "lihua_world"
    documents = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "data").rglob("*.txt"))}
    queries: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {}
    for name, row in json.loads((folder / "qa" / "query_set.json").read_text(encoding="utf-8")).items():
        times = [time.strip().removeprefix("Time: ").replace(":", "") for time in row["evidence"].split("<and>")]
        known = {time: 1 for time in times if time in documents}
        if row["type"] == part and known:
            queries[name], qrels[name] = row["question"], known
    return Judged(documents, queries, qrels)


def _dragonball(part: str) -> Judged:
    """Relevant is every document of the language that holds a reference word by word, also of unanswerable rows."""
    folder = DATA / "nc_dragonball"
    rows = [row for row in lines(folder / "dragonball_docs.jsonl") if row["language"] == part]
    documents = {f"{row['doc_id']:04d}": row["content"] for row in rows}
    queries: dict[str, str] = {}
    qrels: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob(f"*/{part}/qra_multidoc/**/*.json")):
        for kind, asked in json.loads(path.read_text(encoding="utf-8")).items():
            for number, row in enumerate(asked):
                references = [one for ref in row["ref"] for one in ref["content"]]
                held = {name: 1 for name, text in documents.items() if any(one in text for one in references)}
                if held:
                    name = f"{path.relative_to(folder)} {kind} {number}"
                    queries[name], qrels[name] = row.get("问题") or row["question"], held
    return Judged(documents, queries, qrels)
