"""What the extractive generator refuses on sets that its refusal model was not fitted on.

    python benchmarks/refusal.py [clapnq] [mtrag] [lihua] [rgb] [--most N] [--sets FOLDER]

Questions with contexts (`refusal_sets.py`) are answered with the shipped settings; nothing is fitted and nothing is
written but imported sets, in FOLDER (default: a temporary one). For each set: AUROC of the calibrated relevance, false
answers on unanswerable and false refusals on answerable questions, with 95 % bootstrap intervals over questions. For
RGB also how many answers hold the right one, and how many the one that was put in its place. `--most N` takes N
answerable and N unanswerable questions of each set, evenly. Data: RAGBENCH_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import refusal_sets as sets
from refusal_sets import Asked, says

from ragbench.agreement.figures import figure
from ragbench.core.store import Store
from ragbench.core.workers import Tools
from ragbench.generator.base import OpenGenerator
from ragbench.records.trace import Answer
from ragbench.run.build import experiment
from ragbench.run.session import Session
from ragbench.stats.bootstrap import mean_interval

PARTS = ("clapnq", "mtrag", "lihua", "rgb")
Row = tuple[Asked, Answer]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each part that is asked for; all without."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--most", type=int)
    parser.add_argument("--sets", type=Path)
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: expected {', '.join(PARTS)}")
    shipped = experiment(["judge=none"])
    with Session(Store(shipped.places.store)) as session, tempfile.TemporaryDirectory() as made:
        folder = options.sets or Path(made)
        embedder = session.open_embedder(shipped.pipeline.embedder)
        with shipped.pipeline.generator.open(Tools(session.store, embedder)) as generator:
            for part in options.parts or PARTS:
                for lines in _tables(part, session, folder, generator, options.most):
                    print("\n".join(lines), flush=True)


def _tables(
    part: str, session: Session, folder: Path, generator: OpenGenerator, most: int | None
) -> Iterator[list[str]]:
    if part == "rgb":
        yield mixing(_answered(sets.noise(most), generator))
        yield mixing(_answered(sets.counterfactual(most), generator))
        return
    asked = sets.clapnq(most) if part == "clapnq" else getattr(sets, part)(session, folder, most)
    yield separation(_answered(asked, generator))


def _answered(asked: Iterable[Asked], generator: OpenGenerator) -> list[Row]:
    rows = []
    for one in asked:
        answer = generator.answer(one.question, one.context)
        assert answer is not None
        rows.append((one, answer))
    return rows


def separation(rows: Sequence[Row]) -> list[str]:
    """One line a kind of unanswerable question, all against the answerable ones of the set."""
    yes = [answer for one, answer in rows if not one.kind]
    lines = [f"{rows[0][0].part}: {len(yes)} answerable, false refusals {share([one.refused for one in yes])}"]
    for kind in sorted({one.kind for one, _ in rows if one.kind}):
        no = [answer for one, answer in rows if one.kind == kind]
        both = [*yes, *no]
        truths = [1.0] * len(yes) + [0.0] * len(no)
        found = figure("auroc", truths, [one.confidence or 0.0 for one in both], [str(at) for at in range(len(both))])
        auroc = "–" if found.value is None else f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"
        lines.append(f"  {kind}: {len(no)}, AUROC {auroc}, false answers {share([not one.refused for one in no])}")
    return lines


def mixing(rows: Sequence[Row]) -> list[str]:
    """One line a share of noise or of counterfactual passages."""
    lines = []
    for part in dict.fromkeys(one.part for one, _ in rows):
        here = [row for row in rows if row[0].part == part]
        text = f"{part}: {len(here)}, refused {share([answer.refused for _, answer in here])}"
        if not here[0][0].kind:
            text += f", right {share([_says(answer, one.right) for one, answer in here])}"
        if here[0][0].fake is not None:
            text += f", counterfactual {share([_says(answer, one.fake) for one, answer in here])}"
        lines.append(text)
    return lines


def _says(answer: Answer, wanted: object) -> bool:
    return not answer.refused and says(answer.text, wanted)


def share(flags: Sequence[bool]) -> str:
    """A share with its 95 % interval."""
    mean, low, high = mean_interval(np.array(flags, dtype=float), 0)
    return "–" if mean is None else f"{mean:.3f} ({low:.3f}–{high:.3f})"


if __name__ == "__main__":
    main(sys.argv[1:])
