"""The function form of the chunkers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .chunkers.base import Chunker
from .chunkers.options import choice
from .chunks import Chunk
from .text import Text


def chunk(text: Text, strategy: str = "semantic", **options: Any) -> list[Chunk]:
    """Cut one document into chunks.

    Parameters
    ----------
    text : str or bytes
        The document; bytes must be UTF-8.
    strategy : {"semantic", "agentic", "propositions"}
        How to cut; each strategy is a chunker class.
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
    return chunker.chunk(text)


def make_chunker(strategy: str, **options: Any) -> Chunker:
    """Make the chunker of a strategy."""
    classes = strategies()
    return classes[choice("strategy", strategy, tuple(classes))](**options)


def strategies() -> dict[str, type[Chunker]]:
    """Return the chunker class of each strategy."""
    from .chunkers.agentic import AgenticChunker
    from .chunkers.propositions import PropositionChunker
    from .chunkers.semantic import SemanticChunker

    return {
        "semantic": SemanticChunker,
        "agentic": AgenticChunker,
        "propositions": PropositionChunker,
    }


@lru_cache(maxsize=32)
def _cached(strategy: str, options: tuple[tuple[str, Any], ...]) -> Chunker:
    return make_chunker(strategy, **dict(options))
