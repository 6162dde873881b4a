"""Definitions of source in other languages than Python, read by tree-sitter grammars."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ragbench.corpus.code_lines import Found, one_line
from ragbench.corpus.code_parsing import parse

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Language to the module and the function of its grammar.
GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "c_sharp": ("tree_sitter_c_sharp", "language"),
}
LIBRARIES = ("tree-sitter", *sorted({module.replace("_", "-") for module, _ in GRAMMARS.values()}))
"""The distributions that what is found depends on."""
# Node types of all grammars; none means different things in two of them.
_TYPES = {
    "module": "internal_module mod_item module namespace_declaration namespace_definition",
    "class": "abstract_class_declaration annotation_type_declaration class class_declaration class_specifier"
    " enum_declaration enum_item enum_specifier impl_item interface_declaration record_declaration struct_declaration"
    " struct_item struct_specifier trait_item type_alias_declaration type_declaration type_definition union_item"
    " union_specifier",
    "function": "arrow_function compact_constructor_declaration constructor_declaration destructor_declaration"
    " function_declaration function_definition function_expression function_item generator_function"
    " generator_function_declaration macro_definition method_declaration method_definition operator_declaration",
}
_KIND = {name: kind for kind, names in _TYPES.items() for name in names.split()}
# What holds one definition, and what holds any number of them without being one.
_WRAPPERS = frozenset(("ambient_declaration", "export_statement", "expression_statement", "template_declaration"))
_SCOPES = frozenset(
    (
        "ERROR",
        "declaration_list",
        "enum_body_declarations",
        "linkage_specification",
        "preproc_elif",
        "preproc_else",
        "preproc_if",
        "preproc_ifdef",
    )
)
# Statements that give a name to a function or class, and the field that holds it.
_NAMING = {
    "assignment_expression": "right",
    "field_definition": "value",
    "public_field_definition": "value",
    "variable_declarator": "value",
}
_DECLARATIONS = frozenset(("lexical_declaration", "variable_declaration"))
_ABOVE = frozenset(("attribute_item", "block_comment", "comment", "decorator", "line_comment"))


def grammar_definitions(text: str, language: str) -> tuple[list[Found], str] | None:
    """Definitions in order, and what kept the grammar from finding them all; None where no grammar is installed.

    The tree is walked without recursion and only into what can hold definitions, not into functions.
    """
    parser = _parser(language)
    if parser is None:
        return None
    tree, reason = parse(parser, text, language)
    if tree is None:
        return [], reason
    warning = "definitions may be missing: syntax errors" if tree.root_node.has_error else ""
    return list(_definitions(tree.root_node, text.encode("utf-8", "replace"))), warning


@cache
def _parser(language: str) -> Parser | None:
    module, function = GRAMMARS.get(language, ("", ""))
    try:
        from tree_sitter import Language, Parser

        grammar = importlib.import_module(module) if module else None
    except ImportError:
        return None
    return Parser(Language(getattr(grammar, function)())) if grammar else None


@dataclass(slots=True)
class _Level:
    """The nodes side by side that are left to see; `comment` is the run of comments directly above the next."""

    nodes: Iterator[Node]
    level: int
    first: int | None = None
    comment: tuple[int, int] | None = None
    last: int = -1

    def starts_at(self, node: Node) -> int:
        """The first line of a node with the comments above it."""
        row: int = node.start_point.row
        if self.first is not None:
            return self.first
        return self.comment[0] if self.comment and self.comment[1] + 1 >= row else row

    def passed(self, node: Node) -> None:
        """Remember a node that has been seen."""
        row, end = node.start_point.row, _last_row(node)
        if node.type in _ABOVE and row > self.last:
            joined = self.comment is not None and self.comment[1] + 1 >= row
            self.comment = (self.comment[0] if joined and self.comment else row, end)
        else:
            self.comment, self.last = None, end


def _definitions(root: Node, data: bytes) -> Iterator[Found]:
    stack = [_Level(iter(root.children), 1)]
    while stack:
        top = stack[-1]
        node = next(top.nodes, None)
        if node is None:
            stack.pop()
            continue
        first = top.starts_at(node)
        defining = _definition(node)
        if defining is not None:
            kind = _KIND[defining.type]
            body = defining.child_by_field_name("body")
            yield Found(first, _last_row(node), kind, top.level, _signature(node, body, data))
            if kind != "function" and body is not None:
                stack.append(_Level(iter(body.children), top.level + 1))
        elif node.type in _WRAPPERS:
            stack.append(_Level(iter(node.children), top.level, first))
        elif node.type in _SCOPES:
            stack.append(_Level(iter(node.children), top.level))
        top.passed(node)


def _definition(node: Node) -> Node | None:
    """The class or function that a node is or gives a name to."""
    if node.type in _DECLARATIONS:
        node = next((child for child in node.named_children if child.type == "variable_declarator"), node)
    if node.type in _NAMING:
        value = node.child_by_field_name(_NAMING[node.type])
        return value if value is not None and _KIND.get(value.type) in ("class", "function") else None
    if node.type not in _KIND or not node.is_named:
        return None
    if node.type == "type_definition":
        defined = node.child_by_field_name("type")
        return node if defined is not None and defined.child_by_field_name("body") else None
    bodiless = node.type.endswith("_specifier") and node.child_by_field_name("body") is None
    return None if bodiless else node


def _last_row(node: Node) -> int:
    """The last line that a node has text on; a Rust comment ends in the next line's first column."""
    start, end = node.start_point.row, node.end_point
    return int(end.row - (end.column == 0 and end.row > start))


def _signature(node: Node, body: Node | None, data: bytes) -> str:
    """What stands before the body, or the first line where there is none."""
    if body is not None:
        return one_line(data[node.start_byte : body.start_byte].decode("utf-8", "replace"))
    return one_line(data[node.start_byte : node.end_byte].decode("utf-8", "replace").partition("\n")[0])
