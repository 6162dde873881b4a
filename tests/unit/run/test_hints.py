"""What messages tell people to type can be typed: every `key=value`, key and verb in an error of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbench.cli.main import VERBS
from ragbench.run.compose import SLOTS, compose, options

SOURCE = Path(__file__).resolve().parents[3] / "src" / "ragbench"
ERRORS = {
    "ConfigError",
    "DataError",
    "UserError",
    "Problems",
    "MissingExtra",
    "CannotTell",
    "CannotOpen",
    "RagbenchError",
}
GAP = "\x00"
OVERRIDE = re.compile(r"(?<!--column )(?<![\w.\x00-])([a-z_]+(?:\.[a-z_]+)*)=(?!=)([^\s,;)]*)")
SLOT_KEY = re.compile(rf"(?<![\w./])(?:{'|'.join(SLOTS)})\.[a-z_]+")
VERB = re.compile(r"\bragbench ([a-z][a-z-]*)")


def text_of(node: ast.AST) -> str:
    """The string of an expression; what is filled in is a gap."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else GAP for part in node.values)
    return ""


def nodes(having: re.Pattern[str]) -> Iterator[tuple[Path, ast.AST]]:
    """The syntax of the modules whose text has what is looked for: to parse all takes seconds, for each worker."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if having.search(text):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def messages() -> Iterator[tuple[Path, str]]:
    """Every string in a call that makes an error, and every one assigned to a hint."""
    for path, node in nodes(re.compile(rf"\b(?:{'|'.join(ERRORS)})\s*\(|\bhint\b")):
        called = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS
        named = isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "hint" for t in node.targets)
        if called or named:
            inner = {id(part) for sub in ast.walk(node) if isinstance(sub, ast.JoinedStr) for part in sub.values}
            yield from ((path, text) for sub in ast.walk(node) if id(sub) not in inner and (text := text_of(sub)))


MESSAGES = list(messages())


def key_settings() -> Iterator[tuple[Path, str, str]]:
    """What a missing API key makes people type: `bearer(variable, thing, key)` puts its `key` into `{key}=''`. The key of
    a chat model is left out: it is told by its last parts, as the model stands in slots of any name."""
    for path, node in nodes(re.compile(r"\bbearer\s*\(")):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "bearer":
            key = text_of(node.args[2])
            if key.startswith("pipeline."):
                yield path.relative_to(SOURCE), key, "''"


def chosen(path: Path) -> list[str]:
    """The override that chooses the option a module is the stage of."""
    slot, name = path.parent.name, path.stem
    if slot in (*SLOTS, "judge") and name in options(slot):
        return [f"{slot}={name}"]
    shared = {
        "embeddings_api": "embedder=openai",
        "threshold": "reranker=cross_encoder",
        "calibration": "reranker=late_interaction",
        "misfits": "reranker=late_interaction",
    }
    return [shared[name]] if name in shared else []


def typed() -> Iterator[tuple[Path, str, str]]:
    """The overrides in all messages; `key=value` itself is the name of the form."""
    for path, text in MESSAGES:
        for key, value in OVERRIDE.findall(text):
            value = value.rstrip(".").strip("\"'`")
            if (key, value) != ("key", "value"):
                yield path.relative_to(SOURCE), key, value


@pytest.mark.parametrize(("path", "key", "value"), sorted({*typed(), *key_settings()}), ids=str)
def test_every_override_composes(path, key, value):
    filled = value if GAP not in value and value not in ("DIR", "[PACKAGE]", "…") else "1"
    if key in (*SLOTS, "judge") and filled == "1":
        return
    own = [] if key in SLOTS else chosen(path)
    compose([*own, "eval_set=local", "eval_set.path=x", f"{key}={filled}"])


def test_no_key_of_a_slot_stands_without_its_prefix():
    assert not [(path.name, text) for path, text in MESSAGES if SLOT_KEY.search(text)]


def test_every_verb_exists():
    named = [(path.name, verb) for path, text in MESSAGES for verb in VERB.findall(text)]
    assert named
    assert not [(name, verb) for name, verb in named if verb not in VERBS]


def test_the_search_finds_hints():
    keys = {key for _, key, _ in (*typed(), *key_settings())}
    assert {"pipeline.embedder.api_key_env", "pipeline.reranker.api_key_env"} <= keys
    assert {"pipeline.embedder.runtime", "pipeline.reranker.threshold"} <= keys
    assert {"judge.semantic", "chunk_unit", "variant"} <= keys
