"""What of a run goes to MLflow, written so that writing it again changes nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ragbench.compare.headline import HEADLINE
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir
from ragbench.sink.first_variant import Change
from ragbench.sink.mlflow_names import curves_of, legal, metrics_of, params_of
from ragbench.sink.mlflow_note import OPENS
from ragbench.sink.question_table import question_table

TABLE = "per_question.json"
VARIANTS_TABLE = "questions_by_variant.json"
NOTE = "mlflow.note.content"
_LOGGED = "mlflow.loggedArtifacts"
FIRST = ("ranking/recall@5", "answer/correctness_f1", *HEADLINE)
"""Logged before all others: MLflow's plots of a comparison begin with the metric that came first."""


def identity(run: RunDir) -> str:
    """What tells a run from all others, those of other machines too: its id, its fingerprint and when it began."""
    parts = (run.run_id, run.manifest.get("fingerprint"), run.manifest.get("started"))
    return _digest(map(str, parts))


def sweep_identity(name: str, runs: Iterable[str]) -> str:
    """The same for a sweep: its name and its runs."""
    return _digest(["sweep", name, *runs])


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:32]


def found_run(client: Any, experiment: str, tag: str, value: str) -> str | None:
    """MLflow's id of the run with that tag in an experiment; None where there is none or it was deleted."""
    found = client.search_runs([experiment], filter_string=f"tags.`{tag}` = '{value}'", max_results=1)
    return str(found[0].info.run_id) if found else None


def started_ms(run: RunDir) -> int | None:
    """When the run began, in milliseconds; None where its manifest does not say."""
    try:
        return int(datetime.strptime(str(run.manifest.get("started")), "%Y-%m-%dT%H:%M:%S%z").timestamp() * 1000)
    except ValueError:
        return None


def ended_ms(run: RunDir) -> int:
    """When the run's summary was written, in milliseconds."""
    return int((run.folder / layout.SUMMARY).stat().st_mtime * 1000)


def entities_of(run: RunDir, against: Sequence[Change]) -> tuple[list[Any], list[Any]]:
    """Metrics and parameters as MLflow takes them. Metrics carry the time the summary was written: written again they
    are the same ones, and those of a run scored anew are newer."""
    from mlflow.entities import Metric, Param

    stamp = ended_ms(run)
    values = metrics_of(run.summary)
    for one in against:
        if not one.category and one.difference.mean is not None:
            values[legal(f"vs_first/{one.measure}")] = one.difference.mean
    first = [legal(name) for name in FIRST]
    order = sorted(values, key=lambda key: first.index(key) if key in first else len(first))
    metrics = [Metric(key, values[key], stamp, 0) for key in order]
    metrics += [Metric(key, value, stamp, step) for key, step, value in curves_of(run.summary)]
    return metrics, [Param(key, value) for key, value in params_of(run.summary.get("variant") or {}).items()]


def log_run(
    client: Any,
    run: RunDir,
    run_id: str,
    tags: Mapping[str, str],
    entities: tuple[list[Any], list[Any]],
    lang: str,
) -> None:
    """Write all of a run but its description; what is there already is written over."""
    from mlflow.entities import RunTag

    metrics, params = entities
    client.log_batch(run_id, metrics=metrics, params=params, tags=[RunTag(key, value) for key, value in tags.items()])
    client.log_inputs(run_id, datasets=[_dataset(run.summary.get("eval_set") or {})])
    put_table(client, run_id, question_table(run), TABLE)
    for name, svg in _charts(run, lang).items():
        client.log_text(run_id, svg, f"charts/{name}.svg")
    for name in (layout.CONFIG, layout.SUMMARY, layout.REPORT):
        if (run.folder / name).is_file():
            client.log_artifact(run_id, str(run.folder / name))


def put_table(client: Any, run_id: str, table: Mapping[str, Sequence[Any]], name: str) -> None:
    """What `log_table` writes, in the place of a table of that name; `log_table` itself would add rows to it."""
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    content = json.dumps({"columns": list(table), "data": rows}, ensure_ascii=False, allow_nan=False)
    client.log_text(run_id, content, name)
    client.set_tag(run_id, _LOGGED, json.dumps([{"path": name, "type": "table"}]))


def put_note(client: Any, run_id: str, note: str) -> None:
    """Describe a run; a description that a person wrote stays."""
    there = client.get_run(run_id).data.tags.get(NOTE, "")
    if not there or there.startswith(OPENS):
        client.set_tag(run_id, NOTE, note)


def _charts(run: RunDir, lang: str) -> dict[str, str]:
    from ragbench.report.run_charts import run_charts
    from ragbench.report.svg import standalone

    return {name: standalone(svg) for name, svg in run_charts(run, lang).items() if svg}


def _dataset(eval_set: Mapping[str, Any]) -> Any:
    """The eval set as MLflow's dataset: name, version and lock, by which the list of runs can be filtered."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    name = " ".join(str(part) for part in (eval_set.get("name"), eval_set.get("version")) if part) or "unnamed"
    digest = str(eval_set.get("lock") or "unlocked").rpartition(":")[2][:16]
    source = json.dumps({"uri": name})
    return DatasetInput(Dataset(name, digest, "local", source), [InputTag("mlflow.data.context", "eval")])
