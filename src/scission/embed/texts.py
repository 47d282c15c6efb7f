"""Models that read texts: a callable, an `Embedder`, or a LangChain ``Embeddings`` object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbeddingError
from ..group import Group
from ..tokens import default_vocabulary
from .penalties import STATIC, Penalties
from .vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TextEmbedder:
    """Any function from texts to vectors, checked.

    Attributes
    ----------
    name : str
        What messages call it.
    function : callable
        ``list[str]`` to an array-like of shape (n, d).
    """

    name: str
    function: Callable[[list[str]], Any]
    parallel: bool = False
    penalties: Penalties = STATIC

    @property
    def vocabulary(self) -> Vocabulary:
        """Sizes are counted in bert-base-uncased tokens, whatever the model counts in."""
        return default_vocabulary()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; empty ones are not sent to the model and get zeros."""
        wanted = [i for i, text in enumerate(texts) if text]
        if not wanted:
            return np.zeros((len(texts), 1), np.float32)
        found = self._checked(self.function([texts[i] for i in wanted]), len(wanted))
        if len(wanted) == len(texts):
            return found
        out = np.zeros((len(texts), found.shape[1]), np.float32)
        out[wanted] = found
        return out

    def embed_units(self, group: Group) -> NDArray[np.float32]:
        """Embed each unit once."""
        return self._normalised(group.unit_texts())

    def embed_spans(
        self, group: Group, first: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.float32]:
        """Embed the text of each run of units."""
        return self._normalised(group.span_texts(first, last))

    def embed_windows(self, group: Group, radius: int) -> NDArray[np.float32]:
        """Embed the joined text of each window: ``2 * radius + 1`` times the work."""
        return self._normalised(group.window_texts(radius))

    def _normalised(self, texts: list[str]) -> NDArray[np.float32]:
        from ..kernels import pooling

        vectors = self.embed(texts)
        out = np.empty_like(vectors)
        pooling.normalise_rows(vectors, out)
        return out

    def _checked(self, result: Any, count: int) -> NDArray[np.float32]:
        try:
            vectors = np.ascontiguousarray(result, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingError(
                f"model {self.name} must return a (n, d) array of numbers, got {_shape(result)} "
                f"({error})"
            ) from None
        if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
            raise EmbeddingError(
                f"model {self.name} must return one vector for each text, "
                f"shape ({count}, d): got shape {vectors.shape}"
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            raise EmbeddingError(
                f"model {self.name} must return finite values: the vector of text "
                f"{int(np.argmin(finite))} of {count} holds NaN or infinity"
            )
        return vectors


def _shape(result: Any) -> str:
    return f"{type(result).__name__}" + (
        f" of length {len(result)}" if hasattr(result, "__len__") else ""
    )
