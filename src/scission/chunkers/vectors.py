"""Chunk vectors for strategies whose cuts need no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..chunks import ChunkBatch
from ..embed.protocol import UnitEmbedder
from ..embed.registry import resolve
from ..group import Group
from ..tokens import tokenize
from ..units import from_sentences


class ChunkEmbedder:
    """Embeds the text of every chunk once it is cut; the model is opened when it is first needed.

    Parameters
    ----------
    model : str, path, callable or object
        As for `SemanticChunker`.

    Attributes
    ----------
    parallel : bool
        Whether several threads may embed at once and gain from it.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.parallel = isinstance(model, str) or self.embedder.parallel

    @cached_property
    def embedder(self) -> UnitEmbedder:
        """The model."""
        return resolve(self._model)

    def embedded(self, batch: ChunkBatch) -> ChunkBatch:
        """Return the batch with a vector of length 1 for each chunk."""
        return batch.changed(vectors=self.vectors([batch.text(i) for i in range(len(batch))]))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[N, d]: a vector of length 1 for each text."""
        buffer, units = from_sentences(texts)
        group = Group(buffer, units, tokenize(buffer, units, self.embedder.vocabulary))
        return self.embedder.embed_units(group)
