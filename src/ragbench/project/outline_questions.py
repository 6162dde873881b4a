"""First questions for a corpus that has none, drafted from its headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypeVar

from ragbench.records.document import Document
from ragbench.splitter.trail import open_headings
from ragbench.text.language import answers_in_chinese, language_of
from ragbench.text.sentences import sentences

SHORTEST, LONGEST = 12, 300
_WORDING = {True: "《{title}》里关于“{topic}”是怎么说的？", False: "What does “{title}” say about “{topic}”?"}
_CLAUSE = re.compile(r"[^，,；;：:。.!?！？]+")
_MARKUP = re.compile(r"!?\[[^\]]*\]\(|<[A-Za-z/!]|https?://")
_COMMENT = re.compile(
    r"<!--.*?(?:-->|\Z)|\[(?://|comment)\]:[ \t]*(?:#|<>)[ \t]*\(.*?\)"
    # a definition of a link, which is also how people write comments: [//]: # "not shown"
    r"|^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*(?:<[^>\n]*>|\S+)(?:[ \t]+(?:\(.*?\)|\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_NOT_ASKED = re.compile(
    r"licen[cs]es?(?:[-_ ](?:mit|apache|bsd|gpl|cc)[\w-]*)?|copying|copyright|notices?|provenance|attributions?|authors"
    r"|contributors|contributing|code[-_ ]of[-_ ]conduct|third[-_ ]party[-_ ](?:notices|licen[cs]es)"
    r"|(?:.*[-_ ])?read[-_ ]?me(?:[-_ ].*)?|许可证|许可协议|版权声明|来源说明|自述",
    re.IGNORECASE,
)
_TOPIC = 40
T = TypeVar("T")


def outline_questions(documents: Sequence[Document], n: int) -> list[dict[str, Any]]:
    """Up to `n` rows of questions.jsonl, spread evenly over the documents and over the sections of each.

    The question names the document and the heading, the evidence is the first sentence of prose below the heading
    that stands only once in the document; a document without headings gives one question on its first such sentence,
    named by its first clause. Files about the files (LICENSE, PROVENANCE, README, …) are asked about only where there
    is nothing else, comments never. No question stands twice: a second document of one title is named by its path. They
    are drafts (`metadata.draft`): they ask in the document's own words, which flatters keyword search, until somebody
    rewrites them from a user's need. Fewer rows where the corpus has fewer sections; none where it has none.
    """
    content = [document for document in documents if not _is_about_files(document.doc_id)]
    queues = _queues(content) or _queues(documents)
    queues = middles(queues, n)
    rows: list[dict[str, Any]] = []
    asked: set[str] = set()
    for queue, share in zip(queues, _shares([len(queue) for queue in queues], n)):
        for draft in middles(queue, share):
            question = draft.question(asked)
            asked.add(question)
            rows.append(_row(question, draft))
    return [{"id": f"draft-{number:03d}", **row} for number, row in enumerate(rows, 1)]


def _is_about_files(doc_id: str) -> bool:
    return _NOT_ASKED.fullmatch(PurePosixPath(doc_id).name.partition(".")[0]) is not None


def _queues(documents: Sequence[Document]) -> list[list[_Draft]]:
    return [queue for document in documents if (queue := list(_drafts(document)))]


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a question is made of."""

    doc_id: str
    title: str
    topic: str
    quote: str

    def question(self, asked: Collection[str]) -> str:
        wording = _WORDING[answers_in_chinese(self.topic + self.quote)]
        first = wording.format(title=self.title, topic=self.topic)
        return first if first not in asked else wording.format(title=self.doc_id, topic=self.topic)


def _drafts(document: Document) -> Iterator[_Draft]:
    """One for each section below the title that has a quotable sentence, else one for the whole document."""
    text, outline = document.text, document.outline
    comments = [match.span() for match in _COMMENT.finditer(text)]
    begins = [start for start, _ in comments]
    quotable = [
        (one.start, quote)
        for one in sentences(text)
        if one.kind in ("prose", "item")
        and SHORTEST <= len(quote := text[one.start + one.marker : one.end]) <= LONGEST
        and not _MARKUP.search(quote)
        and not _inside(one.start, one.end, comments, begins)
    ]
    title = document.title or PurePosixPath(document.doc_id).stem
    trails = open_headings(outline)
    ends = [*(heading.start for heading in outline[1:]), len(text)]
    n_found = 0
    for number, (heading, end) in enumerate(zip(outline, ends), 1):
        topic = " > ".join(one.title for one in trails[number] if one.title and one.title != title)
        first, last = (bisect_left(quotable, (at, "")) for at in (heading.start, end))
        quote = _single(text, quotable[first:last]) if topic else ""
        if quote:
            n_found += 1
            yield _Draft(document.doc_id, title, topic, quote)
    if not n_found and (quote := _single(text, quotable)):
        yield _Draft(document.doc_id, title, _first_words(quote), quote)


def _inside(start: int, end: int, spans: Sequence[tuple[int, int]], begins: Sequence[int]) -> bool:
    """Whether `[start, end)` shares a place with one of the spans, which are in order and begin at `begins`."""
    before = bisect_left(begins, end) - 1
    return before >= 0 and spans[before][1] > start


def _single(text: str, found: Sequence[tuple[int, str]]) -> str:
    """The first quote that stands only once in the text, or an empty string."""
    return next((quote for _, quote in found if text.count(quote) == 1), "")


def _first_words(quote: str) -> str:
    """The first clause, cut between words where it is long."""
    clause = _CLAUSE.search(quote)
    words = (clause[0] if clause else quote).strip()
    if len(words) <= _TOPIC:
        return words
    cut = words[:_TOPIC]
    return cut.rsplit(" ", 1)[0] if " " in cut and words[_TOPIC].isascii() else cut


def _row(question: str, draft: _Draft) -> dict[str, Any]:
    return {
        "question": question,
        "category": "lookup",
        "difficulty": "easy",
        "language": language_of(question),
        "answerable": True,
        "split": "test",
        "evidence": [{"doc": draft.doc_id, "quote": draft.quote}],
        "reference": draft.quote,
        "metadata": {"draft": True},
    }


def middles(items: Sequence[T], n: int) -> list[T]:
    """At most `n` items: the middles of `n` equal stretches, in order."""
    if len(items) <= n:
        return list(items)
    return [items[(2 * at + 1) * len(items) // (2 * n)] for at in range(n)]


def _shares(sizes: Sequence[int], n: int) -> list[int]:
    """How many to take of each queue: one after the other in turn until `n` are taken or nothing is left."""
    shares = [0] * len(sizes)
    while n > 0 and any(share < size for share, size in zip(shares, sizes)):
        for at, size in enumerate(sizes):
            if shares[at] < size and n > 0:
                shares[at] += 1
                n -= 1
    return shares
