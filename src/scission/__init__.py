"""Cut documents into retrieval chunks where the topic changes.

``import scission`` loads neither numba nor a model; both come with the first chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import chunk
    from .chunkers.agentic import AgenticChunker
    from .chunkers.propositions import PropositionChunker
    from .chunkers.semantic import SemanticChunker
    from .chunks import Chunk, ChunkBatch
    from .embed.protocol import Embedder
    from .embed.remote import OpenAIEmbedder
    from .embed.static import StaticEmbedder
    from .errors import (
        BudgetError,
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
    "Embedder",
    "EmbeddingError",
    "Explanation",
    "MissingExtra",
    "ModelError",
    "OpenAIChat",
    "OpenAIEmbedder",
    "OptionError",
    "PropositionChunker",
    "RemoteError",
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
    "Embedder": "embed.protocol",
    "EmbeddingError": "errors",
    "Explanation": "explain.explanation",
    "MissingExtra": "errors",
    "ModelError": "errors",
    "OpenAIChat": "llm.openai",
    "OpenAIEmbedder": "embed.remote",
    "OptionError": "errors",
    "PropositionChunker": "chunkers.propositions",
    "RemoteError": "errors",
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
