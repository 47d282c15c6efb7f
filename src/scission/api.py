"""The function form of the chunkers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from .chunkers.base import Chunker
from .chunkers.options import choice
from .chunkers.pages import Pages
from .chunks import Chunk
from .text import Text


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
    strategy : {"semantic", "recursive", "fixed", "markdown", "html", "code", "parent_child", "routing"}
        How to cut; each strategy is a chunker class.
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
    classes = strategies()
    return classes[choice("strategy", strategy, tuple(classes))](**options)


def strategies() -> dict[str, type[Chunker]]:
    """Return the chunker class of each strategy."""
    from .chunkers.fixed import FixedChunker
    from .chunkers.parent_child import ParentChildChunker
    from .chunkers.recursive import RecursiveChunker
    from .chunkers.routing.chunker import RoutingChunker
    from .chunkers.semantic import SemanticChunker
    from .chunkers.structure.code import CodeChunker
    from .chunkers.structure.html import HTMLChunker
    from .chunkers.structure.markdown import MarkdownChunker

    return {
        "semantic": SemanticChunker,
        "recursive": RecursiveChunker,
        "fixed": FixedChunker,
        "markdown": MarkdownChunker,
        "html": HTMLChunker,
        "code": CodeChunker,
        "parent_child": ParentChildChunker,
        "routing": RoutingChunker,
    }


@lru_cache(maxsize=32)
def _cached(strategy: str, options: tuple[tuple[str, Any], ...]) -> Chunker:
    return make_chunker(strategy, **dict(options))
