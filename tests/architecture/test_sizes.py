"""Modules, functions and parameter lists stay small."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
MODULE_LINES, FUNCTION_LINES, PARAMETERS = 250, 40, 6
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def name(path: Path, function: ast.FunctionDef | ast.AsyncFunctionDef | None = None) -> str:
    where = path.relative_to(ROOT / "src" / "ragbench").as_posix()
    return f"{where}:{function.lineno} {function.name}" if function else where


def test_modules_are_short() -> None:
    long = {
        name(path): n for path in MODULES if (n := len(path.read_text(encoding="utf-8").splitlines())) > MODULE_LINES
    }
    assert not long


def test_functions_are_short() -> None:
    long = {
        name(path, function): n
        for path in MODULES
        for function in functions(path)
        if (n := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }
    assert not long


def test_functions_have_few_parameters() -> None:
    wide = {
        name(p, function): n for p in MODULES for function in functions(p) if (n := parameters(function)) > PARAMETERS
    }
    assert not wide


def test_names_say_what_a_module_is() -> None:
    vague = [name(path) for path in MODULES if VAGUE & set(path.with_suffix("").parts[-1].split("_"))]
    assert not vague
