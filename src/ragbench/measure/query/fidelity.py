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
from ragbench.text.han_names import han_names
from ragbench.text.language import language_of
from ragbench.text.normal import comparison_form, negations
from ragbench.text.quantities import is_unit, quantities, rates
from ragbench.text.scripts import bracketed_terms
from ragbench.text.terms import identifiers, is_function_word, names, opening_names, stem

_LATIN = re.compile(r"[a-z][a-z0-9]*(?:[-_./'+#][a-z0-9+#]+)*[+#]*")
_EXCEPT = re.compile(r"\bunless\b|除非", re.IGNORECASE)
_AS_TYPED = "searched as typed"


def rewritten(case: Case) -> Outcome:
    """1 where the question was rewritten (`QueryView.text` differs from the question), else 0; n/a for a question that
    is absent from the run."""
    if case.trace is None:
        return not_applicable("absent from the run")
    return 0.0 if _text(case) is None else 1.0


def entities_kept(case: Case) -> Outcome:
    """Share of the question's entities that its rewritten form still names, in [0, 1].

    Entities are codes and identifiers, whole capitalised names (at the beginning of a sentence those that are no common
    English word), Chinese names of people, places and institutions (`ragbench.text.han_names`), terms in brackets or
    quotes, and in a question with Han also Latin words of content; compared casefolded, a Latin word by its stem. N/a
    where nothing was rewritten, or nothing is named.
    """
    return _share(case, entities, lambda name, text: _names(text, name))


def numbers_kept(case: Case) -> Outcome:
    """Share of the question's numbers, dates, times and versions that its rewritten form still has, in the same unit
    where both name one (`ragbench.text.quantities`); `1 month` stands in `monthly` and 每月 too. N/a where nothing was
    rewritten, or there are none."""
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    wanted, left, of_each = quantities(case.question.question), quantities(text), rates(text)
    missing = []
    for one in wanted:
        same = next((other for other in left if one.agrees(other)), None)
        if same is not None:
            left.remove(same)
        elif one.value != "1" or one.unit not in of_each:
            missing.append(f"{one.value} {one.unit}".strip())
    return _of(len(wanted), missing, "the question has no number")


def negations_kept(case: Case) -> Outcome:
    """The smaller of the numbers of negating words in the question and in its rewritten form ÷ the greater, in [0, 1]:
    lost and added ones count alike, any may stand for another. Added ones that earlier turns have are no addition: a
    follow-up is filled in from there.

    Negating words are those of `ragbench.text.normal.negations` (是不是 and 能否 are none), `unless` and 除非. N/a
    where nothing was rewritten, or neither has any.
    """
    text = _text(case)
    if text is None:
        return not_applicable(_AS_TYPED)
    before, after = _negating(case.question.question), _negating(text)
    earlier = sum(len(_negating(turn.content)) for turn in case.question.history)
    after = after[: max(len(before), len(after) - earlier)]
    n, most = min(len(before), len(after)), max(len(before), len(after))
    if not most:
        return not_applicable("no negation in either")
    fewer, more = sorted((before, after), key=len)
    only = [*(Counter(more) - Counter(fewer)).elements(), *more][: most - n]
    how = "lost" if len(before) > len(after) else "added"
    return Finding(Status.SCORED, n / most, f"{how}: {', '.join(only)}" if only else "")


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
        kept(
            "query/rewrite_negations",
            "negations of the question and of its rewritten form, fewer ÷ more",
            negations_kept,
        ),
        kept("query/rewrite_language", "1 where the rewritten form is in the question's language", language_kept),
        kept("query/rewrite_similarity", alike, similarity, bounds=(-1.0, 1.0)),
    ]


def entities(text: str) -> list[str]:
    """What a question names, casefolded, each once; see `entities_kept`."""
    quoted = [term.casefold() for term in bracketed_terms(text)]
    latin: list[str] = []
    if language_of(text) != "en":
        latin = [word for word in _LATIN.findall(text.casefold()) if len(word) > 1 and not is_function_word(word)]
    named = [name for name in [*names(text), *opening_names(text)] if not is_unit(name)]
    return list(dict.fromkeys([*identifiers(text), *named, *quoted, *latin, *han_names(text)]))


def _negating(text: str) -> list[str]:
    return [*negations(text), *(word.casefold() for word in _EXCEPT.findall(text))]


def _names(text: str, name: str) -> bool:
    form, wanted = comparison_form(text), comparison_form(name)
    if not wanted.isascii():
        return (wanted.rstrip("市省") if len(wanted) > 2 else wanted) in form
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
