"""Public sets that no refusal model was fitted on, as questions with contexts; a part of `refusal.py`.

CLAPNQ and RGB come with their passages. MTRAG-UN and LiHua-World are imported and searched by the shipped defaults.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbench.cli.main import main as ragbench
from ragbench.pipeline.offline import build
from ragbench.records.question import Question
from ragbench.records.trace import ContextBlock, PackedContext
from ragbench.run.build import experiment
from ragbench.run.session import Session

DATA = Path(os.environ.get("RAGBENCH_DATA") or "../shared/data")
RATIOS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Shares of noise and of counterfactual passages; RGB has 1.0 for noise alone, where nothing answers."""
PASSAGES = 5


@dataclass(frozen=True)
class Asked:
    """A question with a context. `part` is the row of the table that it belongs to, `kind` what makes it unanswerable
    (empty: it is answerable); `right` and `fake` are what an answer should and should not say."""

    part: str
    question: Question
    context: PackedContext
    kind: str = ""
    right: Any = None
    fake: Any = None


def clapnq(most: int | None) -> Iterator[Asked]:
    """Questions on one paragraph that answers them, or does not."""
    for kind in ("", "unanswerable"):
        path = DATA / "clapnq" / f"clapnq_dev_{kind or 'answerable'}.jsonl"
        for row in _some(_lines(path), most):
            passages = [one["text"] for one in row["passages"]]
            yield Asked("CLAPNQ", Question(row["id"], row["input"]), _context(passages), kind)


def mtrag(session: Session, folder: Path, most: int | None) -> Iterator[Asked]:
    """The last turns of conversations, searched as typed in both published collections."""
    for name in ("cloud", "govt"):
        target = folder / f"mtrag_{name}"
        options = ["--collection", name, "--json"]
        _imported("mtrag", DATA / "mtrag_un", target, options)
        yield from _searched(session, "MTRAG-UN", target, most)


def lihua(session: Session, folder: Path, most: int | None) -> Iterator[Asked]:
    """Questions on a year of chat logs."""
    _imported("lihua_world", DATA / "lihua_world", folder / "lihua", ["--json"])
    yield from _searched(session, "LiHua-World", folder / "lihua", most)


def noise(most: int | None) -> Iterator[Asked]:
    """RGB: five passages, of which a share does not answer."""
    for ratio in RATIOS:
        for row in _some(_lines(DATA / "nc_rgb" / "zh_refine.json"), most):
            n = round(PASSAGES * ratio)
            passages = [*row["negative"][:n], *row["positive"][: PASSAGES - n]]
            kind = "noise" if ratio == 1 else ""
            yield Asked(f"RGB zh, noise {ratio:g}", *_shuffled(row, passages), kind, row["answer"])


def counterfactual(most: int | None) -> Iterator[Asked]:
    """RGB: up to five passages that answer, of which a share was changed to say something false; noise fills them up to
    five."""
    for language in ("zh", "en"):
        for ratio in RATIOS:
            for row in _some(_lines(DATA / "nc_rgb" / f"{language}_fact.json"), most):
                told = min(PASSAGES, len(row["positive"]), len(row["positive_wrong"]))
                changed = round(told * ratio)
                passages = [*row["positive_wrong"][:changed], *row["positive"][changed:told]]
                passages += row["negative"][: PASSAGES - told]
                name = f"RGB {language}, counterfactual {ratio:g}"
                yield Asked(name, *_shuffled(row, passages), "", row["answer"], row["fakeanswer"])


def says(text: str, wanted: Any) -> bool:
    """Whether a text holds an answer of RGB: a string; all of a list, of which an inner list names alternatives."""
    if isinstance(wanted, list):
        return all(any(says(text, one) for one in (part if isinstance(part, list) else [part])) for part in wanted)
    return str(wanted).casefold() in text.casefold()


def _shuffled(row: dict[str, Any], passages: list[str]) -> tuple[Question, PackedContext]:
    random.Random(row["id"]).shuffle(passages)
    return Question(str(row["id"]), row["query"]), _context(passages)


def _context(passages: Sequence[str]) -> PackedContext:
    blocks = [
        ContextBlock(number, f"passage-{number}", 0, len(text), (number - 1,), text, 0)
        for number, text in enumerate(passages, 1)
    ]
    return PackedContext(tuple(blocks))


def _imported(form: str, source: Path, target: Path, options: list[str]) -> None:
    if target.is_dir():
        return
    with contextlib.redirect_stdout(io.StringIO()):
        code = ragbench(["eval-set", "import", form, str(source), str(target), *options])
    if code:
        raise RuntimeError(f"{source}: not imported")


def _searched(session: Session, part: str, folder: Path, most: int | None) -> Iterator[Asked]:
    chosen = experiment(["eval_set=local", f"eval_set.path={folder}", "split=all", "generator=none", "judge=none"])
    opener = session.embedder(chosen.pipeline.embedder)
    built = build(chosen.pipeline, session.corpus(chosen), session.store, opener)
    asked = chosen.questions_of(session.eval_set(chosen))
    questions = [
        *_some([one for one in asked if one.answerable], most),
        *_some([one for one in asked if not one.answerable], most),
    ]
    with session.bench(chosen, built) as bench:
        for question, trace in zip(questions, chosen.pipeline.flow.run(questions, bench), strict=True):
            if trace.context is None:
                raise RuntimeError(f"{question.id}: {trace.error}")
            yield Asked(part, question, trace.context, "" if question.answerable else question.category)


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _some(rows: Sequence[Any], most: int | None) -> Sequence[Any]:
    """All, or `most` of them, evenly."""
    return rows if most is None or len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]
