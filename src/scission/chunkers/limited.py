"""What fixed and recursive chunkers are made of: a cutter, and a model that is there when it is asked for."""

from __future__ import annotations

from ..chunks import ChunkBatch
from ..text import TextBuffer
from .base import Chunker
from .cutting import Cutter
from .vectors import ChunkEmbedder


class LimitedChunker(Chunker):
    """A chunker whose cuts need no model."""

    _cutter: Cutter
    _embedder: ChunkEmbedder

    @property
    def _parallel(self) -> bool:
        return self._cutter.tokenizer.parallel and self._embedder.parallel

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        batch = self._cutter.batch(buffer)
        return self._embedder.embedded(batch) if embeddings else batch
