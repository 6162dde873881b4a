"""Reading experiment files: everything that is wrong with one is told at once, a line each."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ragbench.assets import shipped
from ragbench.errors import DataError, Problems, RagbenchError
from ragbench.experiment.cost_rules import CALLS
from ragbench.experiment.fields import Fields, shown
from ragbench.experiment.forms import FORMS, read_check
from ragbench.experiment.study import AskedSet, Check, Study, is_derived
from ragbench.measure.registry import measure

SUFFIX = ".yaml"
_KNOWN = ("claim", "base", "arms", "vary", "baseline", "eval_sets", "metrics", "verdict", "needs", "optional")


def places() -> list[Path]:
    """Folders of experiment files: the user's `./experiments`, then the shipped ones."""
    own, ours = Path("experiments"), shipped("experiments")
    return [own, ours] if own.is_dir() and own.resolve() != ours.resolve() else [ours]


def names() -> list[str]:
    """Names of all experiments there are."""
    return sorted({path.stem for place in places() for path in place.glob(f"*{SUFFIX}")})


def load_study(name: str) -> Study:
    """The experiment of a name, or of a file given by path.

    Raises DataError where there is none and Problems naming everything that is wrong with it.
    """
    candidates = [place / f"{name}{SUFFIX}" for place in places()]
    if name.endswith(SUFFIX):
        candidates = [Path(name)]
    path = next((one for one in candidates if one.is_file()), None)
    if path is None:
        near = get_close_matches(name, names(), n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names())}."
        raise DataError(f"experiment {name}", expected="a file in experiments/", found="none", hint=hint)
    return read_study(path)


def read_study(path: Path) -> Study:
    """The experiment in a file; raises as `load_study`."""
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(str(path), expected="YAML in UTF-8", found=" ".join(str(error).split())) from error
    if not isinstance(data, Mapping):
        raise DataError(str(path), expected=f"the fields {', '.join(_KNOWN)}", found=shown(data))
    problems: list[str] = []
    study = _study(path.stem, Fields(data, "", problems))
    if problems:
        raise Problems(f"experiment {path}", problems)
    return study


def _study(name: str, fields: Fields) -> Study:
    fields.only(_KNOWN)
    vary = fields.part("vary")
    vary.only(("key", "values", "with", "variants"))
    variants, key = _variants(vary)
    arms = {str(arm): fields.part("arms").overrides(str(arm)) for arm in fields.mapping("arms", optional=True)}
    sets = tuple(_asked_set(item, fields) for item in fields.items("eval_sets"))
    metrics = tuple(_metric(str(item), fields) for item in fields.items("metrics"))
    fields.distinct("eval_sets", [one.name for one in sets])
    baseline = shown(fields.data.get("baseline"))
    if baseline not in variants:
        fields.wrong("baseline", f"one of {', '.join(variants)}", baseline)
    arms = arms or {"": {}}
    checks = []
    for number, item in enumerate(fields.items("verdict")):
        found = _check(Fields(item, f"verdict[{number}]", fields.problems), variants, arms, sets)
        checks += [found] if found else []
    study = Study(
        name=name,
        claim=fields.words("claim"),
        base=fields.overrides("base"),
        arms=arms,
        variants=variants,
        key=key,
        baseline=baseline,
        sets=sets,
        metrics=metrics,
        checks=tuple(checks),
        needs=fields.needs(),
        optional=_optional(fields, variants, baseline),
    )
    if not fields.problems:
        _agree(study, fields)
    return study


def _variants(vary: Fields) -> tuple[dict[str, dict[str, str]], str]:
    """Variants by name, and the key that is varied (empty for named ones)."""
    if "variants" in vary.data:
        if {"key", "values", "with"} & vary.data.keys():
            vary.wrong("variants", "either key and values, or variants", "both")
        named = vary.part("variants")
        found = {str(name): named.overrides(str(name)) for name in vary.mapping("variants")}
        key = ""
    else:
        key = vary.text("key")
        found = {shown(value): {key: shown(value)} for value in vary.items("values")}
        vary.distinct("values", [shown(value) for value in vary.items("values")])
        also = {shown(value): extra for value, extra in vary.mapping("with", optional=True).items()}
        more = Fields(also, "vary.with", vary.problems)
        more.only(list(found))
        found = {name: one | more.overrides(name) for name, one in found.items()}
    if len(found) < 2:
        vary.wrong("values" if key else "variants", "at least two", str(len(found)))
    return found, key


def _optional(fields: Fields, variants: Mapping[str, Any], baseline: str) -> tuple[str, ...]:
    names = tuple(map(str, fields.items("optional"))) if "optional" in fields.data else ()
    others = [name for name in variants if name != baseline]
    for name in names:
        if name not in others:
            fields.wrong("optional", f"some of {', '.join(others)}, not the baseline", name)
    return names


def _asked_set(item: Any, fields: Fields) -> AskedSet:
    if isinstance(item, str):
        return AskedSet(item)
    part = Fields(item, "eval_sets", fields.problems)
    part.only(("name", "version", "import"))
    name = part.text("name")
    words = item.get("import") if isinstance(item, Mapping) else None
    recipe = tuple(shlex.split(words) if isinstance(words, str) else map(str, words or ()))
    if words is not None and len(recipe) < 2:
        part.wrong("import", "a format and a path below the data folder", shown(words))
        recipe = ()
    for path in AskedSet(name, recipe=recipe).sources:
        if path.is_absolute() or ".." in path.parts:
            part.wrong("import", "a path below the data folder", str(path))
    return AskedSet(name, str(part.data.get("version", "v1")), recipe)


def _metric(name: str, fields: Fields) -> str:
    try:
        return str(measure(name).name)
    except RagbenchError as error:
        fields.problems.append(f"metrics: {error}")
        return name


def _check(
    fields: Fields, variants: Mapping[str, Any], arms: Mapping[str, Any], sets: tuple[AskedSet, ...]
) -> Check | None:
    check = read_check(fields, list(variants), list(arms))
    for name in check.sets if check else ():
        if name not in {one.name for one in sets}:
            fields.wrong("sets", f"some of {', '.join(one.name for one in sets)}", name)
    return check


def _agree(study: Study, fields: Fields) -> None:
    """What each part allows and the parts together do not."""
    for number, check in enumerate(study.checks):
        at = f"verdict[{number}]"
        if FORMS[check.rule].ordered and not study.axis:
            fields.wrong(f"{at}.rule", "a varied key with numbers", f"{check.rule} over {', '.join(study.variants)}")
        n_steps = len(check.among or study.variants) - 1
        if check.rule == "steps" and len(check.numbers("gains")) != n_steps:
            fields.wrong(f"{at}.gains", f"{n_steps} of them, one a step", str(len(check.numbers("gains"))))
        if check.rule == "no_gain_above" and study.axis and check.variant("value") == list(study.axis)[-1]:
            fields.wrong(f"{at}.value", "a value with larger ones above it", check.variant("value"))
        needed = (CALLS,) if check.rule == "order_per_call" else ()
        for metric in (*check.metrics, *needed):
            if metric not in study.metrics and not is_derived(metric):
                fields.wrong(f"{at}.metric", "one of metrics", metric)
        if check.rule == "tracks_better" and check.variant("target") not in study.metrics:
            fields.wrong(f"{at}.target", "one of metrics", check.variant("target"))
    if study.tunes and "split" in study.base:
        fields.wrong(
            "base.split", "no split: rules that choose use dev and test, or halves of all", study.base["split"]
        )
    if study.key and study.key in study.base:
        fields.wrong(f"base.{study.key}", "a key that is not varied", "the one that is")
