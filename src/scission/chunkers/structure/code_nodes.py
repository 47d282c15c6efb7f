"""What the nodes of syntax trees are: definitions, lists of statements, comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

#: Nodes that define something with a name.
DEFINITIONS = frozenset({
    "abstract_class_declaration", "annotation_type_declaration", "class", "class_declaration", "class_definition",
    "class_specifier", "constructor_declaration", "create_function", "create_index", "create_procedure",
    "create_table", "create_trigger", "create_type", "create_view", "data_type", "delegate_declaration",
    "destructor_declaration", "enum_declaration", "enum_definition", "enum_item", "enum_specifier",
    "extension_declaration", "function", "function_declaration", "function_definition", "function_item",
    "function_signature_item", "generator_function_declaration", "impl_item", "init_declaration", "instance",
    "interface_declaration", "internal_module", "macro_definition", "method", "method_declaration",
    "method_definition", "mod_item", "namespace_declaration", "namespace_definition", "object_declaration",
    "object_definition", "operator_declaration", "protocol_declaration", "record_declaration",
    "record_struct_declaration", "singleton_method", "struct_declaration", "struct_item", "struct_specifier",
    "trait_declaration", "trait_definition", "trait_item", "type_alias_declaration", "type_spec", "union_item",
    "union_specifier",
})  # fmt: skip

#: Of these, what is a definition only with a body: elsewhere it is the mention of a type, or a root.
_NEEDS_BODY = frozenset(
    {"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"}
)

#: Values that make a variable a definition.
_FUNCTIONS = frozenset(
    {"arrow_function", "class", "function", "function_expression", "generator_function"}
)

#: Nodes whose children are statements, members or elements: between these a text may be cut.
CONTAINERS = frozenset({
    "accessor_list", "argument_list", "arguments", "array", "array_initializer", "array_initializer_expression",
    "block", "body_statement", "case_item", "class_body", "class_declarations", "column_definitions",
    "communication_case", "compilation_unit", "compound_statement", "constructor_body", "declaration_list",
    "declarations", "default_case", "dictionary", "do", "do_block", "do_group", "else", "enum_body",
    "enum_body_declarations", "enum_class_body", "enum_member_declaration_list", "enum_variant_list",
    "enumerator_list", "expression_case", "field_declaration_list", "field_initializer_list", "function_body", "hash",
    "haskell", "imports", "initializer_expression", "initializer_list", "interface_body", "list", "literal_value",
    "match_block", "module", "object", "object_type", "preproc_elif", "preproc_else", "preproc_if", "preproc_ifdef",
    "program", "property_list", "protocol_body", "set", "source_file", "statement_block", "statements",
    "switch_block", "switch_block_statement_group", "switch_body", "switch_case", "switch_default", "switch_section",
    "table_constructor", "template_body", "then", "translation_unit", "tuple", "type_case", "use_list", "chunk",
})  # fmt: skip

#: Nodes that are looked into for definitions besides containers and definitions themselves.
_WRAPPERS = frozenset({
    "ambient_declaration", "companion_object", "declaration", "decorated_definition", "export_statement",
    "expression_statement", "lexical_declaration", "linkage_specification", "statement", "template_declaration",
    "type_declaration", "type_definition", "variable_declaration", "variable_declarator", "ERROR", "if_statement",
    "try_statement", "assignment_expression",
})  # fmt: skip

#: What stands before a definition and belongs to it.
_ATTACHED = frozenset({
    "access_specifier", "annotation", "attribute_item", "attribute_list", "decorator", "modifiers", "signature",
})  # fmt: skip

_LOOKED_INTO = CONTAINERS | DEFINITIONS | _FUNCTIONS | _WRAPPERS

_NAMES = frozenset({
    "destructor_name", "field_identifier", "identifier", "operator_name", "property_identifier",
    "qualified_identifier", "simple_identifier", "type_identifier",
})  # fmt: skip


def is_definition(node: Node) -> bool:
    """Tell whether a node defines something with a name."""
    kind = node.type
    if not node.is_named:  # the keyword
        return False
    if kind in DEFINITIONS:
        return kind not in _NEEDS_BODY or node.child_by_field_name("body") is not None
    if kind in ("variable_declarator", "assignment_expression"):
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        return value is not None and value.type in _FUNCTIONS
    return kind == "module" and node.parent is not None


def definitions_within(node: Node) -> bool:
    """Tell whether a node is looked into for definitions."""
    return node.type in _LOOKED_INTO


def is_attached(node: Node) -> bool:
    """Tell whether a node belongs to the one after it: a comment, decorator, attribute."""
    return node.type in _ATTACHED or "comment" in node.type


def name_of(node: Node, source: bytes) -> str:
    """Return the name that a definition defines; empty if it has none."""
    found = _name_node(node)
    name = _text(found, source) if found is not None else ""
    receiver = node.child_by_field_name("receiver")  # of a Go method
    if receiver is not None and node.type == "method_declaration":
        owner = next((n for n in _descendants(receiver) if n.type == "type_identifier"), None)
        name = f"{_text(owner, source)}.{name}" if owner is not None else name
    if not name and node.type in ("init_declaration", "constructor_declaration"):
        return "init"
    return " ".join(name.split())[:200]


def _name_node(node: Node) -> Node | None:
    for field in ("name", "left") if node.type != "impl_item" else ("type",):
        found = node.child_by_field_name(field)
        if found is not None:
            return found
    declarator = node.child_by_field_name("declarator")
    while declarator is not None:  # C: pointers and functions wrap the name
        if declarator.type in _NAMES:
            return declarator
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next((c for c in declarator.children if c.type in _NAMES), None)
    return next((c for c in node.children if c.type in ("object_reference", *_NAMES)), None)


def _descendants(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")
