"""Modules, functions and parameter lists stay small."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
MODULE_LINES, FUNCTION_LINES, PARAMETERS = 250, 40, 6
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


class Function(NamedTuple):
    """Where a function stands, its length in lines and how many parameters it has."""

    where: str
    lines: int
    parameters: int


@cache
def functions(path: Path) -> list[Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [
        Function(f"{name(path)}:{one.lineno} {one.name}", (one.end_lineno or 0) - one.lineno + 1, parameters(one))
        for one in found
    ]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def name(path: Path) -> str:
    return path.relative_to(ROOT / "src" / "ragbench").as_posix()


def test_modules_are_short() -> None:
    long = {
        name(path): n for path in MODULES if (n := len(path.read_text(encoding="utf-8").splitlines())) > MODULE_LINES
    }
    assert not long


def test_functions_are_short() -> None:
    long = {one.where: one.lines for path in MODULES for one in functions(path) if one.lines > FUNCTION_LINES}
    assert not long


def test_functions_have_few_parameters() -> None:
    wide = {one.where: one.parameters for path in MODULES for one in functions(path) if one.parameters > PARAMETERS}
    assert not wide


def test_names_say_what_a_module_is() -> None:
    vague = [name(path) for path in MODULES if VAGUE & set(path.with_suffix("").parts[-1].split("_"))]
    assert not vague
