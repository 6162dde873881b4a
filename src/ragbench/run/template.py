"""Resolved configurations of one form: composed once, with holes where the points of a grid put their values.

OmegaConf reads each interpolation anew with a parser, for every point. Where all interpolations of a configuration name
one key each (`${alpha}`, also with a default: `${oc.select:alpha,0.4}`) or a variable of the environment, a value can
only appear whole, and putting it into its places gives what OmegaConf gives. Everything else is left to OmegaConf.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PLAIN = re.compile(r"\$\{(?:[A-Za-z_][\w]*(?:\.[A-Za-z_][\w]*)*|oc\.(?:env|select):[\w.]+(?:,[^${}]*)?)\}")
_MARK = "\x00hole {}\x00"
Place = tuple[str | int, ...]
Form = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Template:
    """A resolved configuration, and for each hole the places that its value fills."""

    data: dict[str, Any]
    places: tuple[tuple[Place, ...], ...]

    def filled(self, values: Sequence[Any]) -> dict[str, Any]:
        """A new configuration with a value for each hole."""
        made: dict[str, Any] = _copy(self.data)
        for value, places in zip(values, self.places, strict=True):
            for place in places:
                node: Any = made
                for step in place[:-1]:
                    node = node[step]
                node[place[-1]] = _copy(value)
        return made


class Templates:
    """The templates of the forms – choices of options, and keys that are set – that come more than once; where `many`
    are to come, from the first time on."""

    def __init__(self, many: bool = False) -> None:
        self._many = many
        self._seen: set[Form] = set()
        self._made: dict[Form, Template | None] = {}

    def filled(self, structural: tuple[str, ...], values: Sequence[Any], base: Any) -> dict[str, Any] | None:
        """The configuration of parsed overrides `values` set in `base`, which the overrides `structural` composed.

        None: it must be resolved by OmegaConf, because its form comes for the first time or has no template.
        """
        found = _set_leaves(values)
        if found is None:
            return None
        form = (structural, tuple(found))
        if form not in self._seen and not self._many:
            self._seen.add(form)
            return None
        if form not in self._made:
            self._made[form] = template(copy.deepcopy(base), list(found))
        known = self._made[form]
        return None if known is None else known.filled(list(found.values()))


def _set_leaves(values: Sequence[Any]) -> dict[str, Any] | None:
    """The leaves that overrides set, in order; None where that cannot be told without OmegaConf."""
    found: dict[str, Any] = {}
    for parsed in values:
        own = None if parsed.is_sweep_override() else leaves(parsed.key_or_group, parsed.value())
        if own is None:
            return None
        for key, value in own:
            found.pop(key, None)
            if any(f"{key}.".startswith(f"{known}.") or f"{known}.".startswith(f"{key}.") for known in found):
                return None  # set within what was set before, or over it
            found[key] = value
    return found


def leaves(key: str, value: Any) -> Iterator[tuple[str, Any]] | None:
    """What an override sets, one leaf after the other; None where that cannot be told without OmegaConf."""
    if isinstance(value, Mapping):
        parts = [leaves(f"{key}.{name}", part) for name, part in value.items()]
        if not parts or any(part is None for part in parts):
            return None
        return iter([leaf for part in parts if part is not None for leaf in part])
    return iter([(key, value)]) if _is_plain(value) else None


def template(config: Any, keys: Sequence[str]) -> Template | None:
    """The template of a composed configuration (which is used up) with a hole at each key; None where a value could
    appear otherwise than whole."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    if not all(map(_PLAIN.fullmatch, _interpolations(OmegaConf.to_container(config)))):
        return None
    marks = [_MARK.format(number) for number in range(len(keys))]
    try:
        for key, mark in zip(keys, marks, strict=True):
            OmegaConf.update(config, key, mark, merge=True)
        data = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except (OmegaConfBaseException, ValueError):
        return None  # told by the way that knows the values
    found: dict[str, list[Place]] = {mark: [] for mark in marks}
    for place, text in _texts(data, ()):
        if text in found:
            found[text].append(place)
        elif "\x00" in text:
            return None
    assert isinstance(data, dict)
    return Template({str(key): value for key, value in data.items()}, tuple(tuple(found[mark]) for mark in marks))


def part_referring(config: Any, key: str) -> tuple[Any, str] | None:
    """The first part above a key that only refers to another one (`pipeline.query.llm` is `${llm}`), as what holds it
    and its name there; None where there is none."""
    from omegaconf import OmegaConf

    node = config
    for name in key.split(".")[:-1]:
        if not OmegaConf.is_dict(node) or name not in node:
            return None
        if OmegaConf.is_interpolation(node, name) and OmegaConf.is_dict(node[name]):
            return node, name
        node = node[name]
    return None


def unshare(config: Any, key: str) -> None:
    """Make every part above a key a part of its own, a copy where it referred to another one."""
    while found := part_referring(config, key):
        holder, name = found
        holder[name] = copy.deepcopy(holder[name])


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, str):
        return "$" not in value and value != "???"
    return value is None or type(value) in (bool, int, float)


def _interpolations(node: Any) -> list[str]:
    return [text for _, text in _texts(node, ()) if "$" in text]


def _texts(node: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Every text below a node with its place; a key that is a text too has the place of its value."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(key, str) and ("\x00" in key or "$" in key):
                yield (*place, key), key + "\x00"
            yield from _texts(value, (*place, key))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from _texts(value, (*place, number))
    elif isinstance(node, str):
        yield place, node


def _copy(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _copy(value) for key, value in node.items()}
    return [_copy(value) for value in node] if isinstance(node, list) else node
