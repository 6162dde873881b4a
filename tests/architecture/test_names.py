"""One name, five places: configs/<slot>/<name>.yaml, its module, its class, its slot, its unit test."""

from __future__ import annotations

import importlib
from dataclasses import is_dataclass
from pathlib import Path

import pytest
import yaml

from ragbench.core.stage import Stage
from ragbench.run.compose import SLOTS

ROOT = Path(__file__).resolve().parents[2]
STAGE_GROUPS = (*SLOTS, "judge")
FILES = sorted(path for slot in STAGE_GROUPS for path in (ROOT / "configs" / slot).glob("*.yaml"))


def squeezed(text: str) -> str:
    return text.replace("_", "").lower()


def test_every_slot_has_options() -> None:
    assert {path.parent.name for path in FILES} == set(STAGE_GROUPS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_one_name_in_five_places(path: Path) -> None:
    slot, name = path.parent.name, path.stem
    text = path.read_text(encoding="utf-8")
    package = "judge" if slot == "judge" else f"pipeline.{slot}"
    assert text.splitlines()[0] == f"# @package {package}"
    module, _, class_name = yaml.safe_load(text)["_target_"].rpartition(".")
    assert module == f"ragbench.{slot}.{name}"
    assert squeezed(class_name) in (squeezed(name), squeezed(name) + squeezed(slot))
    kind = getattr(importlib.import_module(module), class_name)
    assert issubclass(kind, Stage)
    assert is_dataclass(kind)
    assert (ROOT / "tests" / "unit" / slot / f"test_{name}.py").is_file(), "no unit test of this name"


@pytest.mark.parametrize("slot", STAGE_GROUPS)
def test_every_stage_class_has_a_config(slot: str) -> None:
    package = f"ragbench.{slot}"
    base = importlib.import_module(f"{package}.base")
    kinds = {
        value
        for value in vars(base).values()
        if isinstance(value, type) and issubclass(value, Stage) and value is not Stage
    }
    named = {path.stem for path in FILES if path.parent.name == slot}
    paths = sorted((ROOT / "src" / "ragbench" / slot).glob("*.py"))
    modules = {p: importlib.import_module(f"{package}.{p.stem}") for p in paths if p.stem not in ("__init__", "base")}
    for path, module in modules.items():  # all are imported by now: which class is a base, its subclasses say
        own = [v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__]
        options = [kind.__name__ for kind in own if issubclass(kind, tuple(kinds)) and not kind.__subclasses__()]
        assert not options or path.stem in named, (
            f"{options} of {path.name} cannot be chosen: no configs/{slot}/{path.stem}.yaml"
        )
