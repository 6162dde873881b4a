"""Rewriting by rules: greetings off, what a follow-up leaves out put in from earlier turns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ragbench.core.workers import Tools
from ragbench.query.follow_up import ellipsis, leans, named, says_more, swapped, topic, without_lead
from ragbench.query.greetings import only_thanks, without_greeting
from ragbench.query.naming import things
from ragbench.query.rewriter import OpenRewriter, Rewriter, Rewritten
from ragbench.records.question import Turn
from ragbench.text.language import answers_in_chinese

_PRONOUN = re.compile(
    r"^(?:它|这个|那个|这款|那款|该产品)(?=[\u3400-\u9fff])|\b(?:it|this one|that one)\b", re.IGNORECASE
)
_TURNS = 12


@dataclass(frozen=True, kw_only=True)
class RuleRewriter(Rewriter):
    """Chinese, English and mixed; no model. Names, numbers, codes and negations of the question all stay.

    1. Greetings, thanks and padding (你好, 请问, could you tell me) are dropped.
    2. Without earlier turns, or where the question leans on none (no 那 or `and` that goes on, nothing that points
       back, a name of its own or long enough), that is all.
    3. A question that only changes one thing (那成都呢, what about Go?) becomes the earlier question with the thing
       of the same kind exchanged; where none is, the earlier question with the new thing before it.
       Thanks alone (谢谢, Got it, thanks) ask nothing: they stay as typed, and no question leans on them.
    4. A pronoun becomes the one name of the earlier question, where there is one.
    5. Else what was being talked of is put before the question: the last question that stood alone, and the last turn
       where that is another one; one of the same kind exchanged as in 3.

    Args:
        replies: whether names that only the last reply gave count as talked of.
    """

    VERSION: ClassVar[int] = 3

    replies: bool

    @contextmanager
    def open(self, tools: Tools) -> Iterator[OpenRewriter]:
        """Needs nothing."""
        yield _ByRules(self.replies)


class _ByRules:
    def __init__(self, replies: bool) -> None:
        self._replies = replies

    def rewrite(self, text: str, history: Sequence[Turn]) -> Rewritten:
        """See `OpenRewriter.rewrite`."""
        if only_thanks(text):
            return Rewritten(text)
        plain = without_greeting(text)
        turns = history[-_TURNS:]
        asked = [turn.content for turn in turns if turn.role == "user" and not only_thanks(turn.content)]
        earlier = [without_greeting(content) for content in asked if content.strip()]
        if not earlier or not plain.strip() or not leans(plain):
            return Rewritten(plain)
        anchor = next((turn for turn in reversed(earlier) if not leans(turn)), earlier[0])
        if (changed := ellipsis(plain)) is not None:
            return Rewritten(_changed(anchor, changed))
        rest = without_lead(plain)
        said = next((turn.content for turn in reversed(turns) if turn.role == "assistant"), "")
        about = self._about(earlier, anchor, plain, said)
        return Rewritten(_filled(rest, anchor) or _joined(about, rest))

    def _about(self, earlier: Sequence[str], anchor: str, plain: str, said: str) -> str:
        chinese = answers_in_chinese(plain)
        parts = [topic(swapped(anchor, plain))]
        if earlier[-1] != anchor:
            parts.append(topic(swapped(without_lead(earlier[-1]), plain)))
        if self._replies:
            known = " ".join([*parts, plain]).casefold()
            parts += [name for name in _names_of(said) if name.casefold() not in known]
        return ("，" if chinese else ", ").join(filter(None, parts))


def _changed(earlier: str, changed: str) -> str:
    """The earlier question with one thing changed."""
    exchanged = swapped(earlier, changed)
    if exchanged != earlier and not says_more(changed, earlier):
        return exchanged
    return f"{changed}{'，' if answers_in_chinese(earlier) else ': '}{exchanged}"


def _filled(text: str, earlier: str) -> str | None:
    """The text with its one pronoun as the one thing the earlier question names; None where either is not so."""
    talked_of = things(earlier)
    if len(talked_of) != 1 or len(_PRONOUN.findall(text)) != 1 or named(text) or swapped(earlier, text) != earlier:
        return None
    return _PRONOUN.sub(lambda _: talked_of[0], text)


def _joined(about: str, rest: str) -> str:
    return f"{about}，{rest}" if answers_in_chinese(rest) or answers_in_chinese(about) else f"{about}: {rest}"


def _names_of(said: str) -> list[str]:
    """Names and codes of a reply as they are written there, the first three."""
    return [name for name in things(said) if any(char.isupper() or char.isdigit() for char in name)][:3]
