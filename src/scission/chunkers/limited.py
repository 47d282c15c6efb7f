"""What fixed and recursive chunkers are made of: a cutter, and a model that is there when it is asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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

    @property
    def _limit(self) -> int:
        return self._cutter.size.limit

    @property
    def _trims(self) -> bool:
        return self._cutter.trim

    def _sizes(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return self._cutter.sizes(buffer)

    def _counts(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return self._cutter.tokenizer.count(buffer.texts)

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        return self._embedder.vectors(buffer.texts)

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        batch = self._cutter.batch(buffer)
        return self._embedder.embedded(batch) if embeddings else batch
