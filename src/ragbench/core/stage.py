"""A stage is a frozen dataclass that is its own configuration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from importlib import metadata
from typing import Any, ClassVar, Self

from ragbench.core.fingerprint import fingerprint


@cache
def library_version(distribution: str) -> str:
    """Installed version of a distribution, or `absent`."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Base of everything a config can pick.

    A field that changes results has no default (its value is visible in the composed config); an
    operational one (batch size, threads, device) has a default and `field(compare=False)`, so that it
    takes part neither in equality nor in the fingerprint. `VERSION` goes up when the output changes for
    the same fields. `LIBRARIES` names the distributions whose version changes the output.
    """

    VERSION: ClassVar[int] = 1
    LIBRARIES: ClassVar[tuple[str, ...]] = ()

    def identity(self) -> dict[str, Any]:
        """What the fields do not show but results depend on (resolved runtime, hash of a model)."""
        return {}

    def idle_fields(self) -> dict[str, str]:
        """Fields that the other fields leave without effect, and the setting that does it (`fusion=rrf`)."""
        return {}

    def resolved(self) -> Self:
        """The same stage with null knobs replaced by its own defaults; what is fingerprinted and shown."""
        return self

    def recipe(self) -> dict[str, Any]:
        """The stage as plain data: what its fingerprint is made of."""
        module, name = type(self).__module__, type(self).__qualname__
        public = f"{module.split('.')[1]}.{name}" if module.startswith("ragbench.") else f"{module}.{name}"
        return {
            "stage": public,
            "version": self.VERSION,
            "libraries": {lib: library_version(lib) for lib in self.LIBRARIES},
            "fields": {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.compare},
            "identity": self.identity(),
        }

    def fingerprint(self) -> str:
        """Hex SHA-256 of the recipe."""
        return fingerprint(self.recipe())


def _plain(value: Any) -> Any:
    if isinstance(value, Stage):
        return value.recipe()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
