"""Cut documents into retrieval chunks where the topic changes.

``import scission`` loads neither numba nor a model; both come with the first chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import chunk
    from .chunkers.agentic import AgenticChunker
    from .chunkers.fixed import FixedChunker
    from .chunkers.parent_child import ParentChildChunker
    from .chunkers.propositions import PropositionChunker
    from .chunkers.recursive import RecursiveChunker
    from .chunkers.routing.chunker import RoutingChunker
    from .chunkers.semantic import SemanticChunker
    from .chunkers.structure.code import CodeChunker
    from .chunkers.structure.html import HTMLChunker
    from .chunkers.structure.markdown import MarkdownChunker
    from .chunks import Chunk, ChunkBatch
    from .embed.protocol import Embedder
    from .embed.remote import OpenAIEmbedder
    from .embed.static import StaticEmbedder
    from .errors import (
        BudgetError,
        CorpusError,
        EmbeddingError,
        MissingExtra,
        ModelError,
        OptionError,
        RemoteError,
        ScissionError,
        TextError,
    )
    from .explain import Explanation
    from .llm import OpenAIChat
    from .units import split_sentences

__version__ = "0.1.0"

__all__ = [
    "AgenticChunker",
    "BudgetError",
    "Chunk",
    "ChunkBatch",
    "CodeChunker",
    "CorpusError",
    "Embedder",
    "EmbeddingError",
    "Explanation",
    "FixedChunker",
    "HTMLChunker",
    "MarkdownChunker",
    "MissingExtra",
    "ModelError",
    "OpenAIChat",
    "OpenAIEmbedder",
    "OptionError",
    "ParentChildChunker",
    "PropositionChunker",
    "RecursiveChunker",
    "RemoteError",
    "RoutingChunker",
    "ScissionError",
    "SemanticChunker",
    "StaticEmbedder",
    "TextError",
    "__version__",
    "chunk",
    "split_sentences",
]

_HOMES = {
    "chunk": "api",
    "split_sentences": "units",
    "AgenticChunker": "chunkers.agentic",
    "BudgetError": "errors",
    "Chunk": "chunks",
    "ChunkBatch": "chunks",
    "CodeChunker": "chunkers.structure.code",
    "CorpusError": "errors",
    "Embedder": "embed.protocol",
    "EmbeddingError": "errors",
    "Explanation": "explain.explanation",
    "FixedChunker": "chunkers.fixed",
    "HTMLChunker": "chunkers.structure.html",
    "MarkdownChunker": "chunkers.structure.markdown",
    "MissingExtra": "errors",
    "ModelError": "errors",
    "OpenAIChat": "llm.openai",
    "OpenAIEmbedder": "embed.remote",
    "OptionError": "errors",
    "ParentChildChunker": "chunkers.parent_child",
    "PropositionChunker": "chunkers.propositions",
    "RecursiveChunker": "chunkers.recursive",
    "RemoteError": "errors",
    "RoutingChunker": "chunkers.routing.chunker",
    "ScissionError": "errors",
    "SemanticChunker": "chunkers.semantic",
    "StaticEmbedder": "embed.static",
    "TextError": "errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'scission' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"scission.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
