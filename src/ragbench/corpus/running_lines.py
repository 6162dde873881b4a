"""Running headers, footers and page numbers of paged text."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ragbench.corpus.line_shape import (
    Shape,
    is_bare,
    is_worded,
    page_column,
    phrase_column,
    shape_of,
    title_beside,
    words_of,
)

_EDGE = 3
_SHARE = 0.35
_ROUNDS = 4
# Heads that change with the chapter: least pages in a run, least pages in all, and the least share in runs.
_RUN, _PAGES, _IN_RUNS = 3, 6, 0.75
_IN_BODY = 0.2
_FORMS, _LONGEST_FORM = 5, 60


class Peeled(NamedTuple):
    """The pages without running lines, and each line that went with the number of its copies: `Handbook ×5`.

    Of copies that differ the first forms and the last are told: `1; 2; 3; 4; … 9 ×9`.
    """

    pages: list[str]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    number: int
    text: str

    @property
    def place(self) -> tuple[int, int]:
        return self.page, self.number

    @property
    def shape(self) -> Shape:
        """The shape, which is asked for at the edges of a page alone."""
        return _shape(self.text)


class _Found(NamedTuple):
    """Copies of one running line; `is_number`: page numbers, of which none stays."""

    lines: Sequence[_Line]
    is_number: bool = False


_shape = lru_cache(maxsize=10_000)(shape_of)


def without_running_lines(pages: Sequence[str]) -> Peeled:
    """The pages without lines that repeat at their edges; of each the first copy stays, but for page numbers.

    A line among the first or last three of a page is running when the same line stands so on at least 35 % of the pages
    and at least three (both of two), and does not also stand inside the pages, more than once and a fifth as often.
    Copies may differ in one number, if it counts along with the pages and is the page's: it is all of the line
    (7, vii, `Page 7 of 9`, 第七页), stands apart in such words (`Handbook | Page 7`), or ends or begins a line that is
    a running head without it (`Employee handbook 7`); and in the time of day of a line that tells when it was printed.
    `Article 7`, `Step 7` and rows of figures stay. First lines that change with the chapter are running where runs of
    three pages or more, every page or every second one, make up three quarters of six pages or more. Taller headers are
    peeled off in rounds. Pages that would all lose everything, and a single page, are returned unchanged.
    """
    given = [
        [_Line(page, number, line) for number, line in enumerate(text.split("\n"))] for page, text in enumerate(pages)
    ]
    heads = _Heads(given)
    left = given
    gone: dict[tuple[int, int], tuple[str, bool]] = {}
    for _ in range(_ROUNDS):
        running = _running(left, heads)
        kept = [[line for line in rows if line.place not in running] for rows in left]
        if not running or not any(line.text.strip() for rows in kept for line in rows):
            break
        left = kept
        gone |= running
    first = set(_first_copies(given, gone))
    shown = ["\n".join(x.text for x in rows if x.place not in gone.keys() - first) for rows in given]
    return Peeled(shown, tuple(_told(given, {place: name for place, (name, _) in gone.items() if place not in first})))


def _first_copies(
    given: Sequence[Sequence[_Line]], gone: dict[tuple[int, int], tuple[str, bool]]
) -> Iterable[tuple[int, int]]:
    """The place of the first copy of each line that went, where no copy stayed before it; page numbers have none."""
    seen: set[str] = set()
    names: set[str] = set()
    for rows in given:
        for line in rows:
            name, is_number = gone.get(line.place, ("", True))
            if not is_number and name not in names and words_of(line.text) not in seen:
                yield line.place
            names.add(name)
            seen.add(words_of(line.text))


def _told(given: Sequence[Sequence[_Line]], taken: dict[tuple[int, int], str]) -> Iterator[str]:
    copies: dict[str, list[str]] = {name: [] for name in taken.values()}
    for line in (line for rows in given for line in rows if line.place in taken):
        copies[taken[line.place]].append(words_of(line.text)[:_LONGEST_FORM])
    for lines in copies.values():
        forms = list(dict.fromkeys(lines))
        bounded = forms if len(forms) <= _FORMS else [*forms[: _FORMS - 1], f"… {forms[-1]}"]
        yield f"{'; '.join(bounded)} ×{len(lines)}"


class _Heads:
    """Lines at the edges of the pages, to tell which stand there without a number as well."""

    def __init__(self, given: Sequence[Sequence[_Line]]) -> None:
        self.least = 2 if len(given) == 2 else max(3, math.ceil(_SHARE * len(given)))
        self.n_pages = len(given)
        self._pages: dict[str, set[int]] = defaultdict(set)
        for rows in given:
            filled = [line for line in rows if line.text.strip()]
            for line in {*filled[: 2 * _EDGE], *filled[-2 * _EDGE :]}:
                self._pages[words_of(line.text)].add(line.page)
        self._cover = {words_of(line.text) for rows in given[:1] for line in rows}

    def has(self, title: str, found: Sequence[_Line]) -> bool:
        """Whether a title is a running head, or that of a cover which is not among the pages that have it with their
        number."""
        on_cover = title in self._cover and all(line.page for line in found)
        return bool(title) and (len(self._pages[title]) >= self.least or on_cover)


def _running(lines: Sequence[Sequence[_Line]], heads: _Heads) -> dict[tuple[int, int], tuple[str, bool]]:
    """`(page, line)` of the running lines at the edges, a name, and whether they are page numbers."""
    places: dict[tuple[bool, str], list[_Line]] = defaultdict(list)
    inside: Counter[str] = Counter()
    tops: list[_Line] = []
    outer: set[tuple[int, int]] = set()
    for rows in lines:
        filled = [line for line in rows if line.text.strip()]
        tops += filled[:1]
        outer |= {line.place for line in (*filled[:1], *filled[-1:])}
        inside.update(words_of(line.text) for line in filled[_EDGE:-_EDGE])
        for top, edge in ((True, filled[:_EDGE]), (False, filled[-_EDGE:])):
            for line in edge:
                places[top, line.shape.pattern].append(line)
    running: dict[tuple[int, int], tuple[str, bool]] = {}
    repeated = (one for group in places.values() for one in _repeated(group, outer, heads))
    for found, is_number in [*repeated, *_chapter_heads(tops, len(lines))]:
        if inside[found[0].shape.words] <= max(1, _IN_BODY * len(found)):
            running |= {line.place: (found[0].shape.words, is_number) for line in found}
    return running


def _repeated(group: Sequence[_Line], outer: set[tuple[int, int]], heads: _Heads) -> Iterator[_Found]:
    """The lines of one pattern at one edge, if they are on enough pages and differ in nothing but the page's number."""
    if len({line.page for line in group}) < heads.least:
        return
    shape = group[0].shape
    differing = [column for column, values in enumerate(zip(*(x.shape.numbers for x in group))) if len(set(values)) > 1]
    if not differing:
        yield _Found(group)
    elif is_worded(shape) or is_bare(shape):
        numbered = _page_numbers(group if is_worded(shape) else [x for x in group if x.place in outer], heads.n_pages)
        if len({line.page for line in numbered}) >= heads.least:
            yield _Found(numbered, is_number=True)
    elif len(differing) == 1 and _is_titled(group, differing[0], heads):
        yield _Found(group)


def _page_numbers(found: Sequence[_Line], n_pages: int) -> list[_Line]:
    """The lines whose number counts along with the pages for three pages at least (both of two), from whatever number
    on; where they say `page`, also by two. What `7 / 9` has for a total must be one."""
    worded, column = bool(found) and is_worded(found[0].shape), page_column(found[0].shape) if found else 0
    for step in (1, 2) if worded else (1,):
        stretches: dict[tuple[int, ...], list[_Line]] = defaultdict(list)
        for line in found:
            others = line.shape.numbers[:column] + line.shape.numbers[column + 1 :]
            stretches[line.shape.numbers[column] - step * line.page, *others].append(line)
        counting: list[_Line] = []
        for (_, *totals), lines in stretches.items():
            last = max(line.shape.numbers[column] for line in lines)
            whole = worded or not totals or last <= totals[0] <= last + n_pages
            if whole and len({line.page for line in lines}) >= min(_RUN, n_pages):
                counting += lines
        if counting:
            return counting
    return []


def _is_titled(found: Sequence[_Line], column: int, heads: _Heads) -> bool:
    """Whether the number in a column is the page's, beside a title."""
    offsets = {line.shape.numbers[column] - line.page for line in found}
    if len(offsets) > 1:
        return False
    # A number ahead of the page's place in the file is not known to be the page's.
    titled = max(offsets) <= 1 and heads.has(title_beside(found[0].shape, column), found)
    return titled or phrase_column(found[0].shape) == column


def _chapter_heads(tops: Sequence[_Line], n_pages: int) -> list[_Found]:
    """Runs of the same first line, on page after page or every second one, where most pages are in such runs; beside
    it the page's number may stand in words of its own."""
    runs: dict[str, list[list[_Line]]] = defaultdict(list)
    for line in tops:
        column = phrase_column(line.shape)
        number = None if column is None else line.shape.numbers[column]
        name = line.shape.words if number is None else f"{number - line.page} {line.shape.without(number)}"
        if runs[name] and line.page - runs[name][-1][-1].page <= 2:
            runs[name][-1].append(line)
        else:
            runs[name].append([line])
    found = [_Found(run) for same in runs.values() for run in same if len(run) >= _RUN]
    return found if n_pages >= _PAGES and sum(len(run.lines) for run in found) >= _IN_RUNS * n_pages else []
