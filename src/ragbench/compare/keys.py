"""What differs between the configurations of two runs, and how many keys of it were changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragbench.compare.table import differing_keys
from ragbench.core.codec import dumps
from ragbench.run_dir.foreign import FOREIGN
from ragbench.run_dir.read import RunDir

_PARTS = ("classifier", "rewriter", "llm")
"""Groups whose options lie within slots."""


@dataclass(frozen=True, slots=True)
class Change:
    """One key with its two values, None for unset. `counted`: it was set; else it follows from another key, or is the
    name of a preset whose parts are listed."""

    key: str
    a: Any
    b: Any
    counted: bool = True

    def words(self) -> str:
        """`alpha 0.3 → 0.5`."""
        return f"{self.key} {plain(self.a)} → {plain(self.b)}"


@dataclass(frozen=True, slots=True)
class Changes:
    """`keys` are those of the variant, counted ones first; `beside` what differs around it: the judge, the seed, the
    runtime, the code."""

    keys: tuple[Change, ...]
    beside: tuple[Change, ...] = ()

    @property
    def n(self) -> int:
        """How many keys were changed."""
        return sum(one.counted for one in self.keys)

    def words(self) -> str:
        """The counted keys in one line; `nothing` for none."""
        return ", ".join(one.words() for one in self.keys if one.counted) or "nothing"


def plain(value: Any) -> str:
    """A value of a configuration; `–` for none."""
    if value is None or value == "":
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)


def config_of(run: RunDir) -> Mapping[str, Any]:
    """The resolved configuration; empty where the file is no mapping."""
    import yaml

    try:
        found = yaml.load(run.config, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (OSError, yaml.YAMLError):
        return {}
    return found if isinstance(found, Mapping) else {}


def changes(a: RunDir, b: RunDir) -> Changes:
    """Compare two runs: choices of groups, root values and explicit overrides as results name them, then what only the
    configuration files show. Of a foreign run no configuration is known: then the system is the one key.

    A root value counts where it was set otherwise; a default that another choice brought along is listed and not
    counted, and so is a preset, whose parts are.
    """
    if FOREIGN in a.manifest or FOREIGN in b.manifest:
        systems = [f"foreign ({one.summary.get('label')})" if FOREIGN in one.manifest else "ours" for one in (a, b)]
        same = systems[0] == systems[1]
        return Changes(() if same else (Change("system", systems[0], systems[1]),), tuple(_beside(a, b)))
    variants = [one.summary.get("variant") or {} for one in (a, b)]
    configs = [config_of(one) for one in (a, b)]
    found = []
    for key in differing_keys(variants):
        set_to = [config.get(key) for config in configs]
        follows = all(key in config for config in configs) and _same(*set_to) and not isinstance(set_to[0], Mapping)
        found.append(Change(key, variants[0].get(key), variants[1].get(key), key != "variant" and not follows))
    hidden = [*_hidden((a, b), configs, {one.key for one in found if one.counted})]
    keys = sorted([*found, *hidden], key=lambda one: not one.counted)
    return Changes(tuple(keys), tuple(_beside(a, b)))


def _hidden(runs: tuple[RunDir, RunDir], configs: list[Mapping[str, Any]], counted: set[str]) -> Iterator[Change]:
    """Leaves of stages that a file of the user or a preset changed: those of slots whose recipes differ and whose
    option does not, where no value outside the pipeline explains them."""
    recipes = [(run.manifest.get("pipeline") or {}).get("fields") or {} for run in runs]
    pipelines = [config.get("pipeline") or {} for config in configs]
    outside = [dict(_leaves({k: v for k, v in config.items() if k != "pipeline"}, "")) for config in configs]
    moved = [
        (outside[0].get(key), outside[1].get(key))
        for key in {**outside[0], **outside[1]}
        if not _same(outside[0].get(key), outside[1].get(key))
    ]
    for slot in pipelines[0]:
        if slot in counted or slot not in pipelines[1] or dumps(recipes[0].get(slot)) == dumps(recipes[1].get(slot)):
            continue
        leaves = [dict(_leaves(pipeline[slot], f"pipeline.{slot}")) for pipeline in pipelines]
        for key in dict.fromkeys((*leaves[0], *leaves[1])):
            pair = leaves[0].get(key), leaves[1].get(key)
            named = key in counted or any(f".{part}." in key and part in counted for part in _PARTS)
            if not _same(*pair) and not named and pair not in moved:
                yield Change(key, *pair)


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield (
            path,
            tuple(node)
            if isinstance(node, list) and not any(isinstance(o, dict | list) for o in node)
            else (dumps(node).decode() if isinstance(node, list) else node),
        )


def _beside(a: RunDir, b: RunDir) -> Iterator[Change]:
    """What is no key of the variant."""
    facts = [_facts(one) for one in (a, b)]
    for name in facts[0]:
        if not _same(facts[0][name], facts[1][name]):
            yield Change(name, facts[0][name], facts[1][name], counted=False)


def _facts(run: RunDir) -> dict[str, Any]:
    made = run.manifest.get("provenance") or {}
    git = made.get("git") or {}
    titles = sorted({str(title) for title in (run.summary.get("judge") or {}).values()})
    return {
        "judge": ", ".join(titles) or None,
        "judge settings": dumps(run.manifest.get("judge")).decode(),
        "embedder runtime": run.summary.get("runtime"),
        "retrieved": (run.manifest.get(FOREIGN) or {}).get("unit"),
        "fallback": ", ".join(map(str, run.summary.get("fallback") or ())) or None,
        "code": str(git.get("commit") or made.get("ragbench") or "")[:12] or None,
    }


def _same(a: Any, b: Any) -> bool:
    """1 and 1.0 are one value; true and 1 are two."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)
