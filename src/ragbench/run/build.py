"""From a composed configuration to an experiment: allow-listed targets, frozen stages, everything checked at once."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from ragbench.core.stage import Stage
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import ConfigError, Problems, RagbenchError
from ragbench.eval_set.source import EvalSetSource
from ragbench.judge.base import Judge
from ragbench.measure.registry import measures
from ragbench.pipeline.pipeline import Pipeline
from ragbench.run.compose import SLOTS, VARIANT_ROOTS, Composed, compose
from ragbench.run.experiment import Experiment, Places
from ragbench.run.root_values import root_problems
from ragbench.splitter.prefix import ContextPrefix

_OWN = "ragbench."
_NOT_VARIANT = ("paths.", "sink", "report.", "eval_set.", "allowed_targets")
_PARTS: Mapping[str, type] = {"eval_set": EvalSetSource, "corpus": CorpusLoader, "judge": Judge}


def experiment(overrides: Sequence[str]) -> Experiment:
    """The experiment of some overrides; raises ConfigError or Problems naming every misfit."""
    return build(compose(overrides))


def build(composed: Composed, lenient: bool = False) -> Experiment:
    """Instantiate a composed configuration; `lenient` lets a knob pass that the chosen stage does not have."""
    data = composed.data
    problems: list[str] = []
    allowed = [_OWN, *_names(data.get("allowed_targets"))]

    def stage(key: str, node: Any) -> Any:
        try:
            return _of_kind(instantiate(node, key, allowed), key)
        except RagbenchError as error:
            problems.append(str(error))
            return None

    slots = {name: stage(f"pipeline.{name}", (data.get("pipeline") or {}).get(name)) for name in SLOTS}
    parts = {name: stage(name, data.get(name)) for name in ("eval_set", "corpus", "judge")}
    chosen = _measures(data.get("measures"), problems)
    prefix = _attempt(lambda: ContextPrefix(kind=str(data.get("context"))), problems)
    problems += root_problems(data)
    if parts["eval_set"] is not None:
        _attempt(parts["eval_set"].folder, problems)
    unused = [] if lenient else _unused_knobs(composed, slots)
    problems += [f"{key}: the chosen {slot} has no such knob" for key, slot in unused]
    if problems:
        raise _one_or_many(problems)
    return Experiment(
        pipeline=Pipeline(prefix=prefix, **slots).resolved(),
        source=parts["eval_set"],
        loader=parts["corpus"],
        judge=parts["judge"],
        measures=chosen,
        split=str(data["split"]),
        seed=data["seed"],
        sinks=dict(data["sink"]),
        lang=str(data["report"]["lang"]),
        places=Places(runs=Path(data["paths"]["runs"]), store=Path(data["paths"]["store"])),
        variant=_variant(composed),
        config=composed.yaml(),
    )


def instantiate(node: Any, key: str, allowed: Sequence[str]) -> Any:
    """The object of a `_target_` node, nested nodes first.

    Only classes that are stages and whose path begins with an allowed prefix are made; a config from somebody else is
    code. Unknown and missing fields are errors naming the fields there are.
    """
    if isinstance(node, list):
        return tuple(instantiate(item, f"{key}[{n}]", allowed) for n, item in enumerate(node))
    if not isinstance(node, Mapping):
        return node
    values = {
        str(name): instantiate(value, f"{key}.{name}", allowed) for name, value in node.items() if name != "_target_"
    }
    if "_target_" not in node:
        return values
    kind = _class(str(node["_target_"]), key, allowed)
    known = [field.name for field in fields(kind) if field.init]
    unknown = sorted(values.keys() - set(known))
    if unknown:
        raise ConfigError(f"{key}.{unknown[0]}", expected=f"one of {', '.join(known)}", found="no such field")
    try:
        return kind(**values)
    except TypeError as error:
        raise ConfigError(key, expected=f"the fields {', '.join(known)}", found=str(error)) from error


def _class(target: str, key: str, allowed: Sequence[str]) -> Any:
    if not any(target.startswith(prefix if prefix.endswith(".") else f"{prefix}.") for prefix in allowed):
        raise ConfigError(
            f"{key}._target_",
            expected=f"a class below {', '.join(allowed)}",
            found=target,
            hint="A config can run code: allow its package with allowed_targets=[PACKAGE] if you trust it.",
        )
    module, _, name = target.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{key}._target_", expected="an importable class", found=f"{target} ({error})") from error
    if not (isinstance(kind, type) and issubclass(kind, Stage) and is_dataclass(kind)):
        raise ConfigError(f"{key}._target_", expected="a stage class", found=target)
    return kind


def _of_kind(value: Any, key: str) -> Any:
    name = key.rpartition(".")[2]
    kind = _PARTS[name] if name in _PARTS else get_type_hints(Pipeline)[name]
    if not isinstance(value, kind):
        found = "nothing" if value is None else type(value).__name__
        raise ConfigError(key, expected=f"a {kind.__name__} stage", found=found, hint=f"See ragbench ls {name}.")
    return value


def _attempt(make: Any, problems: list[str]) -> Any:
    try:
        return make()
    except RagbenchError as error:
        problems.append(str(error))
        return None


def _names(value: Any) -> list[str]:
    """A list of names, of which one may stand alone."""
    return [str(item) for item in (value if isinstance(value, list | tuple) else [] if value is None else [value])]


def _measures(names: Any, problems: list[str]) -> tuple[str, ...] | None:
    if names is None:
        return None
    found = []
    if not _names(names):
        problems.append("measures: expected at least one name, or null for all that apply, found none")
    for name in _names(names):
        measure = _attempt(lambda name=name: measures([name])[0].name, problems)
        found.append(measure or "")
    return tuple(found)


def _unused_knobs(composed: Composed, slots: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Root knobs given on the command line that the chosen stage does not have."""
    owners = {"chunk_size": "splitter", "chunk_unit": "splitter", "overlap": "splitter", "alpha": "retriever"}
    given = {item.partition("=")[0].lstrip("+") for item in composed.overrides}
    return [
        (key, f"{slot} ({composed.choices.get(slot, '?')})")
        for key, slot in owners.items()
        if key in given and slots.get(slot) is not None and not hasattr(slots[slot], key)
    ]


def _variant(composed: Composed) -> dict[str, Any]:
    """How summary.json names a variant: preset, each slot's choice, root values, other overrides."""
    roots = {key: composed.data[key] for key in VARIANT_ROOTS}
    groups = {slot: composed.choices.get(slot, "") for slot in SLOTS}
    others = {}
    for item in composed.overrides:
        key, _, value = item.lstrip("+").partition("=")
        if key not in roots and key not in composed.choices and not key.startswith(_NOT_VARIANT):
            others[key] = value
    return {"variant": composed.choices.get("variant", ""), **groups, **roots, **others}


def _one_or_many(problems: Sequence[str]) -> RagbenchError:
    unique = list(dict.fromkeys(problems))
    return RagbenchError(unique[0]) if len(unique) == 1 else Problems("configuration", unique)
