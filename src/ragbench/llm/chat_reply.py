"""Reading a chat completion: what was said, what was only thought, the likeliest first tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.core.surrogates import without_surrogates
from ragbench.llm.endpoint import finite

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CLOSED = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """`text` without thoughts, `raw` with them; `thought`: there were some; `cut`: the reply reached max_tokens."""

    text: str
    raw: str
    thought: bool
    cut: bool


def said(answer: Any) -> Said:
    """What the first choice of an answer says. Raises KeyError, IndexError, TypeError or AttributeError for an answer
    of another shape."""
    choice = answer["choices"][0]
    message = choice["message"]
    content, thoughts = message.get("content") or "", _thoughts(message)
    if not isinstance(content, str):
        return Said("", str(content), False, False)
    raw = f"<think>{thoughts}</think>{content}" if thoughts else content
    return Said(without_thoughts(content), raw, bool(thoughts), choice.get("finish_reason") == "length")


def without_thoughts(text: str) -> str:
    """A reply without its `<think>` blocks, also one that never ends, and one whose beginning the server kept."""
    found = _THOUGHTS.sub("", text)
    return _CLOSED.sub("", found).strip()


def _thoughts(message: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning"):
        found = message.get(name)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def first_tokens(answer: Any) -> dict[str, float] | None:
    """The likeliest first tokens, of which one that is listed twice counts once; None where there are none.

    They are optional, so what is wrong with them (NaN, no number, another shape) makes them none. Minus infinity is
    the logarithm of 0: such a token is left out.
    """
    try:
        content = answer["choices"][0]["logprobs"]["content"][0]
        listed = [(item["token"], item["logprob"]) for item in content.get("top_logprobs") or [content]]
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
    likely = {without_surrogates(str(token)): finite(logprob) for token, logprob in listed if logprob != -math.inf}
    known = {token: logprob for token, logprob in likely.items() if logprob is not None}
    return known if known and len(known) == len(likely) else None
