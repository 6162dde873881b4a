"""What a report is made of, read once and said in no language yet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragbench.report import view_questions
from ragbench.report.chunk_texts import ChunkTexts, TextOf, place
from ragbench.report.lost import outcomes
from ragbench.report.view_borders import run_borders
from ragbench.report.view_list import list_row, measures_listed
from ragbench.report.view_proof import proof_row, proofs_of
from ragbench.report.view_query_examples import Examples
from ragbench.run_dir.proof import KeptProof
from ragbench.run_dir.read import RunDir

Row = dict[str, Any]
_DIGITS = 4


@dataclass(frozen=True)
class Parts:
    """A run with its details by question.

    `data` are the details and `listed` the rows of the list, both in the order of the questions; `outcomes` maps a
    question to its diagnosis, `proofs` to what proves it (None: it was not proved), `scored[measure]` counts values;
    `undrawn` questions have no drawing of their evidence.
    """

    run: RunDir
    outcomes: Mapping[str, str]
    chunks: ChunkTexts
    examples: Examples
    data: Sequence[Row]
    listed: Sequence[Sequence[Any]]
    scored: Mapping[str, Counter[float]]
    borders: Mapping[str, Sequence[Any]]
    undrawn: int
    proofs: Mapping[str, KeptProof] | None = None


def read_parts(run: RunDir, text_of: TextOf) -> Parts:
    """Read a run. `text_of(doc_id)` gives a document's text, or None where it is not at hand or is another text than
    the run used."""
    lost = outcomes(run, text_of)
    found = {one: outcome for one, (outcome, _) in lost.items()}
    chunks = ChunkTexts(list(map(place, run.chunk_rows())))
    examples = Examples(run.summary, run.questions, chunks, text_of)
    data = _details(run, lost, chunks, examples)
    proofs = proofs_of(run, found)
    drawn, borders, border_sets, undrawn = run_borders(run, found, text_of)
    scored: dict[str, Counter[float]] = defaultdict(Counter)
    for row in data:
        row["b"] = drawn.get(row["id"])
        row["proof"] = proof_row(proofs, row["id"])
        for measure, status, value, _ in row["scores"]:
            if status == "scored" and value is not None:
                scored[measure][value] += 1
    listed = [list_row(run.questions[row["id"]], row, measures_listed(run.summary)) for row in data]
    drawings = {"borders": borders, "border_sets": border_sets}
    return Parts(run, found, chunks, examples, data, listed, scored, drawings, undrawn, proofs)


def _details(run: RunDir, lost: Mapping[str, tuple[str, str]], chunks: ChunkTexts, examples: Examples) -> list[Row]:
    """Details in the order of the questions."""
    scores = view_questions.scores_by_question(run.scores())
    verdicts, asked = run.verdicts(), run.questions
    reached = {
        trace.question_id: view_questions.details(
            asked[trace.question_id], trace, verdicts.get(trace.question_id), chunks, examples.text_of
        )
        for trace in examples.watch(run.traces())
        if trace.question_id in asked
    }
    data: list[Row] = []
    for question in asked.values():
        row = reached.get(question.id) or view_questions.details(question, None, None, chunks, examples.text_of)
        row["scores"] = scores.get(question.id, [])
        row["outcome"], row["why"] = lost.get(question.id, ("", ""))
        data.append(row)
    return data


def measures_of(data: Sequence[Row]) -> list[str]:
    """Every measure that some question has a score of, in the order met."""
    return list(dict.fromkeys(measure for row in data for measure, *_ in row["scores"]))


def packed_rows(data: Sequence[Row]) -> Iterator[Row]:
    """The details as the page reads them: `scores` are values in the order of `measures_of`, null where a measure does
    not apply and `"!"` where it failed; `whys` maps the place of a measure to why its value is not perfect."""
    place = {name: at for at, name in enumerate(measures_of(data))}
    for row in data:
        values: list[Any] = [None] * len(place)
        whys = {}
        for measure, status, value, why in row["scores"]:
            values[place[measure]] = "!" if status == "failed" else _short(value)
            if why:
                whys[str(place[measure])] = why
        yield row | {"scores": values, "whys": whys}


def sentences(data: Sequence[Row], said: Callable[[str], str]) -> dict[str, str]:
    """Every sentence that a stage left behind and that another language has other words for, with these words."""
    found: dict[str, str] = {}
    for row in data:
        texts = [row["why"], *(why for *_, why in row["scores"])]
        texts += [row["answer"]["reason"]] if row["answer"] else []
        for text in texts:
            if text and text not in found:
                found[text] = said(text)
    return {text: other for text, other in found.items() if other != text}


def _short(value: Any) -> Any:
    """Four decimals, and no more digits than the value has."""
    if not isinstance(value, int | float):
        return value
    rounded = round(value, _DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded
