"""Composing configurations with Hydra: search path, overrides, grids, and errors that teach."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ragbench.errors import ConfigError, RagbenchError
from ragbench.run.composed_cache import remembered, store_of
from ragbench.run.config_folders import config_folders, primary, primary_folder
from ragbench.run.grid import check_form, first_line, literal, parse, placed, quote
from ragbench.run.template import Templates, part_referring, unshare

VARIANT_ROOTS = ("chunk_size", "chunk_unit", "overlap", "context", "alpha", "k", "recall_k", "pool_depth")
SLOTS = (
    "splitter", "embedder", "index", "sparse", "query", "retriever", "reranker", "packer", "generator", "flow",
)  # fmt: skip
PARTS = ("classifier", "rewriter", "llm")
"""Groups of stages that lie within slots."""


@dataclass(frozen=True)
class Composed:
    """A composed configuration: plain data, the chosen option of each group, and the overrides that made it."""

    data: Mapping[str, Any]
    choices: Mapping[str, str]
    overrides: tuple[str, ...]

    def yaml(self) -> str:
        """The resolved configuration as text."""
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        return str(yaml.dump(dict(self.data), Dumper=dumper, allow_unicode=True, sort_keys=False))


@contextmanager
def _hydra() -> Iterator[list[str]]:
    """Hydra on the folder of the primary configuration, and the override that has it read the other folder too."""
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    GlobalHydra.instance().clear()
    main = primary_folder()
    # Hydra reads the path as it stands, so a URI with %-codes would not be found.
    added = [literal(f"file://{folder.as_posix()}") for folder in config_folders() if folder != main]
    with initialize_config_dir(str(main), version_base="1.3"):
        yield [f"hydra.searchpath=[{','.join(added)}]"] if added else []


def compose(overrides: Sequence[str]) -> Composed:
    """The configuration of some overrides; raises ConfigError with one helpful line."""
    return Composer().compose(overrides)


class Composer:
    """Composes many configurations: the files are read once for each combination of group choices.

    Plain values (`key=value`) are then set on a copy, as Hydra does with its own composed configuration. `many`: the
    configurations to come are points of a grid.
    """

    def __init__(self, many: bool = False) -> None:
        self._bases: dict[tuple[str, ...], Any] = {}
        self._templates = Templates(many)
        self._groups = set(groups())

    def compose(self, overrides: Sequence[str]) -> Composed:
        """As `compose`."""
        from hydra.errors import HydraException
        from omegaconf import OmegaConf
        from omegaconf.errors import OmegaConfBaseException

        for item in overrides:
            check_form(item)
        quoted = placed(map(quote, overrides))
        structural = tuple(item for item in quoted if not self._is_value(item))
        try:
            _refuse_new_roots(quoted)
            if structural not in self._bases:
                self._bases[structural] = remembered(
                    structural, config_folders(), store_of(overrides), lambda: _composed(structural)
                )
            base, chosen = self._bases[structural]
            values = [item for item in quoted if self._is_value(item)]
            data: Any = self._templates.filled(structural, list(map(parse, values)), base)
            if data is None:
                config = copy.deepcopy(base)
                # Parts of their own last, so that a copy has what is set in the part that it is a copy of.
                for item in sorted(values, key=lambda one: part_referring(config, parse(one).key_or_group) is not None):
                    _set(config, item)
                data = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            raise _explained(error, overrides) from error
        assert isinstance(data, dict)
        return Composed({str(key): value for key, value in data.items()}, chosen, tuple(overrides))

    def _is_value(self, item: str) -> bool:
        key = item.partition("=")[0]
        return key not in self._groups and not key.startswith(("+", "~", "hydra")) and "@" not in key


def _refuse_new_roots(overrides: Sequence[str]) -> None:
    """`+key=value` may add a field of a stage, which the stage then checks; nobody would read it elsewhere."""
    for key in (item.lstrip("+~").partition("=")[0] for item in overrides):
        if key.startswith(("hydra.", "hydra/")) and key != "hydra.searchpath":
            own = "one of Hydra's own, which nothing here reads"
            raise ConfigError(f"key {key}", expected="a key of the configuration", found=own)
    added = [item.lstrip("+").partition("=")[0] for item in overrides if item.startswith("+")]
    for key in added:
        parts = key.split(".")
        if "/" in key or "@" in key:
            continue
        of_slot = len(parts) > 2 and parts[0] == "pipeline" and parts[1] in SLOTS
        if not of_slot and (parts[0] == "pipeline" or parts[0] not in _root_keys()):
            from hydra.errors import ConfigCompositionException

            raise ConfigCompositionException(f"Could not override '{key}'")


def _composed(overrides: Sequence[str]) -> tuple[Any, dict[str, str]]:
    """Hydra's configuration of the overrides, and the chosen option of each group."""
    from hydra import compose as hydra_compose
    from omegaconf import OmegaConf

    with _hydra() as path:
        config = hydra_compose(primary(), [*overrides, *path], return_hydra_config=True)
    choices = OmegaConf.to_container(config.hydra.runtime.choices)
    assert isinstance(choices, dict)
    OmegaConf.set_struct(config, False)
    del config["hydra"]
    OmegaConf.set_struct(config, True)
    chosen = {str(key).rpartition("@")[2]: str(value) for key, value in choices.items()}
    return config, {key: value for key, value in chosen.items() if not key.startswith("hydra/")}


def _set(config: Any, override: str) -> None:
    """Set one value; an unknown key is Hydra's own error."""
    from hydra.errors import ConfigCompositionException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    parsed = parse(override)
    if parsed.is_sweep_override():
        raise ConfigCompositionException(f"Ambiguous value for argument '{override}'")
    try:
        unshare(config, parsed.key_or_group)
        OmegaConf.update(config, parsed.key_or_group, parsed.value(), merge=True)
    except OmegaConfBaseException as error:
        raise ConfigCompositionException(f"Could not override '{parsed.key_or_group}'") from error


def options(group: str) -> dict[str, str]:
    """Options of a group and their one-line description, from the files of the search path (the user's first)."""
    found: dict[str, str] = {}
    for folder in config_folders():
        for path in sorted((folder / group).glob("*.yaml")):
            lines = [line[1:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
            words = [line for line in lines if line and not line.startswith("@package")]
            found.setdefault(path.stem, words[0] if words else "")
    return found


def groups() -> list[str]:
    """Names of all groups."""
    return sorted({path.name for folder in config_folders() for path in folder.iterdir() if path.is_dir()})


def _explained(error: BaseException, overrides: Sequence[str]) -> RagbenchError:
    text = str(error)
    unknown = re.search(r"Could not override '([^']+)'", text) or re.search(r"Key '([^']+)' is not in struct", text)
    if unknown:
        known = _known_keys()
        if unknown[1] in known:
            slot = next((part for part in unknown[1].split(".") if part in SLOTS), "")
            hint = f"See ragbench ls {slot}." if slot else "See ragbench ls."
            return ConfigError(f"key {unknown[1]}", expected="a knob of the chosen options", found="none", hint=hint)
        close = difflib.get_close_matches(unknown[1], known, n=1)
        hint = (
            f"Did you mean {close[0]}?"
            if close
            else f"Known keys: {', '.join(sorted({key for key in known if '.' not in key}))}; see ragbench ls."
        )
        return ConfigError(f"key {unknown[1]}", expected="a key of the configuration", found="no such key", hint=hint)
    there = re.search(r"An item is already at '([^']+)'", text)
    if there:
        return ConfigError(f"+{there[1]}", expected="a new key", found="one that is there", hint=f"Write {there[1]}=….")
    option = re.search(r"Could not find '([^'/]+)/([^']*)'", text)
    if option:
        known_options = options(option[1])
        close = difflib.get_close_matches(option[2], known_options, n=1)
        hint = f"Did you mean {close[0]}?" if close else ""
        return ConfigError(
            f"{option[1]}={option[2]}", expected=f"one of {', '.join(known_options)}", found="no such option", hint=hint
        )
    if "Config group override must be" in text:
        empty = next((item for item in overrides if item.partition("=")[2] in ("null", "")), "")
        return ConfigError(empty or "override", expected="the name of an option", found="null", hint="See ragbench ls.")
    if "Ambiguous value" in text:
        several = next((item for item in overrides if "," in item), "")
        return ConfigError(
            several or "override", expected="one value", found="a list", hint="Use `ragbench sweep` for several values."
        )
    missing = getattr(error, "full_key", None) if "Missing mandatory value" in text else None
    if missing:
        return ConfigError(missing, expected="a value", found="none", hint=f"Give it: {missing}=…")
    return ConfigError("configuration", found=first_line(error))


def _bare() -> Any:
    """The configuration without any override."""
    from hydra import compose as hydra_compose

    with _hydra() as path:
        return hydra_compose(primary(), path)


def _root_keys() -> set[str]:
    return {str(key) for key in _bare()}


def _known_keys() -> list[str]:
    from omegaconf import OmegaConf

    config = _bare()
    keys: list[str] = [*groups()]

    def walk(node: Any, prefix: str) -> None:
        for key in node:
            keys.append(f"{prefix}{key}")
            child = node._get_node(key)
            if OmegaConf.is_dict(child):
                walk(child, f"{prefix}{key}.")

    walk(config, "")
    return keys
