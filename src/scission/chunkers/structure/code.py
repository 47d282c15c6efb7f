"""Chunks of source code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import options
from ...errors import OptionError
from .base import StructureChunker
from .code_blocks import CodeOutline, code_outline
from .code_languages import ALIASES, GRAMMARS, grammar_of, guess_language, require_tree_sitter
from .inner import DEFAULT_INNER
from .outline import Outline, Section
from .pieces import Cutter, Piece


class CodeChunker(StructureChunker):
    """Cut source code where functions, classes and methods end.

    The file is parsed by tree-sitter. A definition that fits the limit is never cut; one that does not is cut between
    its members or statements, and these likewise. Neighbours are joined while they fit, but never across the limits of
    a definition that was cut. Comments, decorators and attributes on the lines above stay with what they describe. A
    file with syntax errors gets chunks all the same.

    Every chunk's ``metadata`` has ``language``; ``scope``, the names of the definitions around the whole chunk,
    outermost first; and ``definitions``, the full names (``Outer.inner``) of those that begin in it.

    Parameters
    ----------
    language : str, optional
        ``"python"``, ``"javascript"``, ``"typescript"``, ``"tsx"``, ``"java"``, ``"c"``, ``"cpp"``, ``"csharp"``,
        ``"go"``, ``"rust"``, ``"ruby"``, ``"php"``, ``"sql"``, ``"bash"``; with their own packages (``pip install
        tree-sitter-kotlin`` and so on) also ``"kotlin"``, ``"swift"``, ``"scala"``, ``"lua"``, ``"haskell"``. By
        default the language is told by ``metadata["mime_type"]``, the ending of ``metadata["source"]`` or the first
        line (``#!``); a document of which it cannot be told, or whose grammar is missing, is cut by `inner` alone, and
        its ``language`` is None.
    inner : str, Chunker or mapping, default "recursive"
        The strategy for what has no parts to cut between, a long comment or string: its name, a chunker with options of
        your own, or a mapping of options with the name under ``"strategy"``. Its count of tokens and its limit hold
        for all chunks.
    max_tokens : int, default 512
        The limit, when `inner` is a name.
    join : bool, default True
        Whether neighbouring definitions are joined while they fit; otherwise each outermost one that fits is a chunk
        of its own.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the document.

    Raises
    ------
    MissingExtra
        tree-sitter, or the grammar of `language`, is not installed.
    OptionError
        An option is out of its range, or two do not go together.

    Notes
    -----
    A text that is not of its language at all may keep tree-sitter busy: 160 kB of a play take its Lua grammar 9
    seconds, its Python grammar 0.1.
    """

    def __init__(
        self,
        *,
        language: str | None = None,
        inner: Any = DEFAULT_INNER,
        max_tokens: int | None = None,
        join: bool = True,
        trim: bool = False,
    ) -> None:
        super().__init__(inner, max_tokens, 0, trim)
        self._join = options.flag("join", join)
        require_tree_sitter()
        self._language = None if language is None else _known(language)
        if self._language is not None:
            grammar_of(self._language)

    def _outline(self, text: str, metadata: Mapping[str, Any]) -> Outline:
        return code_outline(text, self._language or _guessed(text, metadata), self._limit)

    def _cut(self, cutter: Cutter) -> list[Piece]:
        return cutter.by_blocks(self._join)

    def _section_metadata(self, section: Section) -> dict[str, Any]:
        del section
        return {}

    def _chunk_metadata(
        self, outline: Outline, section: Section, start: int, end: int
    ) -> dict[str, Any]:
        del section
        assert isinstance(outline, CodeOutline)  # noqa: S101 -- for the type checker
        return {"scope": outline.scope(start, end), "definitions": outline.begun(start, end)}


def _known(language: Any) -> str:
    name = language.lower() if isinstance(language, str) else language
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    if isinstance(name, str) and name in GRAMMARS:
        return name
    known = ", ".join(map(repr, GRAMMARS))
    raise OptionError(f"language must be one of {known}, got {language!r}")


def _guessed(text: str, metadata: Mapping[str, Any]) -> str | None:
    name = guess_language(text, metadata)
    if name is None:
        return None
    try:
        grammar_of(name)
    except ImportError:
        return None
    return name
