"""From a composed configuration to an experiment: allow-listed targets, frozen stages, everything checked at once."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from ragbench.core.file_hash import use_store
from ragbench.core.stage import Stage
from ragbench.corpus.loader import CorpusLoader
from ragbench.errors import ConfigError, Problems, RagbenchError
from ragbench.eval_set.chosen import chosen_questions
from ragbench.eval_set.source import EvalSetSource
from ragbench.evaluate.defaults import named
from ragbench.judge.base import BY_CLAIMS, Judge
from ragbench.llm.settings import call_settings
from ragbench.measure.registry import measures
from ragbench.pipeline.pipeline import Pipeline
from ragbench.run.compose import SLOTS, Composed, Composer, compose
from ragbench.run.experiment import Experiment, Places
from ragbench.run.fallback import fall_back
from ragbench.run.misfits import (
    few_candidates,
    idle_slots,
    lacking_flow,
    lacking_model,
    missing_vectors,
    narrow_window,
    unasked_model,
    uncalibrated,
    unused_knobs,
)
from ragbench.run.root_values import is_yes, root_problems
from ragbench.run.variant_name import label_of, variant_of
from ragbench.splitter.prefix import ContextPrefix

_OWN = "ragbench."
_PARTS: Mapping[str, type] = {"eval_set": EvalSetSource, "corpus": CorpusLoader, "judge": Judge}


def experiment(overrides: Sequence[str]) -> Experiment:
    """The experiment of some overrides; raises ConfigError or Problems naming every misfit."""
    return build(compose(overrides))


def build(composed: Composed, lenient: bool = False, composer: Composer | None = None) -> Experiment:
    """Instantiate a composed configuration; `lenient` notes a knob that the chosen stages do not read (`unused`)
    instead of refusing it. Where the offline embedder is not installed, what needs it is replaced (`fallback`).

    `composer` saves reading the files again.
    """
    slots, parts, problems = _stages(composed)
    if problems:
        unused = [] if lenient else unused_knobs(composed, slots)
        raise _one_or_many([*problems, *_other_problems(composed, parts), *unused])
    again = (composer or Composer()).compose
    composed, replaced = fall_back(composed, {**slots, "judge": parts["judge"]}, again)
    if replaced:
        slots, parts, problems = _stages(composed)
    unused = [] if problems else unused_knobs(composed, slots)
    if not problems:
        lacking = (*lacking_flow(composed, slots), *lacking_model(composed, slots), *uncalibrated(composed, slots))
        problems += [str(error) for error in (*missing_vectors(composed, slots), *few_candidates(slots), *lacking)]
    problems += _other_problems(composed, parts)
    problems += [] if lenient else unused
    if problems:
        raise _one_or_many(problems)
    made = _made(composed, slots, parts, replaced)
    unused += idle_slots(composed, made.pipeline, made.unread_slots)
    unused += unasked_model(composed, made.pipeline, made.judge)
    unused += narrow_window(composed, made.pipeline)
    if unused and not lenient:
        raise _one_or_many(unused)
    return replace(made, unused=tuple(unused))


def _made(
    composed: Composed, slots: Mapping[str, Any], parts: Mapping[str, Any], replaced: tuple[str, ...]
) -> Experiment:
    """The experiment of stages that fit together."""
    data = composed.data
    use_store(Path(data["paths"]["store"]))
    pipeline = Pipeline(prefix=ContextPrefix(kind=str(data.get("context"))), **slots).resolved()
    return Experiment(
        pipeline=pipeline,
        source=parts["eval_set"],
        loader=parts["corpus"],
        judge=parts["judge"],
        measures=_measures(data.get("measures"), parts["judge"], []),
        split=str(data["split"]),
        seed=data["seed"],
        chosen=chosen_questions(data.get("questions")),
        sinks=dict(data["sink"]),
        lang=str(data["report"]["lang"]),
        places=Places(runs=Path(data["paths"]["runs"]), store=Path(data["paths"]["store"])),
        variant=variant_of(composed, pipeline),
        config=composed.yaml(),
        label=label_of(composed, pipeline),
        reuse=is_yes(data["reuse"]),
        calls=call_settings(data.get("calls")),
        fallback=replaced,
        overrides=composed.overrides,
    )


def _stages(composed: Composed) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The slots, the other parts, and what stands against them; a stage that cannot be made is None."""
    data = composed.data
    problems: list[str] = []
    allowed = [_OWN, *_names(data.get("allowed_targets"))]

    def stage(key: str, node: Any) -> Any:
        return _attempt(lambda: _of_kind(instantiate(node, key, allowed), key), problems)

    slots = {name: stage(f"pipeline.{name}", (data.get("pipeline") or {}).get(name)) for name in SLOTS}
    parts = {name: stage(name, data.get(name)) for name in ("eval_set", "corpus", "judge")}
    return slots, parts, problems


def _other_problems(composed: Composed, parts: Mapping[str, Any]) -> list[str]:
    """What stands against the root values and the place of the eval set."""
    problems: list[str] = []
    _measures(composed.data.get("measures"), parts["judge"], problems)
    if parts["judge"] is not None:
        _attempt(parts["judge"].check, problems)
    _attempt(lambda: ContextPrefix(kind=str(composed.data.get("context"))), problems)
    problems += root_problems(composed.data)
    _attempt(lambda: call_settings(composed.data.get("calls")), problems)
    _attempt(lambda: chosen_questions(composed.data.get("questions")), problems)
    if parts["eval_set"] is not None:
        _attempt(parts["eval_set"].folder, problems)
    return problems


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
    kind = _PARTS[name] if name in _PARTS else _slot_kinds()[name]
    if not isinstance(value, kind):
        found = "nothing" if value is None else type(value).__name__
        raise ConfigError(key, expected=f"a {kind.__name__} stage", found=found, hint=f"See ragbench ls {name}.")
    return value


@cache
def _slot_kinds() -> dict[str, Any]:
    return get_type_hints(Pipeline)


def _attempt(make: Any, problems: list[str]) -> Any:
    try:
        return make()
    except RagbenchError as error:
        problems.append(str(error))
        return None


def _names(value: Any) -> list[str]:
    """A list of names, of which one may stand alone."""
    return [str(item) for item in (value if isinstance(value, list | tuple) else [] if value is None else [value])]


def _measures(names: Any, judge: Any, problems: list[str]) -> tuple[str, ...] | None:
    if names is None:
        return None
    found = []
    if not _names(names):
        problems.append("measures: expected at least one name, or null for the default ones, found none")
    usual = judge.measures if judge is not None else BY_CLAIMS
    given = (*usual, *(judge.further_measures if judge is not None else ()))
    for name in named(_names(names), usual):
        one = _attempt(lambda name=name: measures([name])[0], problems)
        if one is not None and one.judged and one.name not in given:
            problems.append(str(_unjudged(one.name, given)))
        found.append(one.name if one is not None else "")
    return tuple(found)


def _unjudged(name: str, given: Sequence[str]) -> ConfigError:
    hint = "docs/judge.md says which judge gives it." if given else "Choose a judge, as in judge=offline."
    found = f"only {', '.join(given)}" if given else "judge=none"
    return ConfigError(f"measures: {name}", expected="a measure that the judge gives", found=found, hint=hint)


def _one_or_many(problems: Sequence[str]) -> RagbenchError:
    unique = list(dict.fromkeys(problems))
    return RagbenchError(unique[0]) if len(unique) == 1 else Problems("configuration", unique)
