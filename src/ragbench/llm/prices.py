"""What models charge: a dated table with a public source for each entry, and the user's own before it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragbench.errors import ConfigError
from ragbench.llm.base import Llm
from ragbench.llm.ledger import Tariff
from ragbench.llm.request_key import model_name

SHIPPED = Path(__file__).with_name("prices.json")


class PriceTable:
    """Prices by host and model. An entry without a host holds for every address. What no entry names is unknown.

    `own` is a YAML or JSON file of entries `{model, host, input, output, currency, date, source}`, prices by million
    tokens; its entries come first. Raises ConfigError for a file that cannot be read or an entry that is none.
    """

    def __init__(self, own: str | None = None) -> None:
        self._own = own
        self._entries: list[Mapping[str, Any]] = []
        if own is not None:
            self._entries += _read_own(Path(own))
        self._entries += json.loads(SHIPPED.read_text(encoding="utf-8"))["prices"]

    def tariff(self, model: Llm) -> Tariff:
        """The first entry that names the model at its address; prices None where there is none."""
        name = model_name(model)
        host = urlsplit(str(getattr(model, "base_url", ""))).hostname or ""
        for entry in self._entries:
            if entry["model"] == name and entry.get("host") in (None, host):
                told = {key: str(entry.get(key, "")) for key in ("currency", "source", "date")}
                return Tariff(name, float(entry["input"]), float(entry["output"]), **told)
        return Tariff(name)


def _read_own(path: Path) -> Sequence[Mapping[str, Any]]:
    import yaml

    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError("calls.prices", expected="a file", found=f"{path} ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError("calls.prices", expected="YAML or JSON", found=f"{path} ({error})") from error
    entries = told.get("prices") if isinstance(told, Mapping) else told
    if not isinstance(entries, list):
        raise ConfigError("calls.prices", expected="a list of entries", found=type(entries).__name__)
    for number, entry in enumerate(entries):
        _check(entry, f"{path} entry {number + 1}")
    return entries


def _check(entry: Any, thing: str) -> None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("model"), str):
        raise ConfigError(thing, expected="fields model, input and output", found=repr(entry)[:100])
    for name in ("input", "output"):
        value = entry.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise ConfigError(f"{thing}: {name}", expected="a price by million tokens", found=repr(value))
    if not isinstance(entry.get("currency"), str):
        raise ConfigError(f"{thing}: currency", expected="such as USD", found=repr(entry.get("currency")))
