"""Writes the planted answers, `src/ragbench/agreement/data/answers.jsonl`, and their LOCK.

    python benchmarks/plant_answers.py [--show KIND]

Made of test questions of policy_zh and product_en, which no shipped judge was fitted on, with their references and
evidence. What a rule cannot make honestly is written by hand (`written_answers_*.tsv`, `written_refusals.tsv`). The
kinds and texts were settled before any judge was run on them. `--show` prints the answers of a kind, to be read.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ragbench.agreement.planted_answers import text_hash
from ragbench.corpus.loader import CorpusLoader
from ragbench.eval_set.load import load_eval_set
from ragbench.records.question import EvidenceItem, Question

TARGET = Path("src/ragbench/agreement/data")
SETS = {"policy_zh": "zh", "product_en": "en"}
MOST = {
    "supported": 45,
    "merged": 36,
    "number_swapped": 36,
    "true_unsupported": 30,
    "partly_supported": 30,
    "off_topic": 25,
}
AROUND = 300
_NUMBER = re.compile(r"(?<![\w.,:–—-])\d+(?:\.\d+)?(?![\w.,:–—-]*[A-Za-z_-])(?![.:]\d)(?!\d)")
_EMPTY = ("", " ", "\n", "\n\n", "　")

Place = tuple[str, int, int]


@dataclass(frozen=True)
class Source:
    """A shipped set: its test questions with evidence, and the texts of its documents."""

    name: str
    language: str
    questions: tuple[Question, ...]
    texts: dict[str, str]

    def passage(self, item: EvidenceItem) -> Place:
        """The paragraph around a piece of evidence: at most 300 characters on each side, ended at line borders."""
        text = self.texts[item.doc_id]
        low, high = max(0, item.start - AROUND), min(len(text), item.end + AROUND)
        blank = text.rfind("\n\n", low, item.start)
        start = blank + 2 if blank >= 0 else (text.find("\n", low, item.start) + 1 or item.start) if low else 0
        after = text.find("\n\n", item.end, high)
        line = text.rfind("\n", item.end, high)
        end = after if after >= 0 else (line if line >= 0 else item.end) if high < len(text) else len(text)
        return item.doc_id, start, end

    def context(self, question: Question) -> list[Place]:
        """One passage a group of evidence, those that another holds left out."""
        places = [self.passage(group.items[0]) for group in question.groups]
        return [p for p in dict.fromkeys(places) if not any(_inside(p, other) for other in places if other != p)]

    def cut(self, places: Sequence[Place]) -> tuple[str, ...]:
        """The texts of passages."""
        return tuple(self.texts[doc][start:end] for doc, start, end in places)


def _inside(one: Place, other: Place) -> bool:
    return one[0] == other[0] and other[1] <= one[1] and one[2] <= other[2]


def sources() -> Iterator[Source]:
    """Both sets."""
    for name, language in SETS.items():
        folder = Path("eval_sets") / name / "v1"
        documents = CorpusLoader().load(folder / "corpus").documents
        found = load_eval_set(f"{name}/v1", folder, documents)
        questions = tuple(
            q
            for q in found.questions
            if q.split == "test" and q.groups and not any(i.whole for g in q.groups for i in g.items)
        )
        yield Source(name, language, questions, {d.doc_id: d.text for d in documents})


class Planter:
    """Makes the answers of one set."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rng = random.Random(f"planted answers {source.name}")
        self.single = [q for q in source.questions if len(q.groups) == 1]
        self.rows: list[dict[str, Any]] = []
        self.n: Counter[str] = Counter()

    def plant(self) -> list[dict[str, Any]]:
        """All kinds, in a fixed order."""
        for question in self.single:
            self.add("supported", question, question.reference, supported=True, on_topic=True)
        for question in self.source.questions:
            if len(question.groups) > 1:
                self.add("merged", question, question.reference, supported=True)
        self.written()
        for question in self.shuffled():
            self.number(question)
        for question in self.shuffled(self.single):
            self.unsupported(question)
        for question in self.shuffled(self.single):
            self.partly(question)
        for question in self.shuffled(self.single):
            other = self.other(question)
            places = [*self.source.context(question), *self.source.context(other)]
            self.add("off_topic", question, other.reference, places=places, supported=True, on_topic=False)
        refusals = [line.split("\t") for line in _lines("written_refusals.tsv")]
        for kind, texts in (
            ("refusal", [text for language, text in refusals if language == self.source.language]),
            ("empty", _EMPTY),
        ):
            for question, text in zip(self.shuffled(self.single), texts):
                self.add(kind, question, text, claims_nothing=True)
        return self.rows

    def shuffled(self, questions: Sequence[Question] | None = None) -> list[Question]:
        """The questions in a random order."""
        every = list(self.source.questions if questions is None else questions)
        return self.rng.sample(every, len(every))

    def add(
        self, kind: str, question: Question, answer: str, places: Sequence[Place] | None = None, **truth: Any
    ) -> None:
        """One answer, unless there are enough of its kind. Without places the context is the question's evidence and
        a passage of another document, so that it is as long as a packed context's neighbours make it."""
        if self.n[kind] >= MOST.get(kind, 10**9):
            return
        if places is None:
            places = [*self.source.context(question), self.distractor(question)]
        places = list(dict.fromkeys(places))
        self.rng.shuffle(places)
        self.n[kind] += 1
        self.rows.append(
            {
                "id": f"{question.id}-{kind}",
                "set": self.source.name,
                "group": question.id,
                "language": self.source.language,
                "kind": kind,
                "question": question.standalone or question.question,
                "context": places,
                "text": text_hash(self.source.cut(places)),
                "answer": answer,
                **truth,
            }
        )

    def other(self, question: Question) -> Question:
        """A question whose evidence lies in other documents."""
        docs = {item.doc_id for group in question.groups for item in group.items}
        return next(q for q in self.shuffled(self.single) if not docs & {i.doc_id for g in q.groups for i in g.items})

    def distractor(self, question: Question) -> Place:
        """A passage of another document."""
        return self.source.passage(self.other(question).groups[0].items[0])

    def written(self) -> None:
        """The answers written by hand."""
        known = {question.id: question for question in self.source.questions}
        for line in _lines(f"written_answers_{self.source.language}.tsv"):
            kind, name, text = line.split("\t")
            self.add(kind, known[name], text, supported=kind == "paraphrased")

    def number(self, question: Question) -> None:
        """A number of the reference exchanged: for another one of the context with the same unit where there is one
        and the turn is odd, else for one that stands nowhere."""
        text = question.reference
        places = [*self.source.context(question), self.distractor(question)]
        context = " ".join(self.source.cut(places))
        found = [m for m in _NUMBER.finditer(text) if m[0] in _numbers(context) and _plain(m[0])]
        if not found:
            return
        match = self.rng.choice(found)
        near = self._near(text, match, " ".join(self.source.cut(self.source.context(question))))
        used = set(_numbers(context)) | set(_numbers(text))
        far = [
            str(v)
            for v in (int(float(match[0])) * k + d for k in (1, 2, 3) for d in (1, 2, 3, 5, 10))
            if str(v) not in used
        ]
        if text[match.end() : match.end() + 2].strip()[:1] == "月":
            far = [str(v) for v in range(1, 13) if str(v) not in used]
        if not far:
            return
        new = self.rng.choice(near) if near and self.n["number_swapped"] % 2 else far[self.rng.randrange(len(far))]
        answer = text[: match.start()] + new + text[match.end() :]
        self.add("number_swapped", question, answer, places=places, supported=False)

    def _near(self, text: str, match: re.Match[str], context: str) -> list[str]:
        unit = text[match.end() : match.end() + 3].strip()[:1]
        if not unit or not unit.isalpha():
            return []
        return [
            m[0] for m in _NUMBER.finditer(context)
            if context[m.end() : m.end() + 3].strip()[:1] == unit and m[0] not in _numbers(text) and _plain(m[0])
        ]  # fmt: skip

    def unsupported(self, question: Question) -> None:
        """The true reference over neighbouring passages of the same document that lack a figure of it."""
        own = question.groups[0].items[0]
        near = [
            self.source.passage(item)
            for q in self.source.questions if q.id != question.id
            for group in q.groups for item in group.items if item.doc_id == own.doc_id
        ]  # fmt: skip
        own_place = self.source.passage(own)
        near = [p for p in dict.fromkeys(near) if p[2] <= own_place[1] or p[1] >= own_place[2]][:2]
        if near and self._lacks(question.reference, near):
            self.add(
                "true_unsupported",
                question,
                question.reference,
                places=[*near, self.distractor(question)],
                supported=False,
            )

    def partly(self, question: Question) -> None:
        """The reference, and another question's, which the context does not hold."""
        places = [*self.source.context(question), self.distractor(question)]
        other = next(
            (q for q in self.shuffled(self.single) if q.id != question.id and self._lacks(q.reference, places)), None
        )
        if other is None:
            return
        first = question.reference if question.reference.rstrip().endswith((".", "。")) else question.reference + "."
        glue = " " if self.source.language == "en" else ""
        answer = first + glue + other.reference
        parts = [[0, len(first), True], [len(first) + len(glue), len(answer), False]]
        self.add("partly_supported", question, answer, places=places, supported=False, parts=parts)

    def _lacks(self, reference: str, places: Sequence[Place]) -> bool:
        """Whether at least half of a text's numbers stand nowhere in the passages."""
        found, context = _numbers(reference), set(_numbers(" ".join(self.source.cut(places))))
        return bool(found) and sum(number not in context for number in found) * 2 >= len(found)


def _plain(number: str) -> bool:
    """Whether a number is a quantity and no version, rate or year."""
    return "." not in number and not 1900 <= int(number) <= 2100


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)[ ,](?=\d{3})", "", text))


def _lines(name: str) -> list[str]:
    return [line for line in (Path("benchmarks") / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    """Plant and write, or show."""
    both = {source.name: source for source in sources()}
    rows = [row for source in both.values() for row in Planter(source).plant()]

    def texts(row: dict[str, Any]) -> tuple[str, ...]:
        return both[row["set"]].cut(row["context"])

    for language in ("zh", "en"):
        counts = Counter(row["kind"] for row in rows if row["language"] == language)
        print(language, counts.total(), dict(counts))
    if "--show" in sys.argv:
        kind = sys.argv[sys.argv.index("--show") + 1]
        for row in rows:
            if row["kind"] == kind:
                print(row["id"], "|", row["question"], "|", row["answer"])
                for passage in texts(row) if "--context" in sys.argv else ():
                    print("    >", " ".join(passage.split()))
        return
    assert len({row["id"] for row in rows}) == len(rows)
    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (TARGET / "answers.jsonl").write_bytes(content)
    (TARGET / "LOCK").write_text(f"sha256:{hashlib.sha256(content).hexdigest()}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
