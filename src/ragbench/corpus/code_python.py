"""Definitions of Python source, read by `ast`."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import cast

from ragbench.corpus.code_lines import Found, one_line

_COMMENT = re.compile(r"#[^\n]*")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = _Function | ast.ClassDef


def python_definitions(text: str) -> tuple[list[Found], str]:
    """Classes and functions in order, and a warning in place of them where the source cannot be parsed.

    Definitions under `if`, `try`, `with` and loops count as if they stood outside. The statements are walked without
    recursion; source that is nested too deeply for the parser has a warning too.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the source, such as invalid escapes
            tree = ast.parse(text)
    except SyntaxError as error:
        return [], f"no definitions: {error.msg or 'invalid syntax'} in line {error.lineno or 1}"
    except (ValueError, RecursionError, MemoryError) as error:
        return [], f"no definitions: {type(error).__name__} of the Python parser"
    lines = text.split("\n")
    return [
        Found(_first_line(lines, node, above), (node.end_lineno or node.lineno) - 1, _kind(node), level, sign)
        for node, level, above in _scopes(tree)
        for sign in [_signature(lines, node)]
    ], ""


def _kind(node: _Scope) -> str:
    return "class" if isinstance(node, ast.ClassDef) else "function"


def _scopes(tree: ast.Module) -> Iterator[tuple[_Scope, int, int]]:
    """Definitions, their level, and the number of lines that belong to what stands before them."""
    stack: list[tuple[Iterator[ast.stmt], int]] = [(iter(tree.body), 1)]
    above = 0
    while stack:
        statements, level = stack[-1]
        node = next(statements, None)
        if node is None:
            stack.pop()
        elif isinstance(node, _Scope):
            yield node, level, above
            if isinstance(node, ast.ClassDef):
                above = node.lineno
                stack.append((iter(node.body), level + 1))
            else:
                above = node.end_lineno or node.lineno
        else:
            inner = [statement for part in _bodies(node) for statement in part]
            above = node.lineno if inner else node.end_lineno or node.lineno
            if inner:
                stack.append((iter(inner), level))


def _bodies(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The statement lists of a compound statement."""
    yield getattr(node, "body", ())
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body
    yield getattr(node, "orelse", ())
    yield getattr(node, "finalbody", ())


def _first_line(lines: Sequence[str], node: _Scope, above: int) -> int:
    """Back over decorators and the comment lines directly above, but not into what stands before."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    while first > above and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return first


def _signature(lines: Sequence[str], node: _Scope) -> str:
    """From `def` or `class` to the colon, which is the first one behind the last argument or base."""
    parts = [node, *_parts(node)]
    ends = [(part.end_lineno or part.lineno, part.end_col_offset or 0) for part in parts[1:]]
    start = (node.lineno, node.col_offset)
    end = max([start, *ends])
    body = node.body[0]
    until = min([(body.lineno, body.col_offset), *((d.lineno, d.col_offset) for d in _decorators(body))])
    head = _between(lines, start, end)
    tail = _between(lines, end, until)
    tail = _COMMENT.sub("", tail) if "#" in tail else tail
    if "#" in head and "'" not in head and '"' not in head:
        head = _COMMENT.sub("", head)
    return one_line(head + tail.partition(":")[0])


def _parts(node: _Scope) -> list[ast.expr | ast.arg]:
    """What a signature holds apart from the name."""
    found: list[ast.expr | ast.arg] = list(getattr(node, "type_params", ()))
    if isinstance(node, ast.ClassDef):
        return [*found, *node.bases, *(keyword.value for keyword in node.keywords)]
    arguments = node.args
    found += [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *arguments.defaults]
    found += [one for one in (arguments.vararg, arguments.kwarg, node.returns, *arguments.kw_defaults) if one]
    return found


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return cast("list[ast.expr]", getattr(statement, "decorator_list", []))


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one `(line, UTF-8 column)` to another, lines counted from 1."""
    if end < start:
        return ""
    part = list(lines[start[0] - 1 : end[0]])
    if len(part) == 1 and part[0].isascii():
        return part[0][start[1] : end[1]]
    part[-1] = part[-1].encode()[: end[1]].decode("utf-8", "replace")
    part[0] = part[0].encode()[start[1] :].decode("utf-8", "replace")
    return "\n".join(part)
