"""Chunk vectors for strategies whose cuts need no model."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

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
        buffer, units = from_sentences([batch.text(i) for i in range(len(batch))])
        group = Group(buffer, units, tokenize(buffer, units, self.embedder.vocabulary))
        vectors = self.embedder.embed_units(group)
        return replace(batch, vectors=vectors, token_count=batch.token_count_source)
