"""Taking a question apart: by rules, or by a language model that falls back on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from ragbench.core.stage import Stage
from ragbench.core.workers import Tools
from ragbench.errors import ConfigError, DataError
from ragbench.llm.base import Asker, ChatRequest, Llm, Message
from ragbench.llm.structured import read_object
from ragbench.query import decompose_prompts, flow_prompts
from ragbench.query.asking import Unusable, ask, opened
from ragbench.query.replies import QUERIES, cleaned, fits, read_queries
from ragbench.query.spent import Spent
from ragbench.query.splitting import LONGEST, Part, Pieces, chain, parts, sides
from ragbench.text.terms import terms

_MAX_TOKENS = 400
_LONGEST_CHAIN = 12
"""Sub-questions that are read from a reply; a chain that long is refused by any flow."""
_REFERENCE = re.compile(r"[#＃]\s?(\d{1,2})")


@dataclass(frozen=True, slots=True)
class _Way:
    """What is asked, how the reply is read, what is made of it, and the rules to fall back on."""

    prompt: str
    messages: tuple[Message, ...]
    limit: int
    read: Callable[[str, str, int], Sequence[str]]
    made: Callable[[Sequence[str]], Pieces]
    by_rules: Callable[[str], Pieces | None]


class OpenDecomposer:
    """An open decomposer; threads may share it."""

    def __init__(self, asker: Asker | None, max_parts: int) -> None:
        self._asker = asker
        self._max_parts = max_parts

    def chain(self, text: str) -> tuple[Pieces, Spent]:
        """The question as a chain of any length; whole where no part of it needs another."""
        way = _Way(flow_prompts.CHAIN, flow_prompts.chain(text), _LONGEST_CHAIN, _numbered, chained, chain)
        return self._pieces(text, way)

    def independent(self, text: str) -> tuple[Pieces, Spent]:
        """Sides of a comparison or independent parts, at most `max_parts`; whole where it asks one thing."""
        n = self._max_parts
        messages = decompose_prompts.parts(text, n)
        way = _Way(decompose_prompts.NAME, messages, n, _any, _side_by_side, lambda one: sides(one) or parts(one))
        found, spent = self._pieces(text, way)
        return (Pieces(found.kind, found.parts[:n]) if len(found.parts) > n else found), spent

    def _pieces(self, text: str, way: _Way) -> tuple[Pieces, Spent]:
        spent, whole = Spent(), Pieces("whole", (Part(text),))
        if self._asker is not None and text.strip():
            request = ChatRequest(messages=way.messages, max_tokens=_MAX_TOKENS, schema=QUERIES, prompt=way.prompt)

            def read(reply: str) -> Pieces:
                return way.made(way.read(reply, text, way.limit))

            found, spent = ask(self._asker, request, read)
            if found is not None:
                return found if len(found.parts) > 1 else whole, spent
        return by_rules(text, way.by_rules), spent


def by_rules(text: str, rules: Callable[[str], Pieces | None]) -> Pieces:
    """What rules make of a question; whole where they make nothing, or it is too long to be one."""
    text = " ".join(text.split())
    found = rules(text) if len(text) <= LONGEST else None
    return found or Pieces("whole", (Part(text),))


def _any(reply: str, text: str, limit: int) -> Sequence[str]:
    return read_queries(reply, text, limit, empty=True)


def _numbered(reply: str, text: str, limit: int) -> Sequence[str]:
    """Queries whose places count, as others point at them: of a JSON list none may be left out."""
    try:
        queries = [cleaned(one) for one in read_object(reply, QUERIES)["queries"]]
    except DataError:
        return read_queries(reply, text, limit, empty=True)
    if len(queries) > limit or not all(fits(one, text) for one in queries):
        raise Unusable("a sub-question of the reply is no query")
    return queries


def chained(queries: Sequence[str]) -> Pieces:
    """Sub-questions in which `#1` stands for the answer of the first, as a chain. In the text of a part that must do
    without an answer the sub-question itself stands in its place. Raises Unusable where one points at itself or at a
    later one, or none points at an earlier one."""
    made: list[Part] = []
    for number, query in enumerate(queries):
        needs = sorted({int(found) - 1 for found in _REFERENCE.findall(query)})
        if any(not 0 <= need < number for need in needs):
            raise Unusable(f"sub-question {number + 1} points at one that does not come before it")
        whole = _REFERENCE.sub(lambda found: made[int(found[1]) - 1].text.rstrip("?？ "), query)
        made.append(Part(whole, query if needs else "", tuple(needs)))
    if len(made) > 1 and not any(part.needs for part in made):
        raise Unusable("no sub-question needs another's answer")
    return Pieces("chain", tuple(made), resolves=True)


def _side_by_side(queries: Sequence[str]) -> Pieces:
    return Pieces("parts", tuple(Part(query) for query in queries))


def filled(part: Part, answers: Sequence[str | None]) -> str:
    """What is asked for a part, given the answers of the earlier ones (None: there is none to pass on).

    An answer of at most 60 characters takes the place of its `#n`; a longer one, which is a sentence, is put behind the
    part's own text, so that its names are searched too. Without one of the answers it is the part's own text.
    """
    given = {need: answers[need] for need in part.needs if need < len(answers)}
    known = {need: answer for need, answer in given.items() if answer}
    if not part.needs or len(known) < len(part.needs):
        return part.text
    if all(len(answer) <= _INLINE and not _STOP.search(answer.strip()[:-1]) for answer in known.values()):
        return _REFERENCE.sub(lambda found: known[int(found[1]) - 1].strip(" 。.．"), part.template)
    return " ".join([part.text, *(answer[:_SENTENCE] for answer in known.values())])


def said(answer: str, asked: str) -> str:
    """What an answer says beyond the words it was asked in: of `X的负责人是王工。[1]`, asked who heads X, `王工`.

    Citations are left out. Where what stands before the verb has words that were not asked for, it is the whole answer.
    """
    text = " ".join(_CITED.sub("", answer).split())
    found = _STATES.fullmatch(text)
    known = set(terms(asked))
    if not found or not found[2].strip() or _STOP.search(found[2]) or not known.issuperset(terms(found[1])):
        return text
    return found[2].strip()


_CITED = re.compile(r"\s*\[\d+\]")
_STATES = re.compile(
    r"(.{1,120}?)(?:是|为|：|\b(?:is|are|was|were)\b|: )\s*([^。！？!?；;]{1,80}?)[。.！!]?", re.IGNORECASE
)
_INLINE, _SENTENCE = 60, 300
_STOP = re.compile(r"[。！？!?\n；;]|\.\s|\[\d+\]")


@dataclass(frozen=True, kw_only=True)
class Decomposer(Stage):
    """Takes a question apart. `llm` None: by punctuation and conjunctions (`ragbench.query.splitting`), which is also
    what a model that fails or says nothing usable falls back on, counted. `max_parts` bounds independent parts."""

    VERSION: ClassVar[int] = 3

    llm: Llm | None
    max_parts: int

    def __post_init__(self) -> None:
        if not isinstance(self.max_parts, int) or isinstance(self.max_parts, bool) or self.max_parts < 2:
            raise ConfigError(
                "decomposer.max_parts", expected="a whole number of at least 2", found=repr(self.max_parts)
            )

    def identity(self) -> dict[str, Any]:
        """Versions of the prompts, where a model is asked."""
        return {"chain": flow_prompts.IDENTITY, "parts": decompose_prompts.IDENTITY} if self.llm is not None else {}

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenDecomposer]:
        """Open the model. Raises ConfigError where the tools offer none."""
        yield OpenDecomposer(None if self.llm is None else opened(self.llm, tools), self.max_parts)
