"""Texts compared without what typing and line breaking change, with the way back to the true offsets."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import lru_cache

from ragbench.corpus.normalise import normalise
from ragbench.text.normal import comparison_form


class Squeezed:
    """A text without white space and, when `folded`, in comparison form (width, case, kind of punctuation mark).

    Punctuation itself stays: without it `1.5 %` would be found in `15 %`.
    """

    def __init__(self, text: str, *, folded: bool = False) -> None:
        characters: list[str] = []
        self._at = array("Q")
        for position, character in enumerate(text):
            if character.isspace():
                continue
            part = _folded(character) if folded else character
            characters.append(part)
            self._at.extend([position] * len(part))
        self.text = "".join(characters)

    def __len__(self) -> int:
        return len(self.text)

    def interval(self, start: int, end: int) -> tuple[int, int]:
        """The interval of the true text that `[start, end)` of the squeezed one comes from; it may not be empty."""
        return self._at[start], self._at[end - 1] + 1

    def places(self, quote: Squeezed) -> Iterator[tuple[int, int]]:
        """Where the quote stands, as intervals of the true text, in ascending order; an empty quote nowhere."""
        for start in occurrences(quote.text, self.text):
            yield self.interval(start, start + len(quote))

    def from_end(self, quote: str, behind: str) -> tuple[int, int] | None:
        """The interval of a quote that lies before `behind`, the rest of the text as it was before the loader
        normalised it; None when other words stand there.

        Counted is what is no white space, from the end: normalisation changes white space, and front matter is taken
        off the beginning.
        """
        wanted = _solid(quote)
        end = len(self) - len(_solid(behind))
        start = end - len(wanted)
        found = bool(wanted) and start >= 0 and self.text[start:end] == wanted
        return self.interval(start, end) if found else None


def occurrences(part: str, text: str) -> Iterator[int]:
    """Starts of `part` in `text` that do not overlap, ascending; an empty part stands nowhere."""
    at = text.find(part) if part else -1
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _solid(text: str) -> str:
    return "".join(normalise(text, collapse=False).split())


@lru_cache(maxsize=65536)
def _folded(character: str) -> str:
    return "".join(comparison_form(character).split())
