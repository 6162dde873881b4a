"""The verdicts of all experiments: the last finished outcome of each, and the claims that nothing tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragbench.core.codec import read_json
from ragbench.experiment.read_study import load_study, names
from ragbench.experiment.study import Study
from ragbench.experiment.untested import UNTESTED
from ragbench.run_dir import layout

Row = dict[str, Any]
_PLACES = ("measures=", "eval_set", "split=", "sink", "paths.", "report.", "reuse=")
NOT_RUN, NOT_TESTED = "not_run", "not_tested"


def index_rows(runs: Path) -> list[Row]:
    """A row for each experiment file, with its last finished outcome below `runs` where there is one, then one for each
    claim without a file. An outcome of an experiment whose file is gone stands with the others.

    A row has `name`, `claim` by language, `status` (an outcome, `not_run` or `not_tested`) and, where it was measured,
    `found` (the content of experiment.json), `folder`, `written` and `given`, the overrides that it was run with; `why`
    and `where` say why it is not tested.
    """
    outcomes = _last(runs)
    rows = []
    for name in names():
        study = load_study(name)
        row = _row(name, dict(study.claim), outcomes.pop(name, None))
        rows.append(row | {"given": _given(study, row["overrides"])} if "overrides" in row else row)
    rows += [_row(name, dict(found["found"]["claim"]), found) for name, found in sorted(outcomes.items())]
    known = {row["name"] for row in rows}
    rows += [
        {
            "name": one.name,
            "claim": {"en": one.en, "zh": one.zh},
            "status": NOT_TESTED,
            "why": one.why,
            "where": one.where,
        }
        for one in UNTESTED
        if one.name not in known
    ]
    return rows


def _given(study: Study, overrides: Sequence[str]) -> list[str]:
    """Overrides of the command line that change what is measured: neither the file's own nor where it is written."""
    own = [study.base, *study.arms.values(), *study.variants.values()]
    known = {f"{key}={value}" for part in own for key, value in part.items()}
    varied = {key for part in own[1:] for key in part}
    return [
        item
        for item in overrides
        if item not in known and item.partition("=")[0] not in varied and not item.startswith(_PLACES)
    ]


def _row(name: str, claim: Mapping[str, str], measured: Row | None) -> Row:
    row: Row = {"name": name, "claim": dict(claim)}
    if measured is None:
        return row | {"status": NOT_RUN}
    return row | {"claim": dict(measured["found"]["claim"]), "status": measured["found"]["verdict"]} | measured


def _last(runs: Path) -> dict[str, Row]:
    """The outcome that was written last, by experiment; folders without a whole one are passed over."""
    found: dict[str, Row] = {}
    for path in sorted(
        runs.glob(f"experiment-*/{layout.EXPERIMENT}"), key=lambda one: (one.stat().st_mtime, one.parent.name)
    ):
        try:
            content, sweep = read_json(path), read_json(path.parent / layout.SWEEP)
            if sweep["status"] == "finished" and {"experiment", "claim", "verdict", "checks", "sets"} <= content.keys():
                found[str(content["experiment"])] = {
                    "found": content, "folder": path.parent, "written": str(sweep.get("written", "")),
                    "overrides": [str(item) for item in sweep.get("overrides") or ()],
                }  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found
