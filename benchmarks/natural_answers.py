"""Answers that people wrote over passages, and what becomes of them by one fault, for fitting the offline judge.

True: long answers of ClapNQ (Apache-2.0), targets of the answerable tasks of MT-RAG UN (Apache-2.0; none of its
conversations is in MT-RAG's human evaluation, and tasks that share a document with it are left out), references of the
dev questions of the shipped eval sets, and the claims of `written_claims.tsv`, which are our own. False: the same over
other passages (`foreign`, `near`), over passages without their evidence (`removed`) or a sentence of it (`less`), with
a sentence of another answer (`mixed`), or with a number, a name of another text, a negation or an opposite put in.
"""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planted_claims import negated, number_changed, opposite

from ragbench.agreement.baselines import overlap
from ragbench.judge.claims import split_claims

DATA = Path(os.environ.get("RAGBENCH_DATA", "../shared/data"))
WRITTEN = Path(__file__).with_name("written_claims.tsv")
TRUE_WRITTEN = ("paraphrase", "implied")
CONTENT_FAULTS = ("near", "removed", "less", "foreign", "mixed")
"""Faults by which an answer says what its passages do not; the others change a word of what they say."""

_NAME = re.compile(r"(?<=\s)[A-Z][A-Za-z0-9]{2,}")


@dataclass(frozen=True)
class Written:
    """An answer over passages, whether they support all of it, and the fault where they do not."""

    source: str
    kind: str
    language: str
    passages: tuple[str, ...]
    answer: str
    supported: bool
    group: str


def natural_answers() -> list[Written]:
    """Of every source, in a fixed order."""
    return [*references(), *clapnq(), *mtrag_un(), *written_claims()]


def references() -> list[Written]:
    """References over the quotes of their evidence and those of the question before; false over two others'."""
    found: list[Written] = []
    for name, language in (("policy_zh", "zh"), ("product_en", "en")):
        rows = _lines(Path("eval_sets") / name / "v1/questions.jsonl")
        rows = [row for row in rows if row["split"] == "dev" and row["answerable"]]
        quotes = [tuple(item["quote"] for item in row["evidence"] if "quote" in item) for row in rows]
        for at, row in enumerate(rows):
            if not quotes[at]:
                continue
            true = Written("refs", "true", language, quotes[at] + quotes[at - 1], row["reference"], True, row["id"])
            other = Written(
                "refs", "foreign", language, quotes[at - 1] + quotes[at - 2], true.answer, False, true.group
            )
            found += [true, other, *faults(true, rows[at - 3]["reference"], at)]
    return found


def clapnq() -> list[Written]:
    """Answers over their passage, over it without the sentences they were written from, and without one of these."""
    rows = [
        (row, next(one for one in row["output"] if one["answer"].strip()))
        for row in _lines(DATA / "clapnq/clapnq_dev_answerable.jsonl")
        if any(one["answer"].strip() for one in row["output"])
    ]
    found: list[Written] = []
    for at, (row, said) in enumerate(rows):
        lines = [_plain(line) for line in row["passages"][0]["sentences"]]
        used = {_plain(line) for line in said["selected_sentences"]}
        answer, group = _plain(said["answer"]), f"clapnq-{row['id']}"
        true = Written("clapnq", "true", "en", (" ".join(lines),), answer, True, group)
        found.append(true)
        rest = [line for line in lines if line not in used]
        if len(rest) >= 2:
            found.append(Written("clapnq", "removed", "en", (" ".join(rest),), answer, False, group))
        found += faults(true, _plain(rows[at - 1][1]["answer"]), at)
        if len(used) >= 2:
            gone = random.Random(at).choice(sorted(used))
            less = " ".join(line for line in lines if line != gone)
            found.append(Written("clapnq", "less", "en", (less,), answer, False, group))
    return found


def mtrag_un() -> list[Written]:
    """Targets over their passages, and over those of the task that hold most of their words."""
    measured = json.loads((DATA / "mtrag_human_eval/reference_subset_with_human_evaluations.json").read_text())
    reported = {row["document_id"] for row in measured["documents"]}
    rows = [
        row
        for row in _lines(DATA / "mtrag_un/generation_tasks/reference.jsonl")
        if row["answerability"][0] == "ANSWERABLE" and row["contexts"] and not _documents(row) & reported
    ]
    found: list[Written] = []
    for at, row in enumerate(rows):
        passages = tuple(one["text"] for one in row["contexts"])
        answer, group = row["targets"][0]["text"], f"mtrag-{row['conversation_id']}"
        true = Written("mtrag_un", "true", "en", passages, answer, True, group)
        found.append(true)
        apart = [other for other in rows[at:] + rows[:at] if not _documents(other) & _documents(row)]
        others = [
            tuple(one["text"] for one in other["contexts"])
            for other in apart
            if other["Collection"] == row["Collection"]
        ]
        if others:
            near = max(others, key=lambda texts: overlap(answer, texts))
            found.append(Written("mtrag_un", "near", "en", near, answer, False, group))
        found += faults(true, apart[0]["targets"][0]["text"], at)
    return found


def written_claims(path: Path = WRITTEN) -> list[Written]:
    """Our own short texts, each with claims in other words: `language`, `kind` and text by tabs, the text first."""
    found: list[Written] = []
    context, number = "", 0
    for line in path.read_text(encoding="utf-8").splitlines():
        language, kind, text = line.split("\t")
        if kind == "context":
            context, number = text, number + 1
        else:
            found.append(
                Written("written", kind, language, (context,), text, kind in TRUE_WRITTEN, f"written-{number}")
            )
    return found


def faults(true: Written, foreign: str, seed: int) -> list[Written]:
    """One of each kind of fault that the answer allows; `foreign` is another answer."""
    rng = random.Random(seed)
    claims = split_claims(true.answer)
    found = []
    for kind in ("number", "negated", "opposite", "entity"):
        for claim in rng.sample(claims, len(claims)):
            said = true.answer[claim.start : claim.end]
            new = _changed(rng, kind, said, true, foreign)
            if new and new != said:
                answer = true.answer[: claim.start] + new + true.answer[claim.end :]
                found.append(_false(true, kind, answer))
                break
    added = split_claims(foreign)
    if claims and added:
        piece = rng.choice(added).text.rstrip("。.") + ("。" if true.language == "zh" else ".")
        whole = [true.answer.strip(), piece] if rng.random() < 0.5 else [piece, true.answer.strip()]
        found.append(_false(true, "mixed", " ".join(whole)))
    return found


def _changed(rng: random.Random, kind: str, said: str, true: Written, foreign: str) -> str | None:
    if kind == "number":
        return number_changed(rng, said)
    if kind == "negated":
        return negated(said, true.language)
    if kind == "opposite":
        return opposite(rng, said, true.language)
    own = _NAME.findall(f" {said}")
    others = [name for name in _NAME.findall(foreign) if not any(name in text for text in true.passages)]
    return said.replace(rng.choice(own), rng.choice(others)) if own and others else None


def _false(true: Written, kind: str, answer: str) -> Written:
    return Written(true.source, kind, true.language, true.passages, answer, False, true.group)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _documents(row: dict[str, Any]) -> set[str]:
    return {one["document_id"] for one in row["contexts"]}


def _plain(text: str) -> str:
    """ClapNQ's tokens as text."""
    text = re.sub(r" (?=[.,;:!?)'])", "", text).replace("`` ", '"').replace(" ''", '"')
    return text.replace("( ", "(").replace(" - ", "-").strip()
