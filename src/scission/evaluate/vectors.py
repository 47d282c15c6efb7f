"""Vectors of chunks and questions, made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embed.registry import resolve
from ..embed.static import StaticEmbedder
from ..errors import OptionError
from .cache import Cache, model_fingerprint
from .grid import Model, canonical

#: What kernels are compiled on before anything is timed.
WARM_UP = "Ships sail on the sea. Bread rises in the oven. Stars shine."


class Vectors:
    """Vectors of chunks and questions, of length 1, through the cache."""

    def __init__(self, model: Model, cache: Cache) -> None:
        self._model = model
        self._cache = cache
        self._chunks = _embedder(model.chunks)
        # A transformer takes seconds and its weights' size to open: once is enough.
        same = model.queries is model.chunks or model.queries == model.chunks
        self._queries = self._chunks if same else _embedder(model.queries)
        if isinstance(self._chunks, StaticEmbedder):
            self._chunks.embed([WARM_UP])  # or the first configuration would pay for compiling
        self._names = (
            model_fingerprint(model.chunks, model.name),
            model_fingerprint(model.queries, f"{model.name} queries"),
        )

    @property
    def embedder(self) -> Any:
        """The opened model of the chunks."""
        return self._chunks

    @property
    def fingerprint(self) -> str:
        """What tells this model from others."""
        return canonical([*self._names, self._model.chunk_prefix, self._model.query_prefix])

    def chunks(
        self, texts: Sequence[str], advance: Callable[[int], object] = lambda _: None
    ) -> tuple[NDArray[np.float32], float]:
        """Embed chunks, and say what CPU time it took."""
        prefixed = [self._model.chunk_prefix + text for text in texts]
        rows, seconds = self._cache.vectors(prefixed, self._names[0], self._chunks.embed, advance)
        return unit(rows), seconds

    def questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed questions; those of a static model's teacher are brought among its vectors."""
        prefixed = [self._model.query_prefix + text for text in texts]
        rows, _ = self._cache.vectors(prefixed, self._names[1], self._queries.embed, lambda _: None)
        found = unit(rows)
        static = self._chunks
        if isinstance(static, StaticEmbedder) and found.shape[1] != static.dimensions:
            return static.project(found)
        return found


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Bring vectors to length 1; zeros stay."""
    rows = np.array(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    rows /= lengths
    return rows


def _embedder(model: Any) -> Any:
    embedder = resolve(model)
    if not callable(getattr(embedder, "embed", None)):
        raise OptionError(
            f"model {embedder.name} cannot embed texts, which chunks and questions are"
        )
    return embedder
