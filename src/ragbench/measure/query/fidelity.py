"""Whether a rewritten question still asks what was asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from ragbench.measure.base import Finding, Outcome, Population, Reach, not_applicable
from ragbench.measure.case import Case
from ragbench.measure.family import Family
from ragbench.records.score import Status
from ragbench.text.language import language_of
from ragbench.text.normal import comparison_form, negations
from ragbench.text.quantities import quantities
from ragbench.text.scripts import bracketed_terms
from ragbench.text.terms import identifiers, is_function_word, names, stem

_LATIN = re.compile(r"[a-z][a-z0-9]*(?:[-_./'+#][a-z0-9+#]+)*[+#]*")
_AS_TYPED = "searched as typed"


def rewritten(case: Case) -> Outcome:
    """1 where the question was rewritten (`QueryView.text` differs from the question), else 0; n/a for a question that
    is absent from the run."""
    if case.trace is None:
        return not_applicable("absent from the run")
    return 0.0 if _text(case) is None else 1.0


def entities_kept(case: Case) -> Outcome:
    """Share of the question's entities that its rewritten form still names, in [0, 1].

    Entities are codes and identifiers, names, terms in brackets or quotes, and in a question with Han also Latin words
    of content; compared casefolded, a Latin word by its stem. N/a where nothing was rewritten, or nothing is named.
    """
    return _share(case, entities, lambda name, text: _names(text, name))


def numbers_kept(case: Case) -> Outcome:
    """Share of the question's numbers, dates, times and versions that its rewritten form still has, in the same unit
    where both name one (`ragbench.text.quantities`); n/a where nothing was rewritten, or there are none."""
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    wanted, left = quantities(case.question.question), quantities(text)
    missing = []
    for one in wanted:
        same = next((other for other in left if one.agrees(other)), None)
        if same is None:
            missing.append(f"{one.value} {one.unit}".strip())
        else:
            left.remove(same)
    return _of(len(wanted), missing, "the question has no number")


def negations_kept(case: Case) -> Outcome:
    """Share of the question's negating words that its rewritten form has as many of (`ragbench.text.normal.negations`;
    是不是 and 有没有 are none); any negation may stand for another. N/a where nothing was rewritten or none is there.
    """
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    wanted, found = negations(case.question.question), negations(text)
    lacking = max(0, len(wanted) - len(found))
    missing = list((Counter(wanted) - Counter(found)).elements())[:lacking]
    return _of(len(wanted), missing + wanted[: lacking - len(missing)], "the question has no negation")


def language_kept(case: Case) -> Outcome:
    """1 where the rewritten form is in the language of the question, a mixed text going with both; 0 where one is
    Chinese and the other English. N/a where nothing was rewritten."""
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    before, after = language_of(case.question.question), language_of(text)
    return Finding(Status.SCORED, 0.0, f"{before} became {after}") if {before, after} == {"zh", "en"} else 1.0


def similarity(case: Case) -> Outcome:
    """Cosine of the question as typed and as rewritten, both embedded as queries by the variant's embedder, as the run
    stored it (`Trace.likeness`). N/a where nothing was rewritten, or the variant has no vectors."""
    if _text(case) is None:
        return not_applicable(_AS_TYPED)
    likeness = case.trace.likeness if case.trace is not None else None
    return not_applicable("the variant has no vectors") if likeness is None else max(-1.0, min(1.0, likeness))


def families() -> list[Family]:
    """The lines of the registry."""
    kept = partial(Family, population=Population.ALL, reach=Reach.NOTHING, worst=None)
    part = "share of the question's {} that its rewritten form has"
    alike = "cosine of the question as typed and as rewritten"
    return [
        kept("query/rewritten", "1 where the question was rewritten", rewritten),
        kept("query/rewrite_entities", part.format("names and codes"), entities_kept),
        kept("query/rewrite_numbers", part.format("numbers"), numbers_kept),
        kept("query/rewrite_negations", part.format("negations"), negations_kept),
        kept("query/rewrite_language", "1 where the rewritten form is in the question's language", language_kept),
        kept("query/rewrite_similarity", alike, similarity, bounds=(-1.0, 1.0)),
    ]


def entities(text: str) -> list[str]:
    """What a question names, casefolded, each once; see `entities_kept`."""
    quoted = [term.casefold() for term in bracketed_terms(text)]
    latin: list[str] = []
    if language_of(text) != "en":
        latin = [word for word in _LATIN.findall(text.casefold()) if len(word) > 1 and not is_function_word(word)]
    return list(dict.fromkeys([*identifiers(text), *names(text), *quoted, *latin]))


def _names(text: str, name: str) -> bool:
    form, wanted = comparison_form(text), comparison_form(name)
    if not wanted.isascii():
        return wanted in form
    if re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", form):
        return True
    return stem(wanted) in {stem(word) for word in _LATIN.findall(form)}


def _share(case: Case, parts: Callable[[str], Sequence[str]], held: Callable[[str, str], bool]) -> Outcome:
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    wanted = parts(case.question.question)
    return _of(len(wanted), [one for one in wanted if not held(one, text)], "the question names nothing")


def _of(n: int, missing: Sequence[str], none: str) -> Outcome:
    if not n:
        return not_applicable(none)
    return Finding(Status.SCORED, 1 - len(missing) / n, f"lost: {', '.join(missing)}" if missing else "")


def _text(case: Case) -> str | None:
    """The question as rewritten; None where it was searched as typed."""
    text = case.trace.query.text if case.trace is not None else None
    return None if text is None or text == case.question.question else text
