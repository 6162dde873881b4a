"""A stored run put to the gate, or promoted to a baseline: finds the run, its judge's card and the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ragbench.core.codec import read_json
from ragbench.errors import DataError, RagbenchError
from ragbench.gate.baseline import baseline_path, read_baseline, write_baseline
from ragbench.gate.chosen import kept
from ragbench.gate.decide import decide
from ragbench.gate.options import GateOptions, gate_options
from ragbench.gate.result import GateResult, Outcome, Reason
from ragbench.gate.side import Side, read_side
from ragbench.judge.base import Judge
from ragbench.judge.card import brief, read_card
from ragbench.run.build import instantiate
from ragbench.run_dir import layout
from ragbench.run_dir.read import RunDir, find_run

LATEST = "latest"
Config = Mapping[str, Any]


def gate(name: str, config: Config) -> GateResult:
    """Put a run – a path, an id, or `latest` – to the gate of its eval set, as the composed configuration says.

    `latest` is the run that began or ended last, also one that did not finish: an older run must not pass for it.
    A run without its scores cannot be told. Raises ConfigError for options, and DataError for a run that is not there
    and a baseline that cannot be read.
    """
    options = gate_options(config.get("gate"))
    folder = _folder(name, Path(config["paths"]["runs"]))
    status, title = _state(folder)
    if status != "finished":
        reason = Reason("unfinished", {"run": folder.name, "status": status})
        return GateResult(Outcome.CANNOT_TELL, title, folder.name, {}, {}, reasons=(reason,))
    run = RunDir(folder)
    try:
        now = read_side(run, kept(options))
    except DataError as error:
        reason = Reason("unreadable", {"why": str(error)})
        return GateResult(Outcome.CANNOT_TELL, title, folder.name, {}, {}, reasons=(reason,))
    before = read_baseline(baseline_path(options.baselines, str(now.eval_set["name"])))
    return decide(now, before, options, config["seed"], _card(run, now, config))


def promote(name: str, config: Config) -> tuple[Path, Side, Side | None]:
    """Make a run the baseline of its eval set: where it is kept, what it holds, and what the former one held.

    Raises DataError for a run that is not finished, is no result, or is no system because a stage of it reads the gold.
    """
    options = gate_options(config.get("gate"))
    run = RunDir(_folder(name, Path(config["paths"]["runs"])))
    side = read_side(run, kept(options))
    hint = "A baseline is what later runs are held against: promote one that is sound."
    if side.problems:
        raise DataError(f"run {run.run_id}", expected="a run that is a result", found=side.problems[0], hint=hint)
    if side.oracle:
        found = f"one whose {', '.join(side.oracle)} reads the gold"
        raise DataError(f"run {run.run_id}", expected="a run of a system", found=found, hint=hint)
    _refuse_lacking(side, options, run.run_id)
    path = baseline_path(options.baselines, str(side.eval_set["name"]))
    former = _former(path)
    return write_baseline(side, path), side, former


def _refuse_lacking(side: Side, options: GateOptions, run_id: str) -> None:
    named = [*(options.measures or ()), *options.floors]
    lacking = [name for name in named if name != "default" and name not in side.columns]
    if lacking or not side.columns:
        raise DataError(
            f"run {run_id}",
            expected=f"scores of {', '.join(lacking) or 'a measure that gates'}",
            found="none",
            hint="Run it with them: ragbench run 'measures=[default,…]'",
        )


def _former(path: Path) -> Side | None:
    """The baseline that is replaced; None for one that cannot be read, which is why somebody replaces it."""
    try:
        return read_baseline(path)
    except DataError:
        return None


def _folder(name: str, runs: Path) -> Path:
    if name != LATEST:
        found = find_run(name, runs)
        if not (found / layout.MANIFEST).is_file() and (found / layout.SWEEP).is_file():
            hint = f"Name one of its runs; they lie below {runs}: ragbench ls runs"
            raise DataError(f"run {name}", expected="one run", found="a sweep", hint=hint)
        return found
    manifests = sorted(runs.glob(f"*/{layout.MANIFEST}"), key=lambda path: (path.stat().st_mtime_ns, path.as_posix()))
    if not manifests:
        hint = "Make one with: ragbench run"
        raise DataError("run latest", expected=f"a run below {runs}", found="none", hint=hint)
    return manifests[-1].parent


def _state(folder: Path) -> tuple[str, str]:
    """Status and eval set of a run, by its manifest."""
    try:
        manifest = read_json(folder / layout.MANIFEST)
        return str(manifest.get("status")), str((manifest.get("eval_set") or {}).get("name"))
    except OSError as error:
        raise DataError(f"run {folder}", expected=f"a folder with {layout.MANIFEST}", found="none") from error
    except (ValueError, AttributeError) as error:
        raise DataError(str(folder / layout.MANIFEST), expected="a manifest in JSON", found=str(error)) from error


def _card(run: RunDir, now: Side, config: Config) -> Mapping[str, Any] | None:
    """The card of the run's judge in short, as it stands in the store today; the one that the run was made with where
    the judge is another version by now. None: nothing was judged."""
    if not now.facts["judge"]:
        return None
    languages = sorted({question.language for question in run.questions.values()})
    known: Mapping[str, Any] | None = run.summary.get("judge_card")
    try:
        allowed = ["ragbench.", *(config.get("allowed_targets") or [])]
        judge: Judge = instantiate(yaml.safe_load(run.config)["judge"], "judge", allowed)
        if judge.recipe() == run.manifest.get("judge"):
            return brief(read_card(judge, Path(config["paths"]["store"])), languages)
    except (RagbenchError, yaml.YAMLError, KeyError, TypeError, OSError, ValueError):
        pass
    return known or brief(None, languages)
