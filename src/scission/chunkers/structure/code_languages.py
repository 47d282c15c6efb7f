"""The programming languages that tree-sitter grammars are known for."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import MissingExtra

if TYPE_CHECKING:
    from tree_sitter import Language, Parser


@dataclass(frozen=True)
class Grammar:
    """Where a language's grammar is, and how its files are told.

    Attributes
    ----------
    module : str
        The package that carries the compiled grammar; nothing is downloaded.
    endings : tuple of str
        Endings of file names.
    function : str
        The module's function that returns the grammar.
    commands : tuple of str
        Interpreters in a first line that begins with ``#!``.
    bundled : bool
        Whether the extra ``code`` installs it.
    """

    module: str
    endings: tuple[str, ...]
    function: str = "language"
    commands: tuple[str, ...] = ()
    bundled: bool = True


GRAMMARS: Mapping[str, Grammar] = {
    "bash": Grammar("tree_sitter_bash", (".sh", ".bash"), commands=("sh", "bash", "dash", "ksh", "zsh")),
    "c": Grammar("tree_sitter_c", (".c", ".h")),
    "cpp": Grammar("tree_sitter_cpp", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".cu", ".cuh")),
    "csharp": Grammar("tree_sitter_c_sharp", (".cs",)),
    "go": Grammar("tree_sitter_go", (".go",)),
    "haskell": Grammar("tree_sitter_haskell", (".hs",), bundled=False),
    "java": Grammar("tree_sitter_java", (".java",)),
    "javascript": Grammar("tree_sitter_javascript", (".js", ".jsx", ".mjs", ".cjs"), commands=("node",)),
    "kotlin": Grammar("tree_sitter_kotlin", (".kt", ".kts"), bundled=False),
    "lua": Grammar("tree_sitter_lua", (".lua",), commands=("lua",), bundled=False),
    "php": Grammar("tree_sitter_php", (".php",), "language_php", commands=("php",)),
    "python": Grammar("tree_sitter_python", (".py", ".pyi", ".pyw"), commands=("python",)),
    "ruby": Grammar("tree_sitter_ruby", (".rb", ".rake", ".gemspec"), commands=("ruby",)),
    "rust": Grammar("tree_sitter_rust", (".rs",)),
    "scala": Grammar("tree_sitter_scala", (".scala", ".sc"), bundled=False),
    "sql": Grammar("tree_sitter_sql", (".sql",)),
    "swift": Grammar("tree_sitter_swift", (".swift",), bundled=False),
    "tsx": Grammar("tree_sitter_typescript", (".tsx",), "language_tsx"),
    "typescript": Grammar("tree_sitter_typescript", (".ts", ".mts", ".cts"), "language_typescript"),
}  # fmt: skip

ALIASES = {
    "c#": "csharp",
    "c++": "cpp",
    "js": "javascript",
    "py": "python",
    "shell": "bash",
    "ts": "typescript",
}

_MIME_NAMES = {
    "c++": "cpp",
    "ecmascript": "javascript",
    "httpd-php": "php",
    "sh": "bash",
    "shellscript": "bash",
}
_BY_ENDING = {ending: name for name, grammar in GRAMMARS.items() for ending in grammar.endings}
_BY_COMMAND = {command: name for name, grammar in GRAMMARS.items() for command in grammar.commands}
_FIRST_LINE = re.compile(r"\ufeff?#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([a-z]+)[\d.]*(?:\s|\Z)")


def language_of_mime(mime: str) -> str | None:
    """Return the language of a MIME type such as ``text/x-python``."""
    family, _, name = mime.partition("/")
    name = name.removeprefix("x-").removesuffix("src").removesuffix("-source")
    name = _MIME_NAMES.get(name, name)
    return name if family in ("text", "application") and name in GRAMMARS else None


def guess_language(text: str, metadata: Mapping[str, Any]) -> str | None:
    """Tell a document's language by its ``mime_type``, the ending of its ``source``, or its first line."""
    mime = metadata.get("mime_type")
    if isinstance(mime, str):
        found = language_of_mime(mime.split(";")[0].strip().lower())
        if found is not None:
            return found
    source = metadata.get("source")
    if isinstance(source, str | os.PathLike):
        found = _BY_ENDING.get(os.path.splitext(os.fspath(source))[1].lower())
        if found is not None:
            return found
    if text.startswith("<?php"):
        return "php"
    match = _FIRST_LINE.match(text[:200])
    return _BY_COMMAND.get(match.group(1)) if match else None


@cache
def grammar_of(name: str) -> Language:
    """Load a grammar.

    Raises
    ------
    MissingExtra
        tree-sitter or the grammar's package is not installed.
    """
    grammar = GRAMMARS[name]
    require_tree_sitter()
    import tree_sitter

    try:
        module = importlib.import_module(grammar.module)
    except ImportError:
        package = grammar.module.replace("_", "-")
        what = "'scission[code]'" if grammar.bundled else package
        raise MissingExtra(
            f"the language {name!r} needs {package}, which is not installed: pip install {what}"
        ) from None
    return tree_sitter.Language(getattr(module, grammar.function)())


def parser_of(name: str) -> Parser:
    """Return a new parser of a language; parsers are not shared between threads."""
    import tree_sitter

    return tree_sitter.Parser(grammar_of(name))


def require_tree_sitter() -> None:
    """Say what to install when tree-sitter is missing."""
    try:
        import tree_sitter  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "CodeChunker needs tree-sitter, which is not installed: pip install 'scission[code]'"
        ) from None
