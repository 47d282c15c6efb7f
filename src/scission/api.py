"""The function form of the chunkers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from .chunkers.base import Chunker
from .chunkers.pages import Pages
from .chunks import Chunk
from .options import choice
from .text import Text

#: Module and class of each strategy; loaded when asked for, so that nobody waits for strategies of others.
_HOMES = {
    "semantic": "semantic:SemanticChunker",
    "recursive": "recursive:RecursiveChunker",
    "fixed": "fixed:FixedChunker",
    "markdown": "structure.markdown:MarkdownChunker",
    "html": "structure.html:HTMLChunker",
    "code": "structure.code:CodeChunker",
    "parent_child": "parent_child:ParentChildChunker",
    "routing": "routing.chunker:RoutingChunker",
    "agentic": "agentic:AgenticChunker",
    "propositions": "propositions:PropositionChunker",
}

#: The names of all strategies.
STRATEGIES = tuple(_HOMES)


def chunk(
    text: Text,
    strategy: str = "semantic",
    *,
    metadata: Mapping[str, Any] | None = None,
    pages: Pages | None = None,
    **options: Any,
) -> list[Chunk]:
    """Cut one document into chunks.

    Parameters
    ----------
    text : str or bytes
        The document; bytes must be UTF-8.
    strategy : str
        How to cut: one of `STRATEGIES`, each the name of a chunker class.
    metadata, pages
        See `Chunker.chunk`.
    **options
        Options of that class, for instance ``max_tokens``.

    Returns
    -------
    list of Chunk
        In order; see `Chunker.chunk`.

    Raises
    ------
    OptionError
        An option is unknown or out of its range.
    TextError
        The text is not ``str`` or UTF-8 ``bytes``.
    """
    try:
        chunker = _cached(strategy, tuple(sorted(options.items())))
    except TypeError:  # an option that cannot be hashed
        chunker = make_chunker(strategy, **options)
    return chunker.chunk(text, metadata=metadata, pages=pages)


def make_chunker(strategy: str, **options: Any) -> Chunker:
    """Make the chunker of a strategy."""
    return _load(choice("strategy", strategy, STRATEGIES))(**options)


def strategies() -> dict[str, type[Chunker]]:
    """Return the chunker class of each strategy."""
    return {name: _load(name) for name in _HOMES}


def _load(strategy: str) -> type[Chunker]:
    module, name = _HOMES[strategy].split(":")
    found: type[Chunker] = getattr(import_module(f"scission.chunkers.{module}"), name)
    return found


@lru_cache(maxsize=32)
def _cached(strategy: str, options: tuple[tuple[str, Any], ...]) -> Chunker:
    return make_chunker(strategy, **dict(options))
