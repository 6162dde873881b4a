"""Values set in a composed configuration, also within a part that only refers to another."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ragbench.run.grid import parse


def set_values(config: Any, overrides: Sequence[str]) -> None:
    """Set `key=value` overrides in order; an unknown key is Hydra's own error.

    A part that refers to another (`pipeline.query.llm` is `${llm}`) becomes a copy of its own where a key within it is
    set. These are set last, so that the copy has what is set in the other.
    """
    for item in sorted(overrides, key=lambda item: _shared(config, parse(item).key_or_group) is not None):
        _set(config, item)


def _set(config: Any, override: str) -> None:
    from hydra.errors import ConfigCompositionException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    parsed = parse(override)
    if parsed.is_sweep_override():
        raise ConfigCompositionException(f"Ambiguous value for argument '{override}'")
    try:
        while shared := _shared(config, parsed.key_or_group):
            parent, name = shared
            parent[name] = copy.deepcopy(parent[name])
        OmegaConf.update(config, parsed.key_or_group, parsed.value(), merge=True)
    except OmegaConfBaseException as error:
        raise ConfigCompositionException(f"Could not override '{parsed.key_or_group}'") from error


def _shared(config: Any, key: str) -> tuple[Any, str] | None:
    """The first part above a key that only refers to another one, as what holds it and its name there; None where there
    is none."""
    from omegaconf import OmegaConf

    node = config
    for name in key.split(".")[:-1]:
        if not OmegaConf.is_dict(node) or name not in node:
            return None
        if OmegaConf.is_interpolation(node, name) and OmegaConf.is_dict(node[name]):
            return node, name
        node = node[name]
    return None
