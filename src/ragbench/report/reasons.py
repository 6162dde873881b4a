"""The sentences that the stages leave behind – why a question was lost, what decided a score – in a report's language.

Stages write English. The section `reasons` of `text/en.json` holds the same sentences with `{names}` where values
stand; a sentence that one of them matches is said with the words of the other language and the same values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ragbench.report.labels import Labels

_NAME = re.compile(r"\{(\w+)\}")
_PREFIXED = re.compile(r"([^:;]{1,60}): (.+)", re.DOTALL)
_LOOSE = frozenset({"error", "rest", "what"})
"""Values that may be sentences themselves and run over lines."""


def reason(text: str, labels: Labels) -> str:
    """The sentence in the language of the labels; one that is not known stays as it is.

    Known are the sentences of `reasons`, several of them joined by `; `, and one behind the name of an evidence group
    (`g1: …`). Names of routes and of query classes among the values are said in words too.
    """
    if not text or labels.lang == "en":
        return text
    return _whole(text, labels) or _joined(text, labels) or _named(text, labels) or text


def _whole(text: str, labels: Labels) -> str:
    for key, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found:
            values = {name: _value(name, value, labels) for name, value in found.groupdict().items()}
            return str(labels.words("reasons")[key]).format(**values)
    return ""


def _joined(text: str, labels: Labels) -> str:
    parts = [_whole(part, labels) for part in text.split("; ")]
    return labels("s_stop").join(parts) if len(parts) > 1 and all(parts) else ""


def _named(text: str, labels: Labels) -> str:
    found = _PREFIXED.fullmatch(text)
    said = _whole(found[2], labels) if found else ""
    return labels("colon", name=found[1], text=said) if found and said else ""


def _value(name: str, value: str, labels: Labels) -> str:
    if name == "routes":
        return labels("s_comma").join(labels.stage(route) for route in value.split(", "))
    if name in ("given", "gold"):
        return labels.group(value)
    if name in _LOOSE:
        return reason(value, labels)
    return value


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Patterns of the English sentences, the most definite first: those with most fixed letters."""
    sentences: Mapping[str, str] = Labels("en").words("reasons")
    order = sorted(sentences, key=lambda key: (-len(_NAME.sub("", sentences[key])), key))
    return [(key, _pattern(sentences[key])) for key in order]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = _NAME.split(sentence)
    built = [re.escape(part) if at % 2 == 0 else _group(part) for at, part in enumerate(parts)]
    return re.compile("".join(built), re.DOTALL)


def _group(name: str) -> str:
    return f"(?P<{name}>.+)" if name in _LOOSE else f"(?P<{name}>[^;\n]+?)"
