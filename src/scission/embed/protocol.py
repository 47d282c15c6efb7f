"""What the chunkers ask of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..group import Group
from .penalties import Penalties
from .vocabulary import Vocabulary


@runtime_checkable
class Embedder(Protocol):
    """A model that turns texts into vectors; implement this to plug in your own."""

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return one vector for each text, in order: a float array of shape (len(texts), d)."""
        ...


class UnitEmbedder(Protocol):
    """A model as the chunkers see it: vectors for the units of a whole group at once."""

    @property
    def name(self) -> str:
        """What messages call the model."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that sizes are counted in."""
        ...

    @property
    def parallel(self) -> bool:
        """Whether several threads may embed at once and gain from it."""
        ...

    @property
    def penalties(self) -> Penalties:
        """What a cut costs by default among its vectors."""
        ...

    def embed_units(self, group: Group) -> NDArray[np.float32]:
        """Return float32[M, d], a row of length 1 for each unit; zeros for one without tokens."""
        ...

    def embed_spans(
        self, group: Group, first: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.float32]:
        """Return float32[N, d], for each run of units ``first[i] <= j < last[i]`` that of its whole text."""
        ...

    def embed_windows(self, group: Group, radius: int) -> NDArray[np.float32]:
        """Return float32[M, d], for each unit that of it and its `radius` neighbours, likewise."""
        ...
