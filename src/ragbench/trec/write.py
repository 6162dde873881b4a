"""Writing run and qrels files that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import numpy as np

Column = Callable[[str], str]
Listed = tuple[str, Sequence[tuple[str, float]]]


def token(name: str) -> str:
    """An id as a column: white space, control characters and `%` as `%XX`, all else (Chinese too) as it is."""
    if name and not any(char.isspace() or char == "%" or not char.isprintable() for char in name):
        return name
    return "".join(map(_escaped, name)) if name else "%"


def source_token(name: str) -> str:
    """An id of another source as a column: as it is wherever it can stand there (`%` too, so that it is found in the
    source's own qrels); one with ASCII white space or a control character, and an empty one, as `token`."""
    return name if name and not any(char <= " " or char == "\x7f" for char in name) else token(name)


def untoken(column: str) -> str:
    """The id that `token` made a column of."""
    return "" if column == "%" else unquote(column, errors="surrogatepass")


def write_run(path: Path, lists: Iterable[Listed], tag: str, column: Column = token) -> tuple[int, int]:
    """Write rankings, `(query, [(document, score), …])` best first; how many entries were written, and how many
    scores were changed.

    Tools sort by score in single precision and break ties by id, whatever the rank says. A score that would so change
    the order is lowered to the next number below the one before it. Scores that are not finite are replaced, with all
    of their query, by how many entries are left. `column` makes ids columns.
    """
    written = changed = 0
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for query, ranking in lists:
            name = column(query)
            scores, moved = _descending([score for _, score in ranking])
            changed += moved
            for rank, ((doc, _), score) in enumerate(zip(ranking, scores), 1):
                handle.write(f"{name} Q0 {column(doc)} {rank} {score!s} {token(tag)}\n")
            written += len(ranking)
    return written, changed


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, int]], column: Column = token) -> int:
    """Write judgements, four columns a row; how many rows were written. `column` makes ids columns."""
    written = 0
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for query, own in grades.items():
            for doc, grade in own.items():
                handle.write(f"{column(query)} 0 {column(doc)} {grade}\n")
                written += 1
    return written


def _descending(scores: Sequence[float]) -> tuple[list[np.float32], int]:
    """The scores in single precision, each below the one before it, and how many were changed; counted down where
    that would leave the finite numbers."""
    with np.errstate(over="ignore"):
        single = np.asarray(scores, dtype=np.float64).astype(np.float32)
        kept: list[np.float32] = []
        for score in single:
            kept.append(score if not kept or score < kept[-1] else np.nextafter(kept[-1], np.float32(-np.inf)))
    if not np.isfinite(kept).all():
        kept = [np.float32(left) for left in range(len(kept), 0, -1)]
    return kept, int(np.count_nonzero(single != np.array(kept, dtype=np.float32)))


def _escaped(char: str) -> str:
    if not (char.isspace() or char == "%" or not char.isprintable()):
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
